//! Copies a ring store while another process updates it all the time, and creates, renames, deletes
//! and replaces databases. Each copy opens, is undamaged, and equals the store at one moment, which
//! is not before the start of the copy.
//!
//! The test makes `GYRE_CASES` copies of each kind, from the seed `GYRE_SEED`.
#![allow(clippy::disallowed_methods)] // processes, files and the clock

#[allow(dead_code)] // a part of it is for tests of the store alone
#[path = "../../ring/tests/ring/model.rs"]
mod model;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use backup::{Options, Restoring, Watch, restore, run, verify};
use disk::{Moment, Random};
use journal::JournalOptions;
use ring::RingStore;
use ring::{Pace, RingOptions, Sync};
use rrd::{Definition, Reading, Sample, Snapshot, Timestamp};
use store::{Refused, Store as _, Update};

use model::{Model, Op};

const ROOT: &str = "GYRE_TEST_LIVE_STORE";
const DEFERRED: &str = "GYRE_TEST_LIVE_DEFERRED";
const HELD_BYTES_MAX: &str = "GYRE_TEST_LIVE_HELD_BYTES_MAX";
const COPY_TO: &str = "GYRE_TEST_LIVE_COPY_TO";
const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;
const NAMES: i64 = 40;

struct Clock;

impl Watch for Clock {
    fn now(&self) -> Moment {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        Moment { seconds: now.as_secs() as i64, nanoseconds: now.subsec_nanos() }
    }
}

fn options(sync: Sync) -> RingOptions {
    RingOptions {
        pace: Pace { flush_cycles: 4, tile_rows_max: 2 },
        journal: JournalOptions { segment_bytes: 64 << 10, ..RingOptions::default().journal },
        log_bytes_max: Some(200_000),
        sync,
        ..RingOptions::default()
    }
}

fn definition() -> Definition {
    let specs = ["DS:x:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:30", "RRA:MAX:0.5:3:20"];
    rrd::spec::definition(STEP_SECONDS as u64, specs).unwrap()
}

fn start(cycle: i64) -> Timestamp {
    Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS)
}

fn create(name: String, cycle: i64) -> Op {
    Op::Create { name, definition: definition(), start: start(cycle) }
}

/// All operations of a cycle, in order; the update of the database `clock` is the last.
fn ops(cycle: i64) -> Vec<Op> {
    let mut ops = Vec::new();
    if cycle == 0 {
        ops.extend((0..NAMES).map(|nth| create(format!("t/{nth}"), 0)));
        ops.push(create("clock".into(), 0));
        return ops;
    }
    let ago = |cycles: i64| Some(cycle - cycles).filter(|born| *born > 0 && born % 5 == 0);
    ops.extend(ago(0).map(|born| create(format!("new/{born}"), cycle - 1)));
    ops.extend(
        ago(2).map(|born| Op::Rename { from: format!("new/{born}"), to: format!("moved/{born}") }),
    );
    ops.extend(ago(21).map(|born| Op::Delete { name: format!("moved/{born}") }));
    let update = |name: String, nth: i64, late: i64| {
        let time = Timestamp::from_seconds(
            START_SECONDS + (cycle - late) * STEP_SECONDS + nth % STEP_SECONDS,
        );
        Op::Update { name, time, readings: vec![(cycle * 31 + nth * 7).to_string()] }
    };
    for nth in 0..NAMES {
        // Every ninth database is sometimes late; two are silent for long.
        let late = if nth % 9 == 4 && cycle % 7 < 3 { 5 } else { 0 };
        if nth % 20 != 13 || cycle % 90 < 50 {
            ops.push(update(format!("t/{nth}"), nth, late));
        }
    }
    for born in (1..=20).rev().filter_map(ago) {
        let kind = if cycle - born < 2 { "new" } else { "moved" };
        ops.push(update(format!("{kind}/{born}"), born, 0));
    }
    ops.push(update("clock".into(), 0, 0));
    ops
}

/// The database that is restored with its own content, so that it moves to a group of its own.
fn replaced(cycle: i64) -> Option<String> {
    (cycle % 100 == 7).then(|| format!("t/{}", cycle % NAMES))
}

