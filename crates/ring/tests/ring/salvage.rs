//! A store that is refused can be salvaged: it opens and verifies afterwards, and what is missing
//! was named.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use disk::{
    AnyMedium, FaultPlan, FaultyMedium, Medium as _, MediumFile as _, OverlayMedium, Random,
    Restart,
};
use journal::is_segment;
use ring::{Engine, Salvaged, salvage};
use rrd::Snapshot;

use crate::chance::{Chance, options};
use crate::seeds::try_seeds;
use crate::simulation::Simulation;

/// A store that lived for a while; some of its samples are in the journal alone.
fn aged(seed: u64) -> (Simulation, Chance) {
    let mut random = Random::new(seed);
    let mut simulation = Simulation::new(options(&mut random), FaultPlan::default());
    let mut chance = Chance::new(random, 5);
    assert!(simulation.open(), "a machine without faults");
    (0..5).for_each(|_| chance.create(&mut simulation));
    for _ in 0..60 + chance.random.below(60) {
        chance.step(&mut simulation);
    }
    (simulation, chance)
}

/// Does something to a file: flips a bit, cuts it, empties it, fills it with zeros, removes it.
fn damage(medium: &FaultyMedium, name: &str, random: &mut Random) {
    let file = medium.open(name).unwrap();
    let bytes = file.len_bytes().unwrap();
    match random.below(6) {
        _ if bytes == 0 => medium.remove(name).unwrap(),
        0 | 1 => medium.rot(name, random.below(bytes), random.below(8) as u32),
        2 => file.truncate(random.below(bytes)).unwrap(),
        3 => file.truncate(0).unwrap(),
        4 => file.write_at(&vec![0; bytes as usize], 0).unwrap(),
        _ => medium.remove(name).unwrap(),
    }
}

fn any_of(medium: &FaultyMedium, random: &mut Random, accept: impl Fn(&str) -> bool) -> String {
    let names: Vec<String> =
        medium.list().unwrap().into_iter().filter(|name| accept(name)).collect();
    names[random.below(names.len() as u64) as usize].clone()
}

fn contents(medium: &FaultyMedium) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let file = medium.open(&name).unwrap();
        let mut bytes = vec![0; file.len_bytes().unwrap() as usize];
        file.read_at(&mut bytes, 0).unwrap();
        (name, bytes)
    };
    medium.list().unwrap().into_iter().map(read).collect()
}

fn snapshots(engine: &Engine<AnyMedium>) -> BTreeMap<String, Snapshot> {
    let names = engine.names().unwrap();
    names.into_iter().map(|name| (name.clone(), engine.snapshot(&name).unwrap())).collect()
}

/// Tries a salvage, which changes nothing, and does it, which leaves a sound store.
fn salvaged(simulation: &Simulation) -> Salvaged {
    let before = contents(&simulation.medium);
    let overlay = OverlayMedium::over(simulation.medium.clone());
    let overlay = AnyMedium::of(overlay);
    let tried = salvage(&overlay, simulation.options).unwrap_or_else(|error| panic!("{error}"));
    assert!(contents(&simulation.medium) == before, "a trial writes nothing");
    let done = salvage(&AnyMedium::of(simulation.medium.clone()), simulation.options).unwrap();
    assert_eq!(done, tried);
    assert_eq!(done.remaining, []);
    done
}

#[test]
fn of_a_store_that_was_ended_no_damage_of_its_journal_is_missed() {
    let named = AtomicU32::new(0);
    try_seeds(100, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        simulation.engine().end().unwrap();
        simulation.restart(Restart::Process, FaultPlan::default(), true);
        let random = &mut chance.random;
        let name = any_of(&simulation.medium, random, is_segment);
        damage(&simulation.medium, &name, random);
        let engine =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        simulation.live.difference(&snapshots(&engine)).unwrap();
        let told = engine.report().log_damage.len();
        let verified = engine.verify(|_, _| ()).unwrap().damage;
        assert!(verified.len() >= told, "{told}: {verified:?}");
        named.fetch_add(told as u32, Ordering::Relaxed);
        drop(engine);
        // It goes on, and is found again.
        assert!(simulation.open());
        (0..20).for_each(|_| chance.step(&mut simulation));
        simulation.restart(Restart::PowerCut, FaultPlan::default(), true);
        opens_and_shows_all(&mut simulation);
    });
    assert_often(named, 16);
}

