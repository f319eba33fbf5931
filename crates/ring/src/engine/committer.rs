//! Commits of the catalogue: what they wait for, and what they wait for while another process
//! copies the store.

use std::time::{Duration, Instant};

use disk::Medium;
use store::{Error, NamePattern, NamesPage};
use tracing_mutex::stdsync::MutexGuard;

use super::CatalogueWriter;
use super::copy_lock::CopyLock;
use super::due::Due;
use super::health::Health;
use super::log::Log;
use super::registry::Registry;

/// How often a thread that waits for its turn looks whether the store is still copied.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Commits the catalogue.
pub(super) struct Committer<'e, M: Medium> {
    pub(super) registry: &'e Registry<M>,
    pub(super) log: &'e Log<M>,
    pub(super) health: &'e Health,
    pub(super) due: &'e Due,
    pub(super) copy_lock: &'e CopyLock<M::File>,
    pub(super) copy_pause: Duration,
}

impl<'e, M: Medium<File: 'static>> Committer<'e, M> {
    /// Writes the pending changes of the catalogue.
    ///
    /// # Errors
    /// [`Error::Stopped`]; those of the log and of the catalogue. The changes are then still
    /// pending.
    pub(super) fn commit(&self, catalogue_writer: &mut CatalogueWriter) -> Result<(), Error> {
        self.health.check()?;
        if catalogue_writer.changes.is_empty() {
            return Ok(());
        }
        // The catalogue never knows what the log does not.
        let applied = self.log.journal.next();
        self.log.journal.commit()?;
        self.due.wake();
        let done = catalogue_writer.commit(self.registry.medium(), applied);
        self.note_commit(catalogue_writer);
        done.inspect_err(|error| self.health.note(error))
    }

    /// Waits for its turn and writes the pending changes of the catalogue.
    ///
    /// # Errors
    /// As [`Committer::commit`].
    pub(super) fn commit_in_turn(&self) -> Result<(), Error> {
        self.commit(&mut self.await_turn(self.registry.catalogue_writer()))
    }

    /// Commits the pending changes, unless the commit would have to wait, or the catalogue is only
    /// read.
    ///
    /// # Errors
    /// As [`Committer::commit`].
    pub(super) fn commit_unless_paused(
        &self,
        catalogue_writer: &mut CatalogueWriter,
    ) -> Result<(), Error> {
        if catalogue_writer.is_in_part() || self.must_pause(catalogue_writer) {
            Ok(())
        } else {
            self.commit(catalogue_writer)
        }
    }

    /// Commits what a checkpoint relies on. It names definitions by their numbers, which the
    /// catalogue must know. All else in the catalogue may be older than a checkpoint: the log is
    /// kept from the first record that the catalogue lacks.
    ///
    /// # Errors
    /// As [`Committer::commit`].
    pub(super) fn commit_for_checkpoint(&self) -> Result<(), Error> {
        let mut catalogue_writer = self.registry.catalogue_writer();
        if !catalogue_writer.changes.has_definitions() {
            return self.commit_unless_paused(&mut catalogue_writer);
        }
        catalogue_writer = self.await_turn(catalogue_writer);
        self.commit(&mut catalogue_writer)
    }

    /// Names that match, sorted, from a text on: at most so many.
    ///
    /// # Errors
    /// As [`Committer::commit`].
    pub(super) fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        let mut catalogue_writer = self.registry.catalogue_writer();
        self.commit_unless_paused(&mut catalogue_writer)?;
        catalogue_writer.names_from(self.registry.medium(), pattern, from, limit)
    }

    /// Has the catalogue say that it knows everything up to the log's end.
    ///
    /// # Errors
    /// As [`Committer::commit`].
    pub(super) fn advance(&self) -> Result<(), Error> {
        let mut catalogue_writer = self.registry.catalogue_writer();
        self.commit(&mut catalogue_writer)?;
        let end = self.log.journal.commit()?;
        catalogue_writer.advance(self.registry.medium(), end)
    }

    /// Waits until the catalogue may be committed, and gives its lock up meanwhile: what the caller
    /// knew of the store before may no longer be so.
    pub(super) fn await_turn(
        &self,
        mut catalogue_writer: MutexGuard<'e, CatalogueWriter>,
    ) -> MutexGuard<'e, CatalogueWriter> {
        while self.must_pause(&catalogue_writer) {
            catalogue_writer = self.registry.wait(catalogue_writer, LOOK_AGAIN);
        }
        catalogue_writer
    }

    /// Notes a commit, from which the pause counts.
    fn note_commit(&self, catalogue_writer: &mut CatalogueWriter) {
        #[allow(clippy::disallowed_methods)] // another process needs the time, not this one
        let now = || Instant::now();
        catalogue_writer.committed_while_held = self.copy_lock.is_held().then(now);
    }

    /// Whether a commit now would come too soon after the one before.
    fn must_pause(&self, catalogue_writer: &CatalogueWriter) -> bool {
        let is_recent = |at: Instant| at.elapsed() < self.copy_pause;
        !catalogue_writer.changes.is_empty()
            && catalogue_writer.committed_while_held.is_some_and(is_recent)
            && self.copy_lock.is_held()
    }
}
