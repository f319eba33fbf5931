//! One feeder at a time.

use feed::{Error, Feeder, Origin, create, drop_all};
use sqlring::Selection;

use crate::servers::Server;
use crate::site::Site;

fn second_is_refused(server: &Server) {
    let address = server.address();
    let site = Site::new(1, 3);
    let origin = Origin::new(site.store());
    let none = Feeder::open(origin.clone(), &address, "early").err();
    assert!(matches!(none, Some(Error::NotCreated)), "{none:?}");
    create(&address, &Selection::all(), "").unwrap();
    let first = Feeder::open(origin.clone(), &address, "the first").unwrap();
    let second = Feeder::open(origin.clone(), &address, "the second").err().unwrap();
    assert_eq!(second.to_string(), "the first feeds these tables already");
    let dropped = drop_all(&address, "a third").unwrap_err();
    assert!(matches!(dropped, Error::Taken { .. }), "{dropped}");
    drop(first);
    let third = (0..100).find_map(|_| {
        // A server may need a moment to see that a connection has gone.
        std::thread::sleep(std::time::Duration::from_millis(20));
        Feeder::open(origin.clone(), &address, "the third").ok()
    });
    assert!(third.is_some());
}

#[test]
fn a_second_feeder_is_refused_by_sqlite() {
    second_is_refused(&Server::sqlite());
}

#[test]
fn a_second_feeder_is_refused_by_mariadb() {
    let Some(server) = Server::mariadb() else { return };
    second_is_refused(&server);
}

#[test]
fn a_second_feeder_is_refused_by_postgresql() {
    let Some(server) = Server::postgres() else { return };
    second_is_refused(&server);
}

/// MariaDB's locks are of the server, the right to feed is of a database.
#[test]
fn two_databases_of_a_server_have_a_feeder_each() {
    let Some(server) = Server::mariadb() else { return };
    let Server::MariaDb(database) = &server else { unreachable!() };
    let hosts = database.run(&format!(
        "CREATE DATABASE other; SELECT host FROM mysql.user WHERE user = '{}'",
        oracle::DATABASE_USER
    ));
    for host in hosts.lines() {
        database.run(&format!("GRANT ALL ON other.* TO '{}'@'{host}'", oracle::DATABASE_USER));
    }
    let site = Site::new(3, 3);
    let feeders = [server.address(), server.address_in("other")].map(|address| {
        create(&address, &Selection::all(), "").unwrap();
        Feeder::open(Origin::new(site.store()), &address, "a test").unwrap()
    });
    assert_eq!(feeders.len(), 2);
}

/// Where the lock was lost without its holder knowing, the epoch keeps it from writing.
#[test]
fn an_older_feeder_cannot_write() {
    let server = Server::sqlite();
    let address = server.address();
    create(&address, &Selection::all(), "").unwrap();
    let mut site = Site::new(2, 3);
    (0..20).for_each(|_| site.update());
    let mut feeder = Feeder::open(Origin::new(site.store()), &address, "the first").unwrap();
    let mut other = address.connect().unwrap();
    other.execute("UPDATE gyre_feed SET epoch = epoch + 1", &[]).unwrap();
    let refused = feeder.compare_names(&mut |_, _| true).unwrap_err();
    assert!(matches!(refused, Error::Superseded), "{refused}");
}
