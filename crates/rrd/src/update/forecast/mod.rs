//! Consolidation where archives forecast (Holt-Winters) and detect aberrant behaviour.
//!
//! Up to two PDPs at once are learned from, one after the other, each by all archives in their
//! order; a longer run lets time pass: the season's rings move on, forecasts are unknown.

mod cells;
mod model;
mod follow;
mod failures;
mod smooth;

pub use smooth::smooth;

use super::cdp::{self, Span};
use super::{Run, StepGrid, UpdateError, spread};
use crate::forecast::{ForecastWords, SeasonalRing};
use crate::live::LiveState;
use crate::{ConsolidationFunction, Definition, UNKNOWN};
use cells::{Cells, Place};

/// The longest run of PDPs that is learned from.
const LEARNED_PDPS_MAX: u64 = 2;

/// Room for one update, and what it found out.
#[derive(Clone, Debug, Default)]
pub(super) struct Season {
    /// A row of a ring: what comes after the newest row.
    coming: Vec<f64>,
    /// A row of a ring: what stands at the newest row.
    current: Vec<f64>,
    /// Whether a smoothing fell due.
    pub(super) smoothing_due: bool,
}

impl Season {
    /// Forgets the sample before.
    pub(super) fn clear(&mut self) {
        self.current.clear();
        self.coming.clear();
        self.smoothing_due = false;
    }
}

/// Refuses archives that refer to archives that are not there; to be asked where there are
/// forecasting ones.
///
/// # Errors
/// [`UpdateError::Reference`]: nothing can be updated.
pub fn check_references(definition: &Definition) -> Result<(), UpdateError> {
    for (archive, each) in definition.archives.iter().enumerate() {
        let refers_to = each.parameters.reference();
        if refers_to >= definition.archives.len() as u64 {
            return Err(UpdateError::Reference { archive, refers_to });
        }
    }
    Ok(())
}

/// As [`cdp::consolidate`], where some archives forecast.
pub(super) fn consolidate(
    definition: &Definition,
    state: &mut LiveState,
    grid: &StepGrid,
    pdps: &[f64],
    season: &mut Season,
    mut became_final: impl FnMut(Run, &mut dyn Iterator<Item = f64>),
) {
    let LiveState { cells, forecast, rows_so_far, .. } = state;
    let mut cells = Cells { definition, cells, words: &mut forecast.words, rows_so_far };
    for archive in 0..definition.archives.len() {
        pass(&mut cells, &mut forecast.rings, archive, grid, pdps, season);
    }
    if grid.elapsed_pdps <= LEARNED_PDPS_MAX {
        for nth in 0..grid.elapsed_pdps {
            learn(&mut cells, &forecast.rings, nth, grid.elapsed_pdps, pdps, season);
        }
    }
    for archive in 0..definition.archives.len() {
        finish(&cells, &mut forecast.rings, archive, grid, &mut became_final);
    }
}

/// What can be said of an archive before anything is learned.
fn pass(
    cells: &mut Cells<'_>,
    rings: &mut [SeasonalRing],
    archive: usize,
    grid: &StepGrid,
    pdps: &[f64],
    season: &mut Season,
) {
    let definition = cells.definition;
    let each = &definition.archives[archive];
    let span = Span::new(each, grid);
    if each.cf.is_seasonal() {
        let ring = ring_of(rings, archive);
        // A ring of one row reads what another ring read before, if any did.
        if span.rows > 1 || (each.rows == 1 && season.current.is_empty()) {
            season.current.clear();
            season.current.extend_from_slice(row_after(ring, each.rows, grid.elapsed_pdps, pdps));
            season.coming.clear();
            season.coming.extend_from_slice(row_after(
                ring,
                each.rows,
                grid.elapsed_pdps + 1,
                pdps,
            ));
        }
        let first = cells.words(Place { archive, source: 0 });
        let seasons = &mut first.0[ForecastWords::COUNT];
        season.smoothing_due |= smooth::falls_due(ring, each, grid.elapsed_pdps, seasons);
    }
    for (source, &pdp) in pdps.iter().enumerate() {
        let place = Place { archive, source };
        if each.pdp_per_row > 1 || !each.cf.is_forecast() {
            match each.cf.is_spread() {
                false => cdp::take(cells.cell(place), each, pdp, grid, &span),
                true => {
                    let (cell, row) = cells.spread(place);
                    spread::take_any(cell, row, each, pdp, grid, &span);
                }
            }
        } else if grid.elapsed_pdps > LEARNED_PDPS_MAX {
            let_pass(cells, place, grid.elapsed_pdps, season);
        }
    }
}

