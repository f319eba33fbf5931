//! The store itself: what each kind counts, and how it ends.

use std::sync::Arc;

use files::{FileCache, RrdFiles};
use ring::RingStore;
use store::{Error, Store};

/// The store that is served.
#[derive(Clone)]
pub enum Kept {
    /// `.rrd` files behind a cache.
    Cached(Arc<FileCache>),
    /// `.rrd` files that are written at once, all below the base directory.
    InPlace(Arc<RrdFiles>),
    /// A ring store.
    Ring(Arc<RingStore>),
}

/// Counters since the start. The first are rrdcached's, under its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics {
    /// Files that wait to be written.
    pub(crate) queue_length: u64,
    /// Files written, each time counted.
    pub(crate) updates_written: u64,
    /// Values written to files.
    pub(crate) data_sets_written: u64,
    /// Files that are known.
    pub(crate) tree_nodes_number: u64,
    /// Bytes written to the journal.
    pub(crate) journal_bytes: u64,
    /// Times that the journal went on to a fresh segment.
    pub(crate) journal_rotate: u64,
    /// What this kind of store counts besides, in a fixed order.
    pub(crate) more: Vec<(&'static str, u64)>,
}

impl Kept {
    pub(super) fn store(&self) -> &dyn Store {
        match self {
            Self::Cached(cache) => &**cache,
            Self::InPlace(files) => &**files,
            Self::Ring(ring) => &**ring,
        }
    }

    /// Whether updates may be taken at once: files that are written in place are always waited for.
    pub(super) fn takes_at_once(&self) -> bool {
        !matches!(self, Self::InPlace(_))
    }

    pub(super) fn has_directories(&self) -> bool {
        !matches!(self, Self::Ring(_))
    }

    pub(super) fn statistics(&self) -> Statistics {
        match self {
            Self::Cached(cache) => of_cache(cache),
            Self::InPlace(_) => Statistics::default(),
            Self::Ring(ring) => of_ring(ring),
        }
    }

    /// Ends it: nothing is asked any more. With `is_flushing` every file is brought up to date.
    ///
    /// # Errors
    /// What could not be written; nothing acknowledged is lost.
    pub fn close(&self, is_flushing: bool) -> Result<(), Error> {
        match self {
            Self::Cached(cache) => {
                cache.close(is_flushing);
                Ok(())
            }
            Self::InPlace(_) => Ok(()),
            // So that the next start has little to do.
            Self::Ring(ring) => ring.engine().checkpoint(),
        }
    }
}

fn of_cache(cache: &FileCache) -> Statistics {
    let report = cache.report();
    Statistics {
        queue_length: report.queue,
        updates_written: report.updates_written,
        data_sets_written: report.data_sets_written,
        tree_nodes_number: report.files,
        journal_bytes: report.journal_bytes,
        journal_rotate: report.journal_rotations,
        more: vec![
            ("ReplayWaiting", report.unsettled),
            ("JournalHeld", report.journal_held_bytes),
            ("FilesAbsent", report.absent),
            ("DataSetsRefusedLate", report.refused_late),
            ("DataSetsOrphaned", report.orphaned),
            ("LockWaits", report.lock_waits),
            ("WriteFailures", report.write_failures),
        ],
    }
}

fn of_ring(ring: &RingStore) -> Statistics {
    let report = ring.engine().report_so_far();
    let count = |number: usize| number as u64;
    let more = vec![
        ("RingGroups", count(report.groups.len())),
        ("ReplayWaiting", report.replaying.groups_left),
        ("ReplayBytes", report.replaying.bytes_left),
        ("RingLogBytes", report.log_bytes),
        ("RingLateRows", report.groups.iter().map(|group| count(group.late_rows)).sum()),
        ("RingMemoryBytes", report.groups.iter().map(|group| count(group.memory_bytes)).sum()),
        ("RingStopped", u64::from(report.stopped)),
    ];
    let tree_nodes_number = count(report.databases);
    Statistics { tree_nodes_number, more, ..Statistics::default() }
}
