//! What every database must do, tried on a connection to it.
#![allow(dead_code)] // each test program uses its own part

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use sqlclient::{
    Address, BulkInsert, ColumnType, Connection, Deadlines, Dialect, Error, Password, Reach,
    Server, Tls, Value,
};

/// Deadlines of tests in which nothing hangs.
pub(crate) const PATIENT: Deadlines =
    Deadlines { connect: Duration::from_secs(20), call: Duration::from_secs(60) };
/// Deadlines of tests in which a server hangs.
pub(crate) const BRIEF: Deadlines =
    Deadlines { connect: Duration::from_secs(5), call: Duration::from_secs(3) };

/// The address of a test's database.
pub(crate) fn address(dialect: Dialect, reach: Reach, tls: Tls) -> Server {
    Server {
        dialect,
        reach,
        database: oracle::DATABASE_NAME.into(),
        user: oracle::DATABASE_USER.into(),
        password: Some(Password::new(oracle::DATABASE_PASSWORD.into())),
        tls,
    }
}

pub(crate) fn by_port(dialect: Dialect, port: Option<u16>, tls: Tls) -> Server {
    address(dialect, Reach::Network { host: "127.0.0.1".into(), port }, tls)
}

pub(crate) fn verified(ca_file: &Path) -> Tls {
    Tls::Verify { ca_file: Some(ca_file.into()) }
}

pub(crate) fn connect(server: Server) -> Box<dyn Connection> {
    Address::server(server).within(PATIENT).connect().expect("it connects")
}

pub(crate) fn refusal(server: Server) -> Error {
    let connected = Address::server(server).within(BRIEF).connect();
    connected.err().expect("it does not connect")
}

/// All rows of a query.
pub(crate) fn rows(
    connection: &mut dyn Connection,
    sql: &str,
    values: &[Value],
) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    let taken = connection.query(sql, values, &mut |row| {
        rows.push(row.to_vec());
        ControlFlow::Continue(())
    });
    taken.unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows
}

pub(crate) fn run(connection: &mut dyn Connection, sql: &str) -> u64 {
    connection.execute(sql, &[]).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The words of a dialect for types and conflicts.
struct Words {
    double: &'static str,
    text: &'static str,
    bytes: &'static str,
    take_newer: &'static str,
}

fn words(dialect: Dialect) -> Words {
    let take_newer = "ON CONFLICT (id) DO UPDATE SET number = excluded.number";
    match dialect {
        Dialect::Sqlite => Words { double: "", text: "TEXT", bytes: "BLOB", take_newer },
        Dialect::MariaDb => Words {
            double: "DOUBLE",
            text: "LONGTEXT CHARACTER SET utf8mb4",
            bytes: "LONGBLOB",
            take_newer: "ON DUPLICATE KEY UPDATE number = VALUES(number)",
        },
        Dialect::Postgres => {
            Words { double: "DOUBLE PRECISION", text: "TEXT", bytes: "BYTEA", take_newer }
        }
    }
}

/// All scenarios that leave the connection in use.
pub(crate) fn does_all(connection: &mut dyn Connection) {
    values_come_back_bit_for_bit(connection);
    bulk_rows_come_back_bit_for_bit(connection);
    bulk_rows_are_checked(connection);
    conflicts_update_rows(connection);
    names_are_quoted(connection);
    transactions_end_as_they_are_told(connection);
    a_failed_transaction_can_only_be_rolled_back(connection);
    constraints_and_schema_are_told_apart(connection);
    a_query_stops_when_it_is_told(connection);
    a_changed_table_is_read_anew(connection);
    many_rows_take_little_memory(connection);
}

const MANY_ROWS: u64 = 1_000_000;
/// A tenth of what the rows take together.
const GROWTH_KB_MAX: u64 = 50_000;

fn many_rows_take_little_memory(connection: &mut dyn Connection) {
    let text = "x".repeat(500);
    let from = match connection.dialect() {
        Dialect::Sqlite => "generate".to_owned(),
        Dialect::MariaDb => format!("seq_1_to_{MANY_ROWS}"),
        Dialect::Postgres => format!("generate_series(1, {MANY_ROWS}) AS generate"),
    };
    let with = "WITH RECURSIVE generate(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM generate \
                WHERE x < 1000000)";
    let with = if connection.dialect() == Dialect::Sqlite { with } else { "" };
    let before = resident_kb();
    let (mut count, mut highest) = (0_u64, before);
    let asked = connection.query(&format!("{with} SELECT '{text}' FROM {from}"), &[], &mut |row| {
        assert!(matches!(row, [Value::Text(found)] if found.len() == text.len()));
        count += 1;
        if count.is_multiple_of(10_000) {
            highest = highest.max(resident_kb());
        }
        ControlFlow::Continue(())
    });
    assert_eq!((asked, count), (Ok(()), MANY_ROWS));
    assert!(highest - before < GROWTH_KB_MAX, "{before} KB became {highest} KB");
}

/// How much memory this process has.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("it has memory");
    line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number")
}