fn perform(store: &RingStore, cycle: i64) {
    if let Some(name) = replaced(cycle) {
        let snapshot = store.engine().snapshot(&name).unwrap();
        store.engine().restore(&name, &snapshot).unwrap();
    }
    let ops = ops(cycle);
    let (updates, life): (Vec<&Op>, Vec<&Op>) =
        ops.iter().partition(|op| matches!(op, Op::Update { .. }));
    for op in life {
        match op {
            Op::Create { name, definition, start } => {
                store.engine().create(name, definition, *start).unwrap();
            }
            Op::Rename { from, to } => store.engine().rename(from, to).unwrap(),
            Op::Delete { name } => store.engine().delete(name).unwrap(),
            other => panic!("{other:?}"),
        }
    }
    let readings: Vec<[Reading<'_>; 1]> =
        updates.iter().map(|op| [Reading::of(reading(op).2)]).collect();
    let samples: Vec<[Sample<'_>; 1]> = updates
        .iter()
        .zip(&readings)
        .map(|(op, readings)| [Sample { time: reading(op).1, readings }])
        .collect();
    let name = |(op, samples)| Update::of(reading(op).0, samples);
    let batch: Vec<Update<'_>> =
        updates.iter().copied().zip(samples.iter().map(|it| &it[..])).map(name).collect();
    for (_, Refused { error, .. }) in store.update(&batch) {
        assert!(matches!(error, store::Error::Update { .. }), "{error}");
    }
}

fn reading(op: &Op) -> (&str, Timestamp, &str) {
    let Op::Update { name, time, readings } = op else { panic!("{op:?}") };
    (name, *time, &readings[0])
}

/// The process that updates the store.
#[test]
fn child_that_measures() {
    let Some(root) = std::env::var_os(ROOT).map(PathBuf::from) else { return };
    let sync = if std::env::var_os(DEFERRED).is_some() { Sync::Deferred } else { Sync::Always };
    let held = std::env::var(HELD_BYTES_MAX).ok().map(|text| text.parse().unwrap());
    let options = RingOptions { held_log_bytes_max: held, ..options(sync) };
    let store = RingStore::create(&root, options).unwrap();
    let mut out = std::io::stdout();
    for cycle in 0..1_000_000 {
        perform(&store, cycle);
        std::thread::sleep(Duration::from_millis(2)); // else the judge would never keep up
        if writeln!(out, "\nacknowledged {cycle}").and_then(|()| out.flush()).is_err() {
            return; // the parent has closed the pipe
        }
    }
}

/// A process that copies, and prints what it could not copy.
#[test]
fn child_that_copies() {
    let Some(to) = std::env::var_os(COPY_TO).map(PathBuf::from) else { return };
    let root = PathBuf::from(std::env::var_os(ROOT).unwrap());
    let report = run(&root, &to, &Options::default(), &Clock).unwrap();
    report.problems.iter().for_each(|problem| println!("\nproblem {problem}"));
}

/// Runs a test of this program as a child process.
fn child(test: &str, root: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let test = format!("ring_live::{test}");
    command.args(["--exact", &test, "--nocapture"]).env(ROOT, root).stdout(Stdio::piped());
    command
}

struct Writer {
    child: Child,
    told: Arc<AtomicI64>,
}

impl Writer {
    fn start(root: &Path, sync: Sync) -> Self {
        let mut command = child("child_that_measures", root);
        if sync == Sync::Deferred {
            command.env(DEFERRED, "1");
        }
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let told = Arc::new(AtomicI64::new(-1));
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let teller = Arc::clone(&told);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some(cycle) = line.strip_prefix("acknowledged ") {
                    teller.store(cycle.parse().unwrap(), Ordering::SeqCst);
                }
            }
        });
        Self { child, told }
    }

    fn told(&self) -> i64 {
        self.told.load(Ordering::SeqCst)
    }

    fn wait_for(&self, cycle: i64) {
        while self.told() < cycle {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The databases of a copy, and the cycle of its clock.
fn open(root: &Path, sync: Sync) -> (BTreeMap<String, Snapshot>, i64) {
    let store = RingStore::open(root, options(sync)).unwrap_or_else(|error| panic!("{error}"));
    assert!(store.engine().damaged_groups().is_empty(), "{:?}", store.engine().damaged_groups());
    assert_eq!(store.engine().verify(|_, _| ()).unwrap().damage, []);
    let names = store.engine().names().unwrap();
    let found: BTreeMap<String, Snapshot> = names
        .into_iter()
        .map(|name| (name.clone(), store.engine().snapshot(&name).unwrap()))
        .collect();
    let clock = found["clock"].live.last_update.seconds;
    (found, (clock - START_SECONDS) / STEP_SECONDS)
}

/// Finds the moment of a copy, from the model of an earlier one. Creates, renames and deletes are
/// included up to some point of their order. Of the last batch, each update may be included or not:
/// a store takes a batch group by group, so the clock may be ahead of the others.
fn judge(
    model: &mut (Model, i64),
    (found, clock): &(BTreeMap<String, Snapshot>, i64),
    (before, after): (i64, i64),
    seed: u64,
) {
    assert!(*clock >= before, "seed {seed}: acknowledged {before}, found {clock}");
    assert!(*clock <= after + 1, "seed {seed}: nothing is invented: {after}, found {clock}");
    while model.1 < clock - 1 {
        model.1 += 1;
        ops(model.1).iter().for_each(|op| drop(model.0.apply(op)));
    }
    let mut next = model.0.clone();
    let mut last = Ok(());
    for cycle in (model.1 + 1)..=(clock + 1) {
        // Everything that was acknowledged before the start of the copy must be included.
        let may_be_in_part = cycle > before;
        let (updates, life): (Vec<Op>, Vec<Op>) =
            ops(cycle).into_iter().partition(|op| matches!(op, Op::Update { .. }));
        for op in life {
            if may_be_in_part && next.difference(found).is_ok() {
                return;
            }
            let _ = next.apply(&op); // refused as it was in the store
        }
        let without = next.clone();
        updates.iter().for_each(|op| drop(next.apply(op)));
        last = next.difference(found);
        if last.is_ok() || may_be_in_part && is_mixture(found, &without, &next) {
            return;
        }
    }
    panic!("seed {seed}, cycle {clock}: {last:?}");
}

/// Whether each database equals the one of either model.
fn is_mixture(found: &BTreeMap<String, Snapshot>, one: &Model, other: &Model) -> bool {
    let is_as = |model: &Model, name: &str, snapshot: &Snapshot| {
        let expected = model.databases.get(name);
        expected.is_some_and(|it| model::difference(name, snapshot, it).is_ok())
    };
    found.keys().eq(one.databases.keys())
        && found.iter().all(|(name, it)| is_as(one, name, it) || is_as(other, name, it))
}

fn copies(sync: Sync) {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (cases, seed) = (number("GYRE_CASES", 12), number("GYRE_SEED", 1));
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (root, to) = (directory.path().join("store"), directory.path().join("backup"));
    let writer = Writer::start(&root, sync);
    writer.wait_for(0);
    let mut model = (Model::default(), -1);
    let mut cycles = 0;
    for case in 0..cases {
        let mut random = Random::new(seed * 1000 + case);
        std::thread::sleep(Duration::from_micros(random.below(120_000)));
        let before = writer.told();
        let full = random.below(4) == 0;
        let report = run(&root, &to, &Options { full, ..Options::default() }, &Clock).unwrap();
        let after = writer.told();
        cycles += after - before;
        assert_eq!(report.problems, [""; 0], "seed {seed}, case {case}");
        assert_eq!(report.stores, 1);
        let into = directory.path().join(format!("restored-{case}"));
        let restored = restore(&to, &into, &Restoring::default(), |_| ()).unwrap();
        assert_eq!(restored.problems, [""; 0]);
        assert_eq!(verify(&to, None, |_| ()).unwrap().damage, [""; 0]);
        let found = open(&into, sync);
        judge(&mut model, &found, (before, after), seed * 1000 + case);
        // The copy can be updated like any store.
        let (store, next) = (RingStore::open(&into, options(sync)).unwrap(), found.1 + 2);
        perform_updates(&store, next);
        store.close().unwrap();
        std::fs::remove_dir_all(&into).unwrap();
    }
    eprintln!("{cases} copies of a live store, {cycles} cycles during them");
    assert!(cycles > 0, "it was live");
}

/// Updates the databases that exist.
fn perform_updates(store: &RingStore, cycle: i64) {
    for op in ops(cycle) {
        if let Op::Update { name, time, readings } = op
            && name.starts_with("t/")
        {
            let samples = [Sample { time, readings: &Reading::of_all(&readings) }];
            for (_, Refused { error, .. }) in store.update(&[Update::of(&name, &samples)]) {
                assert!(matches!(error, store::Error::Update { .. }), "{error}");
            }
        }
    }
}

#[test]
fn a_store_that_waits_for_the_disk_is_copied_while_it_measures() {
    copies(Sync::Always);
}

#[test]
fn a_store_that_does_not_wait_is_copied_while_it_measures() {
    copies(Sync::Deferred);
}

/// A process that is stopped while it copies keeps only a bounded part of the log. When it
/// continues, some of its copied groups need records that are freed: it copies these groups again,
/// or reports that it could not.
#[test]
fn a_copier_that_was_stopped_has_a_sound_copy_or_says_that_it_has_none() {
    const CASES: u64 = 6;
    /// In this many cycles the log grows several times beyond the bound.
    const CYCLES_STOPPED: i64 = 300;
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let root = directory.path().join("store");
    let mut measuring = child("child_that_measures", &root);
    let writer = Writer::spawn({
        measuring.env(DEFERRED, "1").env(HELD_BYTES_MAX, "50000");
        measuring
    });
    writer.wait_for(20);
    let mut model = (Model::default(), -1);
    let mut whole = 0;
    for case in 0..CASES {
        let to = directory.path().join(format!("backup-{case}"));
        let before = writer.told();
        let copier = child("child_that_copies", &root).env(COPY_TO, &to).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(10 * case));
        signal("STOP", &copier);
        writer.wait_for(writer.told() + CYCLES_STOPPED);
        signal("CONT", &copier);
        let output = copier.wait_with_output().unwrap();
        let after = writer.told();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        let mut problems = text.lines().filter_map(|line| line.strip_prefix("problem "));
        if let Some(problem) = problems.next() {
            assert!(problem.contains("could be copied"), "{problem}");
            continue;
        }
        whole += 1;
        let into = directory.path().join(format!("restored-{case}"));
        assert_eq!(restore(&to, &into, &Restoring::default(), |_| ()).unwrap().problems, [""; 0]);
        judge(&mut model, &open(&into, Sync::Deferred), (before, after), case);
    }
    assert!(whole > 0, "every copy was given up");
}

fn signal(name: &str, child: &Child) {
    let done = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status();
    assert!(done.unwrap().success());
}
