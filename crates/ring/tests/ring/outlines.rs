//! A long log of which outlines spare most: what is opened by them is what the records say, and
//! damage that they do not see is told when a record is needed.

use disk::{AnyMedium, FaultPlan, FaultyMedium, Medium as _, MediumFile as _, Restart};
use journal::{JournalOptions, is_outline, is_segment};
use ring::{Engine, RingOptions};
use rrd::{Definition, Timestamp};
use store::{Error, Update};

const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 60;
const DATABASES: i64 = 40;

pub(crate) fn options() -> RingOptions {
    let journal = JournalOptions {
        segment_bytes: 8 << 10,
        first_segment_bytes: 8 << 10,
        block_bytes: 512,
        read_ahead: false,
        ..RingOptions::default().journal
    };
    RingOptions { journal, replay_threads: 0, ..RingOptions::default() }
}

fn definition(source: &str) -> Definition {
    let source = format!("DS:{source}:GAUGE:1000:U:U");
    rrd::spec::definition(STEP_SECONDS as u64, [source.as_str(), "RRA:AVERAGE:0.5:1:100"]).unwrap()
}

fn name(nth: i64) -> String {
    format!("router/{nth}")
}

/// A store of two layouts that was killed with some segments in use, each of which was outlined
/// when it was left.
pub(crate) fn killed() -> FaultyMedium {
    let medium = FaultyMedium::new(FaultPlan::default());
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    for nth in 0..DATABASES {
        let definition = definition(if nth % 2 == 0 { "x" } else { "y" });
        engine.create(&name(nth), &definition, Timestamp::from_seconds(START_SECONDS)).unwrap();
    }
    for cycle in 1..12 {
        for nth in 0..DATABASES {
            let time = START_SECONDS + cycle * STEP_SECONDS;
            let values = [format!("{time}:{}", cycle * 1000 + nth)];
            let values = values.each_ref().map(String::as_str);
            assert!(engine.update(&[Update::numbered(&name(nth), &values)]).is_empty());
        }
        while engine.upkeep().outline_log().unwrap() {}
    }
    engine.delete(&name(0)).unwrap();
    engine.rename(&name(1), "renamed").unwrap();
    medium.restart(Restart::Process, FaultPlan::default())
}

fn names_like(medium: &FaultyMedium, accept: fn(&str) -> bool) -> Vec<String> {
    medium.list().unwrap().into_iter().filter(|name| accept(name)).collect()
}

pub(crate) fn last_updates(engine: &Engine<AnyMedium>) -> Vec<(String, Timestamp)> {
    let names = engine.names().unwrap();
    let last_update = |name: &String| engine.describe(name).unwrap().1.last_update;
    names.iter().map(|name| (name.clone(), last_update(name))).collect()
}

#[test]
fn an_opening_by_outlines_shows_what_the_records_say() {
    let medium = killed();
    assert!(names_like(&medium, is_outline).len() > 3);
    let by_outlines = Engine::open_store(AnyMedium::of(medium.clone()), options()).unwrap();
    let watch = by_outlines.replaying();
    assert!(watch.now().groups_left > 1 && watch.now().groups_left == watch.now().groups);
    let found = last_updates(&by_outlines);
    assert_eq!(watch.now().groups_left, 0);
    drop(by_outlines);

    let medium = medium.restart(Restart::Process, FaultPlan::default());
    names_like(&medium, is_outline).iter().for_each(|name| medium.remove(name).unwrap());
    let by_records = Engine::open_store(AnyMedium::of(medium), options()).unwrap();
    assert_eq!(last_updates(&by_records), found);
    assert_eq!(found.len() as i64, DATABASES - 1);
    let last = Timestamp::from_seconds(START_SECONDS + 11 * STEP_SECONDS);
    assert!(found.iter().all(|(_, last_update)| *last_update == last), "{found:?}");
}

#[test]
fn a_read_waits_for_its_group_alone() {
    let engine = Engine::open_store(AnyMedium::of(killed()), options()).unwrap();
    let groups = engine.replaying().now().groups;
    engine.describe(&name(2)).unwrap();
    assert_eq!(engine.replaying().now().groups_left, groups - 1);
    let values = [format!("{}:1", START_SECONDS + 11 * STEP_SECONDS)];
    let values = values.each_ref().map(String::as_str);
    let refused = engine.update(&[Update::numbered(&name(DATABASES - 1), &values)]);
    assert_eq!(refused.len(), 1, "the log has a sample of this time");
    assert_eq!(engine.replaying().now().groups_left, groups - 2);
}

#[test]
fn an_outline_that_is_damaged_or_of_an_earlier_use_counts_for_nothing() {
    let medium = killed();
    let expected =
        last_updates(&Engine::open_store(AnyMedium::of(medium.clone()), options()).unwrap());
    for bit in 0..8 {
        let medium = medium.restart(Restart::Process, FaultPlan::default());
        for name in names_like(&medium, is_outline) {
            let file = medium.open(&name).unwrap();
            file.sync_data().unwrap();
            let bytes = file.len_bytes().unwrap();
            medium.rot(&name, bytes * bit / 8, bit as u32);
        }
        let engine = Engine::open_store(AnyMedium::of(medium), options()).unwrap();
        assert_eq!(last_updates(&engine), expected);
    }
}

#[test]
fn damage_that_an_outline_hides_stops_the_store_when_the_record_is_needed() {
    let mut told = 0;
    let before = killed();
    for name in names_like(&before, is_segment) {
        let medium = before.restart(Restart::Process, FaultPlan::default());
        if names_like(&medium, is_outline).iter().all(|outline| !outline.starts_with(&name)) {
            continue;
        }
        medium.rot(&name, 7 * 512 + 40, 3); // a record of the seventh frame
        let Ok(engine) = Engine::open_store(AnyMedium::of(medium), options()) else { continue };
        let Err(Error::Stopped(what)) = engine.replay() else { continue };
        assert!(what.contains(&name), "{what}");
        let values = [format!("{}:1", START_SECONDS + 99 * STEP_SECONDS)];
        let values = values.each_ref().map(String::as_str);
        assert_eq!(engine.update(&[Update::numbered("router/2", &values)]).len(), 1);
        told += 1;
    }
    assert!(told > 2, "{told}");
}
