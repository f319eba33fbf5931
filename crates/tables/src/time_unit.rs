//! What the column of times of Arrow and Parquet is counted in.
//!
//! It is milliseconds, which all programs read, where the first rows of a table have such times;
//! else it is microseconds. A table has one type of column, so rows that come later must be told in
//! it: no time is rounded.

use crate::error::Error;
use crate::rows::Rows;

/// What a column of times is counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TimeUnit {
    #[default]
    Millisecond,
    Microsecond,
}

const MICROS_PER_MILLI: i64 = 1000;

impl TimeUnit {
    /// The unit of a table that begins with these rows.
    pub(crate) fn of(rows: &Rows<'_>) -> Self {
        if is_whole_millis(rows) { Self::Millisecond } else { Self::Microsecond }
    }

    /// Refuses rows whose times would be rounded.
    pub(crate) fn check(self, rows: &Rows<'_>) -> Result<(), Error> {
        match self {
            Self::Millisecond if !is_whole_millis(rows) => Err(Error::FinerTimes(rows.name.into())),
            _ => Ok(()),
        }
    }

    /// A time in this unit.
    pub(crate) fn count(self, micros: i64) -> i64 {
        match self {
            Self::Millisecond => micros.div_euclid(MICROS_PER_MILLI),
            Self::Microsecond => micros,
        }
    }
}

fn is_whole_millis(rows: &Rows<'_>) -> bool {
    let first = rows.first_end_micros.unsigned_abs();
    [rows.row_micros, first].iter().all(|micros| micros % MICROS_PER_MILLI as u64 == 0)
}
