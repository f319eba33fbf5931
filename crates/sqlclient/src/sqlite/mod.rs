//! SQLite, compiled in.

mod errors;
mod values;
mod deadline;

use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, OpenFlags, params_from_iter};
use sqlring::Dialect;

use self::deadline::Deadline;
use self::errors::{at_opening, told};
use self::values::{Bound, read};
use crate::address::Deadlines;
use crate::connection::{BulkInsert, Connection};
use crate::names::{quoted, quoted_list};
use crate::session::{Driver, Session, Step};
use crate::{Error, Value};

/// How many statements stay prepared.
const STATEMENTS_MAX: usize = 64;

/// The pages of a new file: large ones take fewer calls for the same bytes.
const PAGE_BYTES: u32 = 16_384;

/// How many values one statement writes; SQLite takes 32,766.
const STATEMENT_VALUES_MAX: usize = 8192;

/// An open file.
struct Sqlite {
    connection: rusqlite::Connection,
    deadline: Deadline,
}

pub(crate) fn connect(
    path: &Path,
    read_only: bool,
    deadlines: &Deadlines,
) -> Result<Box<dyn Connection>, Error> {
    let access = match read_only {
        true => OpenFlags::SQLITE_OPEN_READ_ONLY,
        false => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    };
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = rusqlite::Connection::open_with_flags(path, flags);
    let mut connection = opened.map_err(|error| at_opening(path, &error))?;
    let deadline = Deadline::watch(&mut connection, deadlines.call).map_err(|e| told(&e))?;
    prepare(&connection, deadlines, read_only).map_err(|error| at_opening(path, &error))?;
    Ok(Box::new(Session::new(Sqlite { connection, deadline })))
}

fn prepare(
    connection: &rusqlite::Connection,
    deadlines: &Deadlines,
    read_only: bool,
) -> rusqlite::Result<()> {
    connection.busy_timeout(deadlines.call / 2)?; // a lock is told as such before the deadline
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    if read_only {
        // The first page is read, which tells whether the file is one of SQLite's.
        return connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    }
    // A misspelt column in double quotes would be taken for a text.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    // A file that is there keeps its own.
    connection.execute_batch(&format!("PRAGMA page_size = {PAGE_BYTES}"))?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.execute_batch("PRAGMA synchronous = FULL")
}

impl Sqlite {
    fn statement(&self, sql: &str) -> Result<CachedStatement<'_>, Error> {
        self.connection.prepare_cached(sql).map_err(|error| told(&error))
    }

    /// Writes rows by a statement that takes so many at once.
    fn write_by(&self, insert: &BulkInsert<'_>, many: usize, rows: &[Value]) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut statement = self.statement(&insert_statement(insert, many))?;
        for values in rows.chunks_exact(many * insert.columns.len()) {
            let written = statement.execute(params_from_iter(values.iter().map(Bound)));
            written.map_err(|error| told(&error))?;
        }
        Ok(())
    }
}

fn insert_statement(insert: &BulkInsert<'_>, rows: usize) -> String {
    let table = quoted(Dialect::Sqlite, insert.table);
    let columns = quoted_list(Dialect::Sqlite, insert.columns);
    let row = format!("({})", vec!["?"; insert.columns.len()].join(", "));
    let all = vec![row.as_str(); rows].join(", ");
    format!("INSERT INTO {table} ({columns}) VALUES {all} {}", insert.conflict)
}

impl Driver for Sqlite {
    const DIALECT: Dialect = Dialect::Sqlite;

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error> {
        let _running = self.deadline.start();
        let mut statement = self.statement(sql)?;
        let affected = statement.execute(params_from_iter(values.iter().map(Bound)));
        Ok(affected.map_err(|error| told(&error))? as u64)
    }

    fn query(
        &mut self,
        sql: &str,
        values: &[Value],
        take: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut running = self.deadline.start();
        let mut statement = self.statement(sql)?;
        let mut rows = statement
            .query(params_from_iter(values.iter().map(Bound)))
            .map_err(|error| told(&error))?;
        let mut taken = Vec::new();
        while let Some(row) = rows.next().map_err(|error| told(&error))? {
            taken.clear();
            // Not of the statement before it ran: a changed table has SQLite prepare it again.
            for column in 0..row.as_ref().column_count() {
                taken.push(read(row.get_ref(column).map_err(|error| told(&error))?)?);
            }
            if take(&taken).is_break() {
                break;
            }
            running.start_again(); // what the taker does is not the database's time
        }
        Ok(())
    }

    fn control(&mut self, step: Step) -> Result<(), Error> {
        // A disk that was full, say, has SQLite roll back by itself.
        if step == Step::Rollback && self.connection.is_autocommit() {
            return Ok(());
        }
        let _running = self.deadline.start();
        let sql = match step {
            // A transaction that began by reading may be refused when it comes to write.
            Step::Begin => "BEGIN IMMEDIATE",
            Step::Commit => "COMMIT",
            Step::Rollback => "ROLLBACK",
        };
        self.connection.execute_batch(sql).map_err(|error| told(&error))
    }

    fn write_rows(&mut self, insert: &BulkInsert<'_>, rows: &[Value]) -> Result<(), Error> {
        let _running = self.deadline.start();
        // Statements of many rows take less time; how many rows remain differs from call to call.
        let columns = insert.columns.len();
        let many = (STATEMENT_VALUES_MAX / columns).max(1);
        let (whole, rest) = rows.split_at(rows.len() - rows.len() % (many * columns));
        self.write_by(insert, many, whole)?;
        self.write_by(insert, 1, rest)
    }
}
