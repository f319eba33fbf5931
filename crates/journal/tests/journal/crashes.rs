//! A small scenario with a crash, or another fault, at every single call.

use std::collections::BTreeMap;

use disk::{Fault, FaultPlan, Restart, Survival};

use crate::simulation::{OPTIONS, Simulation, Step, is_of_the_machine};

/// Several segments, a batch larger than one, frees, uses again.
const SCENARIO: &[Step] = &[
    Step::Append(10),
    Step::Append(0),
    Step::Commit,
    Step::Append(1400),
    Step::Commit,
    Step::Append(900),
    Step::Append(800),
    Step::Commit,
    Step::Checkpoint,
    Step::Append(2500),
    Step::Commit,
    Step::Checkpoint,
    Step::Append(300),
    Step::Commit,
    Step::Append(2000),
    Step::Append(2000),
    Step::Append(2000),
    Step::Commit,
    Step::Checkpoint,
    Step::Append(3000),
    Step::Commit,
    Step::Append(5),
    Step::Commit,
];

/// Writes without syncs, with frees and segments between them.
const WRITES: &[Step] = &[
    Step::Append(10),
    Step::Write,
    Step::Append(400),
    Step::Write,
    Step::Append(600),
    Step::Commit,
    Step::Checkpoint,
    Step::Append(700),
    Step::Write,
    Step::Append(0),
    Step::Write,
    Step::Append(1500),
    Step::Write,
    Step::Ensure(2),
    Step::Append(900),
    Step::Write,
    Step::Checkpoint,
    Step::Append(1500),
    Step::Write,
    Step::Append(2500),
    Step::Write,
    Step::Commit,
    Step::Checkpoint,
    Step::End,
    Step::Append(5),
    Step::Write,
    Step::Append(5),
    Step::CommitBeside,
    Step::Append(5),
    Step::Write,
    Step::CommitBeside,
    Step::Append(5),
    Step::Write,
];

const SCENARIOS: [&[Step]; 2] = [SCENARIO, WRITES];

const SURVIVALS: [(Survival, u64); 4] = [
    (Survival::Nothing, 0),
    (Survival::Everything, 0),
    (Survival::ByChance, 1),
    (Survival::ByChance, 2),
];

/// Runs the scenario as far as the machine lets it; an error ends no life but a crash does.
fn run(scenario: &[Step], plan: FaultPlan) -> Simulation {
    let mut simulation = Simulation::new(OPTIONS, plan);
    while let Err(error) = simulation.open() {
        assert!(is_of_the_machine(&error), "{error}");
        if simulation.medium.has_crashed() {
            return simulation;
        }
    }
    for step in scenario {
        if let Err(error) = simulation.step(*step) {
            assert!(is_of_the_machine(&error), "{error}");
        }
        if simulation.medium.has_crashed() {
            break;
        }
    }
    simulation
}

/// Everything is there, and goes on working.
fn check_next_lives(scenario: &[Step], simulation: &mut Simulation) {
    simulation.open().expect("a machine without faults");
    for step in &scenario[..8] {
        simulation.step(*step).expect("a machine without faults");
    }
    simulation.restart(Restart::PowerCut, FaultPlan::default(), true);
    simulation.open().expect("a machine without faults");
}

fn one_fault(call: u64, fault: Fault, survival: Survival, seed: u64) -> FaultPlan {
    FaultPlan { seed, at: BTreeMap::from([(call, fault)]), survival, ..FaultPlan::default() }
}

fn calls_without_faults(scenario: &[Step]) -> u64 {
    let simulation = run(scenario, FaultPlan::default());
    let appends = scenario.iter().filter(|step| matches!(step, Step::Append(_))).count();
    assert_eq!(simulation.appended.len(), appends, "the scenario runs to its end");
    simulation.medium.calls()
}

#[test]
fn segments_are_used_again() {
    assert_eq!(run(SCENARIO, FaultPlan::default()).segments(), 5, "seven uses of five segments");
}

/// Every call of every scenario.
fn every_call() -> impl Iterator<Item = (&'static [Step], u64)> {
    let calls = |scenario| (0..calls_without_faults(scenario)).map(move |call| (scenario, call));
    SCENARIOS.into_iter().flat_map(calls)
}