/// Lets a long run of PDPs pass: nothing is learned from it.
fn let_pass(cells: &mut Cells<'_>, place: Place, elapsed_pdps: u64, season: &Season) {
    let cf = cells.cf(place.archive);
    let words = cells.words(place);
    match cf {
        ConsolidationFunction::Seasonal | ConsolidationFunction::DevSeasonal => {
            words.set_value(ForecastWords::LAST_INTERCEPT, season.current[place.source]);
            words.set_value(ForecastWords::INTERCEPT, season.coming[place.source]);
            return;
        }
        ConsolidationFunction::HwPredict | ConsolidationFunction::MhwPredict => {
            let [.., count, last_count] = &mut words.0;
            *count = count.wrapping_add(elapsed_pdps);
            *last_count = last_count.wrapping_add(elapsed_pdps - 1);
        }
        ConsolidationFunction::Failures => {
            let cell = cells.cell(place);
            (cell.primary, cell.secondary) = (0.0, 0.0);
            failures::forget(cells, place);
            return;
        }
        _ => {}
    }
    let cell = cells.cell(place);
    (cell.primary, cell.secondary) = (UNKNOWN, UNKNOWN);
}

/// Lets every forecasting archive learn from the `nth` PDP of a short run.
fn learn(
    cells: &mut Cells<'_>,
    rings: &[SeasonalRing],
    nth: u64,
    elapsed_pdps: u64,
    pdps: &[f64],
    season: &mut Season,
) {
    let definition = cells.definition;
    for (archive, each) in definition.archives.iter().enumerate() {
        if each.pdp_per_row > 1 || !each.cf.is_forecast() {
            continue;
        }
        if let Some(ring) = rings.iter().find(|ring| ring.archive == archive) {
            season.coming.clear();
            let row = row_after(ring, each.rows, elapsed_pdps + 1 + nth, pdps);
            season.coming.extend_from_slice(row);
        }
        for (source, &pdp) in pdps.iter().enumerate() {
            let place = Place { archive, source };
            let coming = season.coming.get(source).copied().unwrap_or(UNKNOWN);
            let row = follow::take(cells, place, pdp, coming);
            let cell = cells.cell(place);
            *(if nth == 0 { &mut cell.primary } else { &mut cell.secondary }) = row;
        }
    }
}

/// Tells what became final in one archive, and moves the ring of a season on.
fn finish(
    cells: &Cells<'_>,
    rings: &mut [SeasonalRing],
    archive: usize,
    grid: &StepGrid,
    became_final: &mut impl FnMut(Run, &mut dyn Iterator<Item = f64>),
) {
    let each = &cells.definition.archives[archive];
    let rows = Span::new(each, grid).rows;
    if rows == 0 {
        return;
    }
    let sources = cells.definition.sources.len();
    let own = &cells.cells[archive * sources..][..sources];
    if !each.cf.is_seasonal() {
        became_final(Run { archive, count: 1, kept: true }, &mut own.iter().map(|it| it.primary));
        if rows > 1 {
            let run = Run { archive, count: rows - 1, kept: true };
            became_final(run, &mut own.iter().map(|it| spread::further_row(each.cf, it)));
        }
        return;
    }
    let ring = ring_of(rings, archive);
    let kept = rows == 1;
    ring.newest_slot = (ring.newest_slot + rows) % each.rows;
    if kept {
        let row = &mut ring.values[ring.newest_slot as usize * sources..][..sources];
        row.iter_mut().zip(own).for_each(|(value, cell)| *value = cell.primary);
    }
    became_final(Run { archive, count: rows, kept }, &mut own.iter().map(|it| it.primary));
}

fn ring_of(rings: &mut [SeasonalRing], archive: usize) -> &mut SeasonalRing {
    let ring = rings.iter_mut().find(|ring| ring.archive == archive);
    ring.expect("a state that takes samples has its rings")
}

/// The row that is `count` slots further on than the newest.
fn row_after<'a>(ring: &'a SeasonalRing, rows: u64, count: u64, pdps: &[f64]) -> &'a [f64] {
    let slot = (ring.newest_slot.wrapping_add(count)) % rows;
    &ring.values[slot as usize * pdps.len()..][..pdps.len()]
}
