//! One bit of one segment changes: it is named, or it held nothing that was needed.

use disk::{FaultPlan, Medium as _, MediumFile as _, Random, Restart};
use journal::{Journal, JournalError};

use crate::record::Record;
use crate::simulation::{OPTIONS, Simulation, any_step_but_end};

#[derive(Debug, Default)]
struct Outcomes {
    named: u32,
    harmless: u32,
    last_frame_lost: u32,
}

#[test]
fn a_rotten_bit_is_named() {
    let mut outcomes = Outcomes::default();
    for seed in 0..3000 {
        rot_once(seed, &mut outcomes);
    }
    assert!(outcomes.named > 200 && outcomes.harmless > 300, "{outcomes:?}");
    // A torn last frame and a rotten one look alike.
    assert!(
        outcomes.last_frame_lost > 0 && outcomes.last_frame_lost < outcomes.named,
        "{outcomes:?}"
    );
}

fn rot_once(seed: u64, outcomes: &mut Outcomes) {
    let mut random = Random::new(seed);
    let mut simulation = Simulation::new(OPTIONS, FaultPlan::default());
    simulation.open().unwrap();
    for _ in 0..20 + random.below(40) {
        simulation.step(any_step_but_end(&mut random)).unwrap();
    }
    simulation.restart(Restart::PowerCut, FaultPlan::default(), random.chance(500_000));

    let names = simulation.medium.list().unwrap();
    let name = &names[random.below(names.len() as u64) as usize];
    let bytes = simulation.medium.open(name).unwrap().len_bytes().unwrap();
    simulation.medium.rot(name, random.below(bytes), random.below(8) as u32);

    let mut found = Vec::new();
    let opened =
        Journal::open(simulation.medium.clone(), OPTIONS, simulation.checkpoints, |at, raw| {
            found.push((at, Record::of(&raw)));
        });
    match opened {
        Ok(journal) if journal.durable() >= simulation.acknowledged => {
            simulation.check_found(&found, journal.durable());
            outcomes.harmless += 1;
        }
        Ok(journal) => {
            simulation.check_found(&found, journal.durable());
            assert!(journal.durable() >= simulation.last_frame, "more than a commit is gone");
            outcomes.last_frame_lost += 1;
        }
        Err(error @ (JournalError::Damaged { .. } | JournalError::Missing { .. })) => {
            // Where a segment's only frame is gone, its neighbour says that it is missing.
            assert!(error.to_string().contains("journal-0"), "{error}");
            outcomes.named += 1;
        }
        Err(error) => panic!("{error}"),
    }
}
