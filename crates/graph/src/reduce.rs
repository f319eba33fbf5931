//! Fewer, longer rows: what a graph does with rows finer than its pixels.

use rrd::{ConsolidationFunction, UNKNOWN};

use crate::calculate::Calculated;

/// Consolidates `series` to rows of at least `step_seconds`, on the grid of the longer step.
///
/// A row that the stretch covers only in part, at either end, is unknown, as in rrdtool.
pub(crate) fn reduce(
    series: Calculated,
    step_seconds: u64,
    cf: ConsolidationFunction,
) -> Calculated {
    let step = series.step_seconds.max(1);
    let factor = step_seconds.div_ceil(step);
    if factor <= 1 {
        return series;
    }
    let long = (factor * step) as i64;
    let start_seconds = series.start_seconds - series.start_seconds.rem_euclid(long);
    let end_seconds = series.end_seconds();
    let skipped = if start_seconds == series.start_seconds {
        0
    } else {
        ((start_seconds + long - series.start_seconds) / step as i64) as usize
    };
    let mut values = Vec::with_capacity(series.values.len() / factor as usize + 2);
    if skipped > 0 {
        values.push(UNKNOWN);
    }
    let whole = series.values.get(skipped..).unwrap_or(&[]);
    let groups = whole.chunks_exact(factor as usize);
    let cut_off = end_seconds.rem_euclid(long) != 0 && series.values.len() > skipped;
    values.extend(groups.map(|group| consolidate(group, cf)));
    if cut_off {
        values.push(UNKNOWN);
    }
    Calculated { start_seconds, step_seconds: long as u64, values }
}

fn consolidate(group: &[f64], cf: ConsolidationFunction) -> f64 {
    let known = group.iter().copied().filter(|value| !value.is_nan());
    match cf {
        ConsolidationFunction::Min => known.reduce(f64::min).unwrap_or(UNKNOWN),
        ConsolidationFunction::Max | ConsolidationFunction::Failures => {
            known.reduce(f64::max).unwrap_or(UNKNOWN)
        }
        ConsolidationFunction::Last => known.reduce(|_, last| last).unwrap_or(UNKNOWN),
        // Of forecasts, as of averages, the mean is shown.
        _ => {
            let (count, sum) =
                known.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
            sum / count
        }
    }
}
