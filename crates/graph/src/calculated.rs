//! The values of one definition.

use std::borrow::Cow;

use rrd::{ConsolidationFunction, Tick, UNKNOWN};

/// The values of one DEF or CDEF.
#[derive(Clone, Debug)]
pub(crate) struct Calculated {
    /// What its times are counted in: where it is no second, "seconds" are ticks.
    pub(crate) tick: Tick,
    pub(crate) start_seconds: i64,
    pub(crate) step_seconds: u64,
    pub(crate) values: Vec<f64>,
    /// How many rows at the front are there for windows alone: no number of all rows counts them.
    pub(crate) lead_rows: usize,
}

impl Calculated {
    /// The same without the rows that are there for windows alone.
    pub(crate) fn without_lead(&self) -> Cow<'_, Self> {
        match self.lead_rows.min(self.values.len()) {
            0 => Cow::Borrowed(self),
            lead_rows => Cow::Owned(Self {
                tick: self.tick,
                start_seconds: self.start_seconds + lead_rows as i64 * self.step_seconds as i64,
                step_seconds: self.step_seconds,
                values: self.values[lead_rows..].to_vec(),
                lead_rows: 0,
            }),
        }
    }

    /// The same, counted in finer ticks, which [`crate::time_window`] found to reach so far.
    pub(crate) fn in_finer(self, tick: Tick) -> Self {
        let times = i64::from(tick.per_second() / self.tick.per_second());
        Self {
            tick,
            start_seconds: self.start_seconds.saturating_mul(times),
            step_seconds: self.step_seconds.saturating_mul(times as u64),
            ..self
        }
    }

    /// Says that rows which begin before a time are there for windows alone.
    pub(crate) fn lead_up_to(&mut self, begin_seconds: i64) {
        let step = i64::try_from(self.step_seconds.max(1)).unwrap_or(i64::MAX);
        let late_seconds = begin_seconds.saturating_sub(self.start_seconds).max(0);
        let rows = late_seconds / step + i64::from(late_seconds % step != 0);
        self.lead_rows = rows as usize;
    }

    /// When the first row begins that is not there for windows alone.
    pub(crate) fn begin_seconds(&self) -> i64 {
        let lead_seconds = (self.lead_rows as i64).saturating_mul(self.step_seconds as i64);
        self.start_seconds.saturating_add(lead_seconds)
    }

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
        let rows = self.values.iter().skip(self.lead_rows).copied();
        let known = rows.filter(|value| value.is_finite());
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
