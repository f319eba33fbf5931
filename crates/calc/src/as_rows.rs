//! The columns of an answer as rows of a table.

use std::io::Write;

use rrd::Tick;
use tables::{Error, Rows, Table};

use crate::outcome::Outcome;

/// Puts the columns of XPORT into a table. The function of a column is that of its archives; of
/// several they are joined.
///
/// # Errors
/// The table cannot be written.
pub fn put_columns<W: Write + Send>(table: &mut Table<W>, outcome: &Outcome) -> Result<(), Error> {
    for column in &outcome.answer.columns {
        let mut functions: Vec<String> = Vec::new();
        for origin in column.requests.iter().map(|nth| &outcome.origins[*nth]) {
            let function = origin.function.to_string();
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        let first = column.requests.first().map(|nth| &outcome.origins[*nth].database);
        let name =
            if outcome.name.is_empty() { first.map_or("", String::as_str) } else { &outcome.name };
        let tick = column.tick;
        let first_end = column.start_seconds.saturating_add(column.row_seconds as i64);
        table.put(&Rows {
            name,
            source: &column.legend,
            function: &functions.join("+"),
            row_micros: micros(tick, column.row_seconds as i64).unsigned_abs(),
            first_end_micros: micros(tick, first_end),
            values: &column.values,
        })?;
    }
    Ok(())
}

/// A time or span of ticks in microseconds: none is finer.
#[must_use]
pub fn micros(tick: Tick, time: i64) -> i64 {
    time.saturating_mul(1_000_000 / i64::from(tick.per_second()))
}
