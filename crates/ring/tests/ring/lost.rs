//! Databases of a group that cannot be opened: the error names the group, and a whole database can
//! be put in place of one that is lost.

use disk::{AnyMedium, FaultPlan, FaultyMedium, Medium as _, MediumFile as _, Restart};
use journal::JournalOptions;
use ring::catalogue::{Catalogue, Changes, DefinitionId, GroupEntry, GroupId, Loaded};
use ring::{Engine, RingOptions, salvage};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Reading, Sample, Snapshot, Timestamp};
use store::SourceTuning;
use store::{Error, Update};

const START_SECONDS: i64 = 1_600_000_000;

fn options() -> RingOptions {
    let journal = JournalOptions {
        segment_bytes: 64 << 10,
        block_bytes: 512,
        segments: 2,
        ..RingOptions::default().journal
    };
    RingOptions { journal, replay_threads: 0, ..RingOptions::default() }
}

fn definition() -> Definition {
    let words = ["DS:x:GAUGE:1000:U:U", "RRA:AVERAGE:0.5:1:30"];
    rrd::spec::definition(10, words).unwrap()
}

fn update(engine: &Engine<AnyMedium>, name: &str, cycle: i64) -> Result<(), Error> {
    let text = cycle.to_string();
    let time = Timestamp::from_seconds(START_SECONDS + cycle * 10);
    let samples = [Sample { time, readings: &[text.as_str()].map(Reading::of) }];
    engine.update(&[Update::of(name, &samples)]).pop().map_or(Ok(()), |(_, it)| Err(it.error))
}

/// A store of three databases in one group, and copies of the databases.
fn sound() -> (FaultyMedium, Vec<(String, Snapshot)>) {
    let medium = FaultyMedium::new(FaultPlan::default());
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    let names = ["a", "b", "c"];
    for name in names {
        engine.create(name, &definition(), Timestamp::from_seconds(START_SECONDS)).unwrap();
    }
    for cycle in 1..50 {
        names.iter().for_each(|name| update(&engine, name, cycle).unwrap());
        engine.work().unwrap();
    }
    engine.checkpoint().unwrap();
    let copies = names.map(|name| (name.to_owned(), engine.snapshot(name).unwrap())).to_vec();
    drop(engine);
    (medium, copies)
}

/// The same, but the group has lost both of its checkpoints.
fn lost() -> (FaultyMedium, Vec<(String, Snapshot)>) {
    let (medium, copies) = sound();
    for place in ["000000.a", "000000.b"] {
        medium.rot(place, 20, 3);
    }
    (medium, copies)
}

/// Changes what the catalogue says of a group.
type Spoil = fn(&mut Changes, GroupEntry);

/// The ways in which the catalogue can say nothing useful of a group, and what is told of each.
const UNREADABLE: [(Spoil, &str); 5] = [
    (
        |changes, entry| changes.put_group(GroupId(0), GroupEntry { capacity: 0, ..entry }),
        "its capacity or layout is that of no group",
    ),
    (
        |changes, entry| changes.put_group(GroupId(0), GroupEntry { capacity: 9999, ..entry }),
        "its capacity or layout is that of no group",
    ),
    (
        |changes, entry| {
            let endless = rrd::spec::definition(10, ["DS:x:GAUGE:9:U:U", "RRA:LAST:0.5:1:9"]);
            let mut endless = endless.unwrap();
            endless.archives[0].rows = u64::MAX;
            changes.put_definition(DefinitionId(1), &endless);
            changes.put_group(GroupId(0), GroupEntry { layout: DefinitionId(1), ..entry });
        },
        "its capacity or layout is that of no group",
    ),
    (
        |changes, entry| {
            changes.put_group(GroupId(0), GroupEntry { layout: DefinitionId(7), ..entry });
        },
        "its layout is a definition that does not exist",
    ),
    (|changes, _| changes.remove_group(GroupId(0)), "the catalogue has no group of that number"),
];

/// The same, but what the catalogue says of the group cannot be used.
fn unreadable(spoil: Spoil) -> (FaultyMedium, Vec<(String, Snapshot)>) {
    let (medium, copies) = sound();
    let catalogue = Catalogue::open(&medium).unwrap();
    let mut entry = None;
    catalogue
        .load(|loaded| {
            if let Loaded::Group(_, group) = loaded {
                entry = Some(group);
            }
        })
        .unwrap();
    let mut changes = Changes::new();
    spoil(&mut changes, entry.unwrap());
    catalogue.commit(&changes, catalogue.applied().unwrap()).unwrap();
    catalogue.close().unwrap();
    (medium, copies)
}

