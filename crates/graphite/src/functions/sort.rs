//! The order of series.

use crate::Error;
use crate::aggregation::Aggregation;
use crate::function::{Function, Invocation, functions};
use crate::parameter::{Otherwise, SERIES, aggregation, boolean};
use crate::time_series::TimeSeries;

pub(super) const FUNCTIONS: &[Function] = functions! { "Sorting";
    "sortBy"(SERIES, aggregation("func").or(Otherwise::Text("average")), boolean("reverse"))
        "By an aggregation, the lowest first." => by_aggregation;
    "sortByName"(SERIES, boolean("natural"), boolean("reverse"))
        "By name; if natural, numbers within names count as numbers." => by_name;
    "sortByMaxima"(SERIES) "By the largest value, the highest first."
        => |it| Ok(sorted(it, Aggregation::Maximum));
    "sortByMinima"(SERIES) "By the smallest value, the lowest first, without series never above 0."
        => by_minima;
    "sortByTotal"(SERIES) "By the sum, the highest first." => |it| Ok(sorted(it, Aggregation::Sum));
};

/// Sorts series by a value; those for which it is unknown are the lowest. The order of equal ones
/// stays.
pub(super) fn sort_by(
    series: &mut [TimeSeries],
    is_highest_first: bool,
    value: impl Fn(&TimeSeries) -> f64,
) {
    let key = |it: &TimeSeries| match value(it) {
        unknown if unknown.is_nan() => f64::NEG_INFINITY,
        // 0 and -0 are equal.
        value => value + 0.0,
    };
    match is_highest_first {
        true => series.sort_by(|a, b| key(b).total_cmp(&key(a))),
        false => series.sort_by(|a, b| key(a).total_cmp(&key(b))),
    }
}

/// Keeps the first series; without the last ones if the count is negative.
pub(super) fn first(series: &mut Vec<TimeSeries>, count: i64) {
    let length = series.len() as i64;
    let kept = if count < 0 { length.saturating_add(count).max(0) } else { count };
    series.truncate(usize::try_from(kept).unwrap_or(0));
}

fn sorted(call: &mut Invocation<'_>, aggregation: Aggregation) -> Vec<TimeSeries> {
    let mut series = call.series(0);
    sort_by(&mut series, true, |it| aggregation.of(&it.values));
    series
}

fn by_aggregation(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    let (aggregation, _) = call.aggregation(1);
    sort_by(&mut series, call.boolean(2), |it| aggregation.of(&it.values));
    Ok(series)
}

fn by_minima(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    series.retain(|it| it.values.iter().any(|value| *value > 0.0));
    sort_by(&mut series, false, |it| Aggregation::Minimum.of(&it.values));
    Ok(series)
}

fn by_name(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    let key = |it: &TimeSeries| if call.boolean(1) { natural(&it.name) } else { it.name.clone() };
    match call.boolean(2) {
        true => series.sort_by_cached_key(|it| std::cmp::Reverse(key(it))),
        false => series.sort_by_cached_key(key),
    }
    Ok(series)
}

/// A name whose numbers have at least ten digits.
fn natural(name: &str) -> String {
    let (mut out, mut rest) = (String::new(), name);
    while let Some(at) = rest.find(|it: char| it.is_ascii_digit()) {
        out.push_str(&rest[..at]);
        let end = rest[at..].find(|it: char| !it.is_ascii_digit()).map_or(rest.len(), |it| at + it);
        let digits = rest[at..end].trim_start_matches('0');
        out.push_str(&format!("{digits:0>10}"));
        rest = &rest[end..];
    }
    out + rest
}
