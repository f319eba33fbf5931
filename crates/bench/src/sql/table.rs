//! A ring table that is filled by the feed's statements, without a store before it.

use std::ops::{ControlFlow, Range};

use sqlclient::{BulkInsert, ColumnType, Connection, Value};
use sqlring::{RESERVED_SECONDS, RING_COLUMNS, Ring, create_ring, create_tables, on_conflict};

/// Rows of a transaction, as the feed has it.
const BATCH_ROWS: usize = 16_384;

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

/// The first row that is written, counted in rows since 1970, is a multiple of the ring's slots
/// behind this one.
const FIRST_ROW: u64 = 6_000_000;

/// A ring of many series, and how its slots are clustered.
#[derive(Clone, Copy, Debug)]
pub(super) struct RingTable {
    pub(super) ring: Ring,
    /// Slots of a block.
    pub(super) block_slots: u64,
    pub(super) series: u64,
    /// Whether the first row of a block reserves the other slots.
    pub(super) reserves: bool,
}

impl RingTable {
    /// Makes the table, its view, and the tables that the view joins.
    pub(super) fn make(&self, connection: &mut dyn Connection) -> Result<(), String> {
        let dialect = connection.dialect();
        let view_blocks = format!("b.block < {}", self.ring.blocks());
        for sql in create_tables(dialect).into_iter().chain(create_ring(dialect, self.ring)) {
            // Other sizes of blocks than the product's have others.
            let sql = sql.replace(&view_blocks, &format!("b.block < {}", self.blocks()));
            connection.execute(&sql, &[]).map_err(told)?;
        }
        let blocks: Vec<Value> = (0..self.blocks()).map(integer).collect();
        write(connection, "gyre_block", &["block"], &TYPES[..1], &blocks)?;
        let series: Vec<Value> = (0..self.series).flat_map(series_row).collect();
        let columns = ["series", "name", "source", "kind", "step_seconds"];
        let text = ColumnType::Text;
        let types = [ColumnType::Integer, text, text, text, ColumnType::BigInt];
        write(connection, "gyre_series", &columns, &types, &series)
    }

    fn blocks(&self) -> u64 {
        self.ring.slots.div_ceil(self.block_slots)
    }

    /// Writes the rows of the `nth` cycle: one of each series.
    pub(super) fn write_cycle(
        &self,
        connection: &mut dyn Connection,
        nth: u64,
    ) -> Result<(), String> {
        self.write(connection, nth..nth + 1)
    }

    /// Writes all cycles of the first time round, block by block: the table looks as if they had
    /// been written one by one, since the first row of a block reserves the others.
    pub(super) fn fill(&self, connection: &mut dyn Connection) -> Result<(), String> {
        for first in (0..self.ring.slots).step_by(self.block_slots as usize) {
            self.write(connection, first..(first + self.block_slots).min(self.ring.slots))?;
        }
        Ok(())
    }

    fn write(&self, connection: &mut dyn Connection, cycles: Range<u64>) -> Result<(), String> {
        let conflict = on_conflict(connection.dialect(), self.ring);
        let table = self.ring.table();
        let insert = BulkInsert {
            table: &table,
            columns: &RING_COLUMNS,
            types: &TYPES,
            conflict: &conflict,
        };
        let rows_a_series = match self.begins_blocks(&cycles) {
            true => self.block_slots,
            false => cycles.end - cycles.start,
        };
        let series_at_once = (BATCH_ROWS as u64 / rows_a_series).max(1);
        let mut values = Vec::with_capacity(BATCH_ROWS * RING_COLUMNS.len());
        for first in (0..self.series).step_by(series_at_once as usize) {
            values.clear();
            for series in first..(first + series_at_once).min(self.series) {
                cycles.clone().for_each(|nth| self.push_row(series, nth, &mut values));
                self.reserve(series, &cycles, &mut values);
            }
            connection.begin().map_err(told)?;
            connection.write_rows(&insert, &values).map_err(told)?;
            connection.commit().map_err(told)?;
        }
        Ok(())
    }

    /// Reserves the other slots of a block with its first row in the first time round, as the feed
    /// does.
    fn reserve(&self, series: u64, cycles: &Range<u64>, values: &mut Vec<Value>) {
        if !self.begins_blocks(cycles) {
            return;
        }
        let end = self.ring.slots.min(cycles.start + self.block_slots);
        for slot in cycles.end..end {
            values.extend([slot / self.block_slots, series, slot].map(integer));
            values.push(Value::Integer(RESERVED_SECONDS));
            values.extend([Value::Real(0.0), Value::Real(0.0), Value::Real(0.0), Value::Real(0.0)]);
        }
    }

    /// Whether these cycles begin the first time round of a block.
    fn begins_blocks(&self, cycles: &Range<u64>) -> bool {
        self.reserves
            && cycles.start < self.ring.slots
            && cycles.start.is_multiple_of(self.block_slots)
    }

    fn push_row(&self, series: u64, nth: u64, values: &mut Vec<Value>) {
        let seconds = self.seconds(nth);
        let slot = self.ring.slot_of(seconds);
        values.extend([slot / self.block_slots, series, slot].map(integer));
        values.push(Value::Integer(seconds));
        let value = chance::first(series ^ nth << 32) as f64 / 1e12;
        values.extend([value, value / 2.0, value * 2.0, value + 1.0].map(Value::Real));
    }

    /// The end of the row of the `nth` cycle.
    fn seconds(&self, nth: u64) -> i64 {
        let first = FIRST_ROW - FIRST_ROW % self.ring.slots;
        ((first + nth) * self.ring.row_seconds) as i64
    }

    /// Asks the view for the day before the `nth` cycle of one series; returns how many rows came.
    pub(super) fn day(
        &self,
        connection: &mut dyn Connection,
        series: u64,
        nth: u64,
    ) -> Result<u64, String> {
        let sql = format!(
            "SELECT time, average, maximum FROM {} WHERE name = ? AND source = ? AND time > ? AND \
             time <= ? ORDER BY time",
            self.ring.view()
        );
        let end_seconds = self.seconds(nth);
        let values = [
            Value::Text(name(series)),
            Value::Text("ds0".into()),
            Value::Integer(end_seconds - 86_400),
            Value::Integer(end_seconds),
        ];
        let mut rows = 0;
        let mut take = |_: &[Value]| {
            rows += 1;
            ControlFlow::Continue(())
        };
        connection.query(&sql, &values, &mut take).map_err(told)?;
        Ok(rows)
    }
}

fn write(
    connection: &mut dyn Connection,
    table: &str,
    columns: &[&str],
    types: &[ColumnType],
    rows: &[Value],
) -> Result<(), String> {
    let insert = BulkInsert { table, columns, types, conflict: "" };
    connection.write_rows(&insert, rows).map_err(told)
}

fn series_row(series: u64) -> [Value; 5] {
    let texts = [name(series), "ds0".into(), "COUNTER".into()].map(Value::Text);
    let [name, source, kind] = texts;
    [integer(series), name, source, kind, Value::Integer(300)]
}

fn name(series: u64) -> String {
    format!("router-{:05}/interface-{:03}.rrd", series / 48, series % 48)
}

fn integer(number: u64) -> Value {
    Value::Integer(number as i64)
}

fn told(error: sqlclient::Error) -> String {
    error.to_string()
}
