//! Whether the store can still acknowledge anything, and what went wrong last.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use store::Error;
use tracing_mutex::stdsync::{Mutex, MutexGuard};

/// Whether the store can still acknowledge anything, and what went wrong last.
#[derive(Default)]
pub(super) struct Health {
    /// Set once and for good, where an acknowledged sample could be lost: only the log has the rows
    /// of some tiles, or it is not known what the catalogue has.
    stopped: AtomicBool,
    /// What became of the last flush or commit that failed.
    trouble: Mutex<Option<String>>,
}

impl Health {
    /// Refuses what would be acknowledged and could not be kept.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.is_stopped() {
            return Err(Error::Stopped(self.trouble().unwrap_or_default()));
        }
        Ok(())
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// From here on nothing is acknowledged.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    pub(super) fn note(&self, error: &Error) {
        *self.lock() = Some(error.to_string());
    }

    /// What went wrong last, if anything did.
    pub(super) fn trouble(&self) -> Option<String> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
