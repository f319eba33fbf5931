//! PostgreSQL.

mod misfit;
mod errors;
mod values;
mod login;
mod copy;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::{TryStreamExt as _, pin_mut};
use sqlring::Dialect;
use tokio_postgres::{Client, Statement};

use self::copy::Shelves;
use self::errors::told;
use self::values::{Bound, read_row};
use crate::clockwork::Clockwork;
use crate::connection::BulkInsert;
use crate::placeholders::numbered;
use crate::session::{Driver, Step};
use crate::{Error, Value};

pub(crate) use login::connect;

/// How many statements stay prepared.
const STATEMENTS_MAX: usize = 64;

/// A connection to a server.
struct Postgres {
    client: Client,
    clockwork: Clockwork,
    patience: Duration,
    /// By their text, with `?`.
    statements: HashMap<String, Statement>,
    shelves: Shelves,
}

impl Postgres {
    fn new(client: Client, clockwork: Clockwork, patience: Duration) -> Self {
        let (statements, shelves) = (HashMap::new(), Shelves::default());
        Self { client, clockwork, patience, statements, shelves }
    }

    fn prepared(&mut self, sql: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        if self.statements.len() >= STATEMENTS_MAX {
            self.statements.clear();
        }
        let text = numbered(sql);
        let made = async { self.client.prepare(&text).await.map_err(|error| told(&error)) };
        let statement = self.clockwork.wait(self.patience, made)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn run(&self, sql: &str) -> Result<(), Error> {
        let work = async { self.client.batch_execute(sql).await.map_err(|error| told(&error)) };
        self.clockwork.wait(self.patience, work)
    }

    /// Prepared statements may be stale after some errors: they are made again.
    fn note<T>(&mut self, outcome: Result<T, Error>) -> Result<T, Error> {
        if matches!(outcome, Err(Error::Conflict(_) | Error::Schema(_))) {
            self.statements.clear();
        }
        outcome
    }
}

impl Driver for Postgres {
    const DIALECT: Dialect = Dialect::Postgres;

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error> {
        let statement = self.prepared(sql)?;
        expect_count(&statement, values)?;
        let bound: Vec<_> = values.iter().map(Bound).collect();
        let work = async {
            let affected = self.client.execute_raw(&statement, &bound).await;
            affected.map_err(|error| told(&error))
        };
        let outcome = self.clockwork.wait(self.patience, work);
        self.note(outcome)
    }

    fn query(
        &mut self,
        sql: &str,
        values: &[Value],
        take: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let statement = self.prepared(sql)?;
        expect_count(&statement, values)?;
        let bound: Vec<_> = values.iter().map(Bound).collect();
        let asked = async {
            let stream = self.client.query_raw(&statement, &bound).await;
            stream.map_err(|error| told(&error))
        };
        let outcome = self.clockwork.wait(self.patience, asked).and_then(|stream| {
            pin_mut!(stream);
            let mut taken = Vec::new();
            loop {
                let next = async { stream.try_next().await.map_err(|error| told(&error)) };
                let Some(row) = self.clockwork.wait(self.patience, next)? else { return Ok(()) };
                read_row(&row, &mut taken)?;
                if take(&taken).is_break() {
                    return Ok(());
                }
            }
        });
        self.note(outcome)
    }

    fn control(&mut self, step: Step) -> Result<(), Error> {
        match step {
            Step::Begin => self.run("BEGIN"),
            Step::Commit => self.run("COMMIT"),
            Step::Rollback => {
                self.shelves.forget(); // they were made in this transaction, perhaps
                self.run("ROLLBACK")
            }
        }
    }

    fn write_rows(&mut self, insert: &BulkInsert<'_>, rows: &[Value]) -> Result<(), Error> {
        copy::write_rows(self, insert, rows)
    }
}

fn expect_count(statement: &Statement, values: &[Value]) -> Result<(), Error> {
    let (expected, found) = (statement.params().len(), values.len());
    match expected == found {
        true => Ok(()),
        false => Err(Error::Schema(format!("expected {expected} values, found {found}"))),
    }
}
