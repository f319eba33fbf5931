//! The usual update in short: all readings are known, at most one step ended, and with it no row of
//! several PDPs.
//!
//! Then each value changes by itself, wherever it lies: a store need not take a state apart and put
//! it together again. The arithmetic is that of [`update`](super::update()), function by function.

use super::{Run, StepGrid, Workspace, cdp, pdp, reading, seconds_between};
use crate::live::LastReading;
use crate::{ConsolidationFunction, DataSource, Reading, Tick, Timestamp};

/// An update that is usual as far as its time tells.
pub struct PlainUpdate {
    grid: StepGrid,
    interval_seconds: f64,
}

/// A source after the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct EndedStep {
    /// The primary data point.
    pub pdp: f64,
    /// Rate times seconds gathered in the step that began.
    pub value: f64,
}

impl PlainUpdate {
    /// An update at `now` after one at `last`; `None` where several steps ended between them, or
    /// time did not move on.
    #[must_use]
    #[inline]
    pub fn between(step_seconds: u64, last: Timestamp, now: Timestamp) -> Option<Self> {
        if now <= last || last.seconds < 0 {
            return None;
        }
        let grid = StepGrid::new(step_seconds, last, now);
        let interval_seconds = seconds_between(last, now);
        (grid.elapsed_pdps <= 1).then_some(Self { grid, interval_seconds })
    }

    /// Whether a step ended.
    #[must_use]
    #[inline]
    pub fn ends_step(&self) -> bool {
        self.grid.elapsed_pdps == 1
    }

    /// Whether the step that ended completes a row of so many PDPs.
    #[must_use]
    #[inline]
    pub fn ends_row(&self, pdp_per_row: u64) -> bool {
        self.ends_step() && (self.grid.pdps_before + 1).is_multiple_of(pdp_per_row)
    }

    /// Rate times seconds since the last update, whose reading was `last`; `None` where it is
    /// unknown or refused.
    #[must_use]
    #[inline]
    pub fn amount(
        &self,
        tick: Tick,
        source: &DataSource,
        reading: Reading<'_>,
        last: &LastReading,
    ) -> Option<f64> {
        let in_time = source.heartbeat_seconds as f64 >= self.interval_seconds;
        if !in_time || reading.is_unknown() || last.is_unknown() {
            return None;
        }
        let per_second = tick.per_second().into();
        let interval = reading::Interval { seconds: self.interval_seconds, per_second };
        let amount = reading::amount(source, reading, last, interval).ok()?;
        Some(reading::believed(source, &amount)).filter(|amount| !amount.is_nan())
    }

    /// The value of a source after an amount, where no step ended.
    #[must_use]
    #[inline]
    pub fn gathered(value: f64, amount: f64) -> f64 {
        pdp::gathered(value, amount)
    }

    /// The same where a step ended of which no second was unknown.
    #[must_use]
    #[inline]
    pub fn end_step(&self, value: f64, amount: f64) -> EndedStep {
        let Self { ref grid, interval_seconds } = *self;
        let value = pdp::whole_step(value, grid, interval_seconds, amount);
        EndedStep {
            pdp: pdp::rate_of(value, grid, 0, 0.0),
            value: pdp::opening(grid, interval_seconds, amount),
        }
    }

    /// The value of a CDP in the making after a PDP that is known and ends no row.
    #[must_use]
    #[inline]
    pub fn consolidated(value: f64, cf: ConsolidationFunction, pdp: f64) -> f64 {
        cdp::gathered(value, cf, pdp, 1)
    }
}

impl Workspace {
    /// Begins a [plain](PlainUpdate) update: room for the amount of each source.
    pub fn begin_plain(&mut self) -> &mut Vec<f64> {
        self.runs.clear();
        self.values.clear();
        self.season.clear();
        self.amounts.clear();
        &mut self.amounts
    }

    /// Room for the PDP of each source of a plain update, and the amounts.
    pub fn plain_pdps(&mut self) -> (&mut Vec<f64>, &[f64]) {
        self.pdps.clear();
        (&mut self.pdps, &self.amounts)
    }

    /// Notes that a plain update made these PDPs final, a row each of these archives of one PDP a
    /// row.
    pub fn end_plain_step(&mut self, archives: impl Iterator<Item = usize>) {
        for archive in archives {
            self.runs.push(Run { archive, count: 1, kept: true });
            self.values.extend_from_slice(&self.pdps);
        }
    }
}
