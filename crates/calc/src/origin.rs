//! Which rows answered a request.

use rrd::{ConsolidationFunction, Stretch, Tick};

/// Which rows answered a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The name of the database, or of several.
    pub database: String,
    /// The consolidation function of the archive.
    pub function: ConsolidationFunction,
    /// What its times are counted in: where it is no second, "seconds" are ticks.
    pub tick: Tick,
    /// The length of a row of the archive.
    pub row_seconds: u64,
    /// The database's step.
    pub step_seconds: u64,
    /// Where the first row begins that a window does not need alone, seconds.
    pub start_seconds: i64,
    /// Where the last row ends, seconds.
    pub end_seconds: i64,
}

impl Origin {
    /// How many steps a row has.
    #[must_use]
    pub fn steps_per_row(&self) -> u64 {
        self.row_seconds / self.step_seconds.max(1)
    }

    /// The same, counted in finer ticks.
    pub(crate) fn in_finer(self, tick: Tick) -> Self {
        let times = tick.per_second() / self.tick.per_second();
        Self {
            tick,
            row_seconds: self.row_seconds.saturating_mul(times.into()),
            step_seconds: self.step_seconds.saturating_mul(times.into()),
            start_seconds: self.start_seconds.saturating_mul(times.into()),
            end_seconds: self.end_seconds.saturating_mul(times.into()),
            ..self
        }
    }

    pub(crate) fn of(
        database: &str,
        archive: &rrd::Archive,
        step_seconds: u64,
        start_seconds: i64,
        stretch: &Stretch,
    ) -> Self {
        Self {
            database: database.into(),
            function: archive.cf,
            tick: stretch.tick,
            row_seconds: stretch.step_seconds,
            step_seconds,
            start_seconds,
            end_seconds: stretch.end_seconds,
        }
    }
}
