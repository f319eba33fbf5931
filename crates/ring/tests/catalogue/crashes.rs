//! A small scenario with a crash, or another fault, at every single call.

use std::collections::BTreeMap;

use disk::{Fault, FaultPlan, FaultRates, FaultyMedium, MemoryMedium, Restart, Survival};
use journal::{Generation, LogPosition, RrdId};
use ring::catalogue::{Catalogue, CatalogueError, Changes, DefinitionId, GroupId};

use crate::calls::some_calls;
use crate::world::{Contents, META, definition, entry, first_changes, group};

const SURVIVALS: [(Survival, u64); 4] = [
    (Survival::Nothing, 0),
    (Survival::Everything, 0),
    (Survival::ByChance, 1),
    (Survival::ByChance, 2),
];

/// Batches that make the file grow, use pages again and empty a group.
fn batches() -> Vec<Changes> {
    let mut second = Changes::new();
    second.put_definition(DefinitionId(1), &definition(1));
    second.put_group(GroupId(2), group(1));
    for member in 0..60 {
        let name = format!("switch/{}/port-{member}.rrd", "x".repeat(100));
        second.put_rrd(RrdId(2 << 12 | member), entry(1, &name));
    }
    second.put_foreign(RrdId(2 << 12), vec![7; 20_000]);
    let mut third = Changes::new();
    for member in 0..30 {
        third.rename(RrdId(1 << 12 | member), Generation(1), &format!("renamed-{member}"));
        third.redefine(RrdId(2 << 12 | member), Generation(1), DefinitionId(1));
    }
    let mut fourth = Changes::new();
    for member in 0..60 {
        fourth.remove_rrd(RrdId(2 << 12 | member), Generation(1));
    }
    fourth.remove_group(GroupId(2));
    vec![first_changes(40), second, third, fourth]
}

/// What the catalogue holds after so many batches.
fn states() -> Vec<Contents> {
    let catalogue = Catalogue::create(&MemoryMedium::default(), &META).unwrap();
    let mut states = vec![Contents::of(&catalogue).unwrap()];
    for (nth, changes) in batches().iter().enumerate() {
        catalogue.commit(changes, position(nth + 1)).unwrap();
        states.push(Contents::of(&catalogue).unwrap());
    }
    states
}

fn position(batches: usize) -> LogPosition {
    LogPosition(batches as u64 * 1000)
}

/// How far a life came.
struct Life {
    medium: FaultyMedium,
    /// Whether making the catalogue was reported as done.
    created: bool,
    /// Batches that were reported as committed.
    committed: usize,
}

/// Does all of it in one life from the beginning.
fn run(plan: FaultPlan) -> Life {
    let mut life = Life { medium: FaultyMedium::new(plan), created: false, committed: 0 };
    live(&mut life);
    life
}

/// Goes on where the last life ended; what fails is tried again after opening anew, a crash ends
/// it.
fn live(life: &mut Life) {
    let batches = batches();
    while !life.medium.has_crashed() && life.committed < batches.len() {
        let Ok(catalogue) = open(life).inspect_err(assert_of_the_machine) else { continue };
        life.created = true;
        while life.committed < batches.len() {
            let (changes, applied) = (&batches[life.committed], position(life.committed + 1));
            if let Err(error) = catalogue.commit(changes, applied) {
                assert_of_the_machine(&error);
                if !life.medium.has_crashed() {
                    assert_refuses(&catalogue, changes, applied);
                }
                break;
            }
            life.committed += 1;
        }
    }
}

/// Makes the catalogue, or opens it and looks how far it is.
fn open(life: &mut Life) -> Result<Catalogue, CatalogueError> {
    let catalogue = match Catalogue::create(&life.medium, &META) {
        Err(CatalogueError::Exists) => Catalogue::open(&life.medium)?,
        made => made?,
    };
    let found = (catalogue.applied()?.0 / 1000) as usize;
    assert!((life.committed..=life.committed + 1).contains(&found), "{found}");
    life.committed = found;
    Ok(catalogue)
}

/// After a failed commit none succeeds before the catalogue is opened again.
fn assert_refuses(catalogue: &Catalogue, changes: &Changes, applied: LogPosition) {
    let again = catalogue.commit(changes, applied).unwrap_err();
    assert!(matches!(again, CatalogueError::Unusable { .. }), "{again}");
}

fn assert_of_the_machine(error: &CatalogueError) {
    assert!(matches!(error, CatalogueError::Io { .. }), "{error}");
}

