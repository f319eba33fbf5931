//! What a program can tell the kernel about its use of a file (`posix_fadvise(2)`), and waiting
//! until a file is on disk.

use std::io;
use std::num::NonZeroU64;

use crate::File;

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
    fn of_kernel(self) -> rustix::fs::Advice {
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

impl File {
    /// Gives an advice about a stretch of the file; 0 bytes mean up to its end.
    ///
    /// # Errors
    /// Those of `posix_fadvise(2)`.
    pub fn advise(&self, advice: Advice, offset_bytes: u64, bytes: u64) -> io::Result<()> {
        let advice = advice.of_kernel();
        Ok(rustix::fs::fadvise(&self.0, offset_bytes, NonZeroU64::new(bytes), advice)?)
    }

    /// Waits until data and metadata are on disk (`fsync(2)`).
    ///
    /// # Errors
    /// Those of `fsync(2)`.
    pub fn sync_all(&self) -> io::Result<()> {
        self.0.sync_all()
    }
}
