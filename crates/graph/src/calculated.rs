//! The values of one definition.

use rrd::{ConsolidationFunction, UNKNOWN};

/// The values of one DEF or CDEF.
#[derive(Clone, Debug)]
pub(crate) struct Calculated {
    pub(crate) start_seconds: i64,
    pub(crate) step_seconds: u64,
    pub(crate) values: Vec<f64>,
}

impl Calculated {
    pub(crate) fn row_end_seconds(&self, row: usize) -> i64 {
        self.start_seconds + (row as i64 + 1) * self.step_seconds as i64
    }

    /// The value of the row that covers a moment.
    pub(crate) fn at(&self, seconds: f64) -> f64 {
        let row = (seconds - self.start_seconds as f64) / self.step_seconds.max(1) as f64;
        if row < 0.0 {
            return UNKNOWN;
        }
        self.values.get(row as usize).copied().unwrap_or(UNKNOWN)
    }

    /// One number of all rows. The last one counts although it ends after the graph does: so it
    /// does for rrdtool.
    pub(crate) fn consolidated(&self, cf: ConsolidationFunction) -> f64 {
        let known = self.values.iter().copied().filter(|value| value.is_finite());
        match cf {
            ConsolidationFunction::Min => known.reduce(f64::min).unwrap_or(UNKNOWN),
            ConsolidationFunction::Max
            | ConsolidationFunction::Failures
            | ConsolidationFunction::Stdev
            | ConsolidationFunction::Percentile(_) => known.reduce(f64::max).unwrap_or(UNKNOWN),
            ConsolidationFunction::Last => known.reduce(|_, last| last).unwrap_or(UNKNOWN),
            // Of forecasts, as of averages, the mean is shown.
            _ => {
                let count = known.clone().count() as f64;
                known.reduce(|sum, value| sum + value).map_or(UNKNOWN, |sum| sum / count)
            }
        }
    }
}