fn open(medium: &FaultyMedium) -> Engine<AnyMedium> {
    Engine::open_store(AnyMedium::of(medium.clone()), options()).unwrap()
}

fn assert_names_the_group<T: std::fmt::Debug>(done: Result<T, Error>, name: &str) {
    let error = done.unwrap_err();
    assert!(matches!(error, Error::LostGroup { group: 0, .. }), "{error:?}");
    let text = error.to_string();
    let start = format!("{name}: its group 000000 cannot be opened: 000000.");
    assert!(text.starts_with(&start) && text.contains("expected the checksum"), "{text}");
}

#[test]
fn a_database_of_a_lost_group_names_it() {
    let (medium, _) = lost();
    let engine = open(&medium);
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf: ConsolidationFunction::Average,
        start_seconds: START_SECONDS,
        end_seconds: START_SECONDS + 100,
        step_seconds: 10,
    };
    assert_names_the_group(engine.fetch("a", &query), "a");
    assert_names_the_group(engine.snapshot("b"), "b");
    assert_names_the_group(engine.describe("c"), "c");
    assert_names_the_group(update(&engine, "a", 60), "a");
    assert_names_the_group(engine.rename("a", "d"), "a");
    let (minimum, maximum) = (0.0, 1.0);
    let tuning = SourceTuning { source: 0, heartbeat_seconds: 20, minimum, maximum };
    assert_names_the_group(engine.tune("a", &tuning), "a");
    assert_names_the_group(engine.reshape("a", &definition()), "a");
    assert_names_the_group(engine.departures().of(&["a".into()]).map(drop), "a");
    // An export of all says of each what became of it.
    let mut told = Vec::new();
    for party in engine.departures().all() {
        engine.departures().leave(&party, |name, left| told.push((name.to_owned(), left))).unwrap();
    }
    told.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(told.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    told.into_iter().for_each(|(name, left)| assert_names_the_group(left, &name));
}

#[test]
fn a_whole_database_is_put_in_place_of_a_lost_one() {
    for killed in [false, true] {
        let (mut medium, copies) = lost();
        let engine = open(&medium);
        for (name, copy) in &copies[..2] {
            assert!(engine.has(name));
            engine.restore(name, copy).unwrap();
        }
        // As the verb create does with a database that is there.
        engine.delete("c").unwrap();
        assert!(!engine.has("c"));
        engine.create("c", &definition(), Timestamp::from_seconds(START_SECONDS)).unwrap();
        if !killed {
            engine.checkpoint().unwrap();
        }
        drop(engine);
        medium = medium.restart(Restart::PowerCut, FaultPlan::default());
        let engine = open(&medium);
        assert_eq!(engine.names().unwrap(), ["a", "b", "c"]);
        for (name, copy) in &copies[..2] {
            crate::model::assert_same(name, &engine.snapshot(name).unwrap(), copy);
            update(&engine, name, 70).unwrap();
        }
        assert!(engine.snapshot("c").unwrap().rows[0].iter().all(|value| value.is_nan()));
        update(&engine, "c", 70).unwrap();
        // Nobody misses the group any more.
        assert!(engine.damaged_groups().is_empty(), "{:?}", engine.damaged_groups());
        assert_eq!(engine.verify(|_, _| ()).unwrap().damage, []);
        assert!(!medium.list().unwrap().iter().any(|name| name.starts_with("000000.")));
        drop(engine);
        assert_eq!(open(&medium).names().unwrap(), ["a", "b", "c"]);
    }
}

/// Damage behind the header of a checkpoint is found when the group is needed.
#[test]
fn a_lost_group_that_nobody_is_left_in_is_not_told_again() {
    let (medium, copies) = sound();
    for place in ["000000.a", "000000.b"] {
        medium.rot(place, 100, 3);
    }
    let engine = open(&medium);
    assert!(engine.snapshot("a").is_err());
    assert_eq!(engine.damaged_groups().len(), 1);
    for (name, copy) in &copies {
        engine.restore(name, copy).unwrap();
    }
    engine.checkpoint().unwrap();
    drop(engine);
    let engine = open(&medium);
    assert_eq!(engine.verify(|_, _| ()).unwrap().damage, []); // it looks at each group
    assert!(engine.damaged_groups().is_empty(), "{:?}", engine.damaged_groups());
    for (name, copy) in &copies {
        crate::model::assert_same(name, &engine.snapshot(name).unwrap(), copy);
    }
}