/// The next life finds the last commit, or the one that was under way; then everything goes on.
fn check_next_life(life: &Life, how: Restart, plan: FaultPlan, states: &[Contents]) -> bool {
    let medium = life.medium.restart(how, plan);
    let catalogue = match Catalogue::open(&medium) {
        Ok(catalogue) => catalogue,
        Err(CatalogueError::NotAStore { .. }) if !life.created => {
            Catalogue::create(&medium, &META).unwrap()
        }
        Err(error) => {
            assert!(medium.has_crashed(), "{error}");
            return false;
        }
    };
    let found = (catalogue.applied().unwrap().0 / 1000) as usize;
    let under_way = (life.committed + 1).min(states.len() - 1);
    assert!((life.committed..=under_way).contains(&found), "{found} of {}", life.committed);
    assert_eq!(Contents::of(&catalogue).unwrap(), states[found]);
    for (nth, changes) in batches().iter().enumerate().skip(found) {
        catalogue.commit(changes, position(nth + 1)).unwrap();
    }
    assert_eq!(Contents::of(&catalogue).unwrap(), states[states.len() - 1]);
    catalogue.close().unwrap();
    true
}

fn one_fault(call: u64, fault: Fault, survival: Survival, seed: u64) -> FaultPlan {
    FaultPlan { seed, at: BTreeMap::from([(call, fault)]), survival, ..FaultPlan::default() }
}

fn calls_without_faults() -> u64 {
    let life = run(FaultPlan::default());
    assert_eq!(life.committed, 4, "the scenario runs to its end");
    life.medium.calls()
}

#[test]
fn a_crash_at_any_call() {
    let states = states();
    for call in some_calls(0..calls_without_faults()) {
        for (survival, seed) in SURVIVALS {
            let life = run(one_fault(call, Fault::Crash, survival, seed));
            assert!(life.medium.has_crashed());
            assert!(check_next_life(&life, Restart::PowerCut, FaultPlan::default(), &states));
        }
    }
}

#[test]
fn a_crash_at_any_call_of_the_recovery_from_a_crash() {
    let states = states();
    // Every seventh call of the scenario meets every kind of its calls.
    for call in (0..calls_without_faults()).step_by(7) {
        for recovery_call in 0.. {
            let life = run(one_fault(call, Fault::Crash, Survival::ByChance, 3));
            let plan = one_fault(recovery_call, Fault::Crash, Survival::ByChance, 4);
            let medium = life.medium.restart(Restart::PowerCut, plan);
            let opened = Catalogue::open(&medium);
            let crashed = medium.has_crashed();
            drop(opened); // in this life, or what is left of it
            let recovered = Life { medium, ..life };
            assert!(check_next_life(&recovered, Restart::PowerCut, FaultPlan::default(), &states));
            if !crashed {
                break; // opening makes no more calls
            }
        }
    }
}

#[test]
fn every_other_fault_at_any_call() {
    let states = states();
    for call in some_calls(0..calls_without_faults()) {
        for fault in [Fault::IoError, Fault::NoSpace, Fault::ShortWrite, Fault::FailedSync] {
            for (survival, seed) in [(Survival::Nothing, 0), (Survival::ByChance, 1)] {
                let life = run(one_fault(call, fault, survival, seed));
                assert_eq!(life.committed, 4, "one fault is got over");
                for how in [Restart::PowerCut, Restart::Process] {
                    assert!(check_next_life(&life, how, FaultPlan::default(), &states));
                }
            }
        }
    }
}

/// Lives that end by chance, with faults by chance, until all is done.
#[test]
fn random_lives() {
    let states = states();
    let rates = FaultRates {
        io_error_ppm: 2000,
        no_space_ppm: 2000,
        short_write_ppm: 20_000,
        failed_sync_ppm: 20_000,
        crash_ppm: 5000,
        write_back_ppm: 50_000,
        ..FaultRates::default()
    };
    let mut lives = 0;
    for seed in 0..100_u64 {
        let plan = |life: u64| FaultPlan { seed: seed << 16 | life, rates, ..FaultPlan::default() };
        let mut life = run(plan(0));
        while life.committed + 1 < states.len() {
            lives += 1;
            let how = if lives % 4 == 0 { Restart::Process } else { Restart::PowerCut };
            life.medium = life.medium.restart(how, plan(lives));
            live(&mut life);
        }
        assert!(check_next_life(&life, Restart::PowerCut, FaultPlan::default(), &states));
    }
    assert!(lives > 100, "{lives} lives that a crash ended");
}
