//! The end of a store in order: nothing of its log is needed any more.

use std::sync::Arc;

use disk::Medium;
use store::Error;

use super::Cell;
use super::flush::Flusher;

/// So often groups are flushed again whose checkpoint is older than the log's end.
const ROUNDS: u32 = 3;

impl<M: Medium<File: 'static>> Flusher<'_, M> {
    /// Writes a checkpoint of every group and notes that nothing of the log is needed: the next
    /// opening has nothing to replay, and damage of the log is then no loss.
    ///
    /// # Errors
    /// What failed first; the log has everything.
    pub(super) fn end(&self) -> Result<(), Error> {
        self.checkpoint()?;
        for _ in 0..ROUNDS {
            // A flush may log pages of its own, which makes checkpoints before it old.
            let old = self.cells_behind_the_log();
            if old.is_empty() {
                break;
            }
            old.iter().try_for_each(|cell| self.flush_fully(cell))?;
        }
        self.committer.advance()?;
        Ok(self.log.journal.end()?)
    }

    /// Groups whose newest checkpoint does not stand at the log's end.
    fn cells_behind_the_log(&self) -> Vec<Arc<Cell>> {
        let end = self.log.journal.next();
        let is_behind = |cell: &&Arc<Cell>| {
            let places = cell.group().places;
            places[0].position.max(places[1].position) < end
        };
        self.registry.world().cells().filter(is_behind).cloned().collect()
    }
}
