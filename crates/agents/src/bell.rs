//! Tells both threads that the end has come.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// A descriptor that can be read once it has rung, and ever after.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    /// One that has not rung.
    ///
    /// # Errors
    /// The system refuses a descriptor.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    pub(crate) fn ring(&self) {
        // It fails only where it rings already.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Whether it rings within that time, or did so before.
    pub(crate) fn rings_within(&self, wait: Duration) -> bool {
        let mut all = [PollFd::new(&self.0, PollFlags::IN)];
        let timeout = Timespec::try_from(wait).ok();
        poll(&mut all, timeout.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
