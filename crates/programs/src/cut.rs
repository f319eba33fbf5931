//! The end of all programs of a runner, as something that can be polled for.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};

/// Readable for ever after it was made.
#[derive(Debug)]
pub(crate) struct Cut(OwnedFd);

impl Cut {
    /// A cut that was not made yet.
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Makes it.
    pub(crate) fn make(&self) {
        // It fails only where the count would overflow, after 2^64 - 2 cuts.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// What becomes readable.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
