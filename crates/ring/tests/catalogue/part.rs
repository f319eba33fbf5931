//! A catalogue of which a few keys are looked up: it tells what one tells that is opened whole.

use std::collections::BTreeSet;

use disk::{FaultPlan, FaultyMedium, MemoryMedium, Random};
use journal::{Generation, LogPosition, RrdId};
use ring::catalogue::{
    Catalogue, CatalogueError, Changes, DefinitionId, GroupEntry, GroupId, RrdEntry,
};

use crate::world::{Contents, META, definition};

/// What was committed in some steps, some of it taken back.
fn change_by_chance(catalogue: &Catalogue, random: &mut Random) {
    let definitions = 1 + random.below(60) as u32;
    let groups = 1 + random.below(12) as u32;
    let steps = 1 + random.below(5);
    for step in 0..steps {
        let (mut changes, mut taken) = (Changes::new(), BTreeSet::new());
        for nth in 0..definitions {
            changes.put_definition(DefinitionId(nth), &definition(nth.into()));
        }
        for group in 0..groups {
            let layout = DefinitionId(random.below(definitions.into()) as u32);
            let (capacity, phase_pdps) = (random.below(1 << 12) as u32, random.below(99) as u32);
            let created = LogPosition(random.number() >> 4);
            let entry = GroupEntry { layout, capacity, phase_pdps, shared: true, created };
            changes.put_group(GroupId(group * 7), entry);
        }
        for nth in 0..random.below(600) {
            let rrd =
                RrdId(((random.below(groups.into()) as u32 * 7) << 12) | random.below(4096) as u32);
            let long = "x".repeat(random.below(3).pow(9) as usize);
            let name = format!("{step}/{nth}/{long}");
            let definition = DefinitionId(random.below(definitions.into()) as u32);
            let generation = Generation(1 + step as u32);
            if catalogue.entry(rrd).unwrap().is_some() || !taken.insert(rrd) {
                continue;
            }
            changes.put_rrd(rrd, RrdEntry { generation, definition, born_step: 3, name });
            if random.below(20) == 0 {
                let foreign = vec![nth as u8; random.below(30_000) as usize];
                changes.put_foreign(rrd, foreign);
            }
        }
        catalogue.commit(&changes, LogPosition(step * 1000)).unwrap();
        let mut changes = Changes::new();
        for (_, rrd) in catalogue.names("").unwrap() {
            if random.below(8) == 0 {
                let entry = catalogue.entry(rrd).unwrap().unwrap();
                changes.remove_rrd(rrd, entry.generation);
            }
        }
        catalogue.commit(&changes, LogPosition(step * 1000 + 500)).unwrap();
    }
}

#[test]
fn it_tells_what_the_whole_one_tells() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let medium = MemoryMedium::default();
        let catalogue = Catalogue::create(&medium, &META).unwrap();
        let empty = Catalogue::open_in_part(&medium).unwrap();
        assert_eq!(empty.id_of("a").unwrap(), None, "{seed}");
        change_by_chance(&catalogue, &mut random);
        let wanted = Contents::of(&catalogue).unwrap();
        if seed % 2 == 0 {
            catalogue.close().unwrap();
        }
        let part = Catalogue::open_in_part(&medium).unwrap();
        assert_eq!(Contents::of_part(&part, &wanted).unwrap(), wanted, "{seed}");
        assert_eq!(*part.meta(), META, "{seed}");
        for absent in ["", "0", "0/1/y", "z"] {
            assert_eq!(part.id_of(absent).unwrap(), None, "{seed}: {absent}");
        }
        assert_eq!(part.entry(RrdId(8 << 12)).unwrap(), None, "{seed}");
        assert_eq!(part.named("sparse").unwrap(), None, "{seed}");
    }
}

#[test]
fn all_that_it_loads_is_what_redb_loads() {
    let told = |catalogue: &Catalogue| {
        let mut told = Vec::new();
        catalogue.load(|loaded| told.push(format!("{loaded:?}"))).unwrap();
        told
    };
    for seed in 0..20 {
        let medium = MemoryMedium::default();
        let catalogue = Catalogue::create(&medium, &META).unwrap();
        change_by_chance(&catalogue, &mut Random::new(seed));
        let part = Catalogue::open_in_part(&medium).unwrap();
        assert_eq!(told(&part), told(&catalogue), "{seed}");
    }
}

#[test]
fn what_concerns_all_of_it_is_refused() {
    let medium = FaultyMedium::new(FaultPlan::default());
    Catalogue::create(&medium, &META).unwrap().close().unwrap();
    let mut part = Catalogue::open_in_part(&medium).unwrap();
    let unusable = |error: CatalogueError| matches!(error, CatalogueError::Unusable { .. });
    assert!(unusable(part.names("").unwrap_err()));
    assert!(unusable(part.commit(&Changes::new(), LogPosition(1)).unwrap_err()));
    assert!(unusable(part.check().unwrap_err()));
    assert_eq!(part.applied().unwrap(), LogPosition(0), "it goes on");
}
