//! What a program can tell the kernel about its use of a file.

/// An advice of `posix_fadvise(2)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The readahead of the device, as if nothing had been said. Ends with the descriptor.
    Normal,
    /// No readahead. Ends with the descriptor.
    Random,
    /// Twice the readahead of the device. Ends with the descriptor.
    Sequential,
    /// Begin to read the stretch into the page cache.
    WillNeed,
    /// Drop the clean pages of the stretch from the page cache.
    DontNeed,
    /// What this descriptor reads does not count as used (since Linux 6.3). Ends with the
    /// descriptor.
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