fn doubles(dialect: Dialect) -> Vec<f64> {
    let mut doubles = vec![
        0.0,
        -0.0,
        f64::MIN_POSITIVE / 3.0,
        f64::from_bits(1),
        -f64::from_bits(1),
        f64::MAX,
        f64::MIN,
        0.1,
        1.0,
        -3.0,
        9_007_199_254_740_993.0,
        1e300,
        123_456.789,
    ];
    if dialect != Dialect::MariaDb {
        doubles.extend([f64::INFINITY, f64::NEG_INFINITY]);
    }
    doubles
}

const INTEGERS: [i64; 6] = [0, -1, i64::MAX, i64::MIN, (1 << 53) + 1, -(1 << 53) - 1];

fn texts() -> Vec<String> {
    let long = "x".repeat(70_000);
    let texts = ["", "it's \"quoted\" `so` \\ and ? $1", "h\u{e4}\u{1f600}", "a\nb\tc", &long];
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn bytes() -> Vec<Vec<u8>> {
    vec![Vec::new(), (0..=255).collect(), vec![0; 3], vec![0xff; 70_000]]
}

fn make_values(connection: &mut dyn Connection, name: &str) {
    let Words { double, text, bytes, .. } = words(connection.dialect());
    run(connection, &format!("DROP TABLE IF EXISTS {name}"));
    run(
        connection,
        &format!(
            "CREATE TABLE {name} (id BIGINT NOT NULL PRIMARY KEY, number {double}, text {text}, \
             bytes {bytes})"
        ),
    );
}

/// A row for each value, the other columns without one.
fn value_rows(dialect: Dialect) -> Vec<[Value; 4]> {
    let row = |values: [Value; 3]| values;
    let mut rows = vec![row([Value::Null, Value::Null, Value::Null])];
    let numbers = doubles(dialect).into_iter();
    // The columns of MariaDB drop the sign of zero, however it is written.
    let numbers = numbers
        .filter(|number| dialect != Dialect::MariaDb || number.to_bits() != (-0.0_f64).to_bits());
    rows.extend(numbers.map(|number| row([Value::Real(number), Value::Null, Value::Null])));
    rows.extend(texts().into_iter().map(|text| row([Value::Null, Value::Text(text), Value::Null])));
    let blobs = bytes().into_iter();
    rows.extend(blobs.map(|bytes| row([Value::Null, Value::Null, Value::Bytes(bytes)])));
    let mut numbered = Vec::new();
    for (at, [number, text, bytes]) in rows.into_iter().enumerate() {
        let id = INTEGERS.get(at).copied().unwrap_or(1000 + at as i64);
        numbered.push([Value::Integer(id), number, text, bytes]);
    }
    numbered
}

/// That values are the same to the bit: `==` knows no sign of zero.
fn expect_same(found: &[Vec<Value>], expected: &[[Value; 4]]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(found == expected, "{:?}, {:?} is not {:?}", found[0], found[1], expected[1]);
        if let ([_, Value::Real(found), ..], [_, Value::Real(expected), ..]) =
            (found.as_slice(), expected)
        {
            assert_eq!(found.to_bits(), expected.to_bits(), "{found} for {expected}");
        }
    }
}

fn sorted(mut rows: Vec<[Value; 4]>) -> Vec<[Value; 4]> {
    rows.sort_by_key(|row| match row[0] {
        Value::Integer(id) => id,
        _ => unreachable!("ids are integers"),
    });
    rows
}

fn values_come_back_bit_for_bit(connection: &mut dyn Connection) {
    make_values(connection, "kept");
    let expected = sorted(value_rows(connection.dialect()));
    for row in &expected {
        let affected = connection.execute("INSERT INTO kept VALUES (?, ?, ?, ?)", row);
        assert_eq!(affected, Ok(1), "{:?} {:?}", row[0], row[1]);
    }
    expect_same(&rows(connection, "SELECT * FROM kept ORDER BY id", &[]), &expected);
    let one = rows(connection, "SELECT number FROM kept WHERE id = ?", &[Value::Integer(0)]);
    assert_eq!(one, [[Value::Null]]);
    let not_a_number = [Value::Integer(5), Value::Real(f64::NAN), Value::Null, Value::Null];
    let refused = connection.execute("INSERT INTO kept VALUES (?, ?, ?, ?)", &not_a_number);
    assert!(matches!(refused, Err(Error::Constraint(_))), "{refused:?}");
}

