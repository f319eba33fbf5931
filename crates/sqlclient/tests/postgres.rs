//! A real PostgreSQL.
#![allow(clippy::disallowed_methods)] // tests look at the clock

mod common;

use std::time::{Duration, Instant};

use common::{BRIEF, by_port, connect, does_all, refusal, rows, run, verified};
use oracle::Postgres;
use sqlclient::{Address, Connection, Dialect, Error, Password, Reach, Server, Tls, Value};

const WHAT: &str = "connections to PostgreSQL";

fn by_socket(server: &Postgres) -> Server {
    common::address(Dialect::Postgres, Reach::Socket(server.socket()), Tls::Off)
}

#[test]
fn it_does_what_all_databases_do() {
    let Some(server) = Postgres::start(WHAT) else { return };
    let mut connection = connect(by_socket(&server));
    does_all(&mut *connection);
    placeholders_are_numbered(&mut *connection);
    other_types_are_read(&mut *connection);
    values_are_not_bent(&mut *connection);
    a_full_disk_is_told(&mut *connection);
    a_commit_that_is_refused_leaves_the_connection(&mut *connection);
    locks_are_told(&server, &mut *connection);
    a_reader_is_told_so(&mut *connection);
    privileges_are_told(&server, &mut *connection);
    let missing = Server { database: "nowhere".into(), ..by_socket(&server) };
    assert!(matches!(refusal(missing), Error::Schema(_)));
    let file = server.socket().join(format!(".s.PGSQL.{}", server.socket_port()));
    let by_file = Server { reach: Reach::Socket(file), ..by_socket(&server) };
    assert_eq!(rows(&mut *connect(by_file), "SELECT 1", &[]), [[Value::Integer(1)]]);
    assert_eq!(server.run("SELECT id FROM steps"), "", "its own client reads the same tables");
}

fn placeholders_are_numbered(connection: &mut dyn Connection) {
    let sql = "SELECT '?', CAST(? AS BIGINT), \"?column?\" FROM (SELECT 3) AS \"?\" -- ?";
    let found = rows(connection, sql, &[Value::Integer(2)]);
    assert_eq!(found, [["?".into(), Value::Integer(2), Value::Integer(3)]]);
}

fn other_types_are_read(connection: &mut dyn Connection) {
    let sql = "SELECT 10002.050::numeric, -0.00000005::numeric, true, 7::int2, 'a'::varchar(3), \
               0.5::real, 30000::numeric, 'NaN'::numeric, NULL::bytea, \
               '1999-12-31 23:59:58.25'::timestamp, '2001-09-09 04:03:20+02'::timestamptz";
    let texts = |text: &str| Value::Text(text.into());
    let expected = [
        texts("10002.050"),
        texts("-0.00000005"),
        Value::Integer(1),
        Value::Integer(7),
        texts("a"),
        Value::Real(0.5),
        texts("30000"),
        texts("NaN"),
        Value::Null,
        texts("1999-12-31 23:59:58.25"),
        texts("2001-09-09 02:03:20+00:00"),
    ];
    assert_eq!(rows(connection, sql, &[]), [expected]);
    let refused =
        connection.query("SELECT '1.2.3.4'::inet", &[], &mut |_| panic!("it cannot be read"));
    assert!(matches!(&refused, Err(Error::Other(words)) if words.contains("inet")));
}

fn values_are_not_bent(connection: &mut dyn Connection) {
    run(connection, "CREATE TABLE narrow (a SMALLINT, b VARCHAR(2), c DOUBLE PRECISION)");
    for (column, value) in [
        ("a", Value::Integer(100_000)),
        ("b", Value::Text("abc".into())),
        ("c", Value::Text("a".into())),
        ("c", Value::Integer(1)),
        ("b", Value::Text("a\0".into())),
    ] {
        let sql = format!("INSERT INTO narrow ({column}) VALUES (?)");
        let refused = connection.execute(&sql, std::slice::from_ref(&value));
        assert!(matches!(refused, Err(Error::Constraint(_))), "{value:?}: {refused:?}");
    }
    assert!(rows(connection, "SELECT * FROM narrow", &[]).is_empty());
}

/// The server itself says so, if not for want of a disk.
fn a_full_disk_is_told(connection: &mut dyn Connection) {
    let sql = "DO $$ BEGIN RAISE disk_full; END $$";
    let refused = connection.execute(sql, &[]);
    assert!(matches!(refused, Err(Error::Full(_))), "{refused:?}");
}

