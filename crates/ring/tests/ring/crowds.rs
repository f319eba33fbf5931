//! Groups of 4,032: databases that come by thousands, on a machine that fails.

use std::time::Duration;

use disk::{FaultPlan, Random, Restart};
use ring::RingOptions;
use rrd::{Definition, Snapshot, Timestamp};
use store::{ADOPTEES_MAX, Adoptee};

use crate::chance::{Chance, options};
use crate::faults::Machines;
use crate::model::{Model, Op};
use crate::seeds::try_seeds;
use crate::simulation::Simulation;

const STEP_SECONDS: i64 = 10;

#[test]
fn thousands_of_databases() {
    try_seeds(2, &[], live);
}

/// So few rows that thousands of databases are a small store.
fn definition() -> Definition {
    let words = ["DS:x:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:6", "RRA:MAX:0.5:2:3"];
    rrd::spec::definition(STEP_SECONDS as u64, words).unwrap()
}

fn live(seed: u64) {
    let mut random = Random::new(seed);
    let machines = Machines { is_copied: seed % 2 == 1 };
    let options = RingOptions { copy_pause: Duration::MAX, ..options(&mut random) };
    let mut simulation = Simulation::new(options, machines.any_plan(&mut random));
    simulation.restart_until_open(Restart::Process, FaultPlan::default(), true);
    let mut chance = Chance::of_one_layout(random, definition(), ADOPTEES_MAX);
    let adoptees: Vec<Adoptee> =
        (0..ADOPTEES_MAX).map(|nth| any_adoptee(&mut chance, nth)).collect();
    simulation.adopt(&adoptees);
    assert_eq!(simulation.live.databases.len(), ADOPTEES_MAX, "a machine without faults");
    // Their layout is popular by now: whoever comes next gets a group of the largest capacity.
    (0..3).for_each(|_| chance.create(&mut simulation));
    let capacities = simulation.engine().report().groups.into_iter().map(|group| group.capacity);
    assert_eq!(capacities.collect::<Vec<_>>(), [ADOPTEES_MAX as u32; 2]);
    machines.live_on(&mut simulation, &mut chance, 3, 12);
}

/// One that was silent for long, or runs ahead of the others, or is in step.
fn any_adoptee(chance: &mut Chance, nth: usize) -> Adoptee {
    let name = format!("crowd/{nth:04}");
    let lead_steps = match chance.random.below(10) {
        0 => -(chance.random.below(30) as i64),
        1 => chance.random.below(30) as i64,
        _ => 0,
    };
    let first = chance.now_seconds() + lead_steps * STEP_SECONDS;
    let start = Timestamp::from_seconds(first - 5 * STEP_SECONDS);
    let mut model = Model::default();
    let create = Op::Create { name: name.clone(), definition: definition(), start };
    model.apply(&create).unwrap();
    for step in (0..5).rev().take(1 + chance.random.below(5) as usize) {
        let time = Timestamp::from_seconds(first - step * STEP_SECONDS);
        let readings = vec![chance.random.below(1000).to_string()];
        model.apply(&Op::Update { name: name.clone(), time, readings }).unwrap();
    }
    let snapshot: Snapshot = model.databases.remove(&name).unwrap();
    Adoptee { name, snapshot, foreign: None }
}
