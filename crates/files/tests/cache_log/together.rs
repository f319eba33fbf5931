//! A base and the samples behind it reach the disk together: a base alone would hide older samples.

use disk::{Fault, FaultPlan, FaultyMedium, Restart, Survival};
use files::cache::{Lines, Log, Step};
use journal::RrdId;

use crate::room::{base, options, sample};

const FILES: u32 = 30;
const SAMPLES: u32 = 9;

/// Appends more than several segments hold, and waits for the disk once.
fn live(medium: &FaultyMedium) {
    let Ok((log, _)) = Log::open(medium.clone(), options()) else { return };
    let mut lines = Lines::default();
    for number in 0..FILES {
        lines.base(RrdId(number), &base(number).view());
        (0..SAMPLES).for_each(|nth| sample(&mut lines, number, nth));
        log.append(&mut lines).unwrap();
    }
    let _ = log.commit(); // the machine may have stopped
}

#[test]
fn no_crash_leaves_a_base_without_its_samples() {
    let mut found = 0;
    for call in 0..80 {
        for (seed, restart) in [(1, Restart::PowerCut), (2, Restart::Process)] {
            let plan = FaultPlan {
                seed,
                at: [(call, Fault::Crash)].into(),
                survival: Survival::ByChance,
                ..FaultPlan::default()
            };
            let medium = FaultyMedium::new(plan);
            live(&medium);
            let medium = medium.restart(restart, FaultPlan::default());
            let (_, replay) = Log::open(medium, options()).unwrap();
            for file in replay.files() {
                let steps = replay.steps(file.number);
                let samples = steps.filter(|step| matches!(step, Ok(Step::Sample(_)))).count();
                assert_eq!(samples, SAMPLES as usize, "call {call}, {restart:?}");
                found += 1;
            }
        }
    }
    assert!(found > 100, "{found}");
}
