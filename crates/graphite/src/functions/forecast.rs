//! Holt-Winters forecasts: what a series was expected to say, and how far it may be from that.

use crate::Error;
use crate::function::{Function, Invocation, functions};
use crate::parameter::{Otherwise, Parameter, SERIES, integer, interval};
use crate::time_series::TimeSeries;

const ALPHA: f64 = 0.1;
const BETA: f64 = 0.0035;
const GAMMA: f64 = 0.1;

const BOOTSTRAP: Parameter =
    interval("bootstrapInterval").or(Otherwise::Text("7d")).such_as(&["7d", "30d"]);
const SEASON: Parameter = interval("seasonality").or(Otherwise::Text("1d")).such_as(&["1d", "7d"]);
const DELTA: Parameter = integer("delta").or(Otherwise::Whole(3));

pub(super) const FUNCTIONS: &[Function] = functions! { "Calculate";
    "holtWintersForecast"(SERIES, BOOTSTRAP, SEASON)
        "What each series was expected to say." => forecast;
    "holtWintersConfidenceBands"(SERIES, DELTA, BOOTSTRAP, SEASON)
        "How low and how high each series was expected." => bands;
    "holtWintersConfidenceArea"(SERIES, DELTA, BOOTSTRAP, SEASON)
        "The same as an area." => area;
    "holtWintersAberration"(SERIES, DELTA, BOOTSTRAP, SEASON)
        "How far each series left its band." => aberration;
};

/// What an analysis says of each point.
struct Analysis {
    predictions: Vec<f64>,
    deviations: Vec<f64>,
}

impl Analysis {
    /// Goes along a series whose values repeat after so many points.
    fn of(values: &[f64], season: usize) -> Self {
        let length = values.len();
        let mut it = Self { predictions: vec![f64::NAN; length], deviations: vec![0.0; length] };
        let mut seasonals = vec![0.0; length];
        // NaN: the point before is unknown.
        let (mut intercept, mut slope, mut next) = (f64::NAN, 0.0, f64::NAN);
        let last = |all: &[f64], nth: usize| nth.checked_sub(season).map_or(0.0, |nth| all[nth]);
        for (nth, actual) in values.iter().copied().enumerate() {
            if actual.is_nan() {
                it.predictions[nth] = next;
                (intercept, slope, next) = (f64::NAN, 0.0, f64::NAN);
                continue;
            }
            let (before, slope_before) = match intercept.is_nan() {
                true => (actual, slope),
                false => (intercept, slope),
            };
            let prediction = if nth == 0 { actual } else { next };
            let seasonal = last(&seasonals, nth);
            intercept = ALPHA * (actual - seasonal) + (1.0 - ALPHA) * (before + slope_before);
            slope = BETA * (intercept - before) + (1.0 - BETA) * slope_before;
            seasonals[nth] = GAMMA * (actual - intercept) + (1.0 - GAMMA) * seasonal;
            let next_seasonal = if season == 0 { 0.0 } else { last(&seasonals, nth + 1) };
            next = intercept + slope + next_seasonal;
            let expected = if prediction.is_nan() { 0.0 } else { prediction };
            it.deviations[nth] =
                GAMMA * (actual - expected).abs() + (1.0 - GAMMA) * last(&it.deviations, nth);
            it.predictions[nth] = prediction;
        }
        it
    }
}

/// A series with what lies before the start, and what is said of it after that.
struct Forecast {
    series: TimeSeries,
    start: i64,
    predictions: Vec<f64>,
    deviations: Vec<f64>,
}

