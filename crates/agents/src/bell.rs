//! Tells both threads that the end has come.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;

/// A descriptor that can be read once it has rung, and ever after.
#[derive(Debug)]
pub(crate) struct Bell {
    descriptor: OwnedFd,
    has_rung: AtomicBool,
}

impl Bell {
    /// One that has not rung.
    ///
    /// # Errors
    /// The system refuses a descriptor.
    pub(crate) fn new() -> io::Result<Self> {
        let descriptor = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { descriptor, has_rung: AtomicBool::new(false) })
    }

    pub(crate) fn ring(&self) {
        self.has_rung.store(true, Ordering::Release);
        // It fails only where it rings already.
        let _ = rustix::io::write(&self.descriptor, &1_u64.to_ne_bytes());
    }

    pub(crate) fn has_rung(&self) -> bool {
        self.has_rung.load(Ordering::Acquire)
    }

    /// Waits for so long, or until it rings. Says whether it has rung.
    pub(crate) fn rings_within(&self, longest: Duration) -> bool {
        wait(&mut [PollFd::new(&self.descriptor, PollFlags::IN)], Some(longest));
        self.has_rung()
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// How long nothing is done where the system does not wait.
const PAUSE: Duration = Duration::from_millis(20);

/// Waits until one of these can be read. Says whether one can.
pub(crate) fn wait(all: &mut [PollFd<'_>], longest: Option<Duration>) -> bool {
    let timeout = longest.and_then(|longest| Timespec::try_from(longest).ok());
    match poll(all, timeout.as_ref()) {
        Ok(ready) => ready > 0,
        Err(Errno::INTR) => false,
        Err(_) => {
            // No memory: better late than all the time.
            std::thread::sleep(longest.unwrap_or(PAUSE).min(PAUSE));
            false
        }
    }
}
