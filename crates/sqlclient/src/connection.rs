//! The trait behind which all databases are the same.

use std::ops::ControlFlow;

use sqlring::Dialect;

use crate::{Error, Value};

/// A connection to a database. Placeholders are `?`; statements are prepared once and kept.
pub trait Connection: Send {
    /// Which SQL it speaks.
    fn dialect(&self) -> Dialect;

    /// Runs a statement; returns how many rows it affected.
    ///
    /// # Errors
    /// Any: [`Error`] says which leave the connection in use.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error>;

    /// Runs a query and hands over its rows, one by one, until there is none or `take` breaks.
    /// Rows are read as they are taken, so that any number of them needs little memory. The
    /// deadline is for each wait for a row.
    ///
    /// # Errors
    /// As [`Self::execute`]. Rows that were taken before it stay taken.
    fn query(
        &mut self,
        sql: &str,
        values: &[Value],
        take: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), Error>;

    /// Begins a transaction. In MariaDB, a statement that makes or drops a table ends it.
    ///
    /// # Errors
    /// As [`Self::execute`]; one is open already.
    fn begin(&mut self) -> Result<(), Error>;

    /// Commits it. It is durable if the database is configured so.
    ///
    /// # Errors
    /// As [`Self::execute`]. After [`Error::Lost`] the outcome is unknown; after any other error
    /// nothing was committed.
    fn commit(&mut self) -> Result<(), Error>;

    /// Ends it without a trace.
    ///
    /// # Errors
    /// As [`Self::execute`].
    fn rollback(&mut self) -> Result<(), Error>;

    /// Writes many rows in the way that is fastest with the database. Outside a transaction, all
    /// of them are written or none. No two rows may have the same key: PostgreSQL refuses that.
    ///
    /// # Errors
    /// As [`Self::execute`]; a value is not of its column's type.
    fn write_rows(&mut self, insert: &BulkInsert<'_>, rows: &[Value]) -> Result<(), Error>;
}

/// Where rows go that are written together.
#[derive(Clone, Copy, Debug)]
pub struct BulkInsert<'a> {
    /// The table's plain name; it is quoted here.
    pub table: &'a str,
    /// The plain names of the columns.
    pub columns: &'a [&'a str],
    /// Their types.
    pub types: &'a [ColumnType],
    /// What follows the rows: `ON CONFLICT ... DO UPDATE ...`, `ON DUPLICATE KEY UPDATE ...`.
    pub conflict: &'a str,
}

/// The type of a column in PostgreSQL's words. A value may be [`Value::Null`] in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// 16 bits.
    SmallInt,
    /// 32 bits.
    Integer,
    /// 64 bits.
    BigInt,
    /// Binary64.
    Double,
    /// Text.
    Text,
    /// Bytes.
    Bytes,
}

impl BulkInsert<'_> {
    /// Checks that rows fit it: whole rows, each value of its column's type. Databases would
    /// convert or even keep the others.
    pub(crate) fn check(&self, rows: &[Value]) -> Result<(), Error> {
        let columns = self.columns.len();
        if columns == 0 || self.types.len() != columns || !rows.len().is_multiple_of(columns) {
            let (types, values) = (self.types.len(), rows.len());
            return Err(Error::Schema(format!(
                "{}: {values} values for {columns} columns of {types} types",
                self.table
            )));
        }
        let misfit = rows.iter().zip(self.types.iter().zip(self.columns).cycle());
        match misfit.into_iter().find(|(value, (kind, _))| !kind.takes(value)) {
            None => Ok(()),
            Some((value, (kind, column))) => Err(Error::Constraint(format!(
                "{}.{column}: expected {kind:?}, found {value:?}",
                self.table
            ))),
        }
    }
}

impl ColumnType {
    fn takes(self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null)
            | (Self::BigInt, Value::Integer(_))
            | (Self::Text, Value::Text(_))
            | (Self::Bytes, Value::Bytes(_)) => true,
            (Self::SmallInt, Value::Integer(number)) => i16::try_from(*number).is_ok(),
            (Self::Integer, Value::Integer(number)) => i32::try_from(*number).is_ok(),
            (Self::Double, Value::Real(number)) => !number.is_nan(),
            _ => false,
        }
    }
}