/// Forecasts for each series; the parameters of the intervals begin at `nth`.
fn forecasts(call: &mut Invocation<'_>, nth: usize) -> Result<Vec<Forecast>, Error> {
    let (bootstrap, season) = (call.interval(nth)?, call.interval_above_zero(nth + 1)?);
    if bootstrap < 0 {
        return Err(call.wrong(nth, "an interval, not a negative one"));
    }
    let mut earlier = call.context.at(call.context.start - bootstrap, call.context.end);
    let mut all = Vec::new();
    for series in call.again(&mut earlier)? {
        let points = usize::try_from(season / series.step).unwrap_or(usize::MAX);
        if points == 0 {
            return Err(call.wrong(nth + 1, "an interval of at least a step"));
        }
        call.world.take(4 * series.values.len() as u64)?;
        let Analysis { mut predictions, mut deviations } = Analysis::of(&series.values, points);
        let before = usize::try_from(bootstrap / series.step).unwrap_or(usize::MAX);
        predictions.drain(..before.min(predictions.len()));
        deviations.drain(..before.min(deviations.len()));
        let start = series.start + bootstrap;
        all.push(Forecast { series, start, predictions, deviations });
    }
    Ok(all)
}

/// A series of a forecast, under its own name; tags go to both.
fn of_forecast(forecast: &mut Forecast, name: &str, values: Vec<f64>) -> TimeSeries {
    let series = &mut forecast.series;
    series.tag("holtWintersForecast", 1);
    series.tag("holtWintersDeviation", 1);
    series.tag(name, 1);
    let steps = crate::time_series::Steps { start: forecast.start, ..series.steps() };
    let title = format!("{name}({})", series.name);
    let tags = series.tags.clone();
    TimeSeries { tags, ..TimeSeries::new(title, steps, values, series.x_files_factor) }
}

fn forecast(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let made = forecasts(call, 1)?.into_iter().map(|mut it| {
        let values = std::mem::take(&mut it.predictions);
        of_forecast(&mut it, "holtWintersForecast", values)
    });
    Ok(made.collect())
}

fn bands(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let delta = call.float(1);
    let mut made = Vec::new();
    for mut it in forecasts(call, 2)? {
        let band = |sign: f64| {
            let both = it.predictions.iter().zip(&it.deviations);
            both.map(|(expected, deviation)| expected + sign * (delta * deviation)).collect()
        };
        let (low, high) = (band(-1.0), band(1.0));
        it.series.tag("holtWintersConfidenceUpper", 1);
        let path = it.series.path.clone();
        let lower = of_forecast(&mut it, "holtWintersConfidenceLower", low);
        let upper = of_forecast(&mut it, "holtWintersConfidenceUpper", high);
        made.push(TimeSeries { path: path.clone(), ..lower });
        made.push(TimeSeries { path, ..upper });
    }
    Ok(made)
}

fn area(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut made = super::draw::area_between(call, bands)?;
    for it in &mut made {
        it.tags.remove("areaBetween");
        it.tag("holtWintersConfidenceArea", 1);
        it.rename(it.name.replace("areaBetween", "holtWintersConfidenceArea"));
    }
    Ok(made)
}

fn aberration(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    let bands = bands(call)?;
    let band = |side: &str, name: &str| {
        let title = format!("holtWintersConfidence{side}({name})");
        bands.iter().rev().find(|it| it.name == title).map(|it| it.values.as_slice())
    };
    let mut made = Vec::new();
    for mut it in series {
        let (low, high) = (band("Lower", &it.name), band("Upper", &it.name));
        let at = |band: Option<&[f64]>, nth| band.and_then(|it: &[f64]| it.get(nth)).copied();
        let left = |(nth, value): (usize, &f64)| {
            let (low, high) = (at(low, nth), at(high, nth));
            match (high, low) {
                (Some(high), _) if *value > high => value - high,
                (_, Some(low)) if *value < low => value - low,
                _ => 0.0,
            }
        };
        let values = it.values.iter().enumerate().map(left).collect();
        it.tag("holtWintersAberration", 1);
        let name = format!("holtWintersAberration({})", it.name);
        let one = TimeSeries::new(name, it.steps(), values, it.x_files_factor);
        made.push(TimeSeries { tags: it.tags, ..one });
    }
    Ok(made)
}
