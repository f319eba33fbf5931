//! What a cache says of itself.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Core, FileCache};

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

impl FileCache {
    /// What the cache says of itself.
    #[must_use]
    pub fn report(&self) -> Report {
        let core = &self.core;
        let counters = &core.counters;
        let journal =
            core.journaled.as_ref().map(|journaled| journaled.log.written_since_opening());
        let (journal_bytes, journal_rotations) = journal.unwrap_or_default();
        Report {
            updates_received: counters.updates_received.get(),
            flushes_received: counters.flushes_received.get(),
            updates_written: counters.updates_written.get(),
            data_sets_written: counters.data_sets_written.get(),
            files: core.table.len() as u64,
            queue: core.schedule.ready_count() as u64,
            journal_bytes,
            journal_held_bytes: core.journaled.as_ref().map_or(0, |it| it.log.held_bytes()),
            journal_rotations,
            unsettled: core.count_unsettled(),
            absent: core.count_absent(),
            refused_late: counters.refused_late.get(),
            orphaned: counters.orphaned.get(),
            lock_waits: counters.lock_waits.get(),
            write_failures: counters.write_failures.get(),
        }
    }
}

impl Core {
    fn count_absent(&self) -> u64 {
        self.journaled.as_ref().map_or(0, |journaled| journaled.absent.get())
    }

    fn count_unsettled(&self) -> u64 {
        let replay = self.journaled.as_ref().and_then(|journaled| journaled.replay());
        replay.map_or(self.count_absent(), |_| {
            let entries = self.table.all();
            let waiting = entries.iter().filter(|entry| !entry.lock().logged.is_settled());
            waiting.count() as u64
        })
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

    fn get(&self) -> u64 {
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

/// A count that threads add to.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
