//! Updates of single databases of a store that nobody has open, between lives in which somebody
//! has.

use std::sync::atomic::{AtomicU32, Ordering};

use disk::{Fault, FaultPlan, Random, Restart, Survival};
use journal::JournalOptions;
use ring::{Pace, RingOptions, Sync};
use rrd::{Definition, Timestamp};

use crate::calls::some_calls;
use crate::chance::{Chance, options};
use crate::faults::Machines;
use crate::seeds::try_seeds;
use crate::simulation::{Readings, Simulation};

/// So few that the log begins anew now and then.
const FEW_BYTES: u64 = 100_000;

/// How often only the log was written, and how often the store was opened as a whole.
#[derive(Default)]
struct Counts {
    part: AtomicU32,
    whole: AtomicU32,
}

#[test]
fn lone_updates_between_lives_on_a_sound_machine() {
    let counts = Counts::default();
    try_seeds(50, &[], |seed| sound(seed, &counts));
    let (part, whole) = (counts.part.into_inner(), counts.whole.into_inner());
    let is_all = std::env::var("GYRE_SEED").is_err();
    assert!(!is_all || (part > 350 && whole > 15), "{part} in part, {whole} as a whole");
}

fn sound(seed: u64, counts: &Counts) {
    let mut random = Random::new(seed);
    let mut simulation = Simulation::new(options(&mut random), FaultPlan::default());
    let mut chance = Chance::new(random, 3 + seed as usize % 12);
    assert!(simulation.open(), "a machine without faults");
    (0..5).for_each(|_| chance.create(&mut simulation));
    for _ in 0..4 {
        (0..chance.random.below(80)).for_each(|_| chance.step(&mut simulation));
        let killed = chance.random.below(3) > 0;
        if !killed {
            simulation.engine().end().unwrap();
            simulation.acknowledge();
        }
        restart(&mut simulation, &mut chance.random, killed);
        for _ in 0..chance.random.below(30) {
            let before = simulation.files_beside_the_log();
            chance.update_alone(&mut simulation, FEW_BYTES);
            let is_part = simulation.files_beside_the_log() == before;
            let count = if is_part { &counts.part } else { &counts.whole };
            count.fetch_add(1, Ordering::Relaxed);
            if chance.random.below(10) == 0 {
                restart(&mut simulation, &mut chance.random, true);
            }
        }
        assert!(simulation.open(), "a machine without faults");
        simulation.look_at_all();
        assert_eq!(simulation.engine().verify(|_, _| ()).unwrap().damage, []);
    }
}

/// Ends a life, and finds out what is left of it.
fn restart(simulation: &mut Simulation, random: &mut Random, killed: bool) {
    let how = if random.below(2) == 0 { Restart::Process } else { Restart::PowerCut };
    simulation.restart(how, FaultPlan::default(), killed);
    simulation.look_at_closed();
}

/// Seeds that once found a fault.
const TELLING: [u64; 1] = [645];

#[test]
fn lone_updates_on_random_machines() {
    try_seeds(50, &TELLING, on_random_machines);
}

fn on_random_machines(seed: u64) {
    let mut random = Random::new(seed);
    let machines = Machines { is_copied: false };
    let mut simulation = Simulation::new(options(&mut random), FaultPlan::default());
    let mut chance = Chance::new(random, 6);
    assert!(simulation.open(), "a machine without faults");
    (0..6).for_each(|_| chance.create(&mut simulation));
    for _ in 0..6 {
        for _ in 0..3 {
            let how = any_end(&simulation, &mut chance.random);
            let random = &mut chance.random;
            let plan = machines.any_plan(random);
            let killed = random.chance(800_000);
            simulation.restart(how, plan, killed);
            simulation.look_at_closed();
            for _ in 0..chance.random.below(12) {
                chance.update_alone(&mut simulation, FEW_BYTES);
                if simulation.medium.has_crashed() {
                    break;
                }
            }
        }
        let how = any_end(&simulation, &mut chance.random);
        let random = &mut chance.random;
        let plan = machines.any_plan(random);
        simulation.options.sync =
            if random.chance(300_000) { Sync::Deferred } else { Sync::Always };
        simulation.restart_until_open(how, plan, true);
        for _ in 0..chance.random.below(40) {
            chance.step(&mut simulation);
            let has_crashed = simulation.medium.has_crashed();
            if has_crashed || simulation.stopped || simulation.engine().report().stopped {
                break;
            }
        }
    }
    machines.live_on(&mut simulation, &mut chance, 2, 30);
}

/// A process that is killed after a sync of the log failed, and before it has written again what
/// nobody has synced, leaves no more than a power cut.
fn any_end(simulation: &Simulation, random: &mut Random) -> Restart {
    let medium = &simulation.medium;
    let has_failed = medium.has_crashed() && medium.failed_calls() > 0;
    if has_failed || random.chance(500_000) { Restart::PowerCut } else { Restart::Process }
}

/// Whoever updates a database again and again, each time in a call of its own, does not fill the
/// disk: now and then the log begins anew.
#[test]
fn the_log_does_not_grow_without_bound() {
    let mut simulation = Simulation::new(small(), FaultPlan::default());
    assert!(simulation.open(), "a machine without faults");
    for name in ["a", "b"] {
        simulation.create(name, &definition(), Timestamp::from_seconds(START_SECONDS));
    }
    simulation.engine = None;
    let (mut largest_bytes, mut wholes) = (0, 0);
    for cycle in 1..2000 {
        let before = simulation.checkpoints();
        simulation.update_alone(&readings(["a", "b"][cycle as usize % 2], cycle), FEW_BYTES);
        largest_bytes = largest_bytes.max(simulation.log_bytes());
        wholes += u32::from(simulation.checkpoints() != before);
    }
    // A frame has 512 bytes: of 20 frames each had 19 before it, or fewer.
    assert!((2000 / 22..2000 / 20).contains(&wholes), "{wholes}");
    assert!(largest_bytes <= 32 << 10, "{largest_bytes}");
}

