//! The end of a store in order: nothing of its log is needed any more.

use std::sync::Arc;

use disk::Medium;
use store::Error;

use super::{Cell, Engine};

/// So often groups are flushed again whose checkpoint is older than the log's end.
const ROUNDS: u32 = 3;

impl<M: Medium<File: 'static>> Engine<M> {
    /// Writes a checkpoint of every group and notes that nothing of the log is needed: the next
    /// opening has nothing to replay, and damage of the log is then no loss.
    ///
    /// # Errors
    /// What failed first; the log has everything.
    pub fn end(&self) -> Result<(), Error> {
        self.checkpoint()?;
        for _ in 0..ROUNDS {
            // A flush may log pages of its own, which makes checkpoints before it old.
            let old = self.cells_behind_the_log();
            if old.is_empty() {
                break;
            }
            old.iter().try_for_each(|cell| self.flush_fully(cell))?;
        }
        self.advance_catalogue()?;
        Ok(self.journal.end()?)
    }

    /// Groups whose newest checkpoint does not stand at the log's end.
    fn cells_behind_the_log(&self) -> Vec<Arc<Cell>> {
        let end = self.journal.next();
        let is_behind = |cell: &&Arc<Cell>| {
            let places = cell.group().places;
            places[0].position.max(places[1].position) < end
        };
        self.world().cells().filter(is_behind).cloned().collect()
    }

    /// Has the catalogue say that it knows everything up to the log's end.
    fn advance_catalogue(&self) -> Result<(), Error> {
        let mut catalogue_writer = self.catalogue_writer();
        self.commit_life(&mut catalogue_writer)?;
        let end = self.journal.commit()?;
        catalogue_writer.advance(&*self.medium, end)
    }
}
