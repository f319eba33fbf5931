//! A real MariaDB.
#![allow(clippy::disallowed_methods)] // tests look at the clock

mod common;

use std::time::{Duration, Instant};

use common::{BRIEF, by_port, connect, does_all, refusal, rows, run, verified};
use oracle::MariaDb;
use sqlclient::{Address, Connection, Dialect, Error, Password, Reach, Server, Tls, Value};

const WHAT: &str = "connections to MariaDB";

fn by_socket(server: &MariaDb) -> Server {
    common::address(Dialect::MariaDb, Reach::Socket(server.socket()), Tls::Off)
}

#[test]
fn it_does_what_all_databases_do() {
    let Some(server) = MariaDb::start(WHAT) else { return };
    let mut connection = connect(by_socket(&server));
    does_all(&mut *connection);
    values_are_not_bent(&mut *connection);
    a_full_table_is_told(&mut *connection);
    locks_are_told(&server, &mut *connection);
    a_reader_is_told_so(&server, &mut *connection);
    privileges_are_told(&server, &mut *connection);
    let missing = Server { database: "nowhere".into(), ..by_socket(&server) };
    assert!(matches!(refusal(missing), Error::Refused(_) | Error::Schema(_)));
    let read = server.run("SELECT id FROM steps");
    assert_eq!(read, "", "its own client reads the same tables");
}

/// What a column cannot hold is refused, not changed.
fn values_are_not_bent(connection: &mut dyn Connection) {
    run(connection, "CREATE TABLE narrow (a TINYINT, b VARCHAR(2), c DOUBLE)");
    for (column, value) in [
        ("a", Value::Integer(1000)),
        ("b", Value::Text("abc".into())),
        ("c", Value::Real(f64::INFINITY)),
        ("c", Value::Text("a".into())),
    ] {
        let sql = format!("INSERT INTO narrow ({column}) VALUES (?)");
        let refused = connection.execute(&sql, std::slice::from_ref(&value));
        assert!(matches!(refused, Err(Error::Constraint(_))), "{value:?}: {refused:?}");
    }
    assert!(rows(connection, "SELECT * FROM narrow", &[]).is_empty());
    // The one exception: its columns drop the sign of zero, also within its own arithmetic.
    connection.execute("INSERT INTO narrow (c) VALUES (?)", &[Value::Real(-0.0)]).expect("kept");
    run(connection, "INSERT INTO narrow (c) VALUES (-0e0)");
    for row in rows(connection, "SELECT c FROM narrow", &[]) {
        assert!(matches!(row[..], [Value::Real(zero)] if zero.to_bits() == 0), "{row:?}");
    }
}

fn a_full_table_is_told(connection: &mut dyn Connection) {
    run(connection, "SET SESSION max_heap_table_size = 16384");
    run(connection, "CREATE TABLE small (a VARCHAR(1000)) ENGINE=MEMORY");
    let row = [Value::Text("x".repeat(1000))];
    let mut outcomes = (0..100).map(|_| connection.execute("INSERT INTO small VALUES (?)", &row));
    let refused = outcomes.find(Result::is_err);
    assert!(matches!(refused, Some(Err(Error::Full(_)))), "{refused:?}");
}

fn locks_are_told(server: &MariaDb, connection: &mut dyn Connection) {
    run(connection, "CREATE TABLE locked (id INT PRIMARY KEY, n INT)");
    run(connection, "INSERT INTO locked VALUES (1, 1), (2, 2)");
    let other = Address::server(by_socket(server)).within(BRIEF);
    let mut other = other.connect().expect("it connects");
    connection.begin().expect("it begins");
    run(connection, "UPDATE locked SET n = 3 WHERE id = 1");
    other.begin().expect("it begins");
    let refused = other.execute("UPDATE locked SET n = 4 WHERE id = 1", &[]);
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    other.rollback().expect("it is rolled back");
    run(&mut *other, "UPDATE locked SET n = 4 WHERE id = 2");
    connection.commit().expect("it is committed");
}

fn a_reader_is_told_so(server: &MariaDb, connection: &mut dyn Connection) {
    server.run("SET GLOBAL read_only = ON");
    let refused = connection.execute("INSERT INTO steps VALUES (9)", &[]);
    server.run("SET GLOBAL read_only = OFF");
    assert!(matches!(refused, Err(Error::ReadOnly(_))), "{refused:?}");
}

fn privileges_are_told(server: &MariaDb, connection: &mut dyn Connection) {
    server.run("CREATE DATABASE other; CREATE TABLE other.t (a INT)");
    let refused = connection.execute("SELECT * FROM other.t", &[]);
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
}

#[test]
fn logins_and_certificates_are_checked() {
    let Some(server) = MariaDb::start_with(WHAT, oracle::Reach::Tls, &[]) else { return };
    let Some(openssl) = oracle::program("openssl", WHAT) else { return };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let trusted = verified(server.ca_file().expect("TLS was asked for"));
    let stranger = verified(&oracle::other_authority(&openssl, directory.path()));
    let to = |tls| by_port(Dialect::MariaDb, server.port(), tls);

    let mut connection = connect(to(trusted.clone()));
    let cipher = rows(&mut *connection, "SHOW STATUS LIKE 'Ssl_version'", &[]);
    assert!(matches!(&cipher[0][1], Value::Text(version) if version.starts_with("TLSv1.")));
    for wrong in [stranger, Tls::Verify { ca_file: None }] {
        let refused = refusal(to(wrong));
        assert!(
            matches!(&refused, Error::Unreachable(words) if words.starts_with("TLS:")),
            "{refused:?}"
        );
    }
    let refused = refusal(to(Tls::Off));
    assert!(matches!(refused, Error::Refused(_) | Error::Other(_) | Error::Unreachable(_)));

    let wrong = "wrong, and not to be shown";
    let refused = refusal(Server { password: Some(Password::new(wrong.into())), ..to(trusted) });
    assert!(matches!(&refused, Error::Refused(words) if !words.contains(wrong)), "{refused:?}");
}

#[test]
fn a_server_that_hangs_or_dies_is_told() {
    let Some(mut server) = MariaDb::start_with(WHAT, oracle::Reach::Port, &[]) else { return };
    let to = by_port(Dialect::MariaDb, server.port(), Tls::Off);
    let brief = Address::server(to.clone()).within(BRIEF);
    let mut connection = brief.connect().expect("it connects");
    run(&mut *connection, "CREATE TABLE kept (id INT PRIMARY KEY)");
    let slow = connection.execute("DO SLEEP(30)", &[]);
    assert!(slow.is_err() || slow == Ok(0), "{slow:?}"); // the server itself ends it
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
