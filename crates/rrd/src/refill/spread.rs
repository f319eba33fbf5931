//! Rows of STDEV and PERCENTILE, from rows that say the same or from all of their PDPs: exact, or
//! unknown. What coarser rows say of a spread would be a guess.

use super::cell::Cell;
use super::grid::Grid;
use crate::live::CellState;
use crate::update::gather_spread;
use crate::{Archive, Snapshot, UNKNOWN};

/// A source in an archive of a database.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) database: &'a Snapshot,
    pub(super) archive: usize,
    pub(super) source: usize,
}

impl<'a> Column<'a> {
    fn archive(&self) -> &'a Archive {
        &self.database.definition.archives[self.archive]
    }

    fn grid(&self) -> Grid {
        Grid::of(&self.database.definition, &self.database.live, self.archive)
    }

    /// The value of the row that ends then; `None` outside of the ring.
    fn ending(&self, end_seconds: i64) -> Option<f64> {
        let sources = self.database.definition.sources.len();
        let row = self.grid().row_at(end_seconds)?;
        Some(self.database.rows[self.archive][row * sources + self.source])
    }

    /// The column of single PDPs of a step that reaches back furthest.
    pub(super) fn of_pdps(
        database: &'a Snapshot,
        source: usize,
        step_seconds: u64,
    ) -> Option<Self> {
        if database.definition.step_seconds != step_seconds {
            return None;
        }
        let archives = database.definition.archives.iter().enumerate();
        let fine = archives.filter(|(_, each)| each.pdp_per_row == 1 && !each.cf.is_forecast());
        let (archive, _) = fine.max_by_key(|(_, archive)| archive.rows)?;
        Some(Self { database, archive, source })
    }
}

/// The row of an archive that ends then, from one column.
pub(super) fn row(archive: &Archive, step_seconds: u64, end_seconds: i64, from: Column<'_>) -> f64 {
    let row_seconds = archive.row_seconds(step_seconds) as i64;
    let known = match from.archive() {
        same if same.cf == archive.cf && from.grid().row_seconds == row_seconds => {
            from.ending(end_seconds)
        }
        fine if fine.pdp_per_row == 1 && !fine.cf.is_forecast() => {
            let cell = consolidated(archive, step_seconds, end_seconds, end_seconds, from);
            cell.map(|cell| ended(cell, archive))
        }
        _ => None,
    };
    known.unwrap_or(UNKNOWN)
}

/// The cell of an archive that comes to a database; `newest` is the archive's newest row. `None`
/// where a PDP of its row in the making is told nowhere.
pub(super) fn cell(
    archive: &Archive,
    step_seconds: u64,
    newest: f64,
    from: Column<'_>,
) -> Option<Cell> {
    let last_seconds = from.database.live.last_update.seconds;
    let row_seconds = archive.row_seconds(step_seconds) as i64;
    let begin_seconds = last_seconds - last_seconds.rem_euclid(row_seconds);
    let end_seconds = begin_seconds + row_seconds;
    let mut cell = consolidated(archive, step_seconds, end_seconds, last_seconds, from)?;
    cell.state.primary = newest;
    cell.state.secondary = from.ending(begin_seconds).unwrap_or(UNKNOWN);
    Some(cell)
}

/// The PDPs of the row that ends then, up to a moment. `None` where one of them is told nowhere.
fn consolidated(
    archive: &Archive,
    step_seconds: u64,
    end_seconds: i64,
    until_seconds: i64,
    from: Column<'_>,
) -> Option<Cell> {
    let mut cell = Cell::new(archive, 0);
    let begin_seconds = end_seconds - archive.row_seconds(step_seconds) as i64;
    for nth in 1..=archive.pdp_per_row as i64 {
        let pdp_seconds = begin_seconds + nth * step_seconds as i64;
        if pdp_seconds > until_seconds {
            break;
        }
        gather_spread(&mut cell.state, &mut cell.row, from.ending(pdp_seconds)?, 1);
    }
    Some(cell)
}

fn ended(Cell { state, mut row, .. }: Cell, archive: &Archive) -> f64 {
    let CellState { unknown_pdps, .. } = state;
    match unknown_pdps as f64 > archive.pdp_per_row as f64 * archive.xff {
        true => UNKNOWN,
        false => row.end(archive.cf),
    }
}
