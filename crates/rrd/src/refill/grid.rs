//! Where the rows of a ring lie in time.

use crate::{Archive, Definition, LiveState, Timestamp};

/// The rows of one ring, oldest first, on the grid of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// When the newest row ends.
    newest_seconds: i64,
    pub(super) row_seconds: i64,
    pub(super) rows: usize,
}

impl Grid {
    pub(super) fn new(archive: &Archive, step_seconds: u64, last_update: Timestamp) -> Self {
        let row_seconds = archive.row_seconds(step_seconds) as i64;
        let newest_seconds = last_update.seconds - last_update.seconds.rem_euclid(row_seconds);
        Self { newest_seconds, row_seconds, rows: archive.rows as usize }
    }

    /// The grid of an archive of a database.
    pub(super) fn of(definition: &Definition, live: &LiveState, archive: usize) -> Self {
        Self::new(&definition.archives[archive], definition.step_seconds, live.last_update)
    }

    /// The first and the last second of a row.
    pub(super) fn span(&self, row: usize) -> (i64, i64) {
        let end_seconds = self.newest_seconds - (self.rows - 1 - row) as i64 * self.row_seconds;
        (end_seconds - self.row_seconds + 1, end_seconds)
    }

    /// Whether a row may end at this second: one of the ring, or an older one.
    pub(super) fn is_end(&self, seconds: i64) -> bool {
        seconds <= self.newest_seconds && seconds.rem_euclid(self.row_seconds) == 0
    }

    /// The row that a second belongs to; `None` if the ring has no such row.
    pub(super) fn row_at(&self, seconds: i64) -> Option<usize> {
        // The end of a row belongs to it, its start to the one before.
        let age_seconds = self.newest_seconds.checked_sub(seconds)?;
        let age = usize::try_from(age_seconds.div_euclid(self.row_seconds)).ok()?;
        self.rows.checked_sub(age + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Grid;

    #[test]
    fn every_second_of_a_row_leads_to_it() {
        let grid = Grid { newest_seconds: 900, row_seconds: 300, rows: 2 };
        assert_eq!(grid.span(0), (301, 600));
        assert_eq!(grid.span(1), (601, 900));
        let rows = [300, 301, 600, 601, 900, 901].map(|seconds| grid.row_at(seconds));
        assert_eq!(rows, [None, Some(0), Some(0), Some(1), Some(1), None]);
    }
}
