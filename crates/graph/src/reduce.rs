//! Fewer, longer rows: what a graph does with rows finer than its pixels.

use rrd::{ConsolidationFunction, Stretch, UNKNOWN};

use crate::Error;
use crate::calculated::Calculated;

/// The most rows that a series of a graph has.
const ROWS_MAX: u64 = 1 << 26;

/// Consolidates a column of `stretch` to rows of at least `step_seconds`, on the grid of the longer
/// step.
///
/// A row that the stretch covers only in part, at either end, is unknown, as in rrdtool.
///
/// # Errors
/// [`Error::Fetch`]: the rows are not long enough to be fewer than [`ROWS_MAX`].
pub(crate) fn reduce(
    stretch: &Stretch,
    column: usize,
    step_seconds: u64,
    cf: ConsolidationFunction,
) -> Result<Calculated, Error> {
    let step = stretch.step_seconds.max(1);
    let factor = step_seconds.div_ceil(step).max(1);
    if stretch.rows / factor > ROWS_MAX {
        let rows = stretch.rows / factor;
        return Err(Error::Fetch(format!(
            "a window of {rows} rows is more than {ROWS_MAX}: ask for a coarser step or a shorter \
             time"
        )));
    }
    let rows = Rows { stretch, column };
    if factor == 1 {
        return Ok(Calculated {
            tick: stretch.tick,
            start_seconds: stretch.start_seconds,
            step_seconds: step,
            values: rows.every(),
            lead_rows: 0,
        });
    }
    let long = (factor * step) as i64;
    let start_seconds = stretch.start_seconds - stretch.start_seconds.rem_euclid(long);
    let row_seconds = i64::try_from(stretch.rows * step).unwrap_or(i64::MAX);
    let end_seconds = stretch.start_seconds + row_seconds;
    let skipped = if start_seconds == stretch.start_seconds {
        0
    } else {
        ((start_seconds + long - stretch.start_seconds) / step as i64) as u64
    };
    let groups = stretch.rows.saturating_sub(skipped) / factor;
    let mut values = Vec::with_capacity(groups as usize + 2);
    if skipped > 0 {
        values.push(UNKNOWN);
    }
    values.extend((0..groups).map(|nth| {
        let first = skipped + nth * factor;
        consolidate(rows.held_between(first, first + factor), cf)
    }));
    if end_seconds.rem_euclid(long) != 0 && stretch.rows > skipped {
        values.push(UNKNOWN);
    }
    let (tick, step_seconds) = (stretch.tick, long as u64);
    Ok(Calculated { tick, start_seconds, step_seconds, values, lead_rows: 0 })
}

/// One column of a stretch.
struct Rows<'a> {
    stretch: &'a Stretch,
    column: usize,
}

impl Rows<'_> {
    fn every(&self) -> Vec<f64> {
        let rows = self.stretch.rows as usize;
        let mut values = Vec::with_capacity(rows);
        values.resize(rows.min(self.stretch.rows_before as usize), UNKNOWN);
        values.extend(self.held_between(0, self.stretch.rows));
        values.resize(rows, UNKNOWN);
        values
    }

    /// The values between two rows that are held: all others are unknown.
    fn held_between(&self, first: u64, end: u64) -> impl Iterator<Item = f64> {
        let columns = self.stretch.source_names.len();
        let held_rows = (self.stretch.held.len() / columns) as u64;
        let place = |row: u64| row.saturating_sub(self.stretch.rows_before).min(held_rows) as usize;
        let values = &self.stretch.held[place(first) * columns..place(end) * columns];
        values.chunks_exact(columns).map(|row| row[self.column])
    }
}

fn consolidate(group: impl Iterator<Item = f64>, cf: ConsolidationFunction) -> f64 {
    let known = group.filter(|value| !value.is_nan());
    match cf {
        ConsolidationFunction::Min => known.reduce(f64::min).unwrap_or(UNKNOWN),
        // No spread of several rows follows from theirs: the largest hides no peak.
        ConsolidationFunction::Max
        | ConsolidationFunction::Failures
        | ConsolidationFunction::Stdev
        | ConsolidationFunction::Percentile(_) => known.reduce(f64::max).unwrap_or(UNKNOWN),
        ConsolidationFunction::Last => known.reduce(|_, last| last).unwrap_or(UNKNOWN),
        // Of forecasts, as of averages, the mean is shown.
        _ => {
            let (count, sum) =
                known.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
            if count > 0.0 { sum / count } else { UNKNOWN }
        }
    }
}
