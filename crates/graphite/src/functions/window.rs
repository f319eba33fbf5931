//! Windows that move along a series. What lies before the request's start is read for them.

use crate::Error;
use crate::aggregation::{self, Aggregation, are_enough, average};
use crate::argument::Argument;
use crate::function::{Function, Invocation, functions};
use crate::number_text::rounded;
use crate::parameter::{Otherwise, SERIES, aggregation, float, integer, window, x_files_factor};
use crate::time_series::TimeSeries;

pub(super) const FUNCTIONS: &[Function] = functions! { "Calculate";
    "movingWindow"(
        SERIES, window(), aggregation("func").or(Otherwise::Text("average")), x_files_factor(),
    ) "An aggregation of the values before each point." => |it| {
        let name = it.text(2).to_owned();
        moving(it, &name, 3)
    };
    "movingAverage"(SERIES, window(), x_files_factor())
        "The average of the values before each point." => |it| moving(it, "average", 2);
    "movingMedian"(SERIES, window(), x_files_factor())
        "The median of the values before each point." => |it| moving(it, "median", 2);
    "movingSum"(SERIES, window(), x_files_factor())
        "The sum of the values before each point." => |it| moving(it, "sum", 2);
    "movingMin"(SERIES, window(), x_files_factor())
        "The smallest of the values before each point." => |it| moving(it, "min", 2);
    "movingMax"(SERIES, window(), x_files_factor())
        "The largest of the values before each point." => |it| moving(it, "max", 2);
    "exponentialMovingAverage"(SERIES, window())
        "An average of all values before each point, to which later ones count for more."
        => exponential;
    "stdev"(SERIES, integer("points"), float("windowTolerance").or(Otherwise::Real(0.1)))
        "The standard deviation of the last points." => deviation;
};

/// How long a window is.
struct Window {
    /// Points, if it was given so.
    points: Option<i64>,
    /// Seconds that are read before the start.
    seconds: i64,
    /// As the name of a series shows it.
    shown: String,
}

impl Window {
    fn of(call: &Invocation<'_>, series: &[TimeSeries]) -> Result<Self, Error> {
        if let Some(Argument::Text(text)) = call.arguments.get(1) {
            let seconds = call.interval(1)?.abs();
            return Ok(Self { points: None, seconds, shown: format!("\"{text}\"") });
        }
        let points = call.whole(1);
        let step = series.iter().map(|it| it.step).max().unwrap_or(1);
        let seconds = step.checked_mul(points).filter(|it| (0..1 << 40).contains(it));
        let seconds = seconds.ok_or_else(|| call.wrong(1, "a count of points, not too large"))?;
        Ok(Self { points: Some(points), seconds, shown: call.shown(1) })
    }

    fn points_of(&self, series: &TimeSeries) -> usize {
        let points = self.points.unwrap_or(self.seconds / series.step);
        usize::try_from(points).unwrap_or(0)
    }

    /// The series with what lies before the start.
    fn previewed(&self, call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
        let mut earlier = call.context.at(call.context.start - self.seconds, call.context.end);
        call.again(&mut earlier)
    }
}

fn moving(
    call: &mut Invocation<'_>,
    name: &str,
    x_files_factor: usize,
) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    if series.is_empty() {
        return Ok(series);
    }
    let aggregation =
        crate::argument::aggregation_named(name).map_or(Aggregation::Average, |it| it.0);
    let window = Window::of(call, &series)?;
    let title = format!("moving{}", capitalized(name));
    let x_files_factor = call.float_if_given(x_files_factor);
    let tag = call.shown(1);
    let mut made = Vec::new();
    for mut it in window.previewed(call)? {
        let points = window.points_of(&it);
        let known = x_files_factor.unwrap_or(it.x_files_factor);
        it.tag(&title, &tag);
        let mut values = Vec::with_capacity(it.values.len().saturating_sub(points));
        for end in points..it.values.len() {
            call.world.work(points as u64 + 1)?;
            values.push(of_window(aggregation, &it.values[end - points..end], known));
        }
        let mut one = it.derived(format!("{title}({},{})", it.name, window.shown), values);
        one.start += window.seconds;
        made.push(one);
    }
    Ok(made)
}

fn of_window(aggregation: Aggregation, values: &[f64], x_files_factor: f64) -> f64 {
    if !are_enough(aggregation::count(values), values.len() as f64, x_files_factor) {
        return f64::NAN;
    }
    match aggregation {
        // These see what is unknown; of a window, what is known alone counts.
        Aggregation::AverageZero => average(values),
        Aggregation::Product => values.iter().filter(|it| !it.is_nan()).product(),
        other => other.of(values),
    }
}

/// As Python capitalizes: the first letter large, all others small.
fn capitalized(name: &str) -> String {
    let (first, rest) = name.split_at(name.len().min(1));
    first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
}

fn exponential(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    if series.is_empty() {
        return Ok(series);
    }
    let window = Window::of(call, &series)?;
    let constant = 2.0 / (window.points.unwrap_or(window.seconds) as f64 + 1.0);
    let tag = call.shown(1);
    let mut made = Vec::new();
    for mut it in window.previewed(call)? {
        it.tag("exponentialMovingAverage", &tag);
        let (before, after) = it.values.split_at(window.points_of(&it).min(it.values.len()));
        let mut mean = average(before);
        if mean.is_nan() {
            mean = 0.0;
        }
        let mut values = vec![rounded(mean, 6)];
        values.extend(after.iter().map(|value| {
            if value.is_nan() {
                return f64::NAN;
            }
            mean = constant * value + (1.0 - constant) * mean;
            rounded(mean, 6)
        }));
        let name = format!("exponentialMovingAverage({},{})", it.name, window.shown);
        let mut one = it.derived(name, values);
        one.start += window.seconds;
        made.push(one);
    }
    Ok(made)
}

fn deviation(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (series, points, tolerance) = (call.series(0), call.whole(1), call.float(2));
    let Some(count) = usize::try_from(points).ok().filter(|it| *it > 0) else {
        return Err(call.wrong(1, "a count of points above 0"));
    };
    let made = |mut it: TimeSeries| {
        it.tag("stdev", points);
        let values = deviations(&it.values, count, tolerance);
        it.derived(format!("stdev({},{points})", it.name), values)
    };
    Ok(series.into_iter().map(made).collect())
}

fn deviations(values: &[f64], points: usize, tolerance: f64) -> Vec<f64> {
    let (mut known, mut sum, mut squares) = (0.0, 0.0, 0.0);
    let mut all = Vec::with_capacity(values.len());
    for (nth, value) in values.iter().enumerate() {
        let dropped = nth.checked_sub(points).map_or(f64::NAN, |nth| values[nth]);
        for (sign, value) in [(-1.0, dropped), (1.0, *value)] {
            if !value.is_nan() {
                known += sign;
                sum += sign * value;
                squares += sign * value * value;
            }
        }
        let is_known = known > 0.0 && known / points as f64 >= tolerance;
        let variance = known * squares - sum * sum;
        all.push(if is_known && variance >= 0.0 { variance.sqrt() / known } else { f64::NAN });
    }
    all
}