const COLUMNS: [&str; 4] = ["id", "number", "text", "bytes"];
const TYPES: [ColumnType; 4] =
    [ColumnType::BigInt, ColumnType::Double, ColumnType::Text, ColumnType::Bytes];

fn insert<'a>(table: &'a str, conflict: &'a str) -> BulkInsert<'a> {
    BulkInsert { table, columns: &COLUMNS, types: &TYPES, conflict }
}

fn bulk_rows_come_back_bit_for_bit(connection: &mut dyn Connection) {
    make_values(connection, "bulk");
    let expected = sorted(value_rows(connection.dialect()));
    connection.write_rows(&insert("bulk", ""), &expected.concat()).expect("rows are written");
    expect_same(&rows(connection, "SELECT * FROM bulk ORDER BY id", &[]), &expected);
    // More rows than any message holds; no value of a column comes before many rows without one.
    make_values(connection, "bulk");
    let late = |id: i64| match id {
        39_999 => Value::Real(0.5),
        _ => Value::Null,
    };
    let row = |id| [Value::Integer(id), late(id), Value::Text(id.to_string()), Value::Null];
    let many: Vec<Value> = (0..40_000).flat_map(row).collect();
    connection.write_rows(&insert("bulk", ""), &many).expect("many rows are written");
    let found = rows(connection, "SELECT count(*), count(number), min(number) FROM bulk", &[]);
    assert_eq!(found, [[Value::Integer(40_000), Value::Integer(1), Value::Real(0.5)]]);
    let last = rows(connection, "SELECT text FROM bulk WHERE id = 39998", &[]);
    assert_eq!(last, [[Value::Text("39998".into())]]);
}

fn bulk_rows_are_checked(connection: &mut dyn Connection) {
    let good = [Value::Integer(1), Value::Null, Value::Null, Value::Null];
    let bad = |at: usize, value: Value| {
        let mut row = good.clone();
        row[at] = value;
        row
    };
    for row in [
        bad(0, Value::Real(1.0)),
        bad(1, Value::Integer(1)),
        bad(1, Value::Real(f64::NAN)),
        bad(2, Value::Bytes(vec![1])),
        bad(3, Value::Text("a".into())),
    ] {
        let refused = connection.write_rows(&insert("bulk", ""), &row);
        assert!(matches!(refused, Err(Error::Constraint(_))), "{refused:?}");
    }
    let cut = connection.write_rows(&insert("bulk", ""), &good[..3]);
    assert!(matches!(cut, Err(Error::Schema(_))), "{cut:?}");
    assert_eq!(connection.write_rows(&insert("bulk", ""), &[]), Ok(()));
    // All rows or none.
    make_values(connection, "bulk");
    let twice = [good.clone(), bad(0, Value::Integer(2)), good.clone()].concat();
    let refused = connection.write_rows(&insert("bulk", ""), &twice);
    assert!(matches!(refused, Err(Error::Constraint(_))), "{refused:?}");
    assert!(rows(connection, "SELECT id FROM bulk", &[]).is_empty());
}

fn conflicts_update_rows(connection: &mut dyn Connection) {
    make_values(connection, "updated");
    let newer = words(connection.dialect()).take_newer;
    for number in [1.0, 2.0] {
        let row = |id| [Value::Integer(id), Value::Real(number), Value::Null, Value::Null];
        let many: Vec<Value> = (0..500).flat_map(row).collect();
        connection.write_rows(&insert("updated", newer), &many).expect("rows are written");
    }
    let found = rows(connection, "SELECT count(*), min(number), max(number) FROM updated", &[]);
    assert_eq!(found, [[Value::Integer(500), Value::Real(2.0), Value::Real(2.0)]]);
}

fn names_are_quoted(connection: &mut dyn Connection) {
    let dialect = connection.dialect();
    let (table, column) = ("a \"b\" `c` 'd'; --", "order");
    let (quoted, quoted_column) =
        (sqlclient::quoted(dialect, table), sqlclient::quoted(dialect, column));
    run(connection, &format!("CREATE TABLE {quoted} ({quoted_column} BIGINT)"));
    let insert =
        BulkInsert { table, columns: &[column], types: &[ColumnType::BigInt], conflict: "" };
    connection.write_rows(&insert, &[Value::Integer(7)]).expect("a row is written");
    let found = rows(connection, &format!("SELECT * FROM {quoted}"), &[]);
    assert_eq!(found, [[Value::Integer(7)]]);
    run(connection, &format!("DROP TABLE {quoted}"));
}

fn count(connection: &mut dyn Connection) -> Value {
    rows(connection, "SELECT count(*) FROM steps", &[]).remove(0).remove(0)
}

