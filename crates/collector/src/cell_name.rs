//! The name of a value, perhaps as a cell of a table.

use snmp::{Oid, OidError};

/// The name of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CellName {
    /// A column of the table whose rows are interfaces: the index of the group follows.
    Column(Oid),
    /// A whole name.
    Whole(Oid),
}

impl CellName {
    /// The whole name, with the index of the row if it is a cell.
    pub(crate) fn whole(&self, row: Option<u32>) -> Result<Oid, OidError> {
        match (self, row) {
            (Self::Column(column), Some(row)) => column.extended(&[row]),
            (Self::Column(name), None) | (Self::Whole(name), _) => Ok(name.clone()),
        }
    }

    /// The column, if it is a cell.
    pub(crate) fn column(&self) -> Option<&Oid> {
        match self {
            Self::Column(column) => Some(column),
            Self::Whole(_) => None,
        }
    }
}
