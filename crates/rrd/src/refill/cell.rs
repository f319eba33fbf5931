//! A cell with everything that belongs to it.

use crate::live::CellState;
use crate::{
    Archive, ConsolidationFunction as Cf, Definition, ForecastWords, LiveState, RowSoFar, UNKNOWN,
};

/// A cell, and what archives have beside it that forecast or keep more of a row than one number.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) state: CellState,
    pub(super) words: ForecastWords,
    pub(super) row: RowSoFar,
}

impl Cell {
    /// That of an archive and a source of a database.
    pub(super) fn of(live: &LiveState, sources: usize, archive: usize, source: usize) -> Self {
        let position = archive * sources + source;
        let words = live.forecast.words.get(position).copied().unwrap_or_default();
        let row = live.rows_so_far.get(position).cloned().unwrap_or(RowSoFar::InCell);
        Self { state: live.cells[position], words, row }
    }

    /// That of a source that nothing is known of in this row, for so many PDPs.
    pub(super) fn new(archive: &Archive, unknown_pdps: u64) -> Self {
        let zero = CellState { value: 0.0, unknown_pdps: 0, primary: 0.0, secondary: 0.0 };
        let state = if archive.cf.is_forecast() && archive.cf != Cf::DevPredict {
            zero
        } else {
            CellState { value: UNKNOWN, unknown_pdps, ..zero }
        };
        Self { state, words: ForecastWords::fresh(archive), row: RowSoFar::fresh(archive) }
    }
}

/// Makes these the cells of a live state.
pub(super) fn put(cells: &[Cell], definition: &Definition, live: &mut LiveState) {
    live.cells = cells.iter().map(|cell| cell.state).collect();
    live.forecast.words = match definition.has_forecasts() {
        true => cells.iter().map(|cell| cell.words).collect(),
        false => Vec::new(),
    };
    live.rows_so_far = match definition.has_spreads() {
        true => cells.iter().map(|cell| cell.row.clone()).collect(),
        false => Vec::new(),
    };
    // The rings are rows: the store that takes samples brings them.
    live.forecast.rings = Vec::new();
}
