//! FAILURES: too many values of a window lay outside of what was expected.

use super::cells::{Cells, Place};
use super::model::Model;
use crate::Parameters;

/// Takes one value: 1 where the window is a failure, else 0.
pub(super) fn fail(cells: &mut Cells<'_>, place: Place, model: Model, seen: f64) -> f64 {
    let &Parameters::Failures { window, threshold, .. } = cells.parameters(place.archive) else {
        return seen;
    };
    let violation = is_violation(cells, place, model, seen);
    let mut violations = cells.violations(place);
    let bytes = violations.window_mut(window.max(1));
    bytes.rotate_right(1);
    bytes[0] = u8::from(violation);
    // rrdtool counts in 16 bits, and a damaged file may hold any byte.
    let count = bytes.iter().fold(0_u16, |count, byte| count.wrapping_add(*byte as i8 as u16));
    cells.put_violations(place, &violations);
    if u64::from(count) < threshold { 0.0 } else { 1.0 }
}

/// Forgets the window.
pub(super) fn forget(cells: &mut Cells<'_>, place: Place) {
    if let &Parameters::Failures { window, .. } = cells.parameters(place.archive) {
        let mut violations = cells.violations(place);
        violations.window_mut(window).fill(0);
        cells.put_violations(place, &violations);
    }
}

fn is_violation(cells: &Cells<'_>, place: Place, model: Model, seen: f64) -> bool {
    let &Parameters::Failures { delta_above, delta_below, deviations, .. } =
        cells.parameters(place.archive)
    else {
        return false;
    };
    let deviations = deviations as usize;
    let predict = cells.reference(deviations);
    let seasonal = cells.reference(predict);
    // Where the coefficients stand decides for the deviations too: so it does for rrdtool.
    let seasons_moved_on = seasonal <= place.archive;
    let deviation = cells.season_of(deviations, place, seasons_moved_on);
    if deviation.is_nan() {
        return false;
    }
    if seen.is_nan() {
        return true;
    }
    let coefficient = cells.season_of(seasonal, place, seasons_moved_on);
    let line = cells.line_of(predict, place, predict <= place.archive);
    let forecast = model.forecast(line, coefficient);
    seen > forecast + delta_above * deviation || seen < forecast - delta_below * deviation
}
