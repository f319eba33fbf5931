//! Rows that go over in one transaction, with the marks behind them.

use std::collections::{BTreeMap, BTreeSet};

use sqlclient::{BulkInsert, ColumnType, Connection, Value};
use sqlring::{
    Dialect, FedRing, Mark, PlaceInPart, RESERVED_SECONDS, RING_COLUMNS, Ring, RingRow,
    on_conflict, stored,
};

use crate::Error;
use crate::books::Books;
use crate::lease::Lease;
use crate::registry::write_part;
use crate::tally::Tally;

/// Rows of a transaction, unless one database alone has more.
pub(crate) const ROWS_MAX: usize = 16_384;

const TYPES: [ColumnType; 8] = [
    ColumnType::Integer,
    ColumnType::Integer,
    ColumnType::Integer,
    ColumnType::BigInt,
    ColumnType::Double,
    ColumnType::Double,
    ColumnType::Double,
    ColumnType::Double,
];

/// Rows and marks that are not yet committed.
#[derive(Default)]
pub(crate) struct Batch {
    /// For each ring the values of its rows, row by row.
    values: BTreeMap<Ring, Vec<Value>>,
    marks: BTreeMap<u32, Mark>,
    /// Marks of databases that had no row to be written: lost without harm.
    advanced: Vec<(u32, Mark)>,
    counted: Tally,
    /// Slots that are reserved beside the rows.
    reserved: usize,
}

impl Batch {
    /// Whether it is time to commit.
    pub(crate) fn is_full(&self) -> bool {
        self.counted.rows as usize + self.reserved >= ROWS_MAX
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, ring: Ring, row: &RingRow, dialect: Dialect) {
        let kept = row.cells.map(|cell| cell.and_then(|value| stored(value, dialect)));
        let cells = row.cells.iter().zip(&kept);
        let infinite = cells.filter(|(cell, kept)| kept.is_none() && cell.is_some());
        self.counted.infinite += infinite.count() as u64;
        self.put(ring, ring.slot_of(row.time_seconds), &RingRow { cells: kept, ..*row });
        self.counted.rows += 1;
    }

    /// Reserves a slot for rows of a ring.
    pub(crate) fn reserve(&mut self, fed: &FedRing, slot: u64, series: u32) {
        // As many bytes as a row that is known.
        let cells = fed.archives.map(|archive| archive.map(|_| 0.0));
        self.put(fed.ring, slot, &RingRow { series, time_seconds: RESERVED_SECONDS, cells });
        self.reserved += 1;
    }

    fn put(&mut self, ring: Ring, slot: u64, row: &RingRow) {
        let values = self.values.entry(ring).or_default();
        values.push(Value::Integer(ring.block_of(slot) as i64));
        values.push(Value::Integer(i64::from(row.series)));
        values.push(Value::Integer(slot as i64));
        values.push(Value::Integer(row.time_seconds));
        values.extend(row.cells.map(|cell| cell.map_or(Value::Null, Value::Real)));
    }

    /// Counts rows that the store had overwritten.
    pub(crate) fn count_lost(&mut self, rows: u64) {
        self.counted.rows_lost += rows;
    }

    /// Sets how far a database is fed with the rows that were added.
    pub(crate) fn mark(&mut self, number: u32, mark: Mark) {
        self.marks.insert(number, mark);
    }

    /// Sets how far a database is known to have no row that has to be written.
    pub(crate) fn advance(&mut self, number: u32, mark: Mark) {
        self.advanced.push((number, mark));
    }

    /// Commits what was added.
    ///
    /// # Errors
    /// The connection cannot be used on; whether the rows were committed may be unknown.
    pub(crate) fn commit(
        &mut self,
        books: &mut Books,
        connection: &mut dyn Connection,
        lease: &Lease,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        self.advanced.drain(..).for_each(|(number, mark)| books.set_mark(number, mark));
        if self.marks.is_empty() {
            *tally = tally.and(&std::mem::take(&mut self.counted));
            return Ok(());
        }
        connection.begin()?;
        lease.hold(connection)?;
        for (ring, values) in &self.values {
            let conflict = on_conflict(connection.dialect(), *ring);
            let (table, columns) = (ring.table(), RING_COLUMNS);
            let insert =
                BulkInsert { table: &table, columns: &columns, types: &TYPES, conflict: &conflict };
            if !values.is_empty() {
                connection.write_rows(&insert, values)?;
            }
        }
        // If this fails, the books are read anew.
        let mut parts = BTreeSet::new();
        for (number, mark) in &self.marks {
            books.set_mark(*number, *mark);
            parts.insert(PlaceInPart::of(*number).part);
        }
        for part in parts {
            write_part(books, connection, part)?;
        }
        connection.commit()?;
        *tally = tally.and(&self.counted);
        tally.commits += 1;
        self.clear();
        Ok(())
    }

    /// Forgets what was not committed. The room for rows is kept.
    pub(crate) fn clear(&mut self) {
        self.values.values_mut().for_each(Vec::clear);
        self.marks.clear();
        self.advanced.clear();
        self.counted = Tally::default();
        self.reserved = 0;
    }
}
