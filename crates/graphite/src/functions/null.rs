//! What is not known.

use crate::Error;
use crate::function::{Function, Invocation, functions};
use crate::number_text::general;
use crate::parameter::{Otherwise, SERIES, float, point_limit, series};
use crate::time_series::TimeSeries;

pub(super) const FUNCTIONS: &[Function] = functions! { "Transform";
    "transformNull"(
        SERIES, float("default").or(Otherwise::Whole(0)), series("referenceSeries").optional(),
    ) "A value where there is none, or only where a series of another list has one." => transform;
    "isNonNull"(SERIES) "1 where there is a value, 0 where there is none." => is_known;
    "keepLastValue"(SERIES, point_limit()) "The last value where there is none." => keep_last;
    "interpolate"(SERIES, point_limit()) "Values on a line where there are none between two."
        => interpolate;
    "changed"(SERIES) "1 where a value is another than the one before, else 0." => changed;
};

fn transform(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, references) = (call.series(0), call.series(2));
    let (default, shown) = (call.float(1), call.shown(1));
    let has_reference =
        |nth: usize| references.iter().any(|it| it.values.get(nth).is_some_and(|it| !it.is_nan()));
    let longest = references.iter().map(|it| it.values.len()).max();
    for it in &mut series {
        it.tag("transformNull", &shown);
        let suffix = if longest.is_some() { ",referenceSeries" } else { "" };
        if longest.is_some() {
            it.tag("referenceSeries", 1);
        }
        it.rename(format!("transformNull({},{}{suffix})", it.name, general(default)));
        let length = it.values.len().max(longest.unwrap_or(0));
        it.values.resize(length, f64::NAN);
        for (nth, value) in it.values.iter_mut().enumerate() {
            if value.is_nan() && (longest.is_none() || has_reference(nth)) {
                *value = default;
            }
        }
    }
    Ok(series)
}

fn is_known(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    for it in &mut series {
        it.tag("isNonNull", 1);
        it.rename(format!("isNonNull({})", it.name));
        it.values.iter_mut().for_each(|value| *value = if value.is_nan() { 0.0 } else { 1.0 });
    }
    Ok(series)
}

/// Fills gaps of at most so many points.
fn fill(values: &mut [f64], limit: f64, mut gap: impl FnMut(&mut [f64], f64, Option<f64>)) {
    let mut before = f64::NAN;
    let mut first = 0;
    for nth in 0..=values.len() {
        let value = values.get(nth).copied();
        if value.is_some_and(f64::is_nan) {
            continue;
        }
        let length = nth - first;
        if length > 0 && length as f64 <= limit && !before.is_nan() {
            gap(&mut values[first..nth], before, value);
        }
        before = value.unwrap_or(f64::NAN);
        first = nth + 1;
    }
}

fn keep_last(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, limit) = (call.series(0), call.float(1));
    for it in &mut series {
        it.rename(format!("keepLastValue({})", it.name));
        fill(&mut it.values, limit, |gap, before, _| gap.fill(before));
    }
    Ok(series)
}

fn interpolate(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, limit) = (call.series(0), call.float(1));
    for it in &mut series {
        it.rename(format!("interpolate({})", it.name));
        fill(&mut it.values, limit, |gap, before, after| {
            let Some(after) = after else { return };
            let parts = (gap.len() + 1) as f64;
            for (nth, value) in (1..).zip(gap) {
                *value = before + f64::from(nth) * (after - before) / parts;
            }
        });
    }
    Ok(series)
}

fn changed(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    for it in &mut series {
        it.rename(format!("changed({})", it.name));
        let mut before = f64::NAN;
        for value in &mut it.values {
            let is_other = !before.is_nan() && !value.is_nan() && before != *value;
            if before.is_nan() || is_other {
                before = *value;
            }
            *value = f64::from(u8::from(is_other));
        }
    }
    Ok(series)
}
