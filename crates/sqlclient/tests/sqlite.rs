//! SQLite's files.
#![allow(clippy::disallowed_methods)] // tests make files

mod common;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use common::{BRIEF, does_all, rows, run};
use sqlclient::{Address, Connection, Deadlines, Error, Value};

fn open(path: &Path) -> Box<dyn Connection> {
    Address::sqlite(path).connect().expect("it opens")
}

fn refusal(address: &Address) -> Error {
    address.connect().err().expect("it does not open")
}

#[test]
fn it_does_what_all_databases_do() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    does_all(&mut *open(&directory.path().join("rows.sqlite")));
}

#[test]
fn its_file_is_durable_and_read_by_its_own_program() {
    let Some(program) = oracle::program("sqlite3", "our files read by SQLite's own program") else {
        return;
    };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("rows.sqlite");
    let mut connection = open(&path);
    assert_eq!(rows(&mut *connection, "PRAGMA journal_mode", &[]), [["wal".into()]]);
    assert_eq!(rows(&mut *connection, "PRAGMA synchronous", &[]), [[Value::Integer(2)]]);
    run(&mut *connection, "CREATE TABLE t (a)");
    run(&mut *connection, "INSERT INTO t VALUES (0.5)");
    let output = Command::new(program).arg(&path).arg("SELECT a FROM t").output();
    assert_eq!(output.expect("it runs").stdout, b"0.5\n");
}

#[test]
fn what_is_no_database_is_told() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let other = directory.path().join("other");
    std::fs::write(&other, "no database".repeat(1000)).expect("it is written");
    for address in [Address::sqlite(&other), Address::sqlite_read_only(&other)] {
        let expected = format!("{}: expected a file of SQLite's, found another", other.display());
        assert_eq!(refusal(&address), Error::Schema(expected));
    }
    let nowhere = directory.path().join("missing").join("rows");
    for address in [Address::sqlite(&nowhere), Address::sqlite_read_only(&nowhere)] {
        let refused = refusal(&address);
        assert!(matches!(&refused, Error::Unreachable(words) if words.contains("missing")));
    }
}

#[test]
fn a_reader_changes_nothing() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("rows.sqlite");
    run(&mut *open(&path), "CREATE TABLE t (a)");
    let mut reader = Address::sqlite_read_only(&path).connect().expect("it opens");
    let refused = reader.execute("INSERT INTO t VALUES (1)", &[]);
    assert!(matches!(refused, Err(Error::ReadOnly(_))), "{refused:?}");
    assert!(rows(&mut *reader, "SELECT a FROM t", &[]).is_empty());
}

#[test]
fn a_full_file_is_told() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut connection = open(&directory.path().join("rows.sqlite"));
    run(&mut *connection, "CREATE TABLE t (a)");
    rows(&mut *connection, "PRAGMA max_page_count = 10", &[]);
    connection.begin().expect("it begins");
    let refused = connection.execute("INSERT INTO t VALUES (zeroblob(1000000))", &[]);
    assert!(matches!(refused, Err(Error::Full(_))), "{refused:?}");
    assert_eq!(connection.rollback(), Ok(()));
    run(&mut *connection, "INSERT INTO t VALUES (1)");
}

#[test]
fn another_writer_is_waited_for_and_then_told() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("rows.sqlite");
    let (mut one, mut other) = (open(&path), Address::sqlite(&path).within(BRIEF));
    run(&mut *one, "CREATE TABLE t (a)");
    let mut other = std::mem::replace(&mut other, Address::sqlite(&path)).connect().expect("opens");
    one.begin().expect("it begins");
    let start = Instant::now();
    let refused = other.begin();
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    assert!(start.elapsed() >= BRIEF.call / 2, "{:?}", start.elapsed());
    one.commit().expect("it is committed");
    other.begin().expect("now it begins");
}

#[test]
fn a_statement_ends_at_its_deadline() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let deadlines = Deadlines { call: Duration::from_millis(300), ..BRIEF };
    let address = Address::sqlite(&directory.path().join("rows.sqlite")).within(deadlines);
    let mut connection = address.connect().expect("it opens");
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) \
                   SELECT count(*) FROM n";
    let start = Instant::now();
    let ended = connection.query(endless, &[], &mut |_| panic!("it has no row"));
    assert!(matches!(ended, Err(Error::TimedOut(_))), "{ended:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
    let closed = connection.execute("SELECT 1", &[]);
    assert!(matches!(closed, Err(Error::Lost(_))), "{closed:?}");
}
