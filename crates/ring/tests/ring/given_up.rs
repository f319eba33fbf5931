//! A large database that nobody waits for any more is given up, and leaves nothing.

use std::cell::Cell;
use std::path::Path;
use std::sync::mpsc::channel;

use disk::{AnyMedium, FaultPlan, FaultyMedium, Medium as _, Restart, Survival};
use ring::Engine;
use ring::catalogue::{Catalogue, Loaded};
use ring::{RingOptions, RingStore};
use rrd::{Definition, LiveState, Snapshot, Timestamp, UNKNOWN};
use store::{Error, Existing, Making, NewDatabase};

const START: Timestamp = Timestamp::from_seconds(1_700_000_000);
const GIVEN_UP: &str = "given up: the client has gone, or this process ends";

fn definition(rows: u64) -> Definition {
    let archive = format!("RRA:AVERAGE:0.5:1:{rows}");
    rrd::spec::definition(10, ["DS:x:GAUGE:60:U:U", &archive]).unwrap()
}

/// A group of these takes three steps of what a file system promises.
fn large() -> Definition {
    definition(20_000_000)
}

fn making<'a>(name: &'a str, definition: &'a Definition) -> Making<'a> {
    let new = NewDatabase { name: name.as_ref(), definition, start: START };
    Making { existing: Existing::Replace, ..Making::new(new) }
}

/// Says no when it is asked the nth time, counted from 1.
fn until(nth: u32) -> impl Fn() -> bool {
    let asked = Cell::new(0);
    move || {
        asked.set(asked.get() + 1);
        asked.get() < nth
    }
}

fn of_groups(root: &Path) -> Vec<String> {
    let files = std::fs::read_dir(root).unwrap().map(|file| file.unwrap().file_name());
    let names = files.map(|name| name.into_string().unwrap());
    names.filter(|name| name.starts_with(|first: char| first.is_ascii_digit())).collect()
}

#[test]
fn a_create_is_given_up_between_two_steps_and_leaves_nothing() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = RingStore::create(directory.path(), RingOptions::default()).unwrap();
    let large = large();
    for nth in 1..3 {
        let failures = store.engine().make_all_while(&[making("a", &large)], &until(nth));
        let words = failures[0].1.to_string();
        assert_eq!(words, format!("000000.tiles: reserving: {GIVEN_UP}"));
        assert!(
            of_groups(directory.path()).is_empty() && store.engine().names().unwrap().is_empty()
        );
    }
    // Nothing comes back from the log, and the number is free.
    drop(store);
    let store = RingStore::open(directory.path(), RingOptions::default()).unwrap();
    assert!(store.engine().names().unwrap().is_empty() && store.report().groups.is_empty());
    assert!(store.engine().make_all_while(&[making("a", &large)], &until(3)).is_empty());
    assert!(std::fs::metadata(directory.path().join("000000.tiles")).unwrap().len() > 2 << 30);
    store.close().unwrap();
}

#[test]
fn small_ones_that_came_with_it_are_made_as_far_as_there_is_room() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = RingStore::create(directory.path(), RingOptions::default()).unwrap();
    let (one, other) = (definition(10), definition(20));
    let new = [making("a", &one), making("b", &other), making("c", &one)];
    // The client has left already: its first line is done, and what needs nothing besides.
    let failures = store.engine().make_all_while(&new, &|| false);
    assert_eq!(failures.len(), 1);
    assert_eq!((failures[0].0, failures[0].1.to_string()), (1, format!("b: creating: {GIVEN_UP}")));
    assert_eq!(store.engine().names().unwrap(), ["a", "c"]);
    store.close().unwrap();
}

#[test]
fn nobody_waits_for_a_group_that_is_made_for_another_client_after_his_own_has_left() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = RingStore::create(directory.path(), RingOptions::default()).unwrap();
    let (large, engine) = (large(), store.engine());
    let ((says_begun, is_begun), (lets_go, may_go)) = (channel(), channel::<()>());
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            let goes_on = move || {
                says_begun.send(()).unwrap();
                may_go.recv().unwrap();
                false
            };
            engine.make_all_while(&[making("a", &large)], &goes_on)
        });
        is_begun.recv().unwrap();
        let waited = engine.make_all_while(&[making("b", &large)], &|| false);
        assert_eq!(waited[0].1.to_string(), format!("b: creating: {GIVEN_UP}"));
        lets_go.send(()).unwrap();
        assert_eq!(first.join().unwrap().len(), 1);
    });
    assert!(of_groups(directory.path()).is_empty());
    store.close().unwrap();
}

