//! While another process copies the store.
//!
//! The process that copies holds a shared lock on the catalogue. Two things change meanwhile, so
//! that a store that is written faster than it can be copied is copied all the same: the log is not
//! freed (up to a bound), and the catalogue is not committed more often than every
//! [`RingOptions::copy_pause`].
//!
//! No thread sleeps under the catalogue's lock. What needs no commit goes on: creates in groups
//! that have room, renames, deletes, lists of names, updates, flushes. What needs one (a new group,
//! an import, a flush of members with a new definition) gives the lock up and waits for its turn.
//!
//! [`RingOptions::copy_pause`]: super::RingOptions::copy_pause

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use disk::{Medium, MediumFile};
use journal::LogPosition;
use store::Error;
use tracing_mutex::stdsync::MutexGuard;

use super::{CatalogueWriter, Engine};

/// How often a thread that waits for its turn looks whether the store is still copied.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

impl<M: Medium<File: 'static>> Engine<M> {
    /// The log start that a checkpoint may name: as long as the store is copied, none that is newer
    /// than before. A group that was copied needs the log from its checkpoint on, whatever has
    /// become of it since.
    ///
    /// Not without a bound: a process that is stopped in the middle of copying holds the lock as
    /// long as it lives. Beyond [`RingOptions::held_log_bytes_max`] the log is freed all the same.
    /// Should the process go on, it finds that what it copied needs records that are gone, and
    /// copies again.
    ///
    /// [`RingOptions::held_log_bytes_max`]: super::RingOptions::held_log_bytes_max
    pub(super) fn unless_held(&self, log_start: LogPosition) -> LogPosition {
        let held = self.log_start.load(Ordering::Acquire);
        let held_bytes = self.journal.next().0.saturating_sub(held);
        match held_bytes <= self.held_log_bytes_max() && self.is_held() {
            true => LogPosition(held),
            false => log_start,
        }
    }

    fn held_log_bytes_max(&self) -> u64 {
        /// How many times longer a log that is held may be than one that is not.
        const TIMES: u64 = 4;
        self.options.held_log_bytes_max.unwrap_or_else(|| TIMES * self.log_bytes_max())
    }

    /// Waits until the catalogue may be committed, and gives its lock up meanwhile: what the caller
    /// knew of the store before may no longer be so.
    pub(super) fn await_turn<'a>(
        &'a self,
        mut catalogue_writer: MutexGuard<'a, CatalogueWriter>,
    ) -> MutexGuard<'a, CatalogueWriter> {
        while self.must_pause(&catalogue_writer) {
            let waited = self.life_changed.wait_timeout(catalogue_writer, LOOK_AGAIN);
            catalogue_writer =
                waited.expect("a thread that panicked left the catalogue in doubt").0;
        }
        catalogue_writer
    }

    /// Commits the pending changes, unless the commit would have to wait, or the catalogue is only
    /// read.
    ///
    /// # Errors
    /// Those of the commit.
    pub(super) fn commit_unless_paused(
        &self,
        catalogue_writer: &mut CatalogueWriter,
    ) -> Result<(), Error> {
        if catalogue_writer.is_in_part() || self.must_pause(catalogue_writer) {
            Ok(())
        } else {
            self.commit_life(catalogue_writer)
        }
    }

    /// Commits what a checkpoint relies on. It names definitions by their numbers, which the
    /// catalogue must know. All else in the catalogue may be older than a checkpoint: the log is
    /// kept from the first record that the catalogue lacks.
    ///
    /// # Errors
    /// Those of the commit.
    pub(super) fn commit_for_checkpoint(&self) -> Result<(), Error> {
        let mut catalogue_writer = self.catalogue_writer();
        if !catalogue_writer.changes.has_definitions() {
            return self.commit_unless_paused(&mut catalogue_writer);
        }
        catalogue_writer = self.await_turn(catalogue_writer);
        self.commit_life(&mut catalogue_writer)
    }

    /// Notes a commit, from which the pause counts.
    pub(super) fn note_commit(&self, catalogue_writer: &mut CatalogueWriter) {
        #[allow(clippy::disallowed_methods)] // another process needs the time, not this one
        let now = || Instant::now();
        catalogue_writer.committed_while_held = self.is_held().then(now);
    }

    /// Whether a commit now would come too soon after the one before.
    fn must_pause(&self, catalogue_writer: &CatalogueWriter) -> bool {
        let is_recent = |at: Instant| at.elapsed() < self.options.copy_pause;
        !catalogue_writer.changes.is_empty()
            && catalogue_writer.committed_while_held.is_some_and(is_recent)
            && self.is_held()
    }

    pub(super) fn is_held(&self) -> bool {
        // Where it cannot be told nobody can hold it.
        self.held.is_held().unwrap_or(false)
    }
}
