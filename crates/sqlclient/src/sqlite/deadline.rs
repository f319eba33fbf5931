//! The end of a statement that takes too long.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// After so many instructions of SQLite's machine the clock is looked at.
const LOOK_INSTRUCTIONS: i32 = 2000;
/// No call is running.
const NEVER: u64 = u64::MAX;

/// When the call that is running has to end.
pub(super) struct Deadline {
    since: Instant,
    /// Milliseconds after `since`.
    end: Arc<AtomicU64>,
    patience: Duration,
}

/// A call that is running, until it is dropped.
pub(super) struct Running<'a>(&'a Deadline);

impl Deadline {
    /// Has SQLite interrupt statements at the deadline.
    pub(super) fn watch(
        connection: &mut rusqlite::Connection,
        patience: Duration,
    ) -> rusqlite::Result<Self> {
        let (since, end) = (Instant::now(), Arc::new(AtomicU64::new(NEVER)));
        let watched = Arc::clone(&end);
        let is_over = move || milliseconds(since.elapsed()) >= watched.load(Ordering::Relaxed);
        connection.progress_handler(LOOK_INSTRUCTIONS, Some(is_over))?;
        Ok(Self { since, end, patience })
    }

    pub(super) fn start(&self) -> Running<'_> {
        let mut running = Running(self);
        running.start_again();
        running
    }
}

impl Running<'_> {
    /// Gives the call all its time once more.
    pub(super) fn start_again(&mut self) {
        let end = self.0.since.elapsed() + self.0.patience;
        self.0.end.store(milliseconds(end), Ordering::Relaxed);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.end.store(NEVER, Ordering::Relaxed);
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(NEVER - 1)
}
