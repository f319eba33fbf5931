//! Series in parts of others.

use std::collections::{HashMap, HashSet};

use crate::Error;
use crate::aggregation::sum;
use crate::argument::Argument;
use crate::function::{Function, Invocation, functions};
use crate::nodes::{Group, grouped, key};
use crate::parameter::{SERIES, any, node_or_tag, series};
use crate::time_series::{Aligned, Steps, TimeSeries};

use super::combine::paths;

pub(super) const FUNCTIONS: &[Function] = functions! { "Combine";
    "asPercent"(SERIES, any("total").optional(), node_or_tag("nodes").many().optional())
        "Series as percent of their sum, of a number, or of other series." => as_percent;
    "pct"(SERIES, any("total").optional(), node_or_tag("nodes").many().optional())
        "Series as percent of their sum, of a number, or of other series." => as_percent;
    "divideSeries"(series("dividendSeriesList"), series("divisorSeries"))
        "Each series divided by one." => divide;
    "divideSeriesLists"(series("dividendSeriesList"), series("divisorSeriesList"))
        "The quotients of pairs of series of two lists." => divide_lists;
    "weightedAverage"(
        series("seriesListAvg"), series("seriesListWeight"), node_or_tag("nodes").many().optional(),
    ) "The average of series, each weighted by the one of the other list with the same parts of \
       its path." => weighted_average;
};

fn as_percent(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    if series.is_empty() {
        return Ok(Vec::new());
    }
    let total = std::mem::take(&mut call.arguments[1]);
    let nodes = std::mem::take(&mut call.rest);
    match (total, nodes.as_slice()) {
        (Argument::Nothing, []) => {
            let total = summed(call, &series)?;
            of_one(call, &series, &total)
        }
        (Argument::Series(total), []) => match total.as_slice() {
            [one] => of_one(call, &series, one),
            many if many.len() == series.len() => of_pairs(call, series, total),
            many => {
                let (found, wanted) = (many.len(), series.len());
                Err(call.wrong_series(format!("a total of 1 or {wanted} series, found {found}")))
            }
        },
        (Argument::Number(number), []) => {
            let shown = number.to_string();
            let percent = |it: &TimeSeries| {
                let values = it.values.iter().map(|value| percent(*value, number.value()));
                let name = format!("asPercent({},{shown})", it.name);
                call.made(name, it.steps(), values.collect())
            };
            Ok(series.iter().map(percent).collect())
        }
        (Argument::Nothing, nodes) => of_groups(call, series, None, nodes),
        (Argument::Series(total), nodes) => of_groups(call, series, Some(total), nodes),
        (other, _) => {
            call.arguments[1] = other;
            Err(call.wrong(1, "a number, series, or none; series or none with parts of paths"))
        }
    }
}

fn percent(value: f64, total: f64) -> f64 {
    quotient(value, total) * 100.0
}

/// Unknown where the divisor is 0.
fn quotient(dividend: f64, divisor: f64) -> f64 {
    if divisor == 0.0 { f64::NAN } else { dividend / divisor }
}

/// The sum of series: of one, itself.
fn total_of(call: &Invocation<'_>, mut series: Vec<TimeSeries>) -> Result<TimeSeries, Error> {
    match series.len() {
        1 => Ok(series.remove(0)),
        _ => summed(call, &series),
    }
}

fn summed(call: &Invocation<'_>, series: &[TimeSeries]) -> Result<TimeSeries, Error> {
    let name = format!("sumSeries({})", paths(series.iter()));
    let nothing = Steps { start: call.context.start, end: call.context.end, step: 1 };
    let Some(aligned) = Aligned::new(series.iter())? else {
        return Ok(call.made(name, nothing, Vec::new()));
    };
    call.world.work((aligned.rows() * series.len()) as u64)?;
    Ok(call.made(name, aligned.steps, aligned.map(sum)))
}

fn of_one(
    call: &Invocation<'_>,
    series: &[TimeSeries],
    total: &TimeSeries,
) -> Result<Vec<TimeSeries>, Error> {
    series.iter().map(|it| pair(call, it, total, "asPercent", percent)).collect()
}

/// A series made of two, each value of one of each.
fn pair(
    call: &Invocation<'_>,
    one: &TimeSeries,
    other: &TimeSeries,
    function: &str,
    made_of: fn(f64, f64) -> f64,
) -> Result<TimeSeries, Error> {
    let name = format!("{function}({},{})", one.name, other.name);
    let both = [one, other];
    let aligned = Aligned::new(both.into_iter())?;
    let aligned = aligned.ok_or_else(|| call.wrong_series("two series"))?;
    call.world.take(aligned.rows() as u64)?;
    let of_row = |row: &[f64]| match row {
        [one, other] => made_of(*one, *other),
        _ => f64::NAN,
    };
    Ok(call.made(name, aligned.steps, aligned.map(of_row)))
}

