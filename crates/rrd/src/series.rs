//! A stretch of one archive, as `fetch` returns it and graphs consume it.

use crate::Tick;

/// Rows of an archive, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What the times are counted in: where it is no second, "seconds" are ticks.
    pub tick: Tick,
    /// The start of the stretch: the first row *ends* one step later.
    pub start_seconds: i64,
    /// The end of the last row.
    pub end_seconds: i64,
    /// Seconds between two rows.
    pub step_seconds: u64,
    /// The names of the data sources, one for each column.
    pub source_names: Vec<String>,
    /// Row-major values, `rows() * source_names.len()` of them; NaN is unknown.
    pub values: Vec<f64>,
}

impl Series {
    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.source_names.len()).unwrap_or(0)
    }

    /// The rows with the time at which each ends, in seconds.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &[f64])> {
        let columns = self.source_names.len().max(1);
        (1..)
            .zip(self.values.chunks_exact(columns))
            .map(|(nth, row)| (self.start_seconds + nth * self.step_seconds as i64, row))
    }
}
