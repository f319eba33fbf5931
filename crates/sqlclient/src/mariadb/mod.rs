//! MariaDB and MySQL.

mod errors;
mod values;
mod login;

use std::ops::ControlFlow;
use std::time::Duration;

use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Params, Statement};
use sqlring::Dialect;

use self::errors::told;
use self::values::{bound, read_row};
use crate::clockwork::Clockwork;
use crate::connection::BulkInsert;
use crate::names::{quoted, quoted_list};
use crate::session::{Driver, Step};
use crate::{Error, Value};

pub(crate) use login::connect;

/// How many statements stay prepared.
const STATEMENTS_MAX: usize = 64;
/// The bytes of one message of rows, about. A server takes 16 MB by default, the oldest 1 MB.
const CHUNK_BYTES: usize = 512 << 10;

/// A connection to a server.
struct MariaDb {
    connection: Conn,
    clockwork: Clockwork,
    patience: Duration,
}

impl MariaDb {
    fn prepared(&mut self, sql: &str, values: usize) -> Result<Statement, Error> {
        let Self { connection, clockwork, patience } = self;
        let work = async { connection.prep(sql).await.map_err(|error| told(&error)) };
        let statement = clockwork.wait(*patience, work)?;
        let expected = usize::from(statement.num_params());
        match expected == values {
            true => Ok(statement),
            false => Err(Error::Schema(format!("expected {expected} values, found {values}"))),
        }
    }
}

impl Driver for MariaDb {
    const DIALECT: Dialect = Dialect::MariaDb;

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error> {
        let statement = self.prepared(sql, values.len())?;
        let Self { connection, clockwork, patience } = self;
        let work = async {
            connection.exec_drop(&statement, parameters(values)).await.map_err(|e| told(&e))?;
            Ok(connection.affected_rows())
        };
        clockwork.wait(*patience, work)
    }

    fn query(
        &mut self,
        sql: &str,
        values: &[Value],
        take: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let statement = self.prepared(sql, values.len())?;
        let Self { connection, clockwork, patience } = self;
        let work = async {
            let answer = connection.exec_iter(&statement, parameters(values)).await;
            answer.map_err(|error| told(&error))
        };
        let mut answer = clockwork.wait(*patience, work)?;
        let mut taken = Vec::new();
        let mut outcome = Ok(());
        loop {
            let next = async { answer.next().await.map_err(|error| told(&error)) };
            let Some(row) = clockwork.wait(*patience, next)? else { return outcome };
            // The rows that nobody takes are read, too: nothing else ends them.
            if outcome.is_ok() {
                outcome = read_row(row, &mut taken);
            }
            if outcome.is_ok() && take(&taken).is_break() {
                break;
            }
            if outcome.is_err() {
                break;
            }
        }
        let rest = async { answer.drop_result().await.map_err(|error| told(&error)) };
        clockwork.wait(*patience, rest)?;
        outcome
    }

    fn control(&mut self, step: Step) -> Result<(), Error> {
        let sql = match step {
            Step::Begin => "START TRANSACTION",
            Step::Commit => "COMMIT",
            Step::Rollback => "ROLLBACK",
        };
        let Self { connection, clockwork, patience } = self;
        let work = async { connection.query_drop(sql).await.map_err(|error| told(&error)) };
        clockwork.wait(*patience, work)
    }

    fn write_rows(&mut self, insert: &BulkInsert<'_>, rows: &[Value]) -> Result<(), Error> {
        let statement = self.prepared(&insert_statement(insert), insert.columns.len())?;
        let Self { connection, clockwork, patience } = self;
        let work = async {
            for chunk in chunks(rows, insert.columns.len()) {
                // The driver would send the types of a column's values with the first message of
                // a call alone, where the column may have no values yet: so each call is one
                // message.
                let rows = chunk.chunks_exact(insert.columns.len()).map(parameters);
                connection.exec_batch(&statement, rows).await.map_err(|error| told(&error))?;
            }
            Ok(())
        };
        clockwork.wait(*patience, work)
    }
}

fn parameters(values: &[Value]) -> Params {
    match values.is_empty() {
        true => Params::Empty,
        false => Params::Positional(values.iter().map(bound).collect()),
    }
}

fn insert_statement(insert: &BulkInsert<'_>) -> String {
    let table = quoted(Dialect::MariaDb, insert.table);
    let columns = quoted_list(Dialect::MariaDb, insert.columns);
    let places = vec!["?"; insert.columns.len()].join(", ");
    format!("INSERT INTO {table} ({columns}) VALUES ({places}) {}", insert.conflict)
}

/// Rows in pieces of about [`CHUNK_BYTES`].
fn chunks(rows: &[Value], columns: usize) -> impl Iterator<Item = &[Value]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fitting = rest.chunks_exact(columns).take_while(|row| {
            let before = bytes;
            bytes += row.iter().map(bytes_of).sum::<usize>();
            before == 0 || bytes <= CHUNK_BYTES
        });
        let (chunk, behind) = rest.split_at_checked(fitting.count() * columns)?;
        rest = behind;
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// How long a value is in a message, at most.
fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Null => 1,
        Value::Integer(_) | Value::Real(_) => 9,
        Value::Text(text) => 10 + text.len(),
        Value::Bytes(bytes) => 10 + bytes.len(),
    }
}
