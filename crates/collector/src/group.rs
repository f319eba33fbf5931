//! Names that must be in the same datagram.

use crate::interfaces::InterfaceId;
use snmp::{Oid, OidError};

/// The name of a value, perhaps as a cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CellName {
    /// A column of the table whose rows are interfaces: the index of the group follows.
    Column(Oid),
    /// A whole name.
    Whole(Oid),
}

/// A name, and the variables whose value it is.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) name: CellName,
    pub(crate) variables: Vec<u32>,
}

/// The names of an interface, or one that is of none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// The index of the interface.
    pub(crate) row: Option<u32>,
    /// The property that shows whether the interface still has its index.
    pub(crate) verification: Option<(CellName, InterfaceId)>,
    pub(crate) cells: Vec<Cell>,
}

impl CellName {
    /// The whole name, with the index of the row if it is a cell.
    pub(crate) fn whole(&self, row: Option<u32>) -> Result<Oid, OidError> {
        match (self, row) {
            (Self::Column(column), Some(row)) => column.extended(&[row]),
            (Self::Column(name), None) | (Self::Whole(name), _) => Ok(name.clone()),
        }
    }

    fn column(&self) -> Option<&Oid> {
        match self {
            Self::Column(column) => Some(column),
            Self::Whole(_) => None,
        }
    }
}

impl Group {
    /// Adds a variable with the name that it has at present.
    pub(crate) fn add(&mut self, name: CellName, variable: u32) {
        match self.cells.iter_mut().find(|cell| cell.name == name) {
            Some(cell) => cell.variables.push(variable),
            None => self.cells.push(Cell { name, variables: vec![variable] }),
        }
    }

    /// Its columns, the one that verifies first, if all its names are cells of one row.
    pub(crate) fn columns(&self) -> Option<Vec<Oid>> {
        self.row?;
        let verification = self.verification.iter().map(|(name, _)| name);
        let names = verification.chain(self.cells.iter().map(|cell| &cell.name));
        names.map(|name| name.column().cloned()).collect()
    }
}
