//! From primary data points (PDP) to rows of the archives: consolidated data points (CDP).

use super::{Run, StepGrid};
use crate::live::{CellState, LiveState, empty_cell_value};
use crate::{Archive, ConsolidationFunction, Definition, UNKNOWN};

/// Takes `grid.elapsed_pdps` PDPs, all equal to `pdps`, into every archive; `became_final` is told
/// the runs of equal rows and their values.
pub(super) fn consolidate(
    definition: &Definition,
    state: &mut LiveState,
    grid: &StepGrid,
    pdps: &[f64],
    mut became_final: impl FnMut(Run, &mut dyn Iterator<Item = f64>),
) {
    let cells = state.cells.chunks_exact_mut(definition.sources.len());
    for (index, (archive, cells)) in definition.archives.iter().zip(cells).enumerate() {
        let span = Span::new(archive, grid);
        for (cell, &pdp) in cells.iter_mut().zip(pdps) {
            take(cell, archive, pdp, grid, &span);
        }
        if span.rows > 0 {
            let run = Run { archive: index, count: 1, kept: true };
            became_final(run, &mut cells.iter().map(|cell| cell.primary));
        }
        if span.rows > 1 {
            let run = Run { archive: index, count: span.rows - 1, kept: true };
            became_final(run, &mut cells.iter().map(|cell| cell.secondary));
        }
    }
}

/// Takes the elapsed PDPs, all equal, into one cell.
pub(super) fn take(
    cell: &mut CellState,
    archive: &Archive,
    pdp: f64,
    grid: &StepGrid,
    span: &Span,
) {
    if archive.pdp_per_row == 1 {
        pass_through(cell, pdp, grid.elapsed_pdps);
    } else if span.rows == 0 {
        gather(cell, archive.cf, pdp, grid.elapsed_pdps);
    } else {
        finish(cell, archive, pdp, span);
    }
}

/// How the elapsed PDPs fall on the rows of one archive.
pub(super) struct Span {
    /// PDPs that complete the row in the making.
    pub(super) completing_pdps: u64,
    /// PDPs left over for the row after the last complete one.
    pub(super) remaining_pdps: u64,
    /// Rows that became final; as in rrdtool, a run longer than the ring goes round exactly once.
    pub(super) rows: u64,
}

impl Span {
    pub(super) fn new(archive: &Archive, grid: &StepGrid) -> Self {
        let per_row = archive.pdp_per_row;
        let completing_pdps = per_row - grid.pdps_before % per_row;
        match grid.elapsed_pdps.checked_sub(completing_pdps) {
            None => Self { completing_pdps, remaining_pdps: 0, rows: 0 },
            Some(after) => Self {
                completing_pdps,
                remaining_pdps: after % per_row,
                rows: (after / per_row + 1).min(archive.rows),
            },
        }
    }
}

/// A row is one PDP: there is nothing to consolidate.
fn pass_through(cell: &mut CellState, pdp: f64, elapsed_pdps: u64) {
    cell.primary = pdp;
    if elapsed_pdps > 1 {
        cell.secondary = pdp;
    }
}

/// Takes one PDP into a cell outside of an update; `ends_row` says whether it is the last of its
/// row.
pub(crate) fn take_pdp(cell: &mut CellState, archive: &Archive, pdp: f64, ends_row: bool) {
    if ends_row {
        finish(cell, archive, pdp, &Span { completing_pdps: 1, remaining_pdps: 0, rows: 1 });
    } else {
        gather(cell, archive.cf, pdp, 1);
    }
}

/// No row became final.
pub(crate) fn gather(cell: &mut CellState, cf: ConsolidationFunction, pdp: f64, elapsed_pdps: u64) {
    if pdp.is_nan() {
        cell.unknown_pdps = cell.unknown_pdps.wrapping_add(elapsed_pdps);
        return;
    }
    cell.value = gathered(cell.value, cf, pdp, elapsed_pdps);
}

/// The value of a cell after known PDPs that end no row.
#[inline]
pub(super) fn gathered(value: f64, cf: ConsolidationFunction, pdp: f64, elapsed_pdps: u64) -> f64 {
    match cf {
        ConsolidationFunction::Average if value.is_nan() => pdp * elapsed_pdps as f64,
        ConsolidationFunction::Average => value + pdp * elapsed_pdps as f64,
        ConsolidationFunction::Min if pdp >= value => value,
        ConsolidationFunction::Max if pdp <= value => value,
        _ => pdp,
    }
}

/// At least one row became final: its first is `primary`, every further one `secondary`.
fn finish(cell: &mut CellState, archive: &Archive, pdp: f64, span: &Span) {
    if pdp.is_nan() {
        // A damaged file may hold any count; C's arithmetic wraps too.
        cell.unknown_pdps = cell.unknown_pdps.wrapping_add(span.completing_pdps);
        cell.secondary = UNKNOWN;
    } else {
        cell.secondary = pdp;
    }
    cell.primary = if cell.unknown_pdps as f64 > archive.pdp_per_row as f64 * archive.xff {
        UNKNOWN
    } else {
        complete(cell, archive, pdp, span.completing_pdps)
    };
    cell.value = carry_over(archive.cf, pdp, span.remaining_pdps);
    cell.unknown_pdps = if pdp.is_nan() { span.remaining_pdps } else { 0 };
}

/// The value of the row that the elapsed PDPs complete.
fn complete(cell: &CellState, archive: &Archive, pdp: f64, completing_pdps: u64) -> f64 {
    let known_or = |value: f64, otherwise: f64| if value.is_nan() { otherwise } else { value };
    let empty = empty_cell_value(archive.cf);
    let (so_far, new) = (known_or(cell.value, empty), known_or(pdp, empty));
    match archive.cf {
        ConsolidationFunction::Average => {
            let known_pdps = archive.pdp_per_row.wrapping_sub(cell.unknown_pdps);
            (so_far + new * completing_pdps as f64) / known_pdps as f64
        }
        ConsolidationFunction::Max if new > so_far => new,
        ConsolidationFunction::Min if new < so_far => new,
        ConsolidationFunction::Max | ConsolidationFunction::Min => so_far,
        _ => pdp,
    }
}

/// What the row in the making holds after the last complete one.
fn carry_over(cf: ConsolidationFunction, pdp: f64, remaining_pdps: u64) -> f64 {
    if remaining_pdps == 0 || pdp.is_nan() {
        return empty_cell_value(cf);
    }
    match cf {
        ConsolidationFunction::Average => pdp * remaining_pdps as f64,
        _ => pdp,
    }
}