#[test]
fn a_crash_at_every_call() {
    for (scenario, call) in every_call() {
        for (survival, seed) in SURVIVALS {
            for fall_back in [false, true] {
                let mut simulation = run(scenario, one_fault(call, Fault::Crash, survival, seed));
                assert!(simulation.medium.has_crashed());
                simulation.restart(Restart::PowerCut, FaultPlan::default(), fall_back);
                check_next_lives(scenario, &mut simulation);
            }
        }
    }
}

#[test]
fn a_crash_at_every_call_of_the_recovery_from_a_crash_at_every_call() {
    for (scenario, call) in every_call() {
        for (survival, seed) in SURVIVALS {
            for recovery_call in 0.. {
                let mut simulation = run(scenario, one_fault(call, Fault::Crash, survival, seed));
                let plan = one_fault(recovery_call, Fault::Crash, Survival::ByChance, seed);
                simulation.restart(Restart::PowerCut, plan, false);
                let recovered = simulation.open();
                let crashed = simulation.medium.has_crashed();
                assert_eq!(recovered.is_err(), crashed, "{recovered:?}");
                simulation.restart(Restart::PowerCut, FaultPlan::default(), false);
                check_next_lives(scenario, &mut simulation);
                if !crashed {
                    break; // the recovery makes no more calls
                }
            }
        }
    }
}

#[test]
fn every_other_fault_at_every_call() {
    let faults = [Fault::IoError, Fault::NoSpace, Fault::ShortWrite, Fault::FailedSync];
    for (scenario, call) in every_call() {
        for fault in faults {
            for (survival, seed) in SURVIVALS {
                for how in [Restart::PowerCut, Restart::Process] {
                    let mut simulation = run(scenario, one_fault(call, fault, survival, seed));
                    simulation.restart(how, FaultPlan::default(), false);
                    check_next_lives(scenario, &mut simulation);
                }
            }
        }
    }
}

#[test]
fn what_was_written_survives_the_process_that_a_failed_sync_outlived() {
    const WRITTEN: [Step; 4] = [Step::Append(10), Step::Commit, Step::Append(700), Step::Write];
    for sync in [Step::Commit, Step::CommitBeside] {
        let scenario = [&WRITTEN[..], &[sync]].concat();
        for call in 0..calls_without_faults(&scenario) {
            for seed in 0..20 {
                let plan = one_fault(call, Fault::FailedSync, Survival::ByChance, seed);
                let mut simulation = run(&scenario, plan);
                assert_eq!(simulation.appended.len(), 2);
                simulation.restart(Restart::Process, FaultPlan::default(), false);
                simulation.open().expect("a machine without faults");
                assert_eq!(simulation.appended.len(), 2, "{sync:?}, call {call}, seed {seed}");
            }
        }
    }
}

#[test]
fn syncs_that_fail_for_long_acknowledge_nothing_and_take_no_space() {
    let calls = 1000;
    let at =
        (calls_without_faults(SCENARIO)..calls).map(|call| (call, Fault::FailedSync)).collect();
    let mut simulation = run(SCENARIO, FaultPlan { at, ..FaultPlan::default() });
    let (acknowledged, segments) = (simulation.acknowledged, simulation.segments());
    while simulation.medium.calls() < calls - 10 {
        simulation.step(Step::Append(10)).unwrap();
        simulation.step(Step::Commit).unwrap_err();
    }
    assert_eq!(simulation.acknowledged, acknowledged);
    assert!(simulation.segments() <= segments + 1);
    while simulation.medium.calls() < calls {
        let _ = simulation.step(Step::Commit); // the last that fail
    }
    simulation.step(Step::Commit).unwrap();
    check_next_lives(SCENARIO, &mut {
        simulation.restart(Restart::PowerCut, FaultPlan::default(), false);
        simulation
    });
}

#[test]
fn a_loop_of_crashes_takes_no_space() {
    let mut simulation = run(SCENARIO, FaultPlan::default());
    let segments = simulation.segments();
    for _ in 0..20 {
        simulation.restart(Restart::PowerCut, FaultPlan::default(), false);
        simulation.open().unwrap();
    }
    assert_eq!(simulation.segments(), segments);
}
