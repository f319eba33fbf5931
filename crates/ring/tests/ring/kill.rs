//! Real threads over a real directory, and a process that is killed in the middle of it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use journal::JournalOptions;
use ring::RingStore;
use ring::{Pace, RingOptions};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Reading, Sample, Timestamp};
use store::Update;

use crate::model::{Model, Op, assert_same};

/// Where a child of the test is to have its store.
const ROOT: &str = "GYRE_TEST_KILLED_STORE";
const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;

fn options() -> RingOptions {
    RingOptions {
        pace: Pace { flush_cycles: 4, tile_rows_max: 2 },
        journal: JournalOptions { segment_bytes: 64 << 10, ..RingOptions::default().journal },
        log_bytes_max: Some(200_000),
        ..RingOptions::default()
    }
}

fn definition() -> Definition {
    let specs = ["DS:x:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:30", "RRA:MAX:0.5:3:20"];
    rrd::spec::definition(STEP_SECONDS as u64, specs).unwrap()
}

fn start() -> Timestamp {
    Timestamp::from_seconds(START_SECONDS)
}

fn time(cycle: i64, nth: i64) -> Timestamp {
    // Every ninth database now and then lags by some steps.
    let late = if nth % 9 == 4 && cycle % 7 < 3 { 5 } else { 0 };
    Timestamp::from_seconds(START_SECONDS + (cycle - late) * STEP_SECONDS + nth % STEP_SECONDS)
}