/// A database whose tiles are written in many steps, with a value in each of them.
fn whole() -> Snapshot {
    const ROWS: u64 = 4_200_000;
    let definition = definition(ROWS);
    let mut rows = vec![UNKNOWN; ROWS as usize];
    rows.iter_mut().step_by(100).for_each(|row| *row = 1.0);
    let live = LiveState::fresh(&definition, START);
    Snapshot { live, rows: vec![rows], definition }
}

/// How many definitions the catalogue has.
fn definitions(medium: &FaultyMedium) -> usize {
    let catalogue = Catalogue::open(medium).unwrap();
    let mut count = 0;
    let counted =
        catalogue.load(|loaded| count += usize::from(matches!(loaded, Loaded::Definition(..))));
    counted.unwrap();
    count
}

fn plan() -> FaultPlan {
    FaultPlan { survival: Survival::Nothing, ..FaultPlan::default() }
}

fn options() -> RingOptions {
    RingOptions { replay_threads: 0, ..RingOptions::default() }
}

/// A store with one small database, `a`.
fn with_a_small_one() -> (FaultyMedium, Engine<AnyMedium>) {
    let medium = FaultyMedium::new(plan());
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    engine.create("a", &definition(10), START).unwrap();
    (medium, engine)
}

fn assert_nothing_came(medium: &FaultyMedium, engine: &Engine<AnyMedium>) {
    let names = medium.list().unwrap();
    assert!(names.iter().all(|name| !name.starts_with("000001.")), "{names:?}");
    assert_eq!(engine.describe("a").unwrap().0.archives, definition(10).archives);
}

#[test]
fn a_whole_database_is_given_up_at_each_step_and_leaves_what_was_there() {
    let whole = whole();
    let (medium, engine) = with_a_small_one();
    let mut nth = 1;
    while let Err(error) = engine.restore_while("a", &whole, &until(nth)) {
        assert!(error.to_string().ends_with(GIVEN_UP), "{error}");
        assert_nothing_came(&medium, &engine);
        nth += if nth < 5 { 1 } else { 6 };
    }
    assert!(nth > 30, "asked {nth} times: not while tiles are written");
    assert_eq!(engine.describe("a").unwrap().0.archives, whole.definition.archives);
    engine.end().unwrap();
    assert_eq!(definitions(&medium.restart(Restart::Process, plan())), 2);
    // No definition is left of one that was given up.
    let (medium, engine) = with_a_small_one();
    assert!(engine.restore_while("a", &whole, &until(nth - 6)).is_err());
    engine.end().unwrap();
    assert_eq!(definitions(&medium.restart(Restart::Process, plan())), 1);
}

#[test]
fn a_process_that_is_killed_at_a_step_leaves_nothing_either() {
    let whole = whole();
    for nth in [1, 2, 3, 30] {
        let (medium, engine) = with_a_small_one();
        let left = Cell::new(None);
        let asked_for = until(nth);
        let goes_on = || {
            let is_wanted = asked_for();
            if !is_wanted {
                left.set(Some(medium.restart(Restart::Process, plan())));
            }
            is_wanted
        };
        assert!(engine.restore_while("a", &whole, &goes_on).is_err());
        let left = left.take().unwrap();
        assert!(left.list().unwrap().contains(&"000001.tiles".into()));
        assert_nothing_came(
            &left,
            &Engine::open_store(AnyMedium::of(left.clone()), options()).unwrap(),
        );
    }
}

#[test]
fn what_is_wrong_with_a_database_comes_before_who_waits_for_it() {
    let (_, engine) = with_a_small_one();
    let small = definition(10);
    let failures = engine.make_all_while(&[making("../a", &small)], &|| false);
    assert!(matches!(failures[..], [(0, Error::Name(_))]), "{failures:?}");
}
