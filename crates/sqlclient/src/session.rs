//! What all connections have in common: transactions, and the end of a connection.

use std::ops::ControlFlow;

use sqlring::Dialect;

use crate::connection::{BulkInsert, Connection};
use crate::{Error, Value};

/// One database's side of a connection.
pub(crate) trait Driver: Send {
    const DIALECT: Dialect;
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error>;
    fn query(
        &mut self,
        sql: &str,
        values: &[Value],
        take: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), Error>;
    fn control(&mut self, step: Step) -> Result<(), Error>;
    /// Is called within a transaction, with rows that fit.
    fn write_rows(&mut self, insert: &BulkInsert<'_>, rows: &[Value]) -> Result<(), Error>;
}

/// A step of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Begin,
    Commit,
    Rollback,
}

/// Where a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In no transaction.
    Idle,
    /// In a transaction.
    Open,
    /// In a transaction of which a statement failed.
    Spoiled,
}

/// A connection over a driver, which goes when the connection ends.
pub(crate) struct Session<D> {
    driver: Option<D>,
    state: State,
}

impl<D: Driver> Session<D> {
    pub(crate) fn new(driver: D) -> Self {
        Self { driver: Some(driver), state: State::Idle }
    }

    fn run<T>(&mut self, work: impl FnOnce(&mut D) -> Result<T, Error>) -> Result<T, Error> {
        let driver =
            self.driver.as_mut().ok_or_else(|| Error::Lost("it was closed before".into()))?;
        let outcome = work(driver);
        if let Err(error) = &outcome {
            if error.ends_connection() {
                self.driver = None;
                self.state = State::Idle;
            } else if self.state == State::Open {
                self.state = State::Spoiled;
            }
        }
        outcome
    }

    /// The same unless the transaction has failed already.
    fn run_unspoiled<T>(
        &mut self,
        work: impl FnOnce(&mut D) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.state == State::Spoiled {
            return Err(spoiled());
        }
        self.run(work)
    }

    /// Ends the transaction, whatever the database says: one that stayed open would be in the way
    /// of all that follows.
    fn end(&mut self, step: Step) -> Result<(), Error> {
        let ended = self.run(|driver| driver.control(step));
        self.state = State::Idle;
        if ended.is_err() && self.run(|driver| driver.control(Step::Rollback)).is_err() {
            self.driver = None;
        }
        ended
    }

    fn write_alone(&mut self, insert: &BulkInsert<'_>, rows: &[Value]) -> Result<(), Error> {
        self.begin()?;
        match self.run(|driver| driver.write_rows(insert, rows)) {
            Ok(()) => self.commit(),
            Err(error) => {
                if !error.ends_connection() {
                    let _ = self.rollback(); // the first error says more
                }
                Err(error)
            }
        }
    }
}

impl<D: Driver> Connection for Session<D> {
    fn dialect(&self) -> Dialect {
        D::DIALECT
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error> {
        self.run_unspoiled(|driver| {
            expect_numbers(values)?;
            driver.execute(sql, values)
        })
    }

    fn query(
        &mut self,
        sql: &str,
        values: &[Value],
        take: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.run_unspoiled(|driver| {
            expect_numbers(values)?;
            driver.query(sql, values, take)
        })
    }

    fn begin(&mut self) -> Result<(), Error> {
        if self.state != State::Idle {
            return Err(Error::Other("a transaction is open already".into()));
        }
        self.run(|driver| driver.control(Step::Begin))?;
        self.state = State::Open;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), Error> {
        match self.state {
            State::Idle => Err(Error::Other("no transaction is open".into())),
            State::Spoiled => {
                self.end(Step::Rollback)?;
                Err(spoiled())
            }
            State::Open => self.end(Step::Commit).map_err(|error| match error {
                Error::TimedOut(words) => Error::Lost(words),
                error => error,
            }),
        }
    }

    fn rollback(&mut self) -> Result<(), Error> {
        match self.state {
            State::Idle => Ok(()),
            _ => self.end(Step::Rollback),
        }
    }

    fn write_rows(&mut self, insert: &BulkInsert<'_>, rows: &[Value]) -> Result<(), Error> {
        insert.check(rows)?;
        match self.state {
            _ if rows.is_empty() => Ok(()),
            State::Idle => self.write_alone(insert, rows),
            _ => self.run_unspoiled(|driver| driver.write_rows(insert, rows)),
        }
    }
}

/// SQLite would keep a NaN as no value, and MariaDB as zero.
fn expect_numbers(values: &[Value]) -> Result<(), Error> {
    let is_none = |value: &Value| matches!(value, Value::Real(number) if number.is_nan());
    match values.iter().any(is_none) {
        true => Err(Error::Constraint("a NaN is no number".into())),
        false => Ok(()),
    }
}

fn spoiled() -> Error {
    Error::Other(
        "an earlier statement of the transaction failed; it can only be rolled back".into(),
    )
}