const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;
/// So many sources that a few updates fill a segment.
const SOURCES: i64 = 30;

fn definition() -> Definition {
    let mut specs: Vec<String> =
        (0..SOURCES).map(|source| format!("DS:x{source}:GAUGE:1000:U:U")).collect();
    specs.extend(["RRA:AVERAGE:0.5:1:6".into(), "RRA:MAX:0.5:2:5".into()]);
    rrd::spec::definition(STEP_SECONDS as u64, specs.iter().map(String::as_str)).unwrap()
}

fn small() -> RingOptions {
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

fn readings(name: &str, cycle: i64) -> Readings {
    let time = Timestamp { seconds: START_SECONDS + cycle * STEP_SECONDS + 3, micros: 500 };
    let readings = (0..SOURCES).map(|source| ((cycle * 7 + source) % 10).to_string()).collect();
    Readings { name: name.into(), samples: vec![(time, readings)] }
}

/// How a life ends before lone updates come.
#[derive(Clone, Copy, Debug)]
enum End {
    InOrder,
    /// With frames that nobody has synced.
    Killed,
}

/// A life, lone updates that go over the ends of segments, another life, more of them: as far as
/// the machine lets it.
fn run(plan: FaultPlan, end: End) -> Simulation {
    let mut simulation = Simulation::new(small(), plan);
    let mut cycle = 0;
    for _ in 0..2 {
        simulation.options.sync = Sync::Always;
        if !try_to_open(&mut simulation) {
            return simulation;
        }
        for name in ["a", "b"] {
            if !simulation.live.databases.contains_key(name) {
                let start = Timestamp::from_seconds(START_SECONDS);
                simulation.create(name, &definition(), start);
            }
        }
        for _ in 0..2 {
            cycle += 1;
            let names: Vec<&String> = simulation.live.databases.keys().collect();
            let batch: Vec<Readings> = names.iter().map(|name| readings(name, cycle)).collect();
            simulation.append(&batch);
            simulation.work();
        }
        match end {
            End::InOrder if simulation.is_serving() => match simulation.engine().end() {
                Ok(()) => simulation.acknowledge(),
                Err(error) => assert!(crate::simulation::is_of_the_machine(&error), "{error:?}"),
            },
            End::InOrder | End::Killed => {}
        }
        simulation.engine = None;
        if simulation.medium.has_crashed() {
            return simulation;
        }
        simulation.look_at_closed();
        let begun = simulation.segments_begun();
        update_alone(&mut simulation, &mut cycle, 5);
        let has_failed = simulation.medium.failed_calls() > 0 || simulation.medium.has_crashed();
        assert!(has_failed || simulation.segments_begun() > begun, "all in one segment");
        if simulation.medium.has_crashed() {
            return simulation;
        }
    }
    simulation
}

fn try_to_open(simulation: &mut Simulation) -> bool {
    while !simulation.open() {
        simulation.engine = None;
        if simulation.medium.has_crashed() {
            return false;
        }
    }
    true
}

fn update_alone(simulation: &mut Simulation, cycle: &mut i64, count: i64) {
    for nth in 0..count {
        *cycle += 1;
        let name = ["a", "b"][nth as usize % 2];
        if simulation.live.databases.contains_key(name) && !simulation.medium.has_crashed() {
            simulation.update_alone(&readings(name, *cycle), u64::MAX);
        }
    }
}

/// Everything is there, and lone updates and lives go on.
fn check_next_lives(simulation: &mut Simulation, how: Restart) {
    simulation.restart(how, FaultPlan::default(), true);
    if !simulation.is_made() {
        return;
    }
    simulation.look_at_closed();
    let mut cycle = 50;
    update_alone(simulation, &mut cycle, 4);
    simulation.restart(Restart::PowerCut, FaultPlan::default(), true);
    assert!(simulation.open(), "a machine without faults");
    simulation.look_at_all();
    simulation.checkpoint();
    assert_eq!(simulation.engine().verify(|_, _| ()).unwrap().damage, []);
}

fn one_fault(call: u64, fault: Fault, survival: Survival) -> FaultPlan {
    FaultPlan { seed: call, at: [(call, fault)].into(), survival, ..FaultPlan::default() }
}

#[test]
fn a_crash_or_another_fault_at_any_call() {
    let crash = |survival| (Fault::Crash, survival);
    let kinds = [
        crash(Survival::Nothing),
        crash(Survival::Everything),
        crash(Survival::ByChance),
        (Fault::IoError, Survival::ByChance),
        (Fault::NoSpace, Survival::ByChance),
        (Fault::ShortWrite, Survival::ByChance),
        (Fault::FailedSync, Survival::ByChance),
    ];
    let is_thorough = std::env::var_os("GYRE_THOROUGH").is_some();
    for (first, end) in (0..).zip([End::InOrder, End::Killed]) {
        let simulation = run(FaultPlan::default(), end);
        let calls = simulation.medium.calls();
        for call in some_calls(first..calls) {
            for (nth, (fault, survival)) in (0..).zip(kinds) {
                if !is_thorough && (call + call / 7) % 7 != nth {
                    continue;
                }
                let how = [Restart::PowerCut, Restart::Process][(call / 7) as usize % 2];
                let mut simulation = run(one_fault(call, fault, survival), end);
                check_next_lives(&mut simulation, how);
            }
        }
    }
}
