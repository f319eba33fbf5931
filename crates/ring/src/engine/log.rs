//! The log as the engine uses it: the journal, how far it was freed, and when what it takes is
//! acknowledged.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use disk::Medium;
use journal::{Journal, JournalError, LeftSegment, LogPosition, RawRecord};
use store::Error;
use tracing_mutex::stdsync::Mutex;

use super::Sync;
use super::due::Due;
use super::replay::OutlineBuilder;

/// The log of a store.
pub(super) struct Log<M: Medium> {
    pub(super) journal: Arc<Journal<Arc<M>>>,
    sync: Sync,
    /// Records before it are no longer needed, as some checkpoint says.
    start: AtomicU64,
    /// The log was freed up to here.
    freed: Mutex<LogPosition>,
    /// Uses of segments up to this one are outlined, or were left when the store was opened.
    outlined: AtomicU64,
}

impl<M: Medium<File: 'static>> Log<M> {
    pub(super) fn new(
        journal: Arc<Journal<Arc<M>>>,
        sync: Sync,
        start: LogPosition,
        freed: LogPosition,
    ) -> Self {
        let left = journal.left_segments();
        let outlined = left.last().map_or(0, LeftSegment::sequence);
        Self {
            journal,
            sync,
            start: AtomicU64::new(start.0),
            freed: Mutex::new(freed),
            outlined: AtomicU64::new(outlined),
        }
    }

    /// Records before it are no longer needed, as some checkpoint says.
    pub(super) fn start(&self) -> LogPosition {
        LogPosition(self.start.load(Ordering::Acquire))
    }

    /// A position, but none before the log's start. A group that was not updated for long has old
    /// checkpoints, and its first record since does not bring back what came between.
    pub(super) fn not_before_start(&self, position: LogPosition) -> LogPosition {
        position.max(self.start())
    }

    /// Bytes of the log from its start on.
    pub(super) fn bytes(&self) -> u64 {
        let start = self.start();
        self.journal.next().0 - start.0
    }

    /// The log was freed up to here: no record before it can be read any more.
    pub(super) fn freed(&self) -> LogPosition {
        *self.freed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frees the log. `start` stands in the checkpoint just written, the one before in another:
    /// only what both allow is freed, so that one of them may rot.
    pub(super) fn free(&self, start: LogPosition) {
        let before = self.start.fetch_max(start.0, Ordering::AcqRel).min(start.0);
        let mut freed = self.freed.lock().unwrap_or_else(PoisonError::into_inner);
        if LogPosition(before) > *freed {
            *freed = LogPosition(before);
            self.journal.free_before(*freed);
        }
    }

    /// Whether [`Self::acknowledge`] waits for the disk.
    pub(super) fn acknowledges_on_disk(&self) -> bool {
        self.sync == Sync::Always
    }

    /// Waits for the disk, or for the kernel. Where that fails, nothing of what was appended is
    /// acknowledged.
    ///
    /// # Errors
    /// Those of the journal.
    pub(super) fn acknowledge(&self, due: &Due) -> Result<(), JournalError> {
        due.stir();
        let acknowledge = || match self.sync {
            Sync::Always => self.journal.commit(),
            Sync::Deferred => self.journal.write_pending(),
        };
        // The records stay pending, and the second try goes to a fresh segment; a later commit
        // tries again.
        let acknowledged = acknowledge().or_else(|_| acknowledge()).map(drop);
        if self.journal.take_begun() {
            // The next segment is made before it is missed.
            due.wake();
        }
        acknowledged
    }

    /// Waits until everything that was taken is on disk.
    ///
    /// # Errors
    /// [`Error::Journal`].
    pub(super) fn sync(&self) -> Result<(), Error> {
        self.journal.commit()?;
        Ok(())
    }

    /// Outlines the first segment that was left since the store was opened and is not outlined yet.
    /// Returns whether there was one.
    ///
    /// # Errors
    /// [`Error::Journal`]. It is not tried again.
    pub(super) fn outline_next(&self) -> Result<bool, Error> {
        let outlined = self.outlined.load(Ordering::Acquire);
        let left = self.journal.left_segments();
        let Some(next) = left.iter().find(|left| left.sequence() > outlined) else {
            return Ok(false);
        };
        self.outlined.fetch_max(next.sequence(), Ordering::AcqRel);
        let see = |builder: &mut OutlineBuilder, at, place, record: RawRecord<'_>| {
            builder.see(at, place, &record);
        };
        self.journal.put_outline(next, see, OutlineBuilder::tell)?;
        Ok(true)
    }

    /// Makes segments beforehand, so that no update waits for one.
    ///
    /// # Errors
    /// [`Error::Journal`].
    pub(super) fn prepare(&self) -> Result<(), Error> {
        /// A flush may take as long as some segments are filled.
        const SEGMENTS_FREE: usize = 4;
        self.journal.ensure_free(SEGMENTS_FREE)?;
        Ok(())
    }
}
