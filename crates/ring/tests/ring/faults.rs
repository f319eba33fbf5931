//! Random lives on a random machine.

use std::time::Duration;

use disk::{FaultPlan, FaultRates, Random, Restart};
use ring::{RingOptions, Sync};

use crate::chance::{Chance, options};
use crate::seeds::try_seeds;
use crate::simulation::Simulation;

/// Seeds that once found a fault.
const TELLING: [u64; 1] = [7_668];

#[test]
fn random_lives() {
    try_seeds(100, &TELLING, live);
}

fn live(seed: u64) {
    let mut random = Random::new(seed);
    let machines = Machines { is_copied: seed % 4 == 3 };
    let options = RingOptions { copy_pause: Duration::MAX, ..options(&mut random) };
    let mut simulation = Simulation::new(options, machines.any_plan(&mut random));
    let (crowd, lives, steps) = if seed % 32 == 31 { (80, 3, 30) } else { (5, 8, 60) };
    let mut chance = Chance::new(random, crowd);
    simulation.restart_until_open(Restart::Process, FaultPlan::default(), true);
    for _ in 0..crowd {
        chance.create(&mut simulation);
    }
    machines.live_on(&mut simulation, &mut chance, lives, steps);
}

/// The machines of a life.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machines {
    /// Another process copies the store now and then, for longer than the pause between two
    /// commits.
    pub(crate) is_copied: bool,
}

impl Machines {
    /// Some lives of so many steps at most, each on a machine of its own faults; then one without,
    /// in which nothing is left of all that failed.
    pub(crate) fn live_on(
        self,
        simulation: &mut Simulation,
        chance: &mut Chance,
        lives: u64,
        steps: u64,
    ) {
        for _ in 0..1 + chance.random.below(lives) {
            let random = &mut chance.random;
            let how = if random.chance(700_000) { Restart::PowerCut } else { Restart::Process };
            let plan = self.any_plan(random);
            let killed = random.chance(800_000);
            simulation.options.sync =
                if random.chance(300_000) { Sync::Deferred } else { Sync::Always };
            simulation.restart_until_open(how, plan, killed);
            for _ in 0..chance.random.below(steps) {
                chance.step(simulation);
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
        for _ in 0..20.min(steps) {
            chance.step(simulation);
        }
        simulation.look_at_all();
        // A tile that a power cut tore is mended by the checkpoint.
        simulation.checkpoint();
        assert_eq!(simulation.engine().verify(|_, _| ()).unwrap().damage, []);
        simulation.restart(Restart::Process, FaultPlan::default(), false);
        assert!(simulation.open(), "a machine without faults");
        simulation.look_at_files();
    }

    pub(crate) fn any_plan(self, random: &mut Random) -> FaultPlan {
        let mut rate = |ppm: u64| (random.below(3) * random.below(ppm)) as u32;
        let rates = FaultRates {
            io_error_ppm: rate(5_000),
            no_space_ppm: rate(20_000),
            short_write_ppm: rate(200_000),
            failed_sync_ppm: rate(30_000),
            crash_ppm: rate(5_000),
            write_back_ppm: rate(200_000),
            bit_rot_ppm: 0, // has a test of its own
            held_ppm: if self.is_copied { 100_000 } else { 0 },
        };
        FaultPlan { seed: random.number(), rates, ..FaultPlan::default() }
    }
}
