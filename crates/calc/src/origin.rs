//! Which rows answered a request.

use rrd::{ConsolidationFunction, Stretch};

/// Which rows answered a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The name of the database, or of several.
    pub database: String,
    /// The consolidation function of the archive.
    pub function: ConsolidationFunction,
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
            row_seconds: stretch.step_seconds,
            step_seconds,
            start_seconds,
            end_seconds: stretch.end_seconds,
        }
    }
}
