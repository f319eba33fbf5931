//! What a program can tell the kernel about its use of a file.

/// An advice of `posix_fadvise(2)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The device's readahead, the default. Ends when the descriptor is closed.
    Normal,
    /// No readahead. Ends when the descriptor is closed.
    Random,
    /// Twice the device's readahead. Ends when the descriptor is closed.
    Sequential,
    /// Begin to read the stretch into the page cache.
    WillNeed,
    /// Drop the clean pages of the stretch from the page cache.
    DontNeed,
    /// Pages that this descriptor reads do not count as used (since Linux 6.3). Ends when the
    /// descriptor is closed.
    NoReuse,
}

impl Advice {
    pub(super) fn of_kernel(self) -> rustix::fs::Advice {
        match self {
            Self::Normal => rustix::fs::Advice::Normal,
            Self::Random => rustix::fs::Advice::Random,
            Self::Sequential => rustix::fs::Advice::Sequential,
            Self::WillNeed => rustix::fs::Advice::WillNeed,
            Self::DontNeed => rustix::fs::Advice::DontNeed,
            Self::NoReuse => rustix::fs::Advice::NoReuse,
        }
    }
}