/// A power cut at any call leaves the old name or the new database.
#[test]
fn a_replacement_that_is_cut_short_is_whole_or_has_not_happened() {
    let mut done = false;
    for call in 0..2000 {
        let (medium, copies) = lost();
        let at = std::collections::BTreeMap::from([(call, disk::Fault::Crash)]);
        let plan = FaultPlan { seed: call, at, ..FaultPlan::default() };
        let medium = medium.restart(Restart::Process, plan);
        if let Ok(engine) = Engine::open_store(AnyMedium::of(medium.clone()), options()) {
            let deleted = engine.delete("c");
            done = deleted.and_then(|()| engine.restore("a", &copies[0].1)).is_ok();
        }
        let medium = medium.restart(Restart::PowerCut, FaultPlan::default());
        let engine = open(&medium);
        match engine.snapshot("a") {
            Ok(found) => crate::model::assert_same("a", &found, &copies[0].1),
            Err(error) => assert!(!done && matches!(error, Error::LostGroup { .. }), "{error}"),
        }
        assert_names_the_group(engine.snapshot("b"), "b");
        assert!(!done || !engine.has("c"));
        if done {
            break;
        }
    }
    assert!(done);
}

/// A copy that was made while the store was written may have files of a group that its catalogue
/// does not know, and whose checkpoint alone says how far the log was freed.
#[test]
fn the_opening_that_removes_an_unknown_group_can_be_cut_short_anywhere() {
    let medium = FaultyMedium::new(FaultPlan::default());
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    let start = Timestamp::from_seconds(START_SECONDS);
    let other = rrd::spec::definition(10, ["DS:x:GAUGE:1000:U:U", "RRA:AVERAGE:0.5:1:40"]);
    engine.create("idle", &definition(), start).unwrap();
    engine.create("busy", &other.unwrap(), start).unwrap();
    update(&engine, "idle", 1).unwrap();
    engine.checkpoint().unwrap();
    engine.checkpoint().unwrap();
    let idle = engine.snapshot("idle").unwrap();
    for cycle in 1..1500 {
        update(&engine, "busy", cycle).unwrap();
        engine.work().unwrap();
    }
    drop(engine);
    let medium = medium.restart(Restart::Process, FaultPlan::default());
    let catalogue = Catalogue::open(&medium).unwrap();
    let mut busy = Vec::new();
    let look = |loaded: Loaded<'_>| match loaded {
        Loaded::Rrd(rrd, view) if view.name == "busy" => busy.push((rrd, view.generation)),
        _ => {}
    };
    catalogue.load(look).unwrap();
    let mut changes = Changes::new();
    busy.into_iter().for_each(|(rrd, generation)| changes.remove_rrd(rrd, generation));
    changes.remove_group(GroupId(1));
    catalogue.commit(&changes, catalogue.applied().unwrap()).unwrap();
    catalogue.close().unwrap();
    let (mut calls, mut removed) = (0, 0);
    for (call, how) in (0..).flat_map(|call| [(call, Restart::Process), (call, Restart::PowerCut)])
    {
        let at = std::collections::BTreeMap::from([(call, disk::Fault::Crash)]);
        let plan = FaultPlan { seed: call, at, ..FaultPlan::default() };
        let cut = medium.restart(Restart::Process, plan);
        let _ = Engine::open_store(AnyMedium::of(cut.clone()), options());
        if !cut.has_crashed() {
            break;
        }
        calls = call;
        let left = cut.restart(how, FaultPlan::default());
        let is_checkpoint = |name: &String| name.starts_with("000001.") && !name.contains("tiles");
        removed += u32::from(!left.list().unwrap().iter().any(is_checkpoint));
        let engine = open(&left);
        assert_eq!(engine.names().unwrap(), ["idle"], "{call}");
        crate::model::assert_same("idle", &engine.snapshot("idle").unwrap(), &idle);
        assert!(!left.list().unwrap().iter().any(|name| name.starts_with("000001.")), "{call}");
        drop(engine);
        open(&left);
    }
    assert!(calls > 10 && removed > 0, "{calls}, {removed}");
}

