//! The names of a GET: a list, or columns of a table.

use crate::oid::Oid;

/// The names that a GET asks for, in the order of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// Each by itself.
    Each(Box<[Oid]>),
    /// The cells of a table, which a device may answer by GETBULK.
    Table(TableNames),
}

/// Names of a table: first `scalars`, then row by row a cell of each column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableNames {
    /// Names besides the table. Each ends in 0, as that of a scalar object does.
    pub scalars: Box<[Oid]>,
    /// The columns, without the index of a row.
    pub columns: Box<[Oid]>,
    /// The indices of the rows, rising.
    pub rows: Box<[u32]>,
}

impl Names {
    /// The number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Names::Each(all) => all.len(),
            Names::Table(table) => table.scalars.len() + table.rows.len() * table.columns.len(),
        }
    }

    /// Whether there is nothing to ask for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name at a position; `None` behind the end, and for a name longer than SNMP allows.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<Oid> {
        match self {
            Names::Each(all) => all.get(place).cloned(),
            Names::Table(table) => table.get(place),
        }
    }
}

impl TableNames {
    fn get(&self, place: usize) -> Option<Oid> {
        let Some(cell) = place.checked_sub(self.scalars.len()) else {
            return self.scalars.get(place).cloned();
        };
        let row = self.rows.get(cell.checked_div(self.columns.len())?)?;
        self.columns.get(cell % self.columns.len())?.extended(&[*row]).ok()
    }

    /// The position of a cell.
    pub(super) fn place(&self, row: usize, column: usize) -> usize {
        self.scalars.len() + row * self.columns.len() + column
    }

    /// The row, counted from the first one, of a name behind the scalars.
    pub(super) fn row_of(&self, place: usize) -> Option<usize> {
        place.checked_sub(self.scalars.len())?.checked_div(self.columns.len())
    }
}
