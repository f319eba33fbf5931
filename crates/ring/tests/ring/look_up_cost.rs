//! What it costs to look one database up, or to update it, does not grow with the others.

use std::path::Path;

use disk::AnyMedium;
use journal::JournalOptions;
use ring::{Engine, LoneUpdates, LookUp, Pace, RingOptions};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Reading, Sample, Timestamp};
use store::{NewDatabase, Update};

use crate::counting::{Counting, Read};

const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;
const CYCLES: i64 = 30;
const SEGMENT_BYTES: u64 = 128 << 10;
/// Members of one group of a layout that has many groups.
const DATABASES: usize = 200;
/// The one that is looked up.
const NAME: &str = "layout-0/7";

fn options() -> RingOptions {
    let journal = JournalOptions {
        segment_bytes: SEGMENT_BYTES as usize,
        read_ahead: false,
        ..RingOptions::default().journal
    };
    let pace = Pace { flush_cycles: 4, tile_rows_max: 4 };
    let log_bytes_max = Some(4 * SEGMENT_BYTES);
    RingOptions { pace, journal, log_bytes_max, replay_threads: 0, ..RingOptions::default() }
}

/// Each number is another layout, and so another group.
fn definition(layout: usize) -> Definition {
    let archives = [format!("RRA:AVERAGE:0.5:1:{}", 20 + layout), "RRA:MAX:0.5:3:10".into()];
    let specs = ["DS:x:GAUGE:100:U:U", &archives[0], &archives[1]];
    rrd::spec::definition(STEP_SECONDS as u64, specs).unwrap()
}

/// How a store of so many groups ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    InOrder,
    /// Killed after a checkpoint of all; since then the group that is looked up was updated.
    Killed,
    /// Killed when all other groups were updated for so long that the log was freed several times.
    Quiet,
}

/// What a fetch reads of a store of so many groups.
fn cost_among(groups: usize, end: End, counted: fn(&str) -> bool) -> Read {
    let (medium, engine) = lived(groups, end, counted);
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf: ConsolidationFunction::Average,
        start_seconds: START_SECONDS,
        end_seconds: START_SECONDS + CYCLES * STEP_SECONDS,
        step_seconds: STEP_SECONDS as u64,
    };
    let wanted = engine.fetch(NAME, &query).unwrap();
    let killed = (end != End::InOrder).then_some(engine); // nothing of it is closed
    let before = medium.read();
    let look_up = LookUp::over(medium.clone(), options());
    let found = look_up.fetch(NAME, &query).unwrap();
    let after = medium.read();
    assert_eq!(format!("{found:?}"), format!("{wanted:?}"));
    assert!(!look_up.is_whole());
    drop(killed);
    after.since(before)
}

/// What updates read, each in a call of its own, of a store of so many groups: the first, and the
/// last of a few.
fn cost_of_updates_among(groups: usize, end: End, counted: fn(&str) -> bool) -> [Read; 2] {
    let (medium, engine) = lived(groups, end, counted);
    let killed = (end != End::InOrder).then_some(engine); // nothing of it is closed
    let cost_of = |cycle: i64| {
        let before = medium.read();
        let time = Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS);
        let samples = [Sample { time, readings: &["5"].map(Reading::of) }];
        let lone = LoneUpdates::over(medium.clone(), options());
        lone.update(&Update::of(NAME, &samples), None).unwrap();
        medium.read().since(before)
    };
    let costs: Vec<Read> = (5 * CYCLES..5 * CYCLES + 10).map(cost_of).collect();
    drop(killed);
    [costs[0], costs[9]]
}

/// A store of so many groups, which all were updated, and that ended somehow.
fn lived(groups: usize, end: End, counted: fn(&str) -> bool) -> (Counting, Engine<AnyMedium>) {
    let medium = Counting::of(counted);
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    for layout in 0..groups {
        let definition = definition(layout);
        let start = Timestamp::from_seconds(START_SECONDS);
        let names: Vec<String> =
            (0..DATABASES).map(|nth| format!("layout-{layout}/{nth}")).collect();
        let made = |name| NewDatabase { name: Path::new(name), definition: &definition, start };
        let new = names.iter().map(made);
        assert!(engine.create_all(&new.collect::<Vec<_>>()).is_empty());
        (1..CYCLES).for_each(|cycle| update(&engine, layout, cycle));
        engine.work().unwrap();
    }
    match end {
        End::InOrder => engine.end().unwrap(),
        End::Killed => {
            engine.checkpoint().unwrap();
            update(&engine, 0, CYCLES);
        }
        End::Quiet => {
            engine.checkpoint().unwrap();
            for cycle in CYCLES..4 * CYCLES {
                (1..groups).for_each(|layout| update(&engine, layout, cycle));
                engine.work().unwrap();
            }
        }
    }
    (medium, engine)
}

fn update(engine: &Engine<AnyMedium>, layout: usize, cycle: i64) {
    let time = Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS);
    let samples = [Sample { time, readings: &["5"].map(Reading::of) }];
    let names: Vec<String> = (0..DATABASES).map(|nth| format!("layout-{layout}/{nth}")).collect();
    let batch: Vec<Update<'_>> = names.iter().map(|name| Update::of(name, &samples)).collect();
    assert!(engine.update(&batch).is_empty());
}

fn of_groups(name: &str) -> bool {
    !name.starts_with("journal")
}

fn of_the_log(name: &str) -> bool {
    !of_groups(name)
}

#[test]
fn a_look_at_one_database_reads_its_group_alone() {
    for end in [End::InOrder, End::Killed] {
        let (few, many) = (cost_among(3, end, of_groups), cost_among(30, end, of_groups));
        assert_eq!(many.opened, few.opened, "{end:?}");
        // The catalogue is a tree.
        assert!(many.bytes <= few.bytes + (20 << 12), "{end:?}: {few:?}, {many:?}");
        let log = cost_among(30, end, of_the_log);
        // Of a segment that is not needed no more than where it begins; of those that are, all, and
        // their first bytes once more.
        assert!(log.opened > 5, "{end:?}: {log:?}");
        assert!(log.bytes <= log.opened * 4200 + 4 * SEGMENT_BYTES, "{end:?}: {log:?}");
    }
}

#[test]
fn an_update_of_one_database_reads_its_group_alone() {
    for end in [End::InOrder, End::Killed] {
        let (few, many) =
            (cost_of_updates_among(3, end, of_groups), cost_of_updates_among(30, end, of_groups));
        for (few, many) in few.iter().zip(&many) {
            assert_eq!(many.opened, few.opened, "{end:?}");
            // The catalogue is a tree.
            assert!(many.bytes <= few.bytes + (20 << 12), "{end:?}: {few:?}, {many:?}");
        }
        for log in cost_of_updates_among(30, end, of_the_log) {
            assert!(log.opened > 5, "{end:?}: {log:?}");
            assert!(log.bytes <= log.opened * 4200 + 4 * SEGMENT_BYTES, "{end:?}: {log:?}");
        }
    }
}

#[test]
fn where_the_log_of_a_quiet_group_is_gone_the_others_tell_how_far() {
    let groups = 12;
    let cost = cost_among(groups, End::Quiet, of_groups);
    let alone = cost_among(groups, End::Killed, of_groups);
    // Two checkpoints of each group, of which the headers are read.
    assert!(cost.opened >= alone.opened + 2 * (groups as u64 - 1), "{cost:?}, {alone:?}");
    assert!(cost.bytes <= 2 * alone.bytes + (groups as u64) * 8192, "{cost:?}, {alone:?}");
}
