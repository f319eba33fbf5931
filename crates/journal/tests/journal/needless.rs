//! Damage of what nobody needs is passed over and named; a segment that is cut or gone is missed if
//! its records are needed.

use disk::{FaultPlan, FaultyMedium, Medium as _, MediumFile as _, Random, Restart};
use journal::{Journal, JournalError, LogDamage, LogPosition, RawRecord};

use crate::record::Record;
use crate::simulation::{OPTIONS, Simulation, Step, any_step, any_step_but_end};

/// What an opening gave.
struct Opened {
    found: Vec<(LogPosition, Record)>,
    end: LogPosition,
    damage: Vec<LogDamage>,
}

fn open(simulation: &Simulation, give_up: bool) -> Result<Opened, JournalError> {
    let mut found = Vec::new();
    let (medium, start) = (simulation.medium.clone(), simulation.checkpoints);
    let visit = |at, raw: RawRecord<'_>| found.push((at, Record::of(&raw)));
    let journal = match give_up {
        true => Journal::salvage(medium, OPTIONS, start, visit)?,
        false => Journal::open(medium, OPTIONS, start, visit)?,
    };
    let (end, damage) = (journal.durable(), journal.damage().to_vec());
    Ok(Opened { found, end, damage })
}

/// A log that lived for a while.
fn lived(random: &mut Random) -> Simulation {
    let mut simulation = Simulation::new(OPTIONS, FaultPlan::default());
    simulation.open().unwrap();
    for _ in 0..20 + random.below(40) {
        simulation.step(any_step_but_end(random)).unwrap();
    }
    simulation
}

/// A segment of the journal.
fn any_segment(medium: &FaultyMedium, random: &mut Random) -> String {
    let mut names = medium.list().unwrap();
    names.retain(|name| name != "journal-last");
    names[random.below(names.len() as u64) as usize].clone()
}

/// Does something to a file: flips a bit, cuts it, empties it, fills it with zeros, removes it.
fn damage(medium: &FaultyMedium, name: &str, random: &mut Random) {
    let file = medium.open(name).unwrap();
    let bytes = file.len_bytes().unwrap();
    match random.below(5) {
        _ if bytes == 0 => {}
        0 => medium.rot(name, random.below(bytes), random.below(8) as u32),
        1 => file.truncate(random.below(bytes)).unwrap(),
        2 => file.truncate(0).unwrap(),
        3 => file.write_at(&vec![0; bytes as usize], 0).unwrap(),
        _ => medium.remove(name).unwrap(),
    }
}

#[test]
fn of_a_log_that_was_ended_nothing_is_missed() {
    let mut named = 0;
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let mut simulation = lived(&mut random);
        simulation.step(Step::End).unwrap();
        simulation.restart(Restart::Process, FaultPlan::default(), false);
        let name = any_segment(&simulation.medium, &mut random);
        damage(&simulation.medium, &name, &mut random);
        let opened = open(&simulation, false).unwrap_or_else(|it| panic!("{seed}: {name}: {it}"));
        assert_eq!((opened.found.len(), opened.end), (0, simulation.checkpoints.from), "{seed}");
        assert!(opened.damage.iter().all(|damage| !damage.needed), "{seed}");
        named += usize::from(!opened.damage.is_empty());
        // It goes on, and what is written from here on is found again.
        simulation.open().unwrap();
        for _ in 0..20 {
            simulation.step(any_step(&mut random)).unwrap();
        }
        simulation.restart(Restart::PowerCut, FaultPlan::default(), false);
        simulation.open().unwrap();
    }
    assert!(named > 400, "{named}");
}

#[test]
fn without_the_note_of_its_end_a_whole_log_opens_all_the_same() {
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let mut simulation = lived(&mut random);
        if random.chance(500_000) {
            simulation.step(Step::End).unwrap();
        }
        simulation.restart(Restart::Process, FaultPlan::default(), false);
        damage(&simulation.medium, "journal-last", &mut random);
        simulation.open().unwrap();
    }
}

/// Cut, emptied or removed: a segment whose records are needed is missed, whichever it is.
#[test]
fn a_segment_that_is_cut_or_gone_is_missed_if_it_is_needed() {
    let (mut refused, mut harmless) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let mut simulation = lived(&mut random);
        simulation.restart(Restart::Process, FaultPlan::default(), random.chance(300_000));
        let name = any_segment(&simulation.medium, &mut random);
        let file = simulation.medium.open(&name).unwrap();
        match random.below(3) {
            0 => file.truncate(0).unwrap(),
            1 => file.truncate(random.below(4096)).unwrap(),
            _ => simulation.medium.remove(&name).unwrap(),
        }
        match open(&simulation, false) {
            Ok(opened) => {
                assert!(opened.end >= simulation.acknowledged, "{seed}: {name}: lost");
                simulation.check_found(&opened.found, opened.end);
                harmless += 1;
            }
            Err(error) => {
                assert!(error.to_string().contains("journal-0"), "{seed}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 500 && harmless > 500, "{refused} {harmless}");
}

/// Whoever gives up what is damaged gets everything else, and is told what is missing.
#[test]
fn what_is_given_up_is_told() {
    let mut missing = 0;
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let mut simulation = lived(&mut random);
        simulation.restart(Restart::Process, FaultPlan::default(), random.chance(300_000));
        for _ in 0..1 + random.below(3) {
            let name = any_segment(&simulation.medium, &mut random);
            damage(&simulation.medium, &name, &mut random);
        }
        let opened = open(&simulation, true).unwrap_or_else(|error| panic!("{seed}: {error}"));
        for (at, record) in &opened.found {
            assert!(simulation.appended.contains(&(*at, record.clone())), "{seed}: {at}");
        }
        let from = simulation.checkpoints.from;
        // The last commit may pass for one that a power cut has torn.
        let kept = from..simulation.last_frame;
        for (at, record) in simulation.appended.iter().filter(|(at, _)| kept.contains(at)) {
            let found = opened.found.contains(&(*at, record.clone()));
            let told = opened.damage.iter().any(|damage| {
                let open_end = damage.end <= damage.first;
                damage.first <= *at && (open_end || *at < damage.end)
            });
            assert!(found || told, "{seed}: {at} is missing: {:?}", opened.damage);
            missing += usize::from(!found);
        }
        // What was kept opens again, without giving up anything more.
        simulation.checkpoints.from = opened.end;
        simulation.checkpoints.keep_from = opened.end;
        let again = open(&simulation, false).unwrap_or_else(|it| panic!("{seed}: {it}"));
        assert_eq!(again.end, opened.end, "{seed}");
    }
    assert!(missing > 500, "{missing}");
}
