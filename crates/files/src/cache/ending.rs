//! How the threads that keep the log are woken, and how they learn that they are to end.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tracing_mutex::stdsync::{Condvar, Mutex, MutexGuard};

/// How long at most the thread that keeps the log sleeps where there is nothing to do.
const QUIET_PAUSE_MAX: Duration = Duration::from_secs(60);

/// Tells threads to end, or that there is work before its time.
#[derive(Debug, Default)]
pub(super) struct Ending {
    state: Mutex<Call>,
    changed: Condvar,
    /// Whether the thread that keeps the log sleeps until there is work.
    sleeps: AtomicBool,
}

#[derive(Debug, Default)]
struct Call {
    is_over: bool,
    is_due: bool,
}

impl Ending {
    /// Lets them end.
    pub(super) fn end(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// There is work.
    pub(super) fn call(&self) {
        self.state().is_due = true;
        self.changed.notify_all();
    }

    /// Something was logged, or written to a file: the keeper that sleeps until there is work is
    /// woken. It is to be called once that can be seen.
    pub(super) fn wake(&self) {
        if self.sleeps.load(Ordering::SeqCst) {
            self.call();
        }
    }

    /// Waits for the next round; where `is_quiet` says that there is nothing to do, until there is
    /// something. True if the threads are to end.
    pub(super) fn wait_for_work(&self, round: Duration, is_quiet: impl FnOnce() -> bool) -> bool {
        // Set before the look: work that comes after the look finds that the keeper sleeps.
        self.sleeps.store(true, Ordering::SeqCst);
        let is_quiet = is_quiet();
        // A thread that logs during the wait for a round must not begin the next one: each brings
        // syncs.
        self.sleeps.store(is_quiet, Ordering::SeqCst);
        let is_over = self.wait(if is_quiet { QUIET_PAUSE_MAX } else { round });
        self.sleeps.store(false, Ordering::SeqCst);
        is_over
    }

    /// Whether they are to end.
    pub(super) fn is_over(&self) -> bool {
        self.state().is_over
    }

    /// Waits; true if they are to end.
    fn wait(&self, time: Duration) -> bool {
        let rests = |call: &mut Call| !call.is_over && !call.is_due;
        let waited = self.changed.wait_timeout_while(self.state(), time, rests);
        let mut call = waited.unwrap_or_else(PoisonError::into_inner).0;
        call.is_due = false;
        call.is_over
    }

    /// Waits, whatever work there is for others; true if they are to end.
    pub(super) fn wait_for_end(&self, time: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.state(), time, |call| !call.is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_over
    }

    fn state(&self) -> MutexGuard<'_, Call> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
