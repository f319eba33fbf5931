//! What each kind of forecasting archive makes of one value: the row that it writes, and what it
//! remembers for the next.

use super::cells::{Cells, Place};
use super::model::{self, Model};
use crate::forecast::ForecastWords as Words;
use crate::{ConsolidationFunction, Parameters, UNKNOWN};

/// Takes the value `seen` into one cell and gives the cell's new row. `coming` is the value of the
/// season's slot after that row, for archives that are the ring of a season.
pub(super) fn take(cells: &mut Cells<'_>, place: Place, seen: f64, coming: f64) -> f64 {
    let own = cells.cf(place.archive);
    let refers_to = cells.reference(place.archive);
    match own {
        ConsolidationFunction::HwPredict => predict(cells, place, Model::Additive, seen),
        ConsolidationFunction::MhwPredict => predict(cells, place, Model::Multiplicative, seen),
        ConsolidationFunction::DevPredict => {
            cells.season_of(refers_to, place, refers_to < place.archive)
        }
        // Archives that refer to none that forecasts do nothing.
        ConsolidationFunction::Seasonal => match Model::of(cells.cf(refers_to)) {
            Some(model) => season(cells, place, model, seen, coming),
            None => seen,
        },
        ConsolidationFunction::DevSeasonal => match Model::of(cells.cf(refers_to)) {
            Some(model) => deviate(cells, place, model, seen, coming),
            None => seen,
        },
        ConsolidationFunction::Failures => match Model::of(cells.cf(cells.reference(refers_to))) {
            Some(model) => super::failures::fail(cells, place, model, seen),
            None => seen,
        },
        _ => seen,
    }
}

/// HWPREDICT and MHWPREDICT.
fn predict(cells: &mut Cells<'_>, place: Place, model: Model, seen: f64) -> f64 {
    let &Parameters::Predict { alpha, beta, .. } = cells.parameters(place.archive) else {
        return seen;
    };
    let words = cells.words(place);
    words.0[Words::LAST_INTERCEPT] = words.0[Words::INTERCEPT];
    words.0[Words::LAST_SLOPE] = words.0[Words::SLOPE];
    words.0[Words::LAST_COUNT] = words.0[Words::COUNT];
    let seasonal = cells.reference(place.archive);
    let coefficient = cells.season_of(seasonal, place, seasonal < place.archive);
    let line = cells.line_of(place.archive, place, false);
    let words = cells.words(place);
    if line.is_unknown() || coefficient.is_nan() {
        // Without a coefficient for its season a value teaches nothing but where to begin.
        if line.intercept.is_nan() && !seen.is_nan() {
            begin(words, seen);
        }
        return UNKNOWN;
    }
    if seen.is_nan() {
        words.0[Words::COUNT] = words.0[Words::COUNT].wrapping_add(1);
    } else {
        let intercept = model.intercept(alpha, seen, coefficient, line);
        let slope = model::slope(beta, intercept, line.intercept, line.slope);
        words.set_value(Words::INTERCEPT, intercept);
        words.set_value(Words::SLOPE, slope);
        words.0[Words::COUNT] = 1;
    }
    model.forecast(line, coefficient)
}

fn begin(words: &mut Words, seen: f64) {
    words.set_value(Words::INTERCEPT, seen);
    words.set_value(Words::LAST_INTERCEPT, seen);
    words.set_value(Words::SLOPE, 0.0);
    words.set_value(Words::LAST_SLOPE, 0.0);
    words.0[Words::COUNT] = 1;
    words.0[Words::LAST_COUNT] = 1;
}

/// Moves on in the season's ring; gives what was current.
fn move_on(words: &mut Words, coming: f64) -> f64 {
    words.0[Words::LAST_INTERCEPT] = words.0[Words::INTERCEPT];
    words.set_value(Words::INTERCEPT, coming);
    words.value(Words::LAST_INTERCEPT)
}

/// SEASONAL.
fn season(cells: &mut Cells<'_>, place: Place, model: Model, seen: f64, coming: f64) -> f64 {
    let last = move_on(cells.words(place), coming);
    if seen.is_nan() {
        return last;
    }
    let &Parameters::Seasonal { gamma, .. } = cells.parameters(place.archive) else {
        return seen;
    };
    let predict = cells.reference(place.archive);
    let followed = predict < place.archive;
    let before = cells.line_of(predict, place, followed);
    let here = Place { archive: predict, ..place };
    match (before.is_unknown(), followed) {
        (true, true) => UNKNOWN,
        // The line is about to begin at this value.
        (true, false) => model.neutral_coefficient(),
        (false, _) if last.is_nan() => model.first_coefficient(seen, before.intercept),
        (false, true) => {
            let intercept = cells.value(here, Words::INTERCEPT);
            model.coefficient(gamma, seen, intercept, last)
        }
        (false, false) => {
            let &Parameters::Predict { alpha, .. } = cells.parameters(predict) else {
                return seen;
            };
            let intercept = model.intercept(alpha, seen, last, before);
            model.coefficient(gamma, seen, intercept, last)
        }
    }
}

/// DEVSEASONAL.
fn deviate(cells: &mut Cells<'_>, place: Place, model: Model, seen: f64, coming: f64) -> f64 {
    let last = move_on(cells.words(place), coming);
    let &Parameters::Seasonal { gamma, .. } = cells.parameters(place.archive) else {
        return seen;
    };
    let predict = cells.reference(place.archive);
    let seasonal = cells.reference(predict);
    let coefficient = cells.season_of(seasonal, place, seasonal < place.archive);
    let line = cells.line_of(predict, place, predict < place.archive);
    if line.is_unknown() || coefficient.is_nan() {
        return UNKNOWN;
    }
    let forecast = model.forecast(line, coefficient);
    match () {
        () if seen.is_nan() => last,
        () if last.is_nan() => model::first_deviation(forecast, seen),
        () => model::deviation(gamma, forecast, seen, last),
    }
}
