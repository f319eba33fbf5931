//! Whether a file is on disk.

/// Whether a file, as it was when it was last looked at, is on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OnDisk {
    /// Nothing is known of it.
    #[default]
    Unknown,
    /// It is to be synced before any update of it is acknowledged.
    Awaited(Ticket),
    /// It is.
    Yes,
}

impl OnDisk {
    /// What is to be waited for.
    pub(super) fn ticket(self) -> Option<Ticket> {
        match self {
            Self::Awaited(ticket) => Some(ticket),
            Self::Unknown | Self::Yes => None,
        }
    }
}

/// Stands for one file that is to be synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(pub(super) u64);
