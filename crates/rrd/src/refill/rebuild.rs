//! The row in the making of an archive that comes to a database.

use super::fill::suppliers;
use super::grid::Grid;
use crate::live::CellState;
use crate::update::gather;
use crate::{Archive, ConsolidationFunction as Cf, Snapshot};

/// What an archive that comes to a database may start from: another of its archives.
pub(super) struct Start<'a> {
    old: &'a Snapshot,
    cf: Cf,
    supplier: usize,
    /// The first of the supplier's rows that belong to the row in the making.
    first_row: Option<usize>,
}

impl<'a> Start<'a> {
    /// `None` if no archive of the old database tells of PDPs.
    pub(super) fn find(old: &'a Snapshot, archive: &Archive) -> Option<Self> {
        let archives = &old.definition.archives;
        let tells_pdps =
            |nth: &usize| archives[*nth].pdp_per_row == 1 || archives[*nth].cf == Cf::Average;
        let supplier = suppliers(&old.definition, archive.cf).into_iter().find(tells_pdps)?;
        let row_seconds = archive.row_seconds(old.definition.step_seconds) as i64;
        let last_seconds = old.live.last_update.seconds;
        // Right at the end of a row, rrdtool takes that row once more.
        let into_row_seconds = (last_seconds - 1).rem_euclid(row_seconds);
        let start_seconds = last_seconds - into_row_seconds;
        let grid = Grid::of(&old.definition, &old.live, supplier);
        Some(Self { old, cf: archive.cf, supplier, first_row: grid.row_at(start_seconds) })
    }

    /// The cell of a source of the old database; `primary` is the archive's newest row.
    pub(super) fn cell(&self, source: usize, primary: f64) -> CellState {
        // It starts from nothing known to be missing, and from 0 whatever the function, as
        // rrdtool's does.
        let mut cell = CellState { value: 0.0, unknown_pdps: 0, primary, secondary: 0.0 };
        let sources = self.old.definition.sources.len();
        let ring = &self.old.rows[self.supplier];
        let Some(first_row) = self.first_row else {
            cell.secondary = self.old.live.cells[self.supplier * sources + source].primary;
            return cell;
        };
        let rows = ring.len() / sources;
        let row_before = first_row.checked_sub(1).unwrap_or(rows - 1);
        cell.secondary = ring[row_before * sources + source];
        for row in first_row..rows {
            // Each counts as one PDP, however many it was made of.
            gather(&mut cell, self.cf, ring[row * sources + source], 1);
        }
        cell
    }
}
