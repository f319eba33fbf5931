//! Random lives on a random machine. `GYRE_SEEDS=n` tries so many seeds, `GYRE_SEED=n` that one.

use disk::{FaultPlan, FaultRates, Random, Restart};
use journal::JournalOptions;

use crate::simulation::{Simulation, any_step, is_of_the_machine};

const SEEDS: u64 = 2000;

/// Seeds that once found a fault.
const TELLING: [u64; 5] = [282, 31_177, 151_093, 29_980, 55_789];

#[test]
fn random_lives() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect(name));
    if let Some(seed) = number("GYRE_SEED") {
        return live(seed);
    }
    let seeds = number("GYRE_SEEDS").unwrap_or(SEEDS);
    for seed in TELLING.into_iter().chain(0..seeds) {
        if let Err(panic) = std::panic::catch_unwind(|| live(seed)) {
            eprintln!("GYRE_SEED={seed} replays it");
            std::panic::resume_unwind(panic);
        }
    }
}

fn live(seed: u64) {
    let mut random = Random::new(seed);
    let options = any_options(&mut random);
    let mut simulation = Simulation::new(options, any_plan(&mut random));
    for _ in 0..1 + random.below(6) {
        one_life(&mut simulation, &mut random);
        let how = if random.chance(700_000) { Restart::PowerCut } else { Restart::Process };
        let fall_back = random.chance(200_000);
        simulation.restart(how, any_plan(&mut random), fall_back);
    }
    simulation.restart(Restart::PowerCut, FaultPlan::default(), false);
    simulation.open().expect("a machine without faults");
}

fn one_life(simulation: &mut Simulation, random: &mut Random) {
    while let Err(error) = simulation.open() {
        assert!(is_of_the_machine(&error), "{error}");
        if simulation.medium.has_crashed() {
            return;
        }
    }
    for _ in 0..random.below(60) {
        if let Err(error) = simulation.step(any_step(random)) {
            assert!(is_of_the_machine(&error), "{error}");
        }
        if simulation.medium.has_crashed() {
            return;
        }
    }
}

fn any_options(random: &mut Random) -> JournalOptions {
    let block_bytes = [512, 1024][random.below(2) as usize];
    JournalOptions {
        block_bytes,
        segment_bytes: block_bytes * (5 + random.below(12) as usize),
        first_segment_bytes: block_bytes << (1 + random.below(5)),
        segments: random.below(5) as usize,
        zeros: true,
        read_ahead: false,
        intervals_kept: random.below(2) as usize,
    }
}

fn any_plan(random: &mut Random) -> FaultPlan {
    let mut rate = |ppm: u64| (random.below(3) * random.below(ppm)) as u32;
    let rates = FaultRates {
        io_error_ppm: rate(20_000),
        no_space_ppm: rate(50_000),
        short_write_ppm: rate(200_000),
        failed_sync_ppm: rate(100_000),
        crash_ppm: rate(15_000),
        write_back_ppm: rate(200_000),
        bit_rot_ppm: 0, // has a test of its own
        held_ppm: 0,
    };
    FaultPlan { seed: random.number(), rates, ..FaultPlan::default() }
}
