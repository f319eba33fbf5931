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

mod error;
mod path;
mod place;
mod moments;
mod bins;

use std::ops::ControlFlow;

use rrd::fetch::Query;
use rrd::{Stretch, number};
use sqlclient::{Connection, Dialect, Value};

use self::bins::{Bins, Rates};
pub(crate) use self::error::SqlError;
use self::moments::Moments;
use self::path::SqlPath;

/// The most rows that an answer has.
const ROWS_MAX: i64 = 4 << 20;

/// Whether a name leads to a database of SQL.
pub(crate) fn is_sql(path: &str) -> bool {
    path.starts_with(path::PREFIX)
}

/// Whether a step is wanted of which the window has a part alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartialStep {
    /// It is, if what was filled reaches into it: so graphs and tables have it.
    Wanted,
    /// It is not.
    Unwanted,
}

/// The rows that answer a query. Its consolidation function does not matter: each has its column.
///
/// # Errors
/// The name is wrong, or the database refuses.
pub(crate) fn fetch(
    path: &str,
    query: &Query,
    partial_step: PartialStep,
) -> Result<Stretch, SqlError> {
    let asked = SqlPath::read(path)?;
    let window = Window::of(&asked, query)?;
    let mut connection = connect(&asked, path)?;
    let moments = Moments::new(asked.time.is_date);
    let mut bins = Bins::new(window.start_seconds, window.step_seconds, window.rows);
    let mut rates = Rates::new(asked.derive.then_some(asked.derive_max_seconds));
    for table in &asked.tables {
        let sql = statement(&asked, table, &window, &moments);
        if std::env::var_os("RRDDEBUGSQL").is_some() {
            crate::complain!("RRDDEBUGSQL: executing {sql}");
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

/// A value as a number: of a text, the number that it begins with.
fn number_of(value: &Value) -> f64 {
    match value {
        Value::Null => f64::NAN,
        Value::Integer(number) => *number as f64,
        Value::Real(number) => *number,
        Value::Text(text) => number_of_text(text),
        Value::Bytes(bytes) => number_of_text(&String::from_utf8_lossy(bytes)),
    }
}

fn number_of_text(text: &str) -> f64 {
    match number::parse(text) {
        number::Parsed::Whole(number) | number::Parsed::Partial(number, _) => number,
        number::Parsed::Nothing => f64::NAN,
    }
}
