//! Series to one.

use std::collections::HashSet;

use crate::Error;
use crate::aggregation::{self, Aggregation, are_enough};
use crate::argument::Argument;
use crate::function::{Function, Invocation, functions};
use crate::language::Number;
use crate::nodes::grouped;
use crate::parameter::{LISTS, SERIES, aggregation, node, series, x_files_factor};
use crate::time_series::{Aligned, Steps, TimeSeries};

pub(super) const FUNCTIONS: &[Function] = functions! { "Combine";
    "sumSeries"(LISTS) "The sum of all series." => |it| joined(it, "sum");
    "sum"(LISTS) "The sum of all series." => |it| joined(it, "sum");
    "averageSeries"(LISTS) "The average of all series." => |it| joined(it, "average");
    "avg"(LISTS) "The average of all series." => |it| joined(it, "average");
    "minSeries"(LISTS) "The smallest value of all series." => |it| joined(it, "min");
    "maxSeries"(LISTS) "The largest value of all series." => |it| joined(it, "max");
    "diffSeries"(LISTS) "The first series less all others." => |it| joined(it, "diff");
    "stddevSeries"(LISTS) "The standard deviation of all series." => |it| joined(it, "stddev");
    "rangeOfSeries"(LISTS) "The largest value of all series less the smallest."
        => |it| joined(it, "rangeOf");
    "multiplySeries"(LISTS) "The product of all series." => multiply;
    "countSeries"(LISTS.optional()) "How many series there are." => count;
    "powSeries"(series("seriesList").many()) "The first series to the power of the others." => power;
    "aggregate"(SERIES, aggregation("func"), x_files_factor())
        "All series joined by an aggregation." => aggregate;
    "aggregateSeriesLists"(
        series("seriesListFirstPos"), series("seriesListSecondPos"), aggregation("func"),
        x_files_factor(),
    ) "Pairs of series of two lists joined by an aggregation." => aggregate_lists;
    "sumSeriesLists"(series("seriesListFirstPos"), series("seriesListSecondPos"))
        "The sums of pairs of series of two lists." => |it| paired(it, "sum");
    "diffSeriesLists"(series("seriesListFirstPos"), series("seriesListSecondPos"))
        "The differences of pairs of series of two lists." => |it| paired(it, "diff");
    "multiplySeriesLists"(series("seriesListFirstPos"), series("seriesListSecondPos"))
        "The products of pairs of series of two lists." => |it| paired(it, "multiply");
    "aggregateWithWildcards"(SERIES, aggregation("func"), node("position").many().optional())
        "Series whose paths differ in the named parts alone, joined by an aggregation."
        => aggregate_with_wildcards;
    "sumSeriesWithWildcards"(SERIES, node("position").many().optional())
        "The sums of series whose paths differ in the named parts alone."
        => |it| with_wildcards(it, "sum");
    "averageSeriesWithWildcards"(SERIES, node("position").many().optional())
        "The averages of series whose paths differ in the named parts alone."
        => |it| with_wildcards(it, "average");
    "multiplySeriesWithWildcards"(SERIES, node("position").many().optional())
        "The products of series whose paths differ in the named parts alone."
        => |it| with_wildcards(it, "multiply");
};

/// Functions that a group of series may name.
pub(crate) const AGGREGATORS: [&str; 19] = [
    "asPercent",
    "averageSeries",
    "averageSeriesWithWildcards",
    "avg",
    "countSeries",
    "diffSeries",
    "maxSeries",
    "minSeries",
    "multiplySeries",
    "multiplySeriesWithWildcards",
    "pct",
    "powSeries",
    "rangeOfSeries",
    "stddevSeries",
    "sum",
    "sumSeries",
    "sumSeriesWithWildcards",
    "percentileOfSeries",
    "group",
];

/// What the series are called in the name of what they are joined to.
pub(super) fn paths<'a>(series: impl Iterator<Item = &'a TimeSeries>) -> String {
    let mut seen = HashSet::new();
    let paths: Vec<&str> =
        series.map(|it| it.path.as_str()).filter(|path| seen.insert(*path)).collect();
    paths.join(",")
}

fn joined(call: &mut Invocation<'_>, name: &str) -> Result<Vec<TimeSeries>, Error> {
    let series = call.lists();
    join(call, &series, name, None)
}

