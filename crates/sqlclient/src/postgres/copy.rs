//! Many rows at once: a binary COPY into a temporary table, then one INSERT of all its rows.

use std::collections::HashMap;

use bytes::{BufMut as _, Bytes, BytesMut};
use futures_util::{SinkExt as _, pin_mut};
use sqlring::Dialect;

use super::Postgres;
use super::errors::told;
use crate::connection::{BulkInsert, ColumnType};
use crate::names::{quoted, quoted_list};
use crate::{Error, Value};

/// How the stream of a binary COPY begins: a signature, flags, no extension.
const COPY_HEAD: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// How it ends: a row of -1 columns.
const COPY_END: i16 = -1;
/// The length of no value.
const NULL_LENGTH: i32 = -1;
/// The bytes of one message to the server, about.
const CHUNK_BYTES: usize = 256 << 10;

/// The temporary tables of a connection, by the types of their columns.
#[derive(Default)]
pub(super) struct Shelves {
    made: HashMap<Vec<ColumnType>, usize>,
    /// How many names were given.
    named: usize,
}

impl Shelves {
    /// A transaction in which some were made perhaps was rolled back.
    pub(super) fn forget(&mut self) {
        self.made.clear();
    }
}

pub(super) fn write_rows(
    driver: &mut Postgres,
    insert: &BulkInsert<'_>,
    rows: &[Value],
) -> Result<(), Error> {
    let shelf = shelf(driver, insert.types)?;
    copy_in(driver, &shelf, insert.columns.len(), insert.types, rows)?;
    let table = quoted(Dialect::Postgres, insert.table);
    let columns = quoted_list(Dialect::Postgres, insert.columns);
    let shelved = shelf_columns(insert.types.len());
    driver.run(&format!(
        "INSERT INTO {table} ({columns}) SELECT {shelved} FROM {shelf} {}; TRUNCATE {shelf}",
        insert.conflict
    ))
}

/// The table for rows of these types; it is empty.
fn shelf(driver: &mut Postgres, types: &[ColumnType]) -> Result<String, Error> {
    if let Some(number) = driver.shelves.made.get(types) {
        return Ok(shelf_name(*number));
    }
    driver.shelves.named += 1;
    let number = driver.shelves.named;
    let columns = types.iter().enumerate().map(|(at, kind)| format!("c{at} {}", sql_name(*kind)));
    let columns = columns.collect::<Vec<_>>().join(", ");
    let name = shelf_name(number);
    driver.run(&format!("CREATE TEMPORARY TABLE {name} ({columns}) ON COMMIT DELETE ROWS"))?;
    driver.shelves.made.insert(types.to_vec(), number);
    Ok(name)
}

fn shelf_name(number: usize) -> String {
    format!("pg_temp.gyre_rows_{number}")
}

fn shelf_columns(count: usize) -> String {
    (0..count).map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ")
}

const fn sql_name(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::SmallInt => "SMALLINT",
        ColumnType::Integer => "INTEGER",
        ColumnType::BigInt => "BIGINT",
        ColumnType::Double => "DOUBLE PRECISION",
        ColumnType::Text => "TEXT",
        ColumnType::Bytes => "BYTEA",
    }
}

/// Sends rows to a temporary table.
fn copy_in(
    driver: &Postgres,
    shelf: &str,
    columns: usize,
    types: &[ColumnType],
    rows: &[Value],
) -> Result<(), Error> {
    let sql = format!("COPY {shelf} FROM STDIN WITH (FORMAT binary)");
    let work = async {
        let sink = driver.client.copy_in::<_, Bytes>(&sql).await?;
        pin_mut!(sink);
        let mut chunk = BytesMut::with_capacity(CHUNK_BYTES + (CHUNK_BYTES >> 3));
        chunk.put_slice(COPY_HEAD);
        for row in rows.chunks_exact(columns) {
            put_row(&mut chunk, types, row);
            if chunk.len() >= CHUNK_BYTES {
                sink.feed(chunk.split().freeze()).await?;
            }
        }
        chunk.put_i16(COPY_END);
        sink.feed(chunk.freeze()).await?;
        sink.finish().await
    };
    let copied = async { work.await.map_err(|error| told(&error)) };
    driver.clockwork.wait(driver.patience, copied).map(drop)
}

fn put_row(out: &mut BytesMut, types: &[ColumnType], row: &[Value]) {
    out.put_i16(row.len() as i16); // a table has at most 1,600 columns
    for (kind, value) in types.iter().zip(row) {
        match value {
            Value::Null => out.put_i32(NULL_LENGTH),
            Value::Integer(number) => put_integer(out, *kind, *number),
            Value::Real(number) => {
                out.put_i32(8);
                out.put_f64(*number);
            }
            Value::Text(text) => put_bytes(out, text.as_bytes()),
            Value::Bytes(bytes) => put_bytes(out, bytes),
        }
    }
}

/// The number fits its column: that was checked.
fn put_integer(out: &mut BytesMut, kind: ColumnType, number: i64) {
    match kind {
        ColumnType::SmallInt => {
            out.put_i32(2);
            out.put_i16(number as i16);
        }
        ColumnType::Integer => {
            out.put_i32(4);
            out.put_i32(number as i32);
        }
        _ => {
            out.put_i32(8);
            out.put_i64(number);
        }
    }
}

/// A value of a gigabyte or more the server refuses by its length alone.
fn put_bytes(out: &mut BytesMut, bytes: &[u8]) {
    out.put_i32(i32::try_from(bytes.len()).unwrap_or(i32::MAX));
    out.put_slice(bytes);
}
