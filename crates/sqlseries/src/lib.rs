//! Series of rows in SQL databases, under names that begin with `sql//`, as rrdtool built with
//! libdbi has them (rrdgraph_libdbi(1)).
//!
//! ```text
//! sql//DRIVER/OPTION=VALUE/...//TABLE/TIME/VALUE[/derive]/WHERE/...
//!
//! rows (time, value) --Rates--> samples --Bins--> min avg max count sigma for each step
//! ```
//!
//! Table, columns and conditions are SQL of whoever writes the name, as in rrdtool. The connection
//! can only read, and one statement is sent at a time.
//!
//! A program hands [`fetch`] to [`rrdtool::fetch_sql_by`]: so `rrdtool` and all that rests on it are
//! made without the drivers of SQL databases.
#![allow(clippy::disallowed_methods)] // an edge: it meets the environment

mod error;
mod path;
mod place;
mod moments;
mod bins;
mod number;

use std::ops::ControlFlow;

use rrd::Stretch;
use rrd::fetch::Query;
use rrdtool::{Failure, PartialStep};
use sqlclient::{Connection, Dialect};

use crate::bins::{Bins, Rates};
use crate::error::SqlError;
use crate::moments::Moments;
use crate::number::number_of;
use crate::path::SqlPath;

/// The most rows that an answer has.
const ROWS_MAX: i64 = 4 << 20;

/// The rows that answer a query. Its consolidation function does not matter: each has its column.
///
/// # Errors
/// The name is wrong, or the database refuses.
pub fn fetch(path: &str, query: &Query, partial_step: PartialStep) -> Result<Stretch, Failure> {
    rows(path, query, partial_step).map_err(Failure::of)
}

fn rows(path: &str, query: &Query, partial_step: PartialStep) -> Result<Stretch, SqlError> {
    let asked = SqlPath::read(path)?;
    let window = Window::of(&asked, query)?;
    let mut connection = connect(&asked, path)?;
    let moments = Moments::new(asked.time.is_date);
    let mut bins = Bins::new(window.start_seconds, window.step_seconds, window.rows);
    let mut rates = Rates::new(asked.derive.then_some(asked.derive_max_seconds));
    for table in &asked.tables {
        let sql = statement(&asked, table, &window, &moments);
        if std::env::var_os("RRDDEBUGSQL").is_some() {
            rrdtool::complain!("RRDDEBUGSQL: executing {sql}");
        }
        let asked = connection.query(&sql, &[], &mut |row| {
            if let [time, value, ..] = row
                && let Some(seconds) = moments.seconds(time)
            {
                bins.add(seconds, rates.sample(seconds, number_of(value)));
            }
            ControlFlow::Continue(())
        });
        asked.map_err(|error| SqlError::Query { sql, error })?;
    }
    Ok(bins.stretch(asked.fill_seconds, partial_step == PartialStep::Wanted))
}

/// The steps that are answered.
struct Window {
    start_seconds: i64,
    end_seconds: i64,
    step_seconds: i64,
    rows: usize,
}

impl Window {
    fn of(asked: &SqlPath<'_>, query: &Query) -> Result<Self, SqlError> {
        let wished = i64::try_from(query.step_seconds).unwrap_or(i64::MAX);
        let step_seconds = wished.max(asked.step_min_seconds);
        let start_seconds = query.start_seconds - query.start_seconds.rem_euclid(step_seconds);
        let end_seconds = query.end_seconds - query.end_seconds.rem_euclid(step_seconds);
        let rows = end_seconds.saturating_sub(start_seconds) / step_seconds;
        match rows {
            0..=ROWS_MAX => {
                Ok(Self { start_seconds, end_seconds, step_seconds, rows: rows as usize })
            }
            _ => Err(SqlError::TooMany { rows, rows_max: ROWS_MAX }),
        }
    }
}

fn connect(asked: &SqlPath<'_>, path: &str) -> Result<Box<dyn Connection>, SqlError> {
    let address = place::address(asked)?;
    let path = graph::without_password(path);
    let failed = |error| SqlError::Connect { path: path.clone().into_owned(), error };
    let mut connection = address.connect().map_err(failed)?;
    // Dates are compared in the zone that the database has for its clients.
    let settings: &[&str] = match connection.dialect() {
        Dialect::Sqlite => &[],
        Dialect::MariaDb => {
            &["SET SESSION TRANSACTION READ ONLY", "SET SESSION time_zone = DEFAULT"]
        }
        Dialect::Postgres => &["SET default_transaction_read_only = on", "SET TimeZone TO DEFAULT"],
    };
    for sql in settings {
        connection.execute(sql, &[]).map_err(failed)?;
    }
    Ok(connection)
}

fn statement(asked: &SqlPath<'_>, table: &str, window: &Window, moments: &Moments) -> String {
    let (time, value) = (&asked.time.sql, &asked.value);
    let conditions: String = asked.conditions.iter().map(|sql| format!("{sql} AND ")).collect();
    let start = moments.sql(window.start_seconds);
    let end = moments.sql(window.end_seconds);
    let order = if asked.derive { format!(" ORDER BY {time}") } else { String::new() };
    format!(
        "SELECT {time} as rrd_time, {value} as rrd_value FROM {table} WHERE {conditions}{start} < \
         {time} AND {time} < {end}{order}"
    )
}
