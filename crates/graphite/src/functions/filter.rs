//! Some series of many, and some values of a series.

use crate::Error;
use crate::aggregation::{self, Aggregation, are_enough, average};
use crate::function::{Function, Invocation, functions};
use crate::number_text::general;
use crate::parameter::{
    Otherwise, Parameter, SERIES, aggregation, float, integer, text, x_files_factor,
};
use crate::pattern::{pattern, replacement};
use crate::time_series::TimeSeries;

use super::sort::{first, sort_by};

const OPERATOR: Parameter = text("operator").one_of(&["!=", "<", "<=", "=", ">", ">="]);

pub(super) const FUNCTIONS: &[Function] = functions! { "Filter Series";
    "filterSeries"(SERIES, aggregation("func"), OPERATOR, float("threshold"))
        "Series whose aggregation compares so with a number." => filter;
    "averageAbove"(SERIES, float("n")) "Series whose average is above a number."
        => |it| kept(it, Aggregation::Average, ">");
    "averageBelow"(SERIES, float("n")) "Series whose average is at most a number."
        => |it| kept(it, Aggregation::Average, "<=");
    "currentAbove"(SERIES, float("n")) "Series whose last value is above a number."
        => |it| kept(it, Aggregation::Last, ">");
    "currentBelow"(SERIES, float("n")) "Series whose last value is at most a number."
        => |it| kept(it, Aggregation::Last, "<=");
    "maximumAbove"(SERIES, float("n")) "Series whose largest value is above a number."
        => |it| kept(it, Aggregation::Maximum, ">");
    "maximumBelow"(SERIES, float("n")) "Series whose largest value is at most a number."
        => |it| kept(it, Aggregation::Maximum, "<=");
    "minimumAbove"(SERIES, float("n")) "Series whose smallest value is above a number."
        => |it| kept(it, Aggregation::Minimum, ">");
    "minimumBelow"(SERIES, float("n")) "Series whose smallest value is at most a number."
        => |it| kept(it, Aggregation::Minimum, "<=");
    "highest"(SERIES, integer("n"), aggregation("func").or(Otherwise::Text("average")))
        "The series with the highest aggregations." => |it| {
            let (aggregation, _) = it.aggregation(2);
            extreme(it, aggregation, true)
        };
    "highestAverage"(SERIES, integer("n")) "The series with the highest averages."
        => |it| extreme(it, Aggregation::Average, true);
    "highestCurrent"(SERIES, integer("n")) "The series with the highest last values."
        => |it| extreme(it, Aggregation::Last, true);
    "highestMax"(SERIES, integer("n")) "The series with the highest largest values."
        => |it| extreme(it, Aggregation::Maximum, true);
    "lowest"(SERIES, integer("n"), aggregation("func").or(Otherwise::Text("average")))
        "The series with the lowest aggregations." => |it| {
            let (aggregation, _) = it.aggregation(2);
            extreme(it, aggregation, false)
        };
    "lowestAverage"(SERIES, integer("n")) "The series with the lowest averages."
        => |it| extreme(it, Aggregation::Average, false);
    "lowestCurrent"(SERIES, integer("n")) "The series with the lowest last values."
        => |it| extreme(it, Aggregation::Last, false);
    "limit"(SERIES, integer("n")) "The first series." => limit;
    "mostDeviant"(SERIES, integer("n")) "The series with the largest variances." => most_deviant;
    "exclude"(SERIES, text("pattern")) "Series whose names a pattern does not match."
        => |it| by_name(it, false);
    "grep"(SERIES, text("pattern")) "Series whose names a pattern matches." => |it| by_name(it, true);
    "removeEmptySeries"(SERIES, x_files_factor()) "Series of which enough values are known." => known;
    "removeAboveValue"(SERIES, float("n")) "Without values above a number."
        => |it| without(it, "removeAboveValue", |value, n| value > n);
    "removeBelowValue"(SERIES, float("n")) "Without values below a number."
        => |it| without(it, "removeBelowValue", |value, n| value < n);
    "useSeriesAbove"(SERIES, float("value"), text("search"), text("replace"))
        "For each series with a value above a number, the one whose name a pattern makes of its own."
        => use_above;
};

/// Whether a value compares so with a number. Where it is unknown, it does as in graphite-web.
fn compares(value: f64, operator: &str, number: f64) -> bool {
    match operator {
        "=" => value == number,
        "!=" => value.is_nan() || value != number,
        ">" => value > number,
        ">=" => value >= number,
        "<" => value.is_nan() || value < number,
        _ => value.is_nan() || value <= number,
    }
}

fn filter(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    let (aggregation, _) = call.aggregation(1);
    let (operator, threshold) = (call.text(2), call.float(3));
    series.retain(|it| compares(aggregation.of(&it.values), operator, threshold));
    Ok(series)
}

fn kept(
    call: &mut Invocation<'_>,
    aggregation: Aggregation,
    operator: &str,
) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, number) = (call.series(0), call.float(1));
    series.retain(|it| compares(aggregation.of(&it.values), operator, number));
    Ok(series)
}

fn extreme(
    call: &mut Invocation<'_>,
    aggregation: Aggregation,
    is_highest: bool,
) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    sort_by(&mut series, is_highest, |it| aggregation.of(&it.values));
    first(&mut series, call.whole(1));
    Ok(series)
}

fn limit(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    first(&mut series, call.whole(1));
    Ok(series)
}

fn most_deviant(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    let variance = |it: &TimeSeries| {
        let mean = average(&it.values);
        let squares = it.values.iter().filter(|it| !it.is_nan()).map(|it| (it - mean).powi(2));
        squares.sum::<f64>() / aggregation::count(&it.values) as f64
    };
    series.retain(|it| aggregation::count(&it.values) > 0);
    sort_by(&mut series, true, variance);
    first(&mut series, call.whole(1));
    Ok(series)
}

fn by_name(call: &mut Invocation<'_>, is_kept: bool) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, pattern) = (call.series(0), pattern(call.text(1))?);
    series.retain(|it| pattern.is_match(&it.name) == is_kept);
    Ok(series)
}

fn known(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, wanted) = (call.series(0), call.float_if_given(1).unwrap_or(0.0));
    series.retain(|it| are_enough(aggregation::count(&it.values), it.values.len() as f64, wanted));
    Ok(series)
}

fn without(
    call: &mut Invocation<'_>,
    name: &str,
    goes: fn(f64, f64) -> bool,
) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, number) = (call.series(0), call.float(1));
    for it in &mut series {
        it.rename(format!("{name}({}, {})", it.name, general(number)));
        it.values.iter_mut().filter(|it| goes(**it, number)).for_each(|it| *it = f64::NAN);
    }
    Ok(series)
}

fn use_above(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (series, number) = (call.series(0), call.float(1));
    let (search, replace) = (pattern(call.text(2))?, replacement(call.text(3)));
    let mut made = Vec::new();
    for it in series.iter().filter(|it| it.values.iter().any(|value| *value > number)) {
        let target = search.replace_all(&it.name, &replace).into_owned();
        let mut context = call.context.clone();
        made.extend(call.world.evaluate_text(&target, &mut context)?);
    }
    made.retain(|it| !it.values.is_empty());
    Ok(made)
}
