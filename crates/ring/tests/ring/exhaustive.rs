//! A small scenario with a crash, or another fault, at every single call.

use std::collections::BTreeMap;

use disk::{Fault, FaultPlan, Restart, Survival};
use journal::JournalOptions;
use ring::{Pace, RingOptions};
use rrd::{Definition, Snapshot, Timestamp};
use store::SourceTuning;

use crate::calls::some_calls;
use crate::simulation::{Readings, Simulation};

const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;

const SURVIVALS: [(Survival, u64); 4] = [
    (Survival::Nothing, 0),
    (Survival::Everything, 0),
    (Survival::ByChance, 1),
    (Survival::ByChance, 2),
];

/// Something that happens in the scenario; times are in steps since its start.
enum Step {
    Create(&'static str),
    /// One update for each of these databases.
    Update(&'static [&'static str], i64),
    Work,
    Delete(&'static str),
    Rename(&'static str, &'static str),
    Tune(&'static str),
    /// Puts back what a database was when the step before began.
    Restore(&'static str),
    Checkpoint,
}

/// Three databases, of which one falls silent until the ring has gone round, so that its rows go to
/// the attic, and comes back late.
fn scenario() -> Vec<Step> {
    let mut steps = vec![Step::Create("a"), Step::Create("b"), Step::Create("dead")];
    let cycles = |steps: &mut Vec<Step>, names, range: std::ops::Range<i64>| {
        for cycle in range {
            steps.extend([Step::Update(names, cycle), Step::Work]);
        }
    };
    cycles(&mut steps, &["a", "b", "dead"], 1..5);
    cycles(&mut steps, &["a", "b"], 5..20);
    steps.extend((20..24).map(|cycle| Step::Update(&["a"], cycle)));
    steps.extend([Step::Work, Step::Tune("b"), Step::Update(&["b"], 20)]);
    steps.extend([Step::Update(&["dead"], 21), Step::Checkpoint]);
    steps.extend([Step::Delete("dead"), Step::Create("new"), Step::Restore("a")]);
    steps.push(Step::Rename("b", "c"));
    cycles(&mut steps, &["a", "c", "new"], 24..27);
    steps
}

/// So many sources that a tile holds two rows and a ring few tiles.
const SOURCES: i64 = 30;

fn definition() -> Definition {
    let mut specs: Vec<String> =
        (0..SOURCES).map(|source| format!("DS:x{source}:GAUGE:1000:U:U")).collect();
    specs.extend(["RRA:AVERAGE:0.5:1:6".into(), "RRA:MAX:0.5:2:5".into()]);
    rrd::spec::definition(STEP_SECONDS as u64, specs.iter().map(String::as_str)).unwrap()
}

fn options() -> RingOptions {
    RingOptions {
        pace: Pace { flush_cycles: 2, tile_rows_max: 2 },
        journal: JournalOptions {
            segment_bytes: 8 << 10,
            first_segment_bytes: 2 << 10,
            block_bytes: 512,
            segments: 2,
            intervals_kept: 0,
            zeros: true,
            read_ahead: false,
        },
        replay_threads: 0,
        ..RingOptions::default()
    }
}

fn time(cycle: i64) -> Timestamp {
    Timestamp { seconds: START_SECONDS + cycle * STEP_SECONDS + 3, micros: 500 }
}

fn readings(cycle: i64) -> Vec<String> {
    (0..SOURCES).map(|source| ((cycle * 7 + source) % 10).to_string()).collect()
}

/// Does one step, unless what it needs is not there: an earlier one failed.
fn take(simulation: &mut Simulation, step: &Step) {
    let there = |simulation: &Simulation, name: &str| simulation.live.databases.contains_key(name);
    match step {
        Step::Create(name) if !there(simulation, name) => {
            simulation.create(name, &definition(), time(0));
        }
        Step::Update(names, cycle) => {
            let batch = names.iter().filter(|name| there(simulation, name)).map(|name| Readings {
                name: (*name).into(),
                samples: vec![(time(*cycle), readings(*cycle))],
            });
            let batch: Vec<Readings> = batch.collect();
            simulation.append(&batch);
        }
        Step::Work => simulation.work(),
        Step::Delete(name) if there(simulation, name) => simulation.delete(name),
        Step::Rename(from, to) if there(simulation, from) && !there(simulation, to) => {
            simulation.rename(from, to);
        }
        Step::Tune(name) if there(simulation, name) => {
            let (minimum, maximum) = (0.0, 6.5);
            let tuning = SourceTuning { source: 0, heartbeat_seconds: 500, minimum, maximum };
            simulation.tune(name, tuning);
        }
        Step::Restore(name) if there(simulation, name) => {
            let snapshot: Snapshot = simulation.live.databases[*name].clone();
            simulation.restore(name, &snapshot);
        }
        Step::Checkpoint => simulation.checkpoint(),
        _ => {}
    }
}

/// Runs the scenario as far as the machine lets it; an error ends no life but a crash does.
fn run(plan: FaultPlan) -> Simulation {
    let mut simulation = Simulation::new(options(), plan);
    while !simulation.open() {
        simulation.engine = None;
        if simulation.medium.has_crashed() {
            return simulation;
        }
    }
    for step in &scenario() {
        take(&mut simulation, step);
        if simulation.medium.has_crashed() || simulation.stopped {
            break;
        }
    }
    simulation
}

/// Everything is there, goes on working, and is sound.
fn check_next_lives(simulation: &mut Simulation) {
    assert!(simulation.open(), "a machine without faults");
    for step in scenario().iter().chain(&[Step::Update(&["a", "b", "c", "new"], 40), Step::Work]) {
        take(simulation, step);
    }
    simulation.look_at_all();
    simulation.checkpoint();
    assert_eq!(simulation.engine().verify(|_, _| ()).unwrap().damage, []);
    simulation.restart(Restart::PowerCut, FaultPlan::default(), true);
    assert!(simulation.open(), "a machine without faults");
}

fn one_fault(call: u64, fault: Fault, survival: Survival, seed: u64) -> FaultPlan {
    FaultPlan { seed, at: BTreeMap::from([(call, fault)]), survival, ..FaultPlan::default() }
}

fn calls_without_faults() -> u64 {
    let mut simulation = run(FaultPlan::default());
    let groups = simulation.engine().report().groups;
    assert!(groups.iter().any(|group| group.attic_pages > 0), "somebody's rows are in the attic");
    let calls = simulation.medium.calls();
    simulation.look_at_all();
    simulation.restart(Restart::Process, FaultPlan::default(), true);
    check_next_lives(&mut simulation);
    calls
}

/// `GYRE_THOROUGH=1` tries every kind of fault at every call; else each call has one, in turn, that
/// changes with the kind of call: neighbours are of different kinds.
fn is_thorough() -> bool {
    std::env::var_os("GYRE_THOROUGH").is_some()
}

fn some<T: Copy>(call: u64, kinds: [T; 4]) -> Vec<T> {
    if is_thorough() { kinds.to_vec() } else { vec![kinds[call as usize % 4]] }
}

#[test]
fn a_crash_at_any_call() {
    for call in some_calls(0..calls_without_faults()) {
        for (survival, seed) in some(call, SURVIVALS) {
            let mut simulation = run(one_fault(call, Fault::Crash, survival, seed));
            assert!(simulation.medium.has_crashed());
            simulation.restart(Restart::PowerCut, FaultPlan::default(), true);
            check_next_lives(&mut simulation);
        }
        if call % 4 == 3 || is_thorough() {
            let mut simulation = run(one_fault(call, Fault::Crash, Survival::Nothing, 0));
            simulation.restart(Restart::Process, FaultPlan::default(), true);
            check_next_lives(&mut simulation);
        }
    }
}

#[test]
fn a_crash_at_calls_of_the_recovery_from_a_crash() {
    // Every so many calls of the scenario meet every kind of its calls; so do those of a recovery.
    for (nth, call) in (0..calls_without_faults()).step_by(23).enumerate() {
        for recovery_call in (nth as u64 % 7..).step_by(7) {
            let mut simulation = run(one_fault(call, Fault::Crash, Survival::ByChance, call));
            let plan = one_fault(recovery_call, Fault::Crash, Survival::ByChance, recovery_call);
            simulation.restart(Restart::PowerCut, plan, true);
            let opened = simulation.open();
            let crashed = simulation.medium.has_crashed();
            assert!(opened || crashed);
            simulation.restart(Restart::PowerCut, FaultPlan::default(), true);
            check_next_lives(&mut simulation);
            if !crashed {
                break; // the recovery makes no more calls
            }
        }
    }
}

#[test]
fn every_other_fault_at_any_call() {
    for call in some_calls(0..calls_without_faults()) {
        let faults = [Fault::IoError, Fault::NoSpace, Fault::ShortWrite, Fault::FailedSync];
        for fault in some(call, faults) {
            let how = [Restart::PowerCut, Restart::Process][call as usize % 2];
            let mut simulation = run(one_fault(call, fault, Survival::ByChance, call));
            simulation.restart(how, FaultPlan::default(), true);
            check_next_lives(&mut simulation);
        }
    }
}
