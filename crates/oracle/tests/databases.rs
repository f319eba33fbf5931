//! The private servers start, keep what was committed over a kill, and halt.
#![allow(clippy::disallowed_methods)] // it starts servers

use oracle::{MariaDb, Postgres, Reach};

#[test]
fn mariadb_keeps_its_rows_over_a_kill() {
    let Some(mut server) = MariaDb::start("the private MariaDB itself") else { return };
    server.run("CREATE TABLE kept (id INT PRIMARY KEY) ENGINE=InnoDB; INSERT INTO kept VALUES (7)");
    server.kill9();
    server.restart();
    assert_eq!(server.run("SELECT id FROM kept"), "7\n");
    assert_eq!(server.run("SELECT @@innodb_flush_log_at_trx_commit"), "1\n");
    assert_eq!(server.port(), None);
}

#[test]
fn postgres_keeps_its_rows_over_a_kill() {
    let Some(mut server) = Postgres::start("the private PostgreSQL itself") else { return };
    server.run("CREATE TABLE kept (id INT PRIMARY KEY); INSERT INTO kept VALUES (7)");
    server.kill9();
    server.restart();
    assert_eq!(server.run("SELECT id FROM kept"), "7\n");
    assert_eq!(server.run("SHOW fsync"), "on\n");
    assert_eq!(server.port(), None);
}

#[test]
fn a_port_and_certificates_come_on_request() {
    let what = "the private servers by TLS";
    let Some(mariadb) = MariaDb::start_with(what, Reach::Tls, &[]) else { return };
    let Some(postgres) = Postgres::start_with(what, Reach::Tls, &[]) else { return };
    assert_eq!(mariadb.run("SELECT @@have_ssl"), "YES\n");
    assert_eq!(postgres.run("SHOW ssl"), "on\n");
    for port in [mariadb.port(), postgres.port()] {
        let port = port.expect("a port was asked for");
        assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    }
    assert!(mariadb.ca_file().is_some_and(std::path::Path::is_file));
}
