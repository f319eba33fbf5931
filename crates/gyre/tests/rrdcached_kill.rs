//! Kills `gyre rrdcached` repeatedly under load from several clients, with files and with a ring
//! store as its databases. No acknowledged change may be lost, in rows or in live state.
//!
//! The reference is Debian's rrdtool, which applies exactly the acknowledged changes to its own
//! files. An update without a reply may be applied or not; INFO tells which, and it must be applied
//! wholly or not at all. Clients also create files, tune, suspend, and forget pending updates. The
//! test makes `GYRE_CASES` kills, from the seed `GYRE_SEED`.
#![allow(clippy::disallowed_methods)] // processes, sockets and files

#[allow(dead_code)] // a part of it is for tests of the store alone
#[path = "../../files/tests/cache_kill/plan.rs"]
mod plan;

mod rrdcached_kill_cases {
    pub(crate) mod files;
    pub(crate) mod client;
    pub(crate) mod daemon;
    pub(crate) mod judge;
}

use std::time::Duration;

use disk::Random;
use rrdcached_kill_cases::client::{Known, clients};
use rrdcached_kill_cases::daemon::{Kept, Site};
use rrdcached_kill_cases::files::all_files;
use rrdcached_kill_cases::judge::Judge;

/// Kills between comparisons.
const COMPARED_EVERY: u64 = 8;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn lives(kept: Kept, sync: &str) {
    let Some(program) = oracle::program("rrdtool", "a killed daemon loses nothing") else { return };
    let (kills, first_seed) = (number("GYRE_CASES", 24), number("GYRE_SEED", 1));
    let directory = tempfile::tempdir().unwrap();
    let site = Site::make(directory.path(), kept, sync);
    let mut judge = Judge::new(&program, &site);
    let mut known = vec![Known::default(); all_files().len()];
    let mut samples = 0;
    for kill in 1..=kills {
        let seed = first_seed * 100_000 + kill;
        let mut random = Random::new(seed);
        let mut daemon = site.start();
        // One kill in four comes while the daemon starts, the others under load.
        if random.below(4) == 0 {
            std::thread::sleep(Duration::from_micros(random.below(20_000)));
            daemon.kill();
            continue;
        }
        daemon.wait();
        let patience = Duration::from_micros(random.below(60_000));
        samples += clients(&site, &mut known, seed, || {
            std::thread::sleep(patience);
            daemon.kill();
        });
        if kill % COMPARED_EVERY == 0 || kill == kills {
            compare(&site, &mut judge, &mut known, seed);
        }
    }
    compare(&site, &mut judge, &mut known, first_seed);
    eprintln!("{kept:?}, --sync {sync}: {kills} kills, {samples} samples acknowledged, none lost");
    assert!(samples > kills, "there was load: {samples}");
}

fn compare(site: &Site, judge: &mut Judge, known: &mut [Known], seed: u64) {
    let mut daemon = site.start();
    daemon.wait();
    let mut client = site.connect().expect("it listens");
    for file in all_files() {
        let found = client.look(file).expect("it answers");
        known[file].found(file, found, seed);
        if !known[file].exists {
            continue;
        }
        judge.follow(file, &known[file]);
        let dump = site.connect().and_then(|client| client.dump(file)).expect("it answers");
        judge.compare_dump(file, &dump, seed);
        client.flush(file);
    }
    assert_eq!(client.statistic("QueueLength"), Some(0), "seed {seed}");
    daemon.kill();
    site.check_room(seed);
    judge.compare(site, seed);
}

#[test]
fn files_with_every_update_on_disk() {
    lives(Kept::Files, "always");
}

#[test]
fn files_with_a_sync_a_second() {
    lives(Kept::Files, "1s");
}

#[test]
fn a_ring_store_with_every_update_on_disk() {
    lives(Kept::Ring, "always");
}

#[test]
fn a_ring_store_with_a_sync_a_second() {
    lives(Kept::Ring, "1s");
}