/// A group that was busy while all others were idle is the only one that knows where the log
/// starts. Without its checkpoints the log seems to lack what was freed long ago.
#[test]
fn the_group_that_alone_knew_where_the_log_starts_is_given_up() {
    let medium = FaultyMedium::new(FaultPlan::default());
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    let start = Timestamp::from_seconds(START_SECONDS);
    let other = rrd::spec::definition(10, ["DS:x:GAUGE:1000:U:U", "RRA:AVERAGE:0.5:1:40"]);
    engine.create("idle", &definition(), start).unwrap();
    engine.create("busy", &other.unwrap(), start).unwrap();
    update(&engine, "idle", 1).unwrap();
    engine.checkpoint().unwrap();
    engine.checkpoint().unwrap();
    let idle = engine.snapshot("idle").unwrap();
    for cycle in 1..1500 {
        update(&engine, "busy", cycle).unwrap();
        engine.work().unwrap();
    }
    drop(engine);
    let medium = medium.restart(Restart::Process, FaultPlan::default());
    for place in ["000001.a", "000001.b"] {
        medium.open(place).unwrap().write_at(&[0xa5; 8], 20).unwrap();
    }
    let refused =
        Engine::open_store(AnyMedium::of(medium.clone()), options()).map(drop).unwrap_err();
    assert!(refused.to_string().contains("journal-"), "{refused}");
    let done = salvage(&AnyMedium::of(medium.clone()), options()).unwrap();
    assert_eq!(done.remaining, []);
    let lost: Vec<&String> = done.given_up.iter().flat_map(|each| &each.databases).collect();
    assert_eq!(lost, ["busy"], "{done:?}");
    // What is missing of the log was freed, which nobody can tell any more.
    let [log, _] = &done.given_up[..] else { panic!("{done:?}") };
    assert!(log.damage.file.starts_with("journal-"), "{done:?}");
    assert!(log.damage.what.contains("or none: a group without a checkpoint"), "{done:?}");
    let engine = open(&medium);
    assert_eq!(engine.names().unwrap(), ["idle"]);
    crate::model::assert_same("idle", &engine.snapshot("idle").unwrap(), &idle);
}

#[test]
fn a_group_of_which_the_catalogue_says_nothing_useful_is_lost() {
    for (spoil, why) in UNREADABLE {
        let (medium, copies) = unreadable(spoil);
        let engine = open(&medium);
        assert_eq!(engine.names().unwrap(), ["a", "b", "c"], "{why}");
        let told = engine.damaged_groups();
        assert!(
            matches!(&told[..], [one] if one.group == 0 && one.what == why),
            "{told:?}, not {why}"
        );
        let damage = engine.verify(|_, _| ()).unwrap().damage;
        assert!(damage.iter().any(|each| each.file == "group 000000" && each.what == why));
        let mut left = Vec::new();
        for party in engine.departures().all() {
            engine
                .departures()
                .leave(&party, |name, how| left.push((name.to_owned(), how.err())))
                .unwrap();
        }
        left.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(left.len(), 3, "{why}");
        for (name, error) in left {
            assert_is_lost(error, &name, why);
        }
        for name in ["a", "b", "c"] {
            assert!(engine.has(name));
            assert_is_lost(engine.snapshot(name).err(), name, why);
            assert_is_lost(engine.describe(name).err(), name, why);
            assert_is_lost(update(&engine, name, 60).err(), name, why);
            assert_is_lost(engine.rename(name, "d").err(), name, why);
        }
        // What comes now leaves the number to the group that is lost, and its files.
        engine.create("d", &definition(), Timestamp::from_seconds(START_SECONDS)).unwrap();
        update(&engine, "d", 60).unwrap();
        assert!(medium.list().unwrap().contains(&"000000.tiles".to_owned()));
        engine.restore("a", &copies[0].1).unwrap();
        engine.delete("c").unwrap();
        engine.create("c", &definition(), Timestamp::from_seconds(START_SECONDS)).unwrap();
        drop(engine);

        let medium = medium.restart(Restart::PowerCut, FaultPlan::default());
        let engine = open(&medium);
        assert_eq!(engine.names().unwrap(), ["a", "b", "c", "d"]);
        crate::model::assert_same("a", &engine.snapshot("a").unwrap(), &copies[0].1);
        assert_is_lost(engine.snapshot("b").err(), "b", why);
        ["a", "c", "d"].into_iter().for_each(|name| update(&engine, name, 70).unwrap());
        engine.delete("b").unwrap();
        drop(engine);

        // Nobody misses the group any more.
        let engine = open(&medium);
        assert_eq!(engine.names().unwrap(), ["a", "c", "d"]);
        assert!(engine.damaged_groups().is_empty(), "{:?}", engine.damaged_groups());
        assert_eq!(engine.verify(|_, _| ()).unwrap().damage, []);
        assert!(!medium.list().unwrap().iter().any(|name| name.starts_with("000000.")));
    }
}

fn assert_is_lost(error: Option<Error>, name: &str, why: &str) {
    let text = error.as_ref().map(ToString::to_string).unwrap_or_default();
    assert_eq!(text, format!("{name}: its group 000000 cannot be opened: {why}"));
    assert!(matches!(error, Some(Error::LostGroup { group: 0, .. })));
}