/// Series joined by an aggregation; none if there are none.
pub(super) fn join(
    call: &Invocation<'_>,
    series: &[TimeSeries],
    name: &str,
    x_files_factor: Option<f64>,
) -> Result<Vec<TimeSeries>, Error> {
    let aggregation = Aggregation::named(name).unwrap_or(Aggregation::Average);
    let x_files_factor = x_files_factor.unwrap_or(call.context.x_files_factor);
    let Some(aligned) = Aligned::new(series.iter())? else { return Ok(Vec::new()) };
    call.world.work((aligned.rows() * series.len()) as u64)?;
    call.world.take(aligned.rows() as u64)?;
    let values = aligned.map(|row| {
        let known = aggregation::count(row);
        match are_enough(known, row.len() as f64, x_files_factor) {
            true => aggregation.of(row),
            false => f64::NAN,
        }
    });
    let full_name = format!("{name}Series({})", paths(series.iter()));
    let mut made = TimeSeries::new(full_name.clone(), aligned.steps, values, x_files_factor);
    made.tags = common_tags(series);
    made.tags.entry("name".to_owned()).or_insert(full_name);
    made.tag("aggregatedBy", name);
    Ok(vec![made])
}

/// The tags that all series have with the same value.
fn common_tags(series: &[TimeSeries]) -> std::collections::BTreeMap<String, String> {
    let mut tags = series.first().map(|it| it.tags.clone()).unwrap_or_default();
    for one in series.iter().skip(1) {
        tags.retain(|tag, value| one.tags.get(tag) == Some(value));
    }
    tags
}

fn multiply(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let is_one_list = call.rest.len() == 1;
    let series = call.lists();
    match series.len() {
        1 if is_one_list => Ok(series),
        _ => join(call, &series, "multiply", None),
    }
}

fn count(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    if call.rest.is_empty() {
        return Ok(vec![constant(call, "0".into(), "countSeries()".into(), 0.0)]);
    }
    let series = call.lists();
    let Some(aligned) = Aligned::new(series.iter())? else { return Ok(Vec::new()) };
    let name = format!("countSeries({})", paths(series.iter()));
    let values = vec![series.len() as f64; aligned.rows()];
    Ok(vec![call.made(name, aligned.steps, values)])
}

/// Three points of the same value, from the start to the end.
pub(super) fn constant(
    call: &Invocation<'_>,
    name: String,
    path: String,
    value: f64,
) -> TimeSeries {
    let (start, end) = (call.context.start, call.context.end);
    let steps = Steps { start, end, step: ((end - start) / 2).max(1) };
    TimeSeries { path, ..call.made(name, steps, vec![value; 3]) }
}

fn power(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let series = call.lists();
    let Some(aligned) = Aligned::new(series.iter())? else { return Ok(Vec::new()) };
    call.world.work((aligned.rows() * series.len()) as u64)?;
    let values = aligned.map(|row| {
        let (first, others) = row.split_first().unwrap_or((&f64::NAN, &[]));
        others.iter().fold(*first, |base, exponent| super::transform::power_of(base, *exponent))
    });
    let names: Vec<&str> = series.iter().map(|it| it.name.as_str()).collect();
    Ok(vec![call.made(format!("powSeries({})", names.join(",")), aligned.steps, values)])
}

fn aggregate(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    let (_, name) = call.aggregation(1);
    join(call, &series, name, call.float_if_given(2))
}

fn aggregate_lists(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let name = call.aggregation(2).1.to_owned();
    pairs(call, &name, call.float_if_given(3))
}

fn paired(call: &mut Invocation<'_>, name: &str) -> Result<Vec<TimeSeries>, Error> {
    pairs(call, name, None)
}

fn pairs(
    call: &mut Invocation<'_>,
    name: &str,
    x_files_factor: Option<f64>,
) -> Result<Vec<TimeSeries>, Error> {
    let (first, second) = (call.series(0), call.series(1));
    if first.len() != second.len() {
        let (one, other) = (first.len(), second.len());
        return Err(call.wrong_series(format!("two lists as long, found {one} and {other} series")));
    }
    let mut made = Vec::new();
    for (one, other) in first.into_iter().zip(second) {
        let title = format!("{name}Series({},{})", one.name, other.name);
        for mut joined in join(call, &[one, other], name, x_files_factor)? {
            joined.name.clone_from(&title);
            made.push(joined);
        }
    }
    Ok(made)
}

fn aggregate_with_wildcards(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let name = call.aggregation(1).1.to_owned();
    with_wildcards(call, &name)
}

fn with_wildcards(call: &mut Invocation<'_>, name: &str) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    let positions: Vec<i64> = call.rest.iter().filter_map(position).collect();
    let key = |series: &TimeSeries| {
        let parts = (0..).zip(series.name.split('.'));
        let kept = parts.filter(|(nth, _)| !positions.contains(nth)).map(|(_, part)| part);
        kept.collect::<Vec<_>>().join(".")
    };
    let mut made = Vec::new();
    for group in grouped(series, key) {
        for mut joined in join(call, &group.series, name, None)? {
            joined.name.clone_from(&group.key);
            made.push(joined);
        }
    }
    Ok(made)
}

fn position(argument: &Argument) -> Option<i64> {
    match argument {
        Argument::Number(Number::Whole(whole)) => Some(*whole),
        _ => None,
    }
}
