//! When memory that was freed is given back to the kernel.

use disk::MemoryMedium;
use ring::{Engine, RingOptions};
use rrd::{Definition, Timestamp};
use store::Update;

const STEP_SECONDS: i64 = 300;
const START_SECONDS: i64 = 1_600_000_200;
/// They fill five groups of 14.
const DATABASES: usize = 70;

fn definition() -> Definition {
    let specs = ["DS:ds0:COUNTER:600:0:U", "RRA:AVERAGE:0.5:1:600"];
    rrd::spec::definition(STEP_SECONDS as u64, specs).unwrap()
}

fn names() -> Vec<String> {
    (0..DATABASES).map(|nth| format!("port{nth}")).collect()
}

/// Updates all, flushes what is due, and tells whether there are gaps then.
fn gaps_after(engine: &Engine<MemoryMedium>, cycle: i64) -> bool {
    let value = format!("{}:{}", START_SECONDS + cycle * STEP_SECONDS, cycle * 7777);
    let (names, values) = (names(), [value.as_str()]);
    let batch: Vec<_> = names.iter().map(|name| Update::numbered(name, &values)).collect();
    assert!(engine.update(&batch).is_empty());
    engine.work().unwrap();
    engine.upkeep().take_gaps()
}

#[test]
fn gaps_are_told_after_the_opening_and_with_the_flushes_of_each_round() {
    let medium = MemoryMedium::default();
    let engine = Engine::create_store(medium.clone(), RingOptions::default()).unwrap();
    for name in &names() {
        engine.create(name, &definition(), Timestamp::from_seconds(START_SECONDS)).unwrap();
    }
    for cycle in 1..30 {
        gaps_after(&engine, cycle);
    }
    drop(engine);
    let engine = Engine::open_store(medium, RingOptions::default()).unwrap();
    assert!(engine.upkeep().take_gaps(), "replaying has left some");
    assert!(!engine.upkeep().take_gaps(), "they are told once");
    // Each of the five groups is flushed at a cycle of its own, for the first time in the first
    // round.
    let told = |first: i64| (first..first + 18).filter(|it| gaps_after(&engine, *it)).count();
    assert_eq!(told(30), 5, "what the log brought back of a group is gone");
    let rounds = [told(48), told(66)];
    assert_eq!(rounds, [2, 3], "a quarter of five groups is two, and 10 flushes are 5 times two");
}