fn opens_and_shows_all(simulation: &mut Simulation) {
    assert!(simulation.open());
    simulation.look_at_all();
}

/// Whether something happened more often than so, unless it is one seed that is tried.
fn assert_often(times: AtomicU32, least: u32) {
    let times = times.into_inner();
    assert!(std::env::var("GYRE_SEED").is_ok() || times > least, "{times}");
}

/// The journal's damage takes what only the journal had; what the checkpoints have is there.
#[test]
fn a_damaged_journal_can_be_salvaged() {
    let (refused, lost) = (AtomicU32::new(0), AtomicU32::new(0));
    try_seeds(134, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        simulation.restart(Restart::Process, FaultPlan::default(), true);
        let random = &mut chance.random;
        let name = any_of(&simulation.medium, random, is_segment);
        damage(&simulation.medium, &name, random);
        let overlay = OverlayMedium::over(simulation.medium.clone());
        let opened = Engine::open_store(AnyMedium::of(overlay), simulation.options);
        let error = opened.and_then(|engine| engine.replay()).err();
        let done = salvaged(&simulation);
        let Some(error) = error else { return };
        refused.fetch_add(1, Ordering::Relaxed);
        assert!(error.to_string().contains("journal-0"), "{error}");
        assert!(!done.given_up.is_empty(), "{error}");
        let given_up = &done.given_up[0].damage;
        assert!(given_up.file.starts_with("journal-0") && given_up.what.contains("position"));
        let engine =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                .unwrap();
        let found = snapshots(&engine);
        assert_eq!(found.len(), done.databases);
        for (name, snapshot) in &found {
            let Some(expected) = simulation.live.databases.get(name) else { continue };
            if snapshot.live.last_update < expected.live.last_update {
                lost.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let few = refused.into_inner() < 50 || lost.into_inner() < 20;
    assert!(std::env::var("GYRE_SEED").is_ok() || !few);
}

/// Its head or one of its roots: the other root has everything, or the journal has the rest.
#[test]
fn a_catalogue_without_its_head_or_a_root_loses_nothing() {
    let mended = AtomicU32::new(0);
    try_seeds(67, &[729], |seed| {
        // 729: a root that points behind the end of the file.
        let (mut simulation, mut chance) = aged(seed);
        simulation.engine().end().unwrap();
        simulation.restart(Restart::Process, FaultPlan::default(), true);
        let offset_bytes = chance.random.below(320);
        // Zeros in the middle of redb's head, whose two roots follow each other from byte 64 on.
        let (start, bytes) = match offset_bytes {
            0..64 => (0, 9),
            64..192 => (64, 128),
            _ => (192, 128),
        };
        let file = simulation.medium.open("catalogue").unwrap();
        match chance.random.below(2) {
            0 => simulation.medium.rot("catalogue", offset_bytes, 3),
            _ => file.write_at(&vec![0; bytes], start).unwrap(),
        }
        let overlay = OverlayMedium::over(simulation.medium.clone());
        let refused = Engine::open_store(AnyMedium::of(overlay), simulation.options).is_err();
        let done = salvaged(&simulation);
        assert_eq!(done.given_up, []);
        mended.fetch_add(u32::from(refused), Ordering::Relaxed);
        opens_and_shows_all(&mut simulation);
    });
    assert_often(mended, 16);
}

/// One checkpoint serves for the other; a group that has none is given up, with its names.
#[test]
fn groups_without_checkpoints_are_given_up_by_name() {
    let (whole, gone) = (AtomicU32::new(0), AtomicU32::new(0));
    try_seeds(67, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        simulation.restart(Restart::Process, FaultPlan::default(), true);
        let random = &mut chance.random;
        let is_place = |name: &str| name.ends_with(".a") || name.ends_with(".b");
        let name = any_of(&simulation.medium, random, is_place);
        damage(&simulation.medium, &name, random);
        let both = random.chance(500_000);
        if both {
            let stem = &name[..name.len() - 1];
            let other = if name.ends_with('a') { "b" } else { "a" };
            damage(&simulation.medium, &format!("{stem}{other}"), random);
        }
        let done = salvaged(&simulation);
        let given_up: Vec<&String> = done.given_up.iter().flat_map(|it| &it.databases).collect();
        let engine =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                .unwrap();
        let found = snapshots(&engine);
        let expected = &simulation.live.databases;
        if !done.given_up.iter().any(|each| each.whole) {
            simulation.live.difference(&found).unwrap();
            whole.fetch_add(1, Ordering::Relaxed);
            return;
        }
        gone.fetch_add(1, Ordering::Relaxed);
        for (name, snapshot) in expected {
            match found.get(name) {
                Some(found) => crate::model::assert_same(name, found, snapshot),
                // A database made since the last commit of the catalogue is known to the journal
                // alone.
                None => assert!(!given_up.is_empty() || given_up.contains(&name), "{name}"),
            }
        }
        // The names are free again.
        for name in given_up.into_iter().filter(|name| !found.contains_key(*name)) {
            let start = rrd::Timestamp::from_seconds(1);
            let definition = &expected.values().next().unwrap().definition;
            engine.create(name, definition, start).unwrap();
        }
    });
    let few = whole.into_inner() < 20 || gone.into_inner() < 20;
    assert!(std::env::var("GYRE_SEED").is_ok() || !few);
}

/// State and open pages of a group whose tiles are gone stand in its checkpoint.
#[test]
fn missing_tiles_read_as_unknown() {
    try_seeds(67, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        simulation.restart(Restart::Process, FaultPlan::default(), true);
        let random = &mut chance.random;
        let name = any_of(&simulation.medium, random, |name| name.ends_with(".tiles"));
        damage(&simulation.medium, &name, random);
        salvaged(&simulation);
        let engine =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                .unwrap();
        let found = snapshots(&engine);
        assert!(found.keys().eq(simulation.live.databases.keys()));
        for (name, expected) in &simulation.live.databases {
            let (live, expected_live) = (&found[name].live, &expected.live);
            assert_eq!(live.last_update, expected_live.last_update, "{name}");
            // Not equal where they are unknown.
            let [sources, wanted] = [live, expected_live].map(|it| format!("{:?}", it.sources));
            assert_eq!(sources, wanted, "{name}");
            for (found, expected) in found[name].rows.iter().zip(&expected.rows) {
                let pairs = found.iter().zip(expected);
                for (found, expected) in pairs.filter(|(found, _)| !found.is_nan()) {
                    assert_eq!(found.to_bits(), expected.to_bits(), "{name}");
                }
            }
        }
    });
}

/// Where redb's head tells how long the file is, any bit may have rotted, or all of them, in a
/// store that was ended and in one that was killed.
#[test]
fn a_catalogue_whose_length_has_rotted_loses_nothing() {
    let mut refused = 0;
    for ended in [true, false] {
        let (mut simulation, _) = aged(5);
        simulation.restart(Restart::Process, FaultPlan::default(), true);
        let medium = simulation.medium.clone();
        if ended {
            // redb notes that it was closed when it is dropped.
            let engine =
                Engine::open_store(AnyMedium::of(medium.clone()), simulation.options).unwrap();
            engine.end().unwrap();
        }
        let counts = [0, 1, 2, 9, 1 << 12, (1 << 20) - 1, 1 << 20, u32::MAX].map(u64::from);
        let all = counts.iter().flat_map(|full| counts.map(|pages| full | pages << 32));
        let mut sound = [0; 8];
        medium.open("catalogue").unwrap().read_at(&mut sound, 24).unwrap();
        let flipped = (0..64).map(|bit| u64::from_le_bytes(sound) ^ 1 << bit);
        for rotten in flipped.chain(all) {
            simulation.medium = medium.restart(Restart::Process, FaultPlan::default());
            let file = simulation.medium.open("catalogue").unwrap();
            file.write_at(&rotten.to_le_bytes(), 24).unwrap();
            file.sync_data().unwrap();
            let overlay = OverlayMedium::over(simulation.medium.clone());
            refused +=
                u32::from(Engine::open_store(AnyMedium::of(overlay), simulation.options).is_err());
            let done = salvaged(&simulation);
            assert_eq!(done.given_up, [], "{rotten:016x}");
            let engine =
                Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                    .unwrap();
            simulation.live.difference(&snapshots(&engine)).unwrap();
        }
    }
    assert!(refused > 10, "{refused}");
}
