//! All calls in any order, on any databases.

use std::path::Path;

use disk::Random;

use crate::both::{Both, compare_reads};
use crate::chance::Chance;
use crate::told::told;
use crate::{NAMES, START_SECONDS};

#[test]
fn a_server_answers_as_its_store_does() {
    for seed in 0..30 {
        println!("seed {seed}");
        let both = Both::new();
        let mut chance = Chance { random: Random::new(seed), now_seconds: START_SECONDS };
        for _ in 0..120 {
            chance.step(&both);
        }
        for name in NAMES {
            compare_reads(&both, Path::new(name), &chance.query());
        }
        let verified = both.same(
            |store| store.inspect().unwrap().verify(&mut |_, _| {}).map(|found| found.damage),
            told,
        );
        assert_eq!(verified, "Ok([])");
        // The assignment of databases to groups depends on the pauses between calls.
        both.same(
            |store| store.inspect().unwrap().report(),
            |report| report.map(|it| format!("{} {:?}", it.databases, it.pace)).unwrap(),
        );
    }
}