/// Pairs of series in the order of their names.
fn of_pairs(
    call: &Invocation<'_>,
    mut series: Vec<TimeSeries>,
    mut totals: Vec<TimeSeries>,
) -> Result<Vec<TimeSeries>, Error> {
    series.sort_by(|a, b| a.name.cmp(&b.name));
    totals.sort_by(|a, b| a.name.cmp(&b.name));
    let pairs = series.iter().zip(&totals);
    pairs.map(|(one, other)| pair(call, one, other, "asPercent", percent)).collect()
}

/// Each series of a group as percent of the group's total.
fn of_groups(
    call: &Invocation<'_>,
    series: Vec<TimeSeries>,
    totals: Option<Vec<TimeSeries>>,
    nodes: &[Argument],
) -> Result<Vec<TimeSeries>, Error> {
    let by_key = |it: &TimeSeries| key(it, nodes, call.world);
    let groups = grouped(series, by_key);
    let totals: Vec<Group> = match totals {
        Some(totals) => grouped(totals, by_key),
        None => groups
            .iter()
            .map(|it| Group { key: it.key.clone(), series: it.series.clone() })
            .collect(),
    };
    let order: Vec<String> = totals.iter().map(|it| it.key.clone()).collect();
    let mut summed = HashMap::new();
    for total in totals {
        summed.insert(total.key, total_of(call, total.series)?);
    }
    let mut made = Vec::new();
    for group in &groups {
        let total = summed.get(&group.key);
        for one in &group.series {
            made.push(of_total(call, one, total)?);
        }
    }
    let keys: HashSet<&str> = groups.iter().map(|it| it.key.as_str()).collect();
    for key in order.iter().filter(|key| !keys.contains(key.as_str())) {
        let Some(total) = summed.get(key) else { continue };
        let unknown = vec![f64::NAN; total.values.len()];
        let name = format!("asPercent(MISSING,{})", total.name);
        made.push(call.made(name, total.steps(), unknown));
    }
    Ok(made)
}

fn of_total(
    call: &Invocation<'_>,
    one: &TimeSeries,
    total: Option<&TimeSeries>,
) -> Result<TimeSeries, Error> {
    match total {
        Some(total) => pair(call, one, total, "asPercent", percent),
        None => {
            let unknown = vec![f64::NAN; one.values.len()];
            Ok(call.made(format!("asPercent({},MISSING)", one.name), one.steps(), unknown))
        }
    }
}

fn divide(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut dividends, divisors) = (call.series(0), call.series(1));
    match divisors.as_slice() {
        [] => {
            for one in &mut dividends {
                one.rename(format!("divideSeries({},MISSING)", one.name));
                one.values.fill(f64::NAN);
            }
            Ok(dividends)
        }
        [divisor] => {
            dividends.iter().map(|it| pair(call, it, divisor, "divideSeries", quotient)).collect()
        }
        many => Err(call.wrong_series(format!("one series as divisor, found {}", many.len()))),
    }
}

fn divide_lists(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (dividends, divisors) = (call.series(0), call.series(1));
    let (one, other) = (dividends.len(), divisors.len());
    if one != other {
        return Err(call.wrong_series(format!("two lists as long, found {one} and {other} series")));
    }
    let pairs = dividends.iter().zip(&divisors);
    pairs.map(|(one, other)| pair(call, one, other, "divideSeries", quotient)).collect()
}

fn weighted_average(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (averages, weights) = (call.series(0), call.series(1));
    let nodes = std::mem::take(&mut call.rest);
    let (one, other) = (averages.len(), weights.len());
    if one != other {
        return Err(call.wrong_series(format!("two lists as long, found {one} and {other} series")));
    }
    let by_key = |it: &TimeSeries| key(it, &nodes, call.world);
    let weight_of: HashMap<String, &TimeSeries> =
        weights.iter().map(|it| (by_key(it), it)).collect();
    let mut products = Vec::new();
    for group in grouped(averages.clone(), by_key) {
        // Of several series with the same key the last one counts.
        if let (Some(one), Some(weight)) = (group.series.last(), weight_of.get(&group.key)) {
            products.push(pair(call, weight, one, "product", |a, b| a * b)?);
        }
    }
    if products.is_empty() {
        return Ok(Vec::new());
    }
    let quotients = pair(call, &summed(call, &products)?, &summed(call, &weights)?, "", quotient)?;
    let sorted = |series: &[TimeSeries]| {
        let mut paths: Vec<&str> = series.iter().map(|it| it.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths.join(",")
    };
    let nodes: Vec<String> = nodes.iter().map(Argument::shown).collect();
    let (averages, weights, nodes) = (sorted(&averages), sorted(&weights), nodes.join(","));
    let name = format!("weightedAverage({averages}, {weights}, {nodes})");
    Ok(vec![call.made(name, quotients.steps(), quotients.values)])
}
