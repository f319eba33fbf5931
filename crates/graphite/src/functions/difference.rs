//! Values made of those before them.

use crate::Error;
use crate::function::{Function, Invocation, functions};
use crate::number_text::rounded;
use crate::parameter::{SERIES, float, integer, text};
use crate::time_series::TimeSeries;

pub(super) const FUNCTIONS: &[Function] = functions! { "Transform";
    "derivative"(SERIES) "Each value less the one before." => derivative;
    "nonNegativeDerivative"(SERIES, float("maxValue").optional(), float("minValue").optional())
        "Each value less the one before, of a counter that may wrap." => non_negative;
    "perSecond"(SERIES, float("maxValue").optional(), float("minValue").optional())
        "The same for each second." => per_second;
    "integral"(SERIES) "The sum of all values up to each." => integral;
    "integralByInterval"(SERIES, text("intervalUnit"))
        "The sum of all values up to each, from 0 again in each interval." => by_interval;
    "delay"(SERIES, integer("steps")) "Values some steps later." => delay;
};

fn made(
    call: &mut Invocation<'_>,
    name: &str,
    values: impl Fn(&TimeSeries) -> Vec<f64>,
) -> Vec<TimeSeries> {
    let series = call.series(0).into_iter();
    let made = series.map(|mut it| {
        it.tag(name, 1);
        it.derived(format!("{name}({})", it.name), values(&it))
    });
    made.collect()
}

fn derivative(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    Ok(made(call, "derivative", |it| {
        let before = std::iter::once(f64::NAN).chain(it.values.iter().copied());
        it.values.iter().zip(before).map(|(value, before)| value - before).collect()
    }))
}

/// The highest and the lowest value of a counter.
#[derive(Clone, Copy)]
struct Bounds {
    maximum: Option<f64>,
    minimum: Option<f64>,
}

impl Bounds {
    fn of(call: &Invocation<'_>) -> Self {
        Self { maximum: call.float_if_given(1), minimum: call.float_if_given(2) }
    }

    fn are_left_by(self, value: f64) -> bool {
        self.maximum.is_some_and(|it| value > it) || self.minimum.is_some_and(|it| value < it)
    }

    /// How far the counter went from one value to the next.
    fn delta(self, before: f64, value: f64) -> f64 {
        if value.is_nan() || before.is_nan() || value >= before {
            return value - before;
        }
        match (self.maximum, self.minimum) {
            (Some(maximum), minimum) => maximum + 1.0 + value - before - minimum.unwrap_or(0.0),
            (None, Some(minimum)) => value - minimum,
            (None, None) => f64::NAN,
        }
    }

    fn deltas(self, values: &[f64]) -> Vec<f64> {
        let mut before = f64::NAN;
        let delta = |value: &f64| {
            let value = if self.are_left_by(*value) { f64::NAN } else { *value };
            self.delta(std::mem::replace(&mut before, value), value)
        };
        values.iter().map(delta).collect()
    }
}

fn non_negative(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let bounds = Bounds::of(call);
    Ok(made(call, "nonNegativeDerivative", |it| bounds.deltas(&it.values)))
}

fn per_second(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let bounds = Bounds::of(call);
    Ok(made(call, "perSecond", |it| {
        let deltas = bounds.deltas(&it.values).into_iter();
        deltas.map(|delta| rounded(delta / it.step as f64, 6)).collect()
    }))
}

fn integral(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    Ok(made(call, "integral", |it| {
        let mut sum = 0.0;
        let add = |value: &f64| {
            sum += if value.is_nan() { 0.0 } else { *value };
            if value.is_nan() { f64::NAN } else { sum }
        };
        it.values.iter().map(add).collect()
    }))
}

fn by_interval(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let seconds = call.interval(1)?.abs();
    if seconds == 0 {
        return Err(call.wrong(1, "an interval longer than none"));
    }
    let (start, unit) = (call.context.start, call.text(1).to_owned());
    let series = call.series(0).into_iter();
    let made = series.map(|mut it| {
        it.tag("integralByInterval", &unit);
        let (mut sum, mut time) = (0.0, it.start - start);
        let add = |value: &f64| {
            if time.div_euclid(seconds) != (time - it.step).div_euclid(seconds) {
                sum = 0.0;
            }
            time += it.step;
            sum += if value.is_nan() { 0.0 } else { *value };
            sum
        };
        let values = it.values.iter().map(add).collect();
        it.derived(format!("integralByInterval({},'{unit}')", it.name), values)
    });
    Ok(made.collect())
}

fn delay(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (series, steps) = (call.series(0), call.whole(1));
    let made = |mut it: TimeSeries| {
        it.tag("delay", steps);
        let length = it.values.len();
        let count = usize::try_from(steps.unsigned_abs()).unwrap_or(usize::MAX).min(length);
        let unknown = std::iter::repeat_n(f64::NAN, count);
        let values = match steps < 0 {
            true => it.values[count..].iter().copied().chain(unknown).collect(),
            // As graphite-web: a delay of none leaves nothing.
            false if steps == 0 => Vec::new(),
            false => unknown.chain(it.values[..length - count].iter().copied()).collect(),
        };
        it.derived(format!("delay({},{steps})", it.name), values)
    };
    Ok(series.into_iter().map(made).collect())
}
