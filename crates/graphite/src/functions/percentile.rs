//! Percentiles of series, and of what several series have at a time.

use crate::Error;
use crate::aggregation::{average, percentile};
use crate::function::{Function, Invocation, functions};
use crate::number_text::general;
use crate::parameter::{SERIES, boolean, float};
use crate::time_series::{Aligned, TimeSeries};

pub(super) const FUNCTIONS: &[Function] = functions! { "Calculate";
    "percentileOfSeries"(SERIES, float("n"), boolean("interpolate"))
        "At each time, a percentile of what the series have." => of_series;
    "nPercentile"(SERIES, float("n")) "A percentile of each series, as a line." => lines;
    "removeAbovePercentile"(SERIES, float("n")) "Without values above the series' percentile."
        => |it| without(it, "removeAbovePercentile", |value, limit| value > limit);
    "removeBelowPercentile"(SERIES, float("n")) "Without values below the series' percentile."
        => |it| without(it, "removeBelowPercentile", |value, limit| value < limit);
    "removeBetweenPercentile"(SERIES, float("n"))
        "Series that leave the band between two percentiles of all at some time." => between;
    "averageOutsidePercentile"(SERIES, float("n"))
        "Series whose averages leave the band between two percentiles of all." => outside;
};

fn of_series(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (series, percent, is_interpolated) = (call.series(0), call.float(1), call.boolean(2));
    if percent.is_nan() || percent <= 0.0 {
        return Err(call.wrong(1, "a number above 0"));
    }
    let Some(aligned) = Aligned::new(series.iter())? else { return Ok(Vec::new()) };
    call.world.work((aligned.rows() * series.len()) as u64)?;
    let path = series.first().map_or("", |it| &it.path);
    let name = format!("percentileOfSeries({path},{})", general(percent));
    let values = aligned.map(|row| percentile(row, percent, is_interpolated));
    Ok(vec![call.made(name, aligned.steps, values)])
}

/// The percentile of a series; `None` if nothing of it is known.
fn line(series: &TimeSeries, percent: f64) -> Option<f64> {
    Some(percentile(&series.values, percent, false)).filter(|it| !it.is_nan())
}

fn lines(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (series, percent) = (call.series(0), call.float(1));
    if percent == 0.0 {
        return Err(call.wrong(1, "a number above 0"));
    }
    let shown = call.shown(1);
    let mut made = Vec::new();
    for mut it in series {
        let Some(value) = line(&it, percent) else { continue };
        let points = usize::try_from((it.end - it.start) / it.step).unwrap_or(0);
        call.world.take(points as u64)?;
        it.tag("nPercentile", &shown);
        let name = format!("nPercentile({}, {})", it.name, general(percent));
        made.push(it.derived(name, vec![value; points]));
    }
    Ok(made)
}

fn without(
    call: &mut Invocation<'_>,
    name: &str,
    goes: fn(f64, f64) -> bool,
) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, percent, shown) = (call.series(0), call.float(1), call.shown(1));
    for it in &mut series {
        it.rename(format!("{name}({}, {})", it.name, general(percent)));
        let Some(limit) = line(it, percent) else { continue };
        it.tag("nPercentile", &shown);
        it.values.iter_mut().filter(|it| goes(**it, limit)).for_each(|it| *it = f64::NAN);
    }
    Ok(series)
}

/// The upper one of two percentiles as far from the middle.
fn upper(percent: f64) -> f64 {
    if percent < 50.0 { 100.0 - percent } else { percent }
}

fn between(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, percent) = (call.series(0), upper(call.float(1)));
    let rows = series.iter().map(|it| it.values.len()).min().unwrap_or(0);
    call.world.work((rows * series.len() * 2) as u64)?;
    let mut leaves = vec![false; series.len()];
    for nth in 0..rows {
        let row: Vec<f64> = series.iter().map(|it| it.values[nth]).collect();
        let (low, high) =
            (percentile(&row, 100.0 - percent, false), percentile(&row, percent, false));
        for (leaves, value) in leaves.iter_mut().zip(row) {
            *leaves |= !(low < value && value < high);
        }
    }
    let mut leaves = leaves.into_iter();
    series.retain(|_| leaves.next().unwrap_or(false));
    Ok(series)
}

fn outside(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, percent) = (call.series(0), upper(call.float(1)));
    let averages: Vec<f64> = series.iter().map(|it| average(&it.values)).collect();
    let low = percentile(&averages, 100.0 - percent, false);
    let high = percentile(&averages, percent, false);
    let mut averages = averages.into_iter();
    series.retain(|_| !averages.next().is_some_and(|it| low < it && it < high));
    Ok(series)
}