fn a_commit_that_is_refused_leaves_the_connection(connection: &mut dyn Connection) {
    run(connection, "CREATE TABLE late (id BIGINT UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    connection.begin().expect("it begins");
    run(connection, "INSERT INTO late VALUES (1), (1)");
    let refused = connection.commit();
    assert!(matches!(refused, Err(Error::Constraint(_))), "{refused:?}");
    connection.begin().expect("the next one begins");
    assert!(rows(connection, "SELECT id FROM late", &[]).is_empty());
    connection.commit().expect("it is committed");
}

fn locks_are_told(server: &Postgres, connection: &mut dyn Connection) {
    run(connection, "CREATE TABLE locked (id INT PRIMARY KEY, n INT)");
    run(connection, "INSERT INTO locked VALUES (1, 1), (2, 2)");
    let other = Address::server(by_socket(server)).within(BRIEF);
    let mut other = other.connect().expect("it connects");
    connection.begin().expect("it begins");
    run(connection, "UPDATE locked SET n = 3 WHERE id = 1");
    other.begin().expect("it begins");
    run(&mut *other, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    rows(&mut *other, "SELECT * FROM locked", &[]);
    let refused = other.execute("UPDATE locked SET n = 4 WHERE id = 1", &[]);
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    other.rollback().expect("it is rolled back");

    other.begin().expect("it begins");
    run(&mut *other, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    rows(&mut *other, "SELECT * FROM locked", &[]);
    connection.commit().expect("it is committed");
    let refused = other.execute("UPDATE locked SET n = 4 WHERE id = 1", &[]);
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    other.rollback().expect("it is rolled back");
}

fn a_reader_is_told_so(connection: &mut dyn Connection) {
    run(connection, "SET default_transaction_read_only = on");
    let refused = connection.execute("INSERT INTO steps VALUES (9)", &[]);
    assert!(matches!(refused, Err(Error::ReadOnly(_))), "{refused:?}");
    run(connection, "SET default_transaction_read_only = off");
}

fn privileges_are_told(server: &Postgres, connection: &mut dyn Connection) {
    server.run("CREATE TABLE private (a INT)");
    let refused = connection.execute("SELECT * FROM private", &[]);
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
}

#[test]
fn logins_and_certificates_are_checked() {
    let Some(server) = Postgres::start_with(WHAT, oracle::Reach::Tls, &[]) else { return };
    let Some(openssl) = oracle::program("openssl", WHAT) else { return };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let trusted = verified(server.ca_file().expect("TLS was asked for"));
    let stranger = verified(&oracle::other_authority(&openssl, directory.path()));
    let to = |tls| by_port(Dialect::Postgres, server.port(), tls);

    let mut connection = connect(to(trusted.clone()));
    let sql = "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let version = rows(&mut *connection, sql, &[]);
    assert!(matches!(&version[0][0], Value::Text(version) if version.starts_with("TLSv1.")));
    for wrong in [stranger, Tls::Verify { ca_file: None }] {
        let refused = refusal(to(wrong));
        assert!(matches!(refused, Error::Unreachable(_)), "{refused:?}");
    }
    assert!(matches!(refusal(to(Tls::Off)), Error::Refused(_)));

    let wrong = "wrong, and not to be shown";
    let refused = refusal(Server { password: Some(Password::new(wrong.into())), ..to(trusted) });
    assert!(matches!(&refused, Error::Refused(words) if !words.contains(wrong)), "{refused:?}");
}

#[test]
fn a_server_that_hangs_or_dies_is_told() {
    let Some(mut server) = Postgres::start_with(WHAT, oracle::Reach::Port, &[]) else { return };
    let to = by_port(Dialect::Postgres, server.port(), Tls::Off);
    let brief = Address::server(to.clone()).within(BRIEF);
    let mut connection = brief.connect().expect("it connects");
    run(&mut *connection, "CREATE TABLE kept (id INT PRIMARY KEY)");
    let slow = connection.execute("SELECT pg_sleep(30)", &[]);
    assert!(matches!(slow, Err(Error::TimedOut(_))), "{slow:?}");
    let mut connection = brief.connect().expect("it connects");
    connection.begin().expect("it begins");
    run(&mut *connection, "INSERT INTO kept VALUES (1)");

    server.pause();
    let start = Instant::now();
    let commit = connection.commit();
    assert!(matches!(commit, Err(Error::Lost(_))), "{commit:?}");
    let other = brief.connect().err();
    assert!(matches!(other, Some(Error::TimedOut(_))), "{other:?}");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    let closed = connection.execute("SELECT 1", &[]);
    assert!(matches!(closed, Err(Error::Lost(_))), "{closed:?}");
    server.resume();

    let mut connection = connect(to.clone());
    run(&mut *connection, "INSERT INTO kept VALUES (2)");
    server.kill9();
    let lost = connection.execute("SELECT id FROM kept", &[]);
    assert!(matches!(lost, Err(Error::Lost(_))), "{lost:?}");
    assert!(matches!(refusal(to.clone()), Error::Unreachable(_)));
    server.restart();
    let kept = rows(&mut *connect(to), "SELECT id FROM kept WHERE id = 2", &[]);
    assert_eq!(kept, [[Value::Integer(2)]], "what was committed is kept over a kill");
}
