//! How fast rows that exist are written again: `write_rows` beside statements of many rows.
//!
//! `cargo run --release -p sqlclient --example upserts [ROWS]`, 100,000 by default. The servers are
//! private ones on the disk of the temporary directory; each transaction is durable.
#![allow(clippy::disallowed_methods)] // it looks at the clock

use std::time::Instant;

use sqlclient::{
    Address, BulkInsert, ColumnType, Deadlines, Dialect, Error, Password, Reach, Server, Tls, Value,
};

const COLUMNS: [&str; 8] = ["block", "series", "slot", "time", "a", "b", "c", "d"];
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
/// Rows of one statement of many rows.
const STATEMENT_ROWS: [usize; 3] = [10, 100, 1000];
const ROUNDS: usize = 3;

fn main() -> Result<(), Error> {
    let rows = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(100_000);
    let directory = tempfile::tempdir().expect("a temporary directory");
    measure(&Address::sqlite(&directory.path().join("rows.sqlite")), rows)?;
    if let Some(server) = oracle::MariaDb::start("the speed of MariaDB") {
        measure(&address(Dialect::MariaDb, Reach::Socket(server.socket())), rows)?;
    }
    if let Some(server) = oracle::Postgres::start("the speed of PostgreSQL") {
        measure(&address(Dialect::Postgres, Reach::Socket(server.socket())), rows)?;
    }
    Ok(())
}

fn address(dialect: Dialect, reach: Reach) -> Address {
    Address::server(Server {
        dialect,
        reach,
        database: oracle::DATABASE_NAME.into(),
        user: oracle::DATABASE_USER.into(),
        password: Some(Password::new(oracle::DATABASE_PASSWORD.into())),
        tls: Tls::Off,
    })
    .within(Deadlines { call: std::time::Duration::from_secs(300), ..Deadlines::default() })
}

fn measure(address: &Address, rows: usize) -> Result<(), Error> {
    let mut connection = address.connect()?;
    let dialect = connection.dialect();
    let double = if dialect == Dialect::Sqlite { "" } else { "DOUBLE PRECISION" };
    let end = if dialect == Dialect::Sqlite { " WITHOUT ROWID" } else { "" };
    let doubles = ["a", "b", "c", "d"].map(|name| format!("{name} {double}")).join(", ");
    connection.execute(
        &format!(
            "CREATE TABLE rings (block INT, series INT, slot INT, time BIGINT, {doubles}, \
             PRIMARY KEY (block, series, slot)){end}"
        ),
        &[],
    )?;
    let conflict = conflict(dialect);
    let insert =
        BulkInsert { table: "rings", columns: &COLUMNS, types: &TYPES, conflict: &conflict };
    connection.write_rows(&insert, &values(rows, 0))?;
    report(dialect, "write_rows", rows, |round| {
        connection.begin()?;
        connection.write_rows(&insert, &values(rows, round))?;
        connection.commit()
    })?;
    for many in STATEMENT_ROWS {
        let name = format!("statements of {many} rows");
        report(dialect, &name, rows, |round| {
            connection.begin()?;
            for chunk in values(rows, round + 10).chunks(many * COLUMNS.len()) {
                let sql = statement(chunk.len() / COLUMNS.len(), &conflict);
                connection.execute(&sql, chunk)?;
            }
            connection.commit()
        })?;
    }
    Ok(())
}

fn report(
    dialect: Dialect,
    name: &str,
    rows: usize,
    mut write: impl FnMut(usize) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut best = f64::INFINITY;
    for round in 1..=ROUNDS {
        let start = Instant::now();
        write(round)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{:<10} {name:<24} {:>9.0} rows/s", dialect.name(), rows as f64 / best);
    Ok(())
}

/// One step of many series: a row each, side by side in the key's order.
fn values(rows: usize, round: usize) -> Vec<Value> {
    let row = |at: usize| {
        let number = (at * 7 + round) as f64 / 3.0;
        let doubles = [number, number - 1.0, number + 1.0, number + 0.5].map(Value::Real);
        let keys = [0, at as i64, 5, 1_700_000_000 + round as i64].map(Value::Integer);
        keys.into_iter().chain(doubles)
    };
    (0..rows).flat_map(row).collect()
}

fn statement(rows: usize, conflict: &str) -> String {
    let row = format!("({})", ["?"; COLUMNS.len()].join(", "));
    let all = vec![row.as_str(); rows].join(", ");
    format!("INSERT INTO rings ({}) VALUES {all} {conflict}", COLUMNS.join(", "))
}

fn conflict(dialect: Dialect) -> String {
    let set = |form: fn(&str) -> String| {
        let columns = COLUMNS.get(3..).unwrap_or_default();
        columns.iter().map(|name| form(name)).collect::<Vec<_>>().join(", ")
    };
    match dialect {
        Dialect::MariaDb => {
            format!("ON DUPLICATE KEY UPDATE {}", set(|name| format!("{name} = VALUES({name})")))
        }
        _ => format!(
            "ON CONFLICT (block, series, slot) DO UPDATE SET {}",
            set(|name| format!("{name} = excluded.{name}"))
        ),
    }
}
