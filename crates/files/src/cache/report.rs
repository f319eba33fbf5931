//! What a cache says of itself.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use store::Error;

use super::clock::Second;
use super::failure_notes::FailureNotes;

/// What a cache says of itself. The counts are since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Updates of which every value was taken.
    pub updates_received: u64,
    /// Flushes of one file that were asked for.
    pub flushes_received: u64,
    /// Files written, each time counted.
    pub updates_written: u64,
    /// Samples written.
    pub data_sets_written: u64,
    /// Files that are known now.
    pub files: u64,
    /// Files that wait to be written right now.
    pub queue: u64,
    /// Bytes written to the journal.
    pub journal_bytes: u64,
    /// Bytes that what is needed of the journal takes on disk.
    pub journal_held_bytes: u64,
    /// Times that the journal went on to a fresh segment.
    pub journal_rotations: u64,
    /// Files found in the journal that are not brought together with it yet. Counting them takes a
    /// moment, as long as there are any.
    pub unsettled: u64,
    /// Files among these that are not there, or not whole: their samples wait for them.
    pub absent: u64,
    /// Samples that were acknowledged and dropped since another program changed the file.
    pub refused_late: u64,
    /// Samples that were acknowledged and dropped since the file was deleted.
    pub orphaned: u64,
    /// Writes put off since another process held the file's lock.
    pub lock_waits: u64,
    /// Writes that failed, and are tried again.
    pub write_failures: u64,
}

/// Counts what happens, and tells an administrator what it should know.
pub(super) struct Reporter {
    pub(super) counters: Counters,
    failure_notes: FailureNotes,
    notes: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Reporter {
    pub(super) fn new(notes: Arc<dyn Fn(&str) + Send + Sync>) -> Self {
        Self { counters: Counters::default(), failure_notes: FailureNotes::default(), notes }
    }

    /// Tells a line.
    pub(super) fn note(&self, text: &str) {
        (self.notes)(text);
    }

    /// Tells of a file that could not be written, unless too many such lines were told just now.
    pub(super) fn note_write_failure(&self, now: Second, error: &Error) {
        let line = format!("{error}; what waits for it waits on");
        self.failure_notes.note(now, &line, |line| self.note(line));
    }

    /// Tells of samples that were taken once and now are not: the file changed under them.
    pub(super) fn note_refused(&self, path: &Path, refused: u32) {
        if refused > 0 {
            self.counters.refused_late.add(refused.into());
            let path = path.display();
            self.note(&format!(
                "{path}: another program changed the file; {refused} waiting samples are not \
                 after its last update or do not fit it, and were dropped"
            ));
        }
    }

    /// Tells why something was not done for the journal. Whether it was done.
    pub(super) fn is_done_or_noted(&self, done: Result<(), Error>) -> bool {
        let noted = done.inspect_err(|error| self.note(&format!("journal: {error}")));
        noted.is_ok()
    }
}

/// How many there are right now.
#[derive(Debug, Default)]
pub(super) struct Gauge(AtomicU64);

impl Gauge {
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn remove(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts since the cache was opened.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) updates_received: Counter,
    pub(super) flushes_received: Counter,
    pub(super) updates_written: Counter,
    pub(super) data_sets_written: Counter,
    pub(super) refused_late: Counter,
    pub(super) orphaned: Counter,
    pub(super) lock_waits: Counter,
    pub(super) write_failures: Counter,
}

impl Counters {
    /// What they say; the rest of the report is 0.
    pub(super) fn report(&self) -> Report {
        Report {
            updates_received: self.updates_received.get(),
            flushes_received: self.flushes_received.get(),
            updates_written: self.updates_written.get(),
            data_sets_written: self.data_sets_written.get(),
            refused_late: self.refused_late.get(),
            orphaned: self.orphaned.get(),
            lock_waits: self.lock_waits.get(),
            write_failures: self.write_failures.get(),
            ..Report::default()
        }
    }
}

/// A count that threads add to.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
