//! A row of a ring table.

use crate::Dialect;

/// What a row has for each of [`FUNCTIONS`](crate::FUNCTIONS).
pub type Cells<T> = [Option<T>; 4];

/// The time of a slot that is reserved: views pass over it, and every row is newer.
///
/// The first row of a series in a block reserves the block's other slots. So a block is written
/// side by side when it is begun, and never grows: later rows change slots where they lie. In
/// SQLite this number takes as many bytes as a time of today.
pub const RESERVED_SECONDS: i64 = -2_000_000_000;

/// A row of a ring table; which ring is told elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingRow {
    /// The series: a data source of a database.
    pub series: u32,
    /// The end of the row, in seconds since 1970.
    pub time_seconds: i64,
    /// Its values; `None` is unknown, or the database has no such archive.
    pub cells: Cells<f64>,
}

/// The value that a database keeps of an archive's one: `None` for unknown, and for infinity where
/// the database has none. All but MariaDB's are the same bit for bit: its columns drop the sign of
/// zero.
#[must_use]
pub fn stored(value: f64, dialect: Dialect) -> Option<f64> {
    match dialect {
        Dialect::Sqlite | Dialect::Postgres => (!value.is_nan()).then_some(value),
        Dialect::MariaDb => value.is_finite().then_some(value + 0.0),
    }
}