fn transactions_end_as_they_are_told(connection: &mut dyn Connection) {
    run(connection, "DROP TABLE IF EXISTS steps");
    run(connection, "CREATE TABLE steps (id BIGINT NOT NULL PRIMARY KEY)");
    connection.begin().expect("it begins");
    run(connection, "INSERT INTO steps VALUES (1)");
    let twice = connection.begin();
    assert!(matches!(twice, Err(Error::Other(_))), "{twice:?}");
    connection.rollback().expect("it is rolled back");
    assert_eq!(count(connection), Value::Integer(0));
    connection.begin().expect("it begins");
    run(connection, "INSERT INTO steps VALUES (1)");
    assert_eq!(run(connection, "UPDATE steps SET id = id"), 1, "rows are counted that stay equal");
    connection.commit().expect("it is committed");
    assert_eq!(count(connection), Value::Integer(1));
    let none = connection.commit();
    assert!(matches!(none, Err(Error::Other(_))), "{none:?}");
    assert_eq!(connection.rollback(), Ok(()));
}

fn a_failed_transaction_can_only_be_rolled_back(connection: &mut dyn Connection) {
    run(connection, "DELETE FROM steps");
    for ends_by_commit in [true, false] {
        connection.begin().expect("it begins");
        run(connection, "INSERT INTO steps VALUES (1)");
        let failed = connection.execute("INSERT INTO steps VALUES (1)", &[]);
        assert!(matches!(failed, Err(Error::Constraint(_))), "{failed:?}");
        let refused = connection.execute("INSERT INTO steps VALUES (2)", &[]);
        assert!(matches!(refused, Err(Error::Other(_))), "{refused:?}");
        match ends_by_commit {
            true => assert!(matches!(connection.commit(), Err(Error::Other(_)))),
            false => assert_eq!(connection.rollback(), Ok(())),
        }
        assert_eq!(count(connection), Value::Integer(0));
    }
}

fn constraints_and_schema_are_told_apart(connection: &mut dyn Connection) {
    run(connection, "DROP TABLE IF EXISTS strict");
    run(connection, "CREATE TABLE strict (id BIGINT NOT NULL PRIMARY KEY, CHECK (id < 10))");
    run(connection, "INSERT INTO strict VALUES (1)");
    for sql in [
        "INSERT INTO strict VALUES (1)",
        "INSERT INTO strict VALUES (10)",
        "INSERT INTO strict VALUES (NULL)",
    ] {
        let refused = connection.execute(sql, &[]);
        assert!(matches!(refused, Err(Error::Constraint(_))), "{sql}: {refused:?}");
    }
    for sql in [
        "SELECT * FROM nowhere",
        "SELECT other FROM strict",
        "INSERT INTO strict VALUES (1, 2)",
        "SELEC 1",
        "SELECT ?",
    ] {
        let refused = connection.execute(sql, &[]);
        assert!(matches!(refused, Err(Error::Schema(_))), "{sql}: {refused:?}");
        let words = refused.expect_err("it is one").to_string();
        assert_eq!(words.lines().count(), 1, "{words}");
    }
    assert_eq!(rows(connection, "SELECT id FROM strict", &[]), [[Value::Integer(1)]]);
}

fn a_query_stops_when_it_is_told(connection: &mut dyn Connection) {
    let mut taken = 0;
    let stopped = connection.query("SELECT id FROM bulk ORDER BY id", &[], &mut |_| {
        taken += 1;
        ControlFlow::Break(())
    });
    assert_eq!((stopped, taken.min(1)), (Ok(()), taken));
    assert_eq!(rows(connection, "SELECT 1 + 1", &[]), [[Value::Integer(2)]]);
}

fn a_changed_table_is_read_anew(connection: &mut dyn Connection) {
    run(connection, "DROP TABLE IF EXISTS growing");
    run(connection, "CREATE TABLE growing (a BIGINT)");
    run(connection, "INSERT INTO growing VALUES (1)");
    let sql = "SELECT * FROM growing";
    assert_eq!(rows(connection, sql, &[]), [[Value::Integer(1)]]);
    run(connection, "ALTER TABLE growing ADD COLUMN b BIGINT");
    let mut again = || {
        let mut found = Vec::new();
        let outcome = connection.query(sql, &[], &mut |row| {
            found.push(row.to_vec());
            ControlFlow::Continue(())
        });
        outcome.map(|()| found)
    };
    // The first answer may be that the statement is stale, which is to be tried again.
    let found = again().or_else(|error| match error {
        Error::Conflict(_) => again(),
        error => Err(error),
    });
    assert_eq!(found, Ok(vec![vec![Value::Integer(1), Value::Null]]));
}
