//! Random histories on a sound machine: members of many clocks, flushes, restarts, deaths and
//! returns.

use disk::{FaultPlan, Random, Restart};

use crate::chance::{Chance, options};
use crate::seeds::try_seeds;
use crate::simulation::Simulation;

#[test]
fn a_store_answers_as_its_model_does() {
    try_seeds(75, &[], live);
}

fn live(seed: u64) {
    let mut random = Random::new(seed);
    let mut simulation = Simulation::new(options(&mut random), FaultPlan::default());
    // Many databases of one layout take groups of more than one capacity.
    let (crowd, steps) = if seed % 16 == 15 { (90, 60) } else { (7, 200) };
    let mut chance = Chance::new(random, crowd);
    assert!(simulation.open(), "a machine without faults");
    (0..crowd).for_each(|_| chance.create(&mut simulation));
    for _ in 0..steps {
        chance.step(&mut simulation);
        if chance.random.below(50) == 0 {
            restart(&mut simulation, &mut chance.random);
        }
    }
    simulation.look_at_all();
}

fn restart(simulation: &mut Simulation, random: &mut Random) {
    simulation.look_at_all();
    if random.below(2) == 0 {
        simulation.checkpoint();
        simulation.look_at_all();
    }
    let how = if random.below(2) == 0 { Restart::Process } else { Restart::PowerCut };
    simulation.restart(how, FaultPlan::default(), random.below(2) == 0);
    assert!(simulation.open(), "a machine without faults");
}
