//! Each value to another.

use crate::Error;
use crate::function::{Function, Invocation, functions};
use crate::number_text::{general, rounded};
use crate::parameter::{Otherwise, SERIES, float, integer};
use crate::time_series::TimeSeries;

pub(super) const FUNCTIONS: &[Function] = functions! { "Transform";
    "absolute"(SERIES) "Each value without its sign." => |it| mapped(it, "absolute", f64::abs);
    "add"(SERIES, float("constant")) "Each value plus a constant." => add;
    "exp"(SERIES) "The exponential of each value." => |it| {
        let mut series = mapped(it, "exp", |value| finite(value.exp()))?;
        series.iter_mut().for_each(|it| it.tag("exp", "e"));
        Ok(series)
    };
    "invert"(SERIES) "One divided by each value." => |it| mapped(it, "invert", |v| power_of(v, -1.0));
    "log"(SERIES, integer("base").or(Otherwise::Whole(10))) "The logarithm of each value." => logarithm;
    "logit"(SERIES) "The logit of each value." => |it| {
        let mut series = mapped(it, "logit", |value| finite((value / (1.0 - value)).ln()))?;
        series.iter_mut().for_each(|it| it.tag("logit", "logit"));
        Ok(series)
    };
    "minMax"(SERIES) "Each value from 0 at the series' smallest to 1 at its largest." => min_max;
    "offset"(SERIES, float("factor")) "Each value plus a constant." => offset;
    "offsetToZero"(SERIES) "Each value less the series' smallest." => offset_to_zero;
    "pow"(SERIES, float("factor")) "Each value to a power." => power;
    "round"(SERIES, integer("precision").optional()) "Each value rounded to decimal places." => round;
    "scale"(SERIES, float("factor")) "Each value times a factor." => scale;
    "scaleToSeconds"(SERIES, float("seconds"))
        "Each value times so many seconds, divided by the step." => scale_to_seconds;
    "sigmoid"(SERIES) "The sigmoid of each value." => |it| {
        let mut series = mapped(it, "sigmoid", |value| 1.0 / (1.0 + (-value).exp()))?;
        series.iter_mut().for_each(|it| it.tag("sigmoid", "sigmoid"));
        Ok(series)
    };
    "squareRoot"(SERIES) "The square root of each value."
        => |it| mapped(it, "squareRoot", |value| power_of(value, 0.5));
};

/// Unknown instead of infinite.
fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::NAN }
}

/// A power; unknown if it is infinite or not real.
pub(super) fn power_of(base: f64, exponent: f64) -> f64 {
    // C has 1 as a power of NaN: what is unknown stays so.
    match base.is_nan() || exponent.is_nan() {
        true => f64::NAN,
        false => finite(base.powf(exponent)),
    }
}

/// Changes each value in place.
fn map(series: &mut TimeSeries, one: impl Fn(f64) -> f64) {
    series.values.iter_mut().for_each(|value| *value = one(*value));
}

fn mapped(
    call: &mut Invocation<'_>,
    name: &str,
    one: fn(f64) -> f64,
) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    for it in &mut series {
        it.rename(format!("{name}({})", it.name));
        it.tag(name, 1);
        map(it, one);
    }
    Ok(series)
}

fn add(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, constant) = (call.series(0), call.float(1));
    for it in &mut series {
        it.rename(format!("add({},{})", it.name, constant.trunc() as i64));
        it.tag("add", call.shown(1));
        map(it, |value| value + constant);
    }
    Ok(series)
}

fn offset(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, factor) = (call.series(0), call.float(1));
    for it in &mut series {
        it.rename(format!("offset({},{})", it.name, general(factor)));
        it.tag("offset", call.shown(1));
        map(it, |value| value + factor);
    }
    Ok(series)
}

fn scale(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, factor) = (call.series(0), call.float(1));
    for it in &mut series {
        it.rename(format!("scale({},{})", it.name, general(factor)));
        it.tag("scale", call.shown(1));
        map(it, |value| value * factor);
    }
    Ok(series)
}

fn power(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, factor) = (call.series(0), call.float(1));
    for it in &mut series {
        it.rename(format!("pow({},{})", it.name, general(factor)));
        it.tag("pow", call.shown(1));
        map(it, |value| power_of(value, factor));
    }
    Ok(series)
}

fn scale_to_seconds(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, seconds) = (call.series(0), call.float(1));
    for it in &mut series {
        it.rename(format!("scaleToSeconds({},{})", it.name, seconds.trunc() as i64));
        it.tag("scaleToSeconds", call.shown(1));
        let factor = seconds / it.step as f64;
        map(it, |value| rounded(value * factor, 6));
    }
    Ok(series)
}

fn logarithm(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (series, base) = (call.series(0), call.whole(1));
    if base < 2 {
        return Err(call.wrong(1, "a base above 1"));
    }
    let divisor = (base as f64).ln();
    let made = |mut it: TimeSeries| {
        it.tag("log", base);
        let log = |value: &f64| if *value > 0.0 { value.ln() / divisor } else { f64::NAN };
        let values = it.values.iter().map(log).collect();
        it.derived(format!("log({}, {base})", it.name), values)
    };
    Ok(series.into_iter().map(made).collect())
}

fn smallest(series: &TimeSeries) -> f64 {
    series.values.iter().copied().fold(f64::NAN, f64::min)
}

fn offset_to_zero(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    for it in &mut series {
        let minimum = smallest(it);
        it.tag(
            "offsetToZero",
            match minimum.is_nan() {
                true => "None".into(),
                false => crate::number_text::python_float(minimum),
            },
        );
        it.rename(format!("offsetToZero({})", it.name));
        map(it, |value| value - minimum);
    }
    Ok(series)
}

fn min_max(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    for it in &mut series {
        it.rename(format!("minMax({})", it.name));
        let minimum = smallest(it);
        let range = it.values.iter().copied().fold(f64::NAN, f64::max) - minimum;
        map(it, |value| match range == 0.0 && !value.is_nan() {
            true => 0.0,
            false => (value - minimum) / range,
        });
    }
    Ok(series)
}

fn round(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, precision) = (call.series(0), call.number(1).map(|_| call.whole(1)));
    for it in &mut series {
        it.rename(match precision {
            None => format!("round({})", it.name),
            Some(places) => format!("round({},{})", it.name, general(places as f64)),
        });
        it.tag("round", precision.unwrap_or(0));
        map(it, |value| rounded(value, precision.unwrap_or(0)));
    }
    Ok(series)
}
