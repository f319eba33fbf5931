//! Connections that were accepted, on their way to the thread that hears clients.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::{EventfdFlags, eventfd};

use crate::clients::Place;
use crate::session::Entrance;
use crate::stream::Stream;

/// A connection that was accepted.
pub(crate) struct Arrival {
    pub(crate) stream: Arc<Stream>,
    pub(crate) entrance: Entrance,
    pub(crate) place: Place,
}

/// Hands connections over, and tells the end.
pub(crate) struct Arrivals {
    waiting: Mutex<Vec<Arrival>>,
    is_over: AtomicBool,
    /// Can be read when there is something to look at.
    bell: OwnedFd,
}

impl Arrivals {
    /// No connections so far.
    ///
    /// # Errors
    /// The system refuses a descriptor.
    pub(crate) fn new() -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { waiting: Mutex::default(), is_over: AtomicBool::new(false), bell })
    }

    /// Hands a connection over.
    pub(crate) fn push(&self, arrival: Arrival) {
        self.waiting().push(arrival);
        self.ring();
    }

    /// Tells that no client is served any more.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Release);
        self.ring();
    }

    /// Whether no client is served any more.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// The descriptor that can be read when there is something to look at.
    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Takes the connections over. What comes later rings again.
    pub(crate) fn take(&self) -> Vec<Arrival> {
        let _ = rustix::io::read(&self.bell, &mut [0; 8]); // another look may have read it
        std::mem::take(&mut *self.waiting())
    }

    /// Has the thread that hears clients look.
    pub(crate) fn ring(&self) {
        // It fails only where it rings already.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Arrival>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
