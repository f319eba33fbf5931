//! Rows that follow from how their PDPs are spread: STDEV and PERCENTILE.

use super::cdp::{self, Span};
use super::{Run, StepGrid};
use crate::live::{CellState, LiveState};
use crate::{Archive, ConsolidationFunction, Definition, RowSoFar, UNKNOWN};

/// As [`cdp::consolidate`], where some archives are of such rows.
pub(super) fn consolidate(
    definition: &Definition,
    state: &mut LiveState,
    grid: &StepGrid,
    pdps: &[f64],
    mut became_final: impl FnMut(Run, &mut dyn Iterator<Item = f64>),
) {
    let sources = definition.sources.len();
    let cells = state.cells.chunks_exact_mut(sources);
    let cells = cells.zip(state.rows_so_far.chunks_exact_mut(sources));
    for (index, (archive, (cells, rows))) in definition.archives.iter().zip(cells).enumerate() {
        let span = Span::new(archive, grid);
        for ((cell, row), &pdp) in cells.iter_mut().zip(rows).zip(pdps) {
            take_any(cell, row, archive, pdp, grid, &span);
        }
        if span.rows > 0 {
            let run = Run { archive: index, count: 1, kept: true };
            became_final(run, &mut cells.iter().map(|cell| cell.primary));
        }
        if span.rows > 1 {
            let run = Run { archive: index, count: span.rows - 1, kept: true };
            became_final(run, &mut cells.iter().map(|cell| further_row(archive.cf, cell)));
        }
    }
}

/// Takes the elapsed PDPs, all equal, into a cell of any archive that does not forecast.
pub(super) fn take_any(
    cell: &mut CellState,
    row: &mut RowSoFar,
    archive: &Archive,
    pdp: f64,
    grid: &StepGrid,
    span: &Span,
) {
    match (archive.cf.is_spread(), span.rows) {
        (false, _) => cdp::take(cell, archive, pdp, grid, span),
        (true, 0) => gather(cell, row, pdp, grid.elapsed_pdps),
        (true, _) => finish(cell, row, archive, pdp, span),
    }
}

/// No row became final.
pub(crate) fn gather(cell: &mut CellState, row: &mut RowSoFar, pdp: f64, elapsed_pdps: u64) {
    if pdp.is_nan() {
        cell.unknown_pdps = cell.unknown_pdps.wrapping_add(elapsed_pdps);
    } else {
        row.take(pdp, elapsed_pdps);
    }
}

/// At least one row became final. What tells whether it is known, and the secondary, are those of
/// all other functions, so that stores may keep them once for all.
fn finish(cell: &mut CellState, row: &mut RowSoFar, archive: &Archive, pdp: f64, span: &Span) {
    gather(cell, row, pdp, span.completing_pdps);
    cell.secondary = if pdp.is_nan() { UNKNOWN } else { pdp };
    let is_unknown = cell.unknown_pdps as f64 > archive.pdp_per_row as f64 * archive.xff;
    cell.primary = if is_unknown { UNKNOWN } else { row.end(archive.cf) };
    row.clear();
    cell.unknown_pdps = 0;
    gather(cell, row, pdp, span.remaining_pdps);
}

/// Every further row of those that became final: its PDPs are all equal to the secondary.
pub(super) fn further_row(cf: ConsolidationFunction, cell: &CellState) -> f64 {
    match cf {
        ConsolidationFunction::Stdev if cell.secondary.is_finite() => 0.0,
        ConsolidationFunction::Stdev => UNKNOWN,
        _ => cell.secondary,
    }
}
