//! The privileges that docs/sql.md names are enough for everything.

use feed::{Feeder, Origin, create, drop_all, status, verify};
use sqlring::Selection;

use crate::servers::Server;
use crate::site::Site;

const DOCUMENT: &str = include_str!("../../../../docs/sql.md");

/// The statements behind a line of comment in the document, for another user and database.
fn grants(behind: &str) -> String {
    let (_, rest) = DOCUMENT.split_once(behind).unwrap();
    let lines = rest.lines().skip(1).map(str::trim).take_while(|line| line.starts_with("GRANT"));
    let grants: String = lines.map(|line| format!("{line}\n")).collect();
    assert!(grants.contains("GRANT"));
    let database = oracle::DATABASE_NAME;
    let grants = grants.replace("ON gyre.*", &format!("ON {database}.*"));
    let grants = grants.replace("DATABASE gyre", &format!("DATABASE {database}"));
    grants.replace(" TO gyre;", " TO least;")
}

/// The password of all users here, within quotes.
fn password() -> String {
    oracle::DATABASE_PASSWORD.replace('\'', "''")
}

fn everything_works(server: &Server) {
    let address = server.address_of("least");
    let mut site = Site::new(7, 6);
    (0..40).for_each(|_| site.update());
    create(&address, &Selection::all(), "").unwrap();
    let origin = Origin::new(site.store());
    let mut feeder = Feeder::open(origin.clone(), &address, "a test").unwrap();
    feeder.compare_names(&mut |_, _| true).unwrap();
    feeder.feed(&feeder.all(), &mut |_, _| true).unwrap();
    (0..5).for_each(|_| site.change());
    (0..5).for_each(|_| site.update());
    feeder.compare_names(&mut |_, _| true).unwrap();
    feeder.feed(&feeder.all(), &mut |_, _| true).unwrap();
    while feeder.take_out_trash().unwrap() {}
    drop(feeder);
    assert!(status(&address).unwrap().bytes > 0);
    let found = verify(&origin, &address, &mut |_, _| true).unwrap();
    assert!(found.rows > 0);
    drop_all(&address, "a test").unwrap();
}

#[test]
fn few_privileges_are_enough_for_mariadb() {
    let Some(server) = Server::mariadb() else { return };
    let Server::MariaDb(database) = &server else { unreachable!() };
    database.run(&format!("CREATE USER least IDENTIFIED BY '{}'", password()));
    database.run(&grants("-- MariaDB"));
    everything_works(&server);
}

#[test]
fn few_privileges_are_enough_for_postgresql() {
    let Some(server) = Server::postgres() else { return };
    let Server::Postgres(database) = &server else { unreachable!() };
    database.run(&format!("CREATE USER least PASSWORD '{}'", password()));
    database.run(&grants("-- PostgreSQL"));
    everything_works(&server);
}
