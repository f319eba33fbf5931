//! A store is updated while it is fed, and everything else goes wrong: servers are killed,
//! connections cut, feeders stopped in the middle. In the end tables are the archives.

use std::thread;
use std::time::{Duration, Instant};

use chance::Random;
use feed::{FeedThread, Origin, Paces, create, verify};
use sqlring::Selection;

use crate::proxy::{Proxy, Way};
use crate::servers::Server;
use crate::site::Site;
use crate::tables::assert_equal;

/// Faults of each test; `GYRE_CASES` asks for more.
const FAULTS: u64 = 6;
/// How long tables may take to catch up.
const PATIENCE: Duration = Duration::from_secs(60);

fn faults() -> u64 {
    std::env::var("GYRE_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(FAULTS)
}

fn paces() -> Paces {
    Paces {
        round: Duration::from_millis(5),
        rest_max: Duration::ZERO,
        beat: Duration::from_millis(50),
        all: Duration::from_millis(500),
        pause: Duration::from_millis(10),
        pause_max: Duration::from_secs(1),
    }
}

fn survives(server: &mut Server, seed: u64) {
    let address = server.address();
    create(&address, &Selection::all(), "").unwrap();
    let proxy = server.socket().map(|socket| Proxy::to(&socket));
    let fed_over = server.address_by(proxy.as_ref().map(Proxy::socket));
    let mut random = Random::new(seed);
    let mut site = Site::new(seed, 20);
    let start = |site: &Site| {
        let origin = Origin::new(site.store());
        FeedThread::start(origin, fed_over.clone(), "a test".into(), paces(), Box::new(|_| {}))
            .unwrap()
    };
    let mut feed = start(&site);
    for fault in 0..faults() {
        let updates = 1 + random.below(10);
        for _ in 0..updates {
            site.update();
            if random.below(4) == 0 {
                site.change();
            }
            thread::sleep(Duration::from_millis(random.below(10)));
        }
        match random.below(8) {
            0 => server.kill_and_restart(),
            1 => server.cut_connections(),
            // Somewhere in a transaction, or before the answer of its commit.
            2..=4 => {
                let way = if random.below(2) == 0 { Way::ToServer } else { Way::ToFeeder };
                if let Some(proxy) = &proxy {
                    proxy.cut_after(way, random.below(3_000) as i64);
                }
            }
            5 => {
                drop(feed);
                site = site.reopen();
                feed = start(&site);
            }
            _ => lock_for_a_moment(&address, &mut random),
        }
        if fault % 5 == 4 {
            catch_up(&site, &address);
        }
    }
    catch_up(&site, &address);
    drop(feed);
    assert_equal(&*site.store, &address);
}

/// Another program holds locks on the tables.
fn lock_for_a_moment(address: &sqlclient::Address, random: &mut Random) {
    let Ok(mut connection) = address.connect() else { return };
    // A feeder that is in the way, or a server that is starting, makes this fail.
    let locked = connection.begin().and_then(|()| {
        connection.execute("UPDATE gyre_feed SET feeder = feeder WHERE id = 1", &[])
    });
    thread::sleep(Duration::from_millis(random.below(200)));
    if locked.is_ok() {
        let _ = connection.rollback();
    }
}

/// Waits until no difference is left, while nothing is updated.
fn catch_up(site: &Site, address: &sqlclient::Address) {
    let began = Instant::now();
    loop {
        let found = verify(&Origin::new(site.store()), address, &mut |_, _| true);
        match found {
            Ok(found) if found.differences_count == 0 && found.rows_behind == 0 => {
                assert!(found.databases > 0 && found.rows > 0, "{found:?}");
                return;
            }
            found if began.elapsed() > PATIENCE => panic!("still behind: {found:?}"),
            _ => thread::sleep(Duration::from_millis(100)),
        }
    }
}

#[test]
fn sqlite_survives() {
    survives(&mut Server::sqlite(), 1);
}

#[test]
fn mariadb_survives() {
    let Some(mut server) = Server::mariadb() else { return };
    survives(&mut server, 2);
}

#[test]
fn postgresql_survives() {
    let Some(mut server) = Server::postgres() else { return };
    survives(&mut server, 3);
}