/// One cycle of some databases in one batch; those whose time did not move on are refused.
fn update(store: &RingStore, names: &[String], cycle: i64) -> Vec<bool> {
    let texts: Vec<String> = (0..names.len()).map(|nth| reading(cycle, nth)).collect();
    let readings: Vec<[Reading<'_>; 1]> = texts.iter().map(|text| [Reading::of(text)]).collect();
    let samples: Vec<[Sample<'_>; 1]> = readings
        .iter()
        .enumerate()
        .map(|(nth, readings)| [Sample { time: time(cycle, nth as i64), readings }])
        .collect();
    let batch: Vec<Update<'_>> =
        names.iter().zip(&samples).map(|(name, samples)| Update::of(name, samples)).collect();
    let mut taken = vec![true; names.len()];
    for (nth, store::Refused { error, .. }) in store.engine().update(&batch) {
        assert!(matches!(error, store::Error::Update { .. }), "{error}");
        taken[nth] = false;
    }
    taken
}

fn reading(cycle: i64, nth: usize) -> String {
    (cycle * 31 + nth as i64 * 7).to_string()
}

/// What one cycle makes of the model.
fn update_model(model: &mut Model, names: &[String], cycle: i64) -> Vec<bool> {
    let op = |(nth, name): (usize, &String)| Op::Update {
        name: name.clone(),
        time: time(cycle, nth as i64),
        readings: vec![reading(cycle, nth)],
    };
    names.iter().enumerate().map(op).map(|op| model.apply(&op).is_ok()).collect()
}

fn create_model(model: &mut Model, names: &[String]) {
    for name in names {
        let op = Op::Create { name: name.clone(), definition: definition(), start: start() };
        model.apply(&op).expect("no update is refused");
    }
}

fn names_of(thread: usize) -> Vec<String> {
    (0..40).map(|nth| format!("thread{thread}/{nth}")).collect()
}

#[test]
fn threads_that_append_and_fetch_while_groups_are_flushed() {
    const THREADS: usize = 4;
    const CYCLES: i64 = 120;
    let directory = tempfile::tempdir().unwrap();
    let store = RingStore::create(directory.path(), options()).unwrap();
    let models: Vec<Model> = std::thread::scope(|scope| {
        let work = |thread| {
            let store = &store;
            scope.spawn(move || {
                let (names, mut model) = (names_of(thread), Model::default());
                for name in &names {
                    store.engine().create(name, &definition(), start()).unwrap();
                }
                create_model(&mut model, &names);
                for cycle in 1..CYCLES {
                    let taken = update(store, &names, cycle);
                    assert_eq!(taken, update_model(&mut model, &names, cycle));
                    let name = &names[cycle as usize % names.len()];
                    let found = store.engine().snapshot(name).unwrap();
                    assert_same(name, &found, &model.databases[name]);
                }
                model
            })
        };
        let writers: Vec<_> = (0..THREADS).map(work).collect();
        let reader = scope.spawn(|| {
            for nth in 0..2000 {
                // Somebody else's database: whatever is found is one of its states.
                let name = format!("thread{}/{}", nth % THREADS, nth % 40);
                let cf = ConsolidationFunction::Average;
                let (start_seconds, end_seconds) = (START_SECONDS, START_SECONDS + 1000);
                let query = Query {
                    tick: rrd::Tick::SECOND,
                    cf,
                    start_seconds,
                    end_seconds,
                    step_seconds: 10,
                };
                drop(store.engine().fetch(&name, &query)); // it may not exist yet
            }
        });
        reader.join().unwrap();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let all = models.into_iter().flat_map(|model| model.databases).collect::<BTreeMap<_, _>>();
    for (name, expected) in &all {
        assert_same(name, &store.engine().snapshot(name).unwrap(), expected);
    }
    assert_eq!(store.engine().verify(|_, _| ()).unwrap().damage, []);
    store.close().unwrap();
    let store = RingStore::open(directory.path(), options()).unwrap();
    for (name, expected) in &all {
        assert_same(name, &store.engine().snapshot(name).unwrap(), expected);
    }
}

/// What the child of the next test does: it updates without end, and tells each cycle that was
/// acknowledged.
#[test]
fn child_that_is_killed() {
    let Some(root) = std::env::var_os(ROOT).map(PathBuf::from) else { return };
    let store = RingStore::create(&root, options()).unwrap();
    let names = names_of(0);
    for name in &names {
        store.engine().create(name, &definition(), start()).unwrap();
    }
    let mut out = std::io::stdout();
    for cycle in 1..20_000 {
        update(&store, &names, cycle);
        if writeln!(out, "\nacknowledged {cycle}").and_then(|()| out.flush()).is_err() {
            return; // nobody listens any more
        }
    }
}

#[test]
fn a_process_that_is_killed_loses_nothing_acknowledged() {
    for cycles in [1, 40, 333] {
        let directory = tempfile::tempdir().unwrap();
        let acknowledged = kill_after(directory.path(), cycles);
        assert!(acknowledged >= cycles);
        let store = RingStore::open(directory.path(), options()).unwrap();
        let (names, mut model) = (names_of(0), Model::default());
        create_model(&mut model, &names);
        (1..=acknowledged).for_each(|cycle| drop(update_model(&mut model, &names, cycle)));
        let found: BTreeMap<_, _> = names
            .iter()
            .map(|name| (name.clone(), store.engine().snapshot(name).unwrap()))
            .collect();
        // The cycle under way may have been taken, in part: its records are in order.
        let next = acknowledged + 1;
        let mut differences = vec![model.difference(&found)];
        for (nth, name) in names.iter().enumerate() {
            let (name, time) = (name.clone(), time(next, nth as i64));
            let _ = model.apply(&Op::Update { name, time, readings: vec![reading(next, nth)] });
            differences.push(model.difference(&found));
        }
        assert!(differences.iter().any(Result::is_ok), "{acknowledged}: {:?}", differences[0]);
    }
}

/// Starts the child and kills it once it has told of so many cycles; returns the last one told.
fn kill_after(root: &Path, cycles: i64) -> i64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::child_that_is_killed", "--nocapture"])
        .env(ROOT, root)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let Some(cycle) = line.strip_prefix("acknowledged ") else { continue };
        told = cycle.parse().unwrap();
        if told == cycles {
            child.kill().unwrap(); // what it told until it is gone counts too
        }
    }
    child.wait().unwrap();
    told
}
