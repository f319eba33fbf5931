//! One value of a row.

/// A value that goes to a database or comes from it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// A whole number; truth comes back as 0 or 1.
    Integer(i64),
    /// A number in binary64. A NaN is never sent: SQLite takes it for no value, MariaDB has none.
    /// MariaDB also has no infinity, which it refuses, and its columns drop the sign of zero. In
    /// SQLite, a column of type REAL does that, one without a type does not.
    Real(f64),
    /// Text. Numbers with a decimal point that a database has exactly come back as text, and so do
    /// dates and times.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}
