//! Whether the run ends, for threads that wait.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Wakes threads when the run ends.
#[derive(Default)]
pub(super) struct Ending {
    is_over: Mutex<bool>,
    ended: Condvar,
}

impl Ending {
    /// The run ends.
    pub(super) fn tell(&self) {
        *self.is_over() = true;
        self.ended.notify_all();
    }

    /// Waits until then; whether the run ends before.
    pub(super) fn comes_before(&self, due: Instant) -> bool {
        let time = due.saturating_duration_since(Instant::now());
        let waited = self.ended.wait_timeout_while(self.is_over(), time, |is_over| !*is_over);
        let (is_over, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *is_over
    }

    fn is_over(&self) -> MutexGuard<'_, bool> {
        self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
