//! Random lives on a random machine.

use std::time::Duration;

use disk::{FaultPlan, FaultRates, Random, Restart};
use store::ring::RingOptions;

use crate::chance::{Chance, options};
use crate::seeds::try_seeds;
use crate::simulation::Simulation;

/// Seeds that once found a fault.
const TELLING: [u64; 9] = [22, 35, 42, 102, 725, 1538, 13_837, 18_028, 22_203];

#[test]
fn random_lives() {
    try_seeds(1500, &TELLING, live);
}

fn live(seed: u64) {
    let mut random = Random::new(seed);
    // Another process copies the store now and then, for longer than the pause between two commits.
    let held_ppm = if seed % 4 == 3 && !TELLING.contains(&seed) { 100_000 } else { 0 };
    let any_plan = |random: &mut Random| {
        let plan = any_plan(random);
        FaultPlan { rates: FaultRates { held_ppm, ..plan.rates }, ..plan }
    };
    let options = RingOptions { copy_pause: Duration::MAX, ..options(&mut random) };
    let mut simulation = Simulation::new(options, any_plan(&mut random));
    let (crowd, lives, steps) = if seed % 32 == 31 { (80, 3, 30) } else { (5, 8, 60) };
    let mut chance = Chance::new(random, crowd);
    simulation.restart_until_open(Restart::Process, FaultPlan::default(), true);
    for _ in 0..crowd {
        chance.create(&mut simulation);
    }
    for _ in 0..1 + chance.random.below(lives) {
        let random = &mut chance.random;
        let how = if random.chance(700_000) { Restart::PowerCut } else { Restart::Process };
        let plan = any_plan(random);
        let killed = random.chance(800_000);
        simulation.restart_until_open(how, plan, killed);
        for _ in 0..chance.random.below(steps) {
            chance.step(&mut simulation);
            if simulation.medium.has_crashed() {
                break;
            }
            if simulation.stopped || simulation.engine().report().stopped {
                // It may be told to go on all the same.
                simulation.work();
                simulation.checkpoint();
                break;
            }
        }
    }
    simulation.restart_until_open(Restart::PowerCut, FaultPlan::default(), true);
    for _ in 0..20 {
        chance.step(&mut simulation);
    }
    simulation.look_at_all();
}

fn any_plan(random: &mut Random) -> FaultPlan {
    let mut rate = |ppm: u64| (random.below(3) * random.below(ppm)) as u32;
    let rates = FaultRates {
        io_error_ppm: rate(5_000),
        no_space_ppm: rate(20_000),
        short_write_ppm: rate(200_000),
        failed_sync_ppm: rate(30_000),
        crash_ppm: rate(5_000),
        write_back_ppm: rate(200_000),
        bit_rot_ppm: 0, // has a test of its own
        held_ppm: 0,
    };
    FaultPlan { seed: random.number(), rates, ..FaultPlan::default() }
}
