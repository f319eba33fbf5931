//! Readers and writers of databases that the store itself puts elsewhere meanwhile.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ring::RingStore;
use ring::{Pace, RingOptions};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Reading, Sample, Timestamp};
use store::Update;

use crate::model::{Model, Op, assert_same};

const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;
const DATABASES: usize = 24;
const ROUNDS: i64 = 25;

fn definition() -> Definition {
    let words = ["DS:x:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:30"];
    rrd::spec::definition(STEP_SECONDS as u64, words).unwrap()
}

fn name(nth: usize) -> String {
    format!("site/{nth}")
}

/// Tells others of the end, be it a panic.
struct EndOf<'a>(&'a AtomicBool);

impl Drop for EndOf<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn nobody_notices_that_databases_are_moved() {
    let directory = tempfile::tempdir().unwrap();
    let pace = Pace { flush_cycles: 4, tile_rows_max: 2 };
    let options = RingOptions { pace, regroup_from: 2, ..RingOptions::default() };
    let store = RingStore::create(directory.path(), options).unwrap();
    let mut model = Model::default();
    for nth in 0..DATABASES {
        let start = Timestamp::from_seconds(START_SECONDS);
        let op = Op::Create { name: name(nth), definition: definition(), start };
        model.apply(&op).unwrap();
        store.engine().restore(&name(nth), &model.databases[&name(nth)]).unwrap();
    }
    let (done, steps) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let read = || {
            let query = Query {
                tick: rrd::Tick::SECOND,
                cf: ConsolidationFunction::Average,
                start_seconds: START_SECONDS,
                end_seconds: START_SECONDS + 1000,
                step_seconds: 1,
            };
            for nth in (0..DATABASES).cycle() {
                store.engine().fetch(&name(nth), &query).unwrap();
                store.engine().describe(&name(nth)).unwrap();
                store.engine().snapshot(&name(nth)).unwrap();
                if done.load(Ordering::Acquire) {
                    return;
                }
            }
        };
        scope.spawn(read);
        let leave = || {
            let mut seen_steps = 0;
            while !done.load(Ordering::Acquire) {
                if steps.load(Ordering::Acquire) == seen_steps {
                    std::thread::yield_now(); // whoever leaves keeps all others where they are
                    continue;
                }
                seen_steps = steps.load(Ordering::Acquire);
                let mut names = BTreeSet::new();
                for party in store.engine().departures().all() {
                    let mut take = |name: &str| names.insert(name.to_owned());
                    let leave =
                        store.engine().departures().leave(&party, |name, _| assert!(take(name)));
                    leave.unwrap();
                }
                assert!(
                    (1..DATABASES).step_by(2).all(|nth| names.contains(&name(nth))),
                    "{names:?}"
                );
            }
        };
        scope.spawn(leave);
        // The store's own thread does the same; here it is done without a pause.
        let move_on = || {
            while !done.load(Ordering::Acquire) {
                let moved = store.engine().upkeep().regroup_once().unwrap();
                steps.fetch_add(u64::from(moved), Ordering::AcqRel);
            }
        };
        scope.spawn(move_on);
        let _end = EndOf(&done);
        for cycle in 1..ROUNDS {
            for nth in 0..DATABASES {
                if nth % 2 == 0 && (nth as i64 + cycle) % 5 == 0 {
                    // Out of the group that it was put into, to be put together with others again.
                    let name = name(nth);
                    store.engine().remake(&name, |old| Ok::<_, store::Error>(old.clone())).unwrap();
                }
                let time = Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS);
                let (name, text) = (name(nth), (cycle * 31 + nth as i64).to_string());
                let samples = [Sample { time, readings: &[text.as_str()].map(Reading::of) }];
                let refused = store.engine().update(&[Update::of(&name, &samples)]);
                assert!(refused.is_empty(), "{refused:?}");
                model.apply(&Op::Update { name, time, readings: vec![text] }).unwrap();
            }
        }
    });
    assert!(steps.into_inner() > 0, "some were moved");
    let check = |store: &RingStore| {
        for (name, expected) in &model.databases {
            assert_same(name, &store.engine().snapshot(name).unwrap(), expected);
        }
    };
    check(&store);
    while store.engine().upkeep().regroup_once().unwrap() {}
    check(&store);
    store.close().unwrap();
    let store = RingStore::open(directory.path(), options).unwrap();
    check(&store);
    assert_eq!(store.engine().verify(|_, _| ()).unwrap().damage, []);
}

/// A store that is left alone does it by itself.
#[test]
fn the_thread_of_a_store_puts_groups_together() {
    let directory = tempfile::tempdir().unwrap();
    let store = RingStore::create(directory.path(), RingOptions::default()).unwrap();
    let mut model = Model::default();
    for nth in 0..200 {
        let start = Timestamp::from_seconds(START_SECONDS);
        let op = Op::Create { name: name(nth), definition: definition(), start };
        model.apply(&op).unwrap();
        store.engine().restore(&name(nth), &model.databases[&name(nth)]).unwrap();
    }
    while store.report().groups.len() > 21 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    for (name, expected) in &model.databases {
        assert_same(name, &store.engine().snapshot(name).unwrap(), expected);
    }
}
