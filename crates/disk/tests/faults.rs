//! The fault-injecting medium fails as planned, and the same way each time.

use std::collections::BTreeMap;

use disk::{
    Fault, FaultPlan, FaultRates, FaultyFile, FaultyMedium, Medium as _, MediumFile as _, Restart,
    Survival,
};

const SECTOR: usize = 512;

/// A synced file of zero sectors, on a medium with a plan for later calls.
fn synced(sectors: usize, plan: FaultPlan) -> (FaultyMedium, FaultyFile) {
    let medium = FaultyMedium::new(FaultPlan::default());
    let file = medium.create("f").unwrap();
    file.allocate((sectors * SECTOR) as u64).unwrap();
    file.sync_data().unwrap();
    medium.sync_directory().unwrap();
    let medium = medium.restart(Restart::PowerCut, plan);
    let file = medium.open("f").unwrap();
    (medium, file)
}

fn contents(medium: &FaultyMedium) -> Vec<u8> {
    let file = medium.open("f").unwrap();
    let mut bytes = vec![0; file.len_bytes().unwrap() as usize];
    file.read_at(&mut bytes, 0).unwrap();
    bytes
}

fn after_power_cut(medium: &FaultyMedium) -> Vec<u8> {
    contents(&medium.restart(Restart::PowerCut, FaultPlan::default()))
}

#[test]
fn a_power_cut_tears_at_sectors_and_keeps_any_subset() {
    let mut outcomes = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let (medium, file) = synced(3, FaultPlan { seed, ..FaultPlan::default() });
        file.write_at(&[7; 3 * SECTOR], 0).unwrap();
        let bytes = after_power_cut(&medium);
        let sectors: Vec<bool> = bytes.chunks(SECTOR).map(|sector| sector[0] == 7).collect();
        for (sector, kept) in bytes.chunks(SECTOR).zip(&sectors) {
            assert!(sector.iter().all(|byte| (*byte == 7) == *kept), "a sector is whole");
        }
        outcomes.insert(sectors);
    }
    assert_eq!(outcomes.len(), 8, "every subset of three sectors comes up");
}

#[test]
fn what_is_synced_survives_and_the_rest_as_planned() {
    for (survival, expected) in [(Survival::Nothing, 1), (Survival::Everything, 2)] {
        let (medium, file) = synced(2, FaultPlan { survival, ..FaultPlan::default() });
        file.write_at(&[1; 2 * SECTOR], 0).unwrap();
        file.sync_data().unwrap();
        file.write_at(&[2; 10], 3).unwrap();
        assert_eq!(after_power_cut(&medium)[3], expected);
        assert_eq!(contents(&medium.restart(Restart::Process, FaultPlan::default()))[3], 2);
    }
}

#[test]
fn names_are_lost_until_the_directory_is_synced() {
    let plan = FaultPlan { survival: Survival::Nothing, ..FaultPlan::default() };
    let (medium, _) = synced(1, plan);
    medium.create("new").unwrap().sync_data().unwrap();
    medium.rename("f", "g").unwrap();
    let cut = medium.restart(Restart::PowerCut, FaultPlan::default());
    assert_eq!(cut.list().unwrap(), ["f"]);
}

#[test]
fn a_failed_sync_forgets_what_it_did_not_write() {
    let (mut lost, mut evicted) = (false, false);
    for seed in 0..50 {
        // Calls: open, write, sync.
        let at = BTreeMap::from([(2, Fault::FailedSync)]);
        let (medium, file) = synced(1, FaultPlan { seed, at, ..FaultPlan::default() });
        file.write_at(&[9; SECTOR], 0).unwrap();
        assert!(file.sync_data().is_err());
        let seen = contents(&medium)[0];
        file.sync_data().unwrap(); // and yet:
        let kept = after_power_cut(&medium)[0];
        lost |= kept == 0;
        evicted |= seen == 0;
        assert!(seen == 9 || kept == 0, "what reads no longer see is not on the platter either");
    }
    assert!(lost && evicted);
}

#[test]
fn planned_calls_fail_and_a_crash_is_the_end() {
    let faults = [(1, Fault::IoError), (2, Fault::NoSpace), (3, Fault::ShortWrite)];
    let at =
        BTreeMap::from_iter(faults.into_iter().chain([(4, Fault::NoSpace), (5, Fault::Crash)]));
    let (medium, file) = synced(1, FaultPlan { at, ..FaultPlan::default() });
    assert_eq!(file.write_some_at(&[1; 8], 0).unwrap_err().raw_os_error(), Some(5));
    assert_eq!(file.write_some_at(&[1; 8], 0).unwrap_err().raw_os_error(), Some(28));
    assert!((1..80).contains(&file.write_some_at(&[1; 80], 0).unwrap()));
    assert_eq!(file.len_bytes().unwrap(), SECTOR as u64); // a call that cannot lack space
    assert!(file.sync_data().is_err());
    assert!(medium.has_crashed() && medium.list().is_err() && file.len_bytes().is_err());
    assert_eq!(medium.calls(), 6);
}

#[test]
fn the_same_seed_replays_the_same_history() {
    let history = |seed| {
        let rates = FaultRates {
            io_error_ppm: 50_000,
            no_space_ppm: 50_000,
            short_write_ppm: 200_000,
            failed_sync_ppm: 300_000,
            crash_ppm: 10_000,
            write_back_ppm: 100_000,
            bit_rot_ppm: 500_000,
            held_ppm: 0,
        };
        let plan = FaultPlan { seed, rates, ..FaultPlan::default() };
        let medium = synced(8, FaultPlan::default()).0.restart(Restart::PowerCut, plan);
        let mut told = Vec::new();
        let Some(file) = (0..9).find_map(|_| medium.open("f").ok()) else { return (told, vec![]) };
        for nth in 0..100_u64 {
            told.push(file.write_at(&[nth as u8; 700], nth * 37 % 3000).is_ok());
            told.push(nth % 5 != 0 || file.sync_data().is_ok());
        }
        (told, after_power_cut(&medium))
    };
    for seed in 1..20 {
        assert_eq!(history(seed), history(seed));
        assert_ne!(history(seed), history(seed + 100));
    }
}

#[test]
fn rot_changes_one_bit_on_the_platter() {
    let (medium, _) = synced(1, FaultPlan::default());
    medium.rot("f", 100, 3);
    let bytes = after_power_cut(&medium);
    assert_eq!((bytes[100], bytes.iter().filter(|byte| **byte != 0).count()), (8, 1));
}

#[test]
#[should_panic(expected = "rot lies within the file")]
fn rot_outside_is_a_bug_of_the_test() {
    synced(1, FaultPlan::default()).0.rot("f", SECTOR as u64, 0);
}
