//! A store is fed now and then; tables are its archives each time.

use std::ops::ControlFlow;

use feed::{Feeder, Origin, create, drop_all, status, verify};
use sqlclient::{Address, Value};
use sqlring::Selection;

use crate::servers::Server;
use crate::site::Site;
use crate::tables::assert_equal;

const ROUNDS: usize = 12;

fn feed_all(site: &Site, address: &Address) -> feed::Tally {
    let mut feeder = Feeder::open(Origin::new(site.store()), address, "a test").unwrap();
    feeder.compare_names(&mut |_, _| true).unwrap();
    let all = feeder.all();
    feeder.feed(&all, &mut |_, _| true).unwrap();
    while feeder.take_out_trash().unwrap() {}
    assert_eq!(feeder.unreadable(), None);
    feeder.tally()
}

fn tables_are_archives(server: &Server, seeds: std::ops::Range<u64>) {
    let address = server.address();
    let (mut rounds, mut mended) = (0, 0);
    for seed in seeds {
        rounds += ROUNDS;
        create(&address, &Selection::all(), "").unwrap();
        let mut site = Site::new(seed, 10);
        for round in 0..ROUNDS {
            (0..10).for_each(|_| site.update());
            if round % 2 == 1 {
                (0..3).for_each(|_| site.change());
            }
            if round % 5 == 4 {
                site = site.reopen();
            }
            feed_all(&site, &address);
            mended += mend(&site, &address);
            assert_equal(&*site.store, &address);
            let again = feed_all(&site, &address);
            assert_eq!(again.rows, 0, "seed {seed}, round {round}: nothing is new: {again:?}");
            let found = verify(&Origin::new(site.store()), &address, &mut |_, _| true).unwrap();
            assert_eq!(found.differences, [], "seed {seed}, round {round}");
            assert_eq!(found.rows_behind, 0);
        }
        assert_eq!(status(&address).unwrap().trash, 0);
        drop_all(&address, "a test").unwrap();
    }
    assert!(mended * 8 < rounds, "{mended} databases mended in {rounds} rounds");
}

/// A database that was restored while nothing fed, and whose newest rows are the same, mostly
/// unknown ones, is not found by a feed but by a comparison. Returns how many there were.
fn mend(site: &Site, address: &Address) -> usize {
    let origin = Origin::new(site.store());
    let found = verify(&origin, address, &mut |_, _| true).unwrap();
    let mut feeder = Feeder::open(origin, address, "a test").unwrap();
    found.names.iter().for_each(|name| assert!(feeder.mend(name).unwrap()));
    while feeder.take_out_trash().unwrap() {}
    found.names.len()
}

#[test]
fn tables_of_sqlite_are_archives() {
    tables_are_archives(&Server::sqlite(), 0..6);
}

#[test]
fn tables_of_mariadb_are_archives() {
    let Some(server) = Server::mariadb() else { return };
    tables_are_archives(&server, 10..12);
}

#[test]
fn tables_of_postgresql_are_archives() {
    let Some(server) = Server::postgres() else { return };
    tables_are_archives(&server, 20..22);
}

/// A comparison that finds nothing must be one that can find something.
#[test]
fn verify_finds_each_kind_of_difference() {
    let server = Server::sqlite();
    let address = server.address();
    create(&address, &Selection::all(), "").unwrap();
    let mut site = Site::new(99, 10);
    (0..60).for_each(|_| site.update());
    feed_all(&site, &address);
    let tables: Vec<String> =
        status(&address).unwrap().rings.iter().map(|ring| ring.table.clone()).collect();
    let origin = Origin::new(site.store());
    let mut connection = address.connect().unwrap();
    let mut found = 0;
    for table in &tables {
        for (nth, change) in [
            format!("UPDATE {table} SET time = time - 10 WHERE rowid_of = 1"),
            format!("DELETE FROM {table} WHERE rowid_of = 1"),
            format!("UPDATE {table} SET average = 1.5, minimum = 1.5, maximum = 1.5, last = 1.5 WHERE rowid_of = 1"),
        ]
        .into_iter()
        .enumerate()
        {
            let known = "(block, series, slot) = (SELECT block, series, slot FROM TABLE_ WHERE \
                         coalesce(average, minimum, maximum, last) IS NOT NULL AND time > 0 \
                         LIMIT 1 OFFSET NTH)"
                .replace("TABLE_", table)
                .replace("NTH", &(nth * 3).to_string());
            connection.begin().unwrap();
            let changed = connection.execute(&change.replace("rowid_of = 1", &known), &[]).unwrap();
            connection.commit().unwrap();
            if changed > 0 {
                let verified = verify(&origin, &address, &mut |_, _| true).unwrap();
                assert!(verified.differences_count > found, "{change}");
                found = verified.differences_count;
            }
        }
    }
    assert!(found >= 3 * 3, "{found} differences");
}

#[test]
fn reserved_slots_are_not_shown() {
    let server = Server::sqlite();
    let address = server.address();
    create(&address, &Selection::all(), "").unwrap();
    let mut site = Site::new(98, 10);
    (0..60).for_each(|_| site.update());
    feed_all(&site, &address);
    let mut connection = address.connect().unwrap();
    let mut count = |from: &str| {
        let mut found = 0;
        let sql = format!("SELECT COUNT(*) FROM {from}");
        let taken = connection.query(&sql, &[], &mut |row| {
            if let [Value::Integer(count)] = row {
                found = *count;
            }
            ControlFlow::Continue(())
        });
        taken.unwrap();
        found
    };
    let mut reserved = 0;
    for ring in status(&address).unwrap().rings {
        let (table, view) = (ring.table, ring.view);
        reserved += count(&format!("{table} WHERE time < 0"));
        assert_eq!(count(&view), count(&format!("{table} WHERE time > 0")), "{view}");
    }
    assert!(reserved > 0, "a block is begun in some ring");
}
