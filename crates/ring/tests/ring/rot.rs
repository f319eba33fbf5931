//! One bit of one file changes at rest: it is named, and everything else answers exactly.

use std::collections::BTreeMap;

use disk::{AnyMedium, FaultPlan, FaultyMedium, Medium as _, MediumFile as _, Random, Restart};
use journal::{is_note, is_segment};
use ring::Engine;
use rrd::Snapshot;
use rrd::fetch::Query;
use store::Error;

use crate::chance::{Chance, options};
use crate::model::Model;
use crate::seeds::try_seeds;
use crate::simulation::Simulation;

/// A store that lived for a while, closed with a checkpoint of every group.
pub(crate) fn aged(seed: u64) -> (Simulation, Chance) {
    let mut random = Random::new(seed);
    let mut simulation = Simulation::new(options(&mut random), FaultPlan::default());
    let mut chance = Chance::new(random, 5);
    assert!(simulation.open(), "a machine without faults");
    (0..5).for_each(|_| chance.create(&mut simulation));
    for _ in 0..40 + chance.random.below(60) {
        chance.step(&mut simulation);
    }
    simulation.checkpoint();
    (simulation, chance)
}

/// Some file whose name is accepted, and a bit of it.
fn place(
    medium: &FaultyMedium,
    random: &mut Random,
    accept: impl Fn(&str) -> bool,
) -> Option<(String, u64, u32)> {
    let names: Vec<String> =
        medium.list().unwrap().into_iter().filter(|name| accept(name)).collect();
    let name = names.get(random.below(names.len().max(1) as u64) as usize)?;
    let bytes = medium.open(name).unwrap().len_bytes().unwrap();
    (bytes > 0).then(|| (name.clone(), random.below(bytes), random.below(8) as u32))
}

/// Every database that answers, exactly as in the model; the others say what is damaged.
pub(crate) fn check_all(
    engine: &Engine<AnyMedium>,
    model: &Model,
    names_it: impl Fn(&Error) -> bool,
) -> u32 {
    let mut damaged = 0;
    for (name, expected) in &model.databases {
        match engine.snapshot(name) {
            Ok(found) => assert_same(name, &found, expected),
            Err(error) => {
                assert!(names_it(&error), "{name}: {error}");
                damaged += 1;
            }
        }
    }
    damaged
}

fn assert_same(name: &str, found: &Snapshot, expected: &Snapshot) {
    crate::model::assert_same(name, found, expected);
}

/// What a fetch gives of the longest archive is as in the model, or unknown.
pub(crate) fn check_fetch(engine: &Engine<AnyMedium>, name: &str, expected: &Snapshot) {
    for (archive, rows) in expected.definition.archives.iter().zip(&expected.rows) {
        let step = (expected.definition.step_seconds * archive.pdp_per_row) as i64;
        let end = expected.live.last_update.seconds.div_euclid(step) * step;
        let start_seconds = end - (archive.rows as i64 - 1) * step;
        let query = Query {
            tick: rrd::Tick::SECOND,
            cf: archive.cf,
            start_seconds,
            end_seconds: end,
            step_seconds: step as u64,
        };
        let Ok(window) =
            rrd::fetch::window(&expected.definition, expected.live.last_update.seconds, &query)
        else {
            continue;
        };
        if !std::ptr::eq(&raw const expected.rows[window.archive], rows) {
            continue;
        }
        let found = engine.fetch(name, &query).unwrap();
        let known: BTreeMap<u64, usize> = rows.iter().map(|value| (value.to_bits(), 0)).collect();
        for value in found.values.iter().filter(|value| !value.is_nan()) {
            assert!(known.contains_key(&value.to_bits()), "{name}: {value} is none of its values");
        }
    }
}

#[test]
fn a_rotten_tile_takes_only_its_own_rows() {
    let named = std::sync::atomic::AtomicU32::new(0);
    try_seeds(100, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        simulation.restart(Restart::PowerCut, FaultPlan::default(), false);
        // Rot of a tile that a flush was writing when it was cut short may pass for its tear: the
        // first checkpoint mends what is torn.
        let mended =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                .unwrap();
        mended.checkpoint().unwrap();
        drop(mended);
        let rotten = place(&simulation.medium, &mut chance.random, |name| name.ends_with(".tiles"));
        let Some((file, offset_bytes, bit)) = rotten else { return };
        simulation.medium.rot(&file, offset_bytes, bit);
        let engine =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                .unwrap();
        assert!(engine.damaged_groups().is_empty());
        engine.checkpoint().unwrap();
        let page_bytes = offset_bytes / 4096 * 4096;
        let names_it = |error: &Error| {
            matches!(error, Error::Damaged { file: found, offset_bytes, .. }
                if *found == file && *offset_bytes == page_bytes)
        };
        for (name, expected) in &simulation.live.databases {
            check_fetch(&engine, name, expected);
        }
        let damaged = check_all(&engine, &simulation.live, names_it);
        let mut told = (0, 0);
        let verified = engine.verify(|done, total| told = (done, total)).unwrap();
        assert_eq!(told.0, told.1);
        let found = verified.damage.iter().map(|each| (each.file.clone(), each.offset_bytes));
        assert_eq!(found.collect::<Vec<_>>(), [(file.clone(), Some(page_bytes))], "{verified:?}");
        let reports = engine.report().groups;
        assert_eq!(reports.iter().map(|each| each.damaged_offsets_bytes.len()).sum::<usize>(), 1);
        named.fetch_add(damaged, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(std::env::var("GYRE_SEED").is_ok() || named.into_inner() > 20);
}

#[test]
fn a_sound_store_is_found_sound() {
    try_seeds(34, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        let verified = simulation.engine().verify(|_, _| ()).unwrap();
        assert_eq!(verified.damage, []);
        for _ in 0..chance.random.below(20) {
            chance.step(&mut simulation);
        }
        let how = [Restart::Process, Restart::PowerCut][chance.random.below(2) as usize];
        simulation.restart(how, FaultPlan::default(), true);
        assert!(simulation.open());
        assert_eq!(simulation.engine().verify(|_, _| ()).unwrap().damage, []);
    });
}

#[test]
fn one_rotten_checkpoint_loses_nothing() {
    try_seeds(100, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        for _ in 0..chance.random.below(30) {
            chance.step(&mut simulation);
        }
        simulation.restart(Restart::PowerCut, FaultPlan::default(), chance.random.below(2) == 0);
        let place_of = |name: &str| name.ends_with(".a") || name.ends_with(".b");
        let Some((file, offset_bytes, bit)) =
            place(&simulation.medium, &mut chance.random, place_of)
        else {
            return;
        };
        simulation.medium.rot(&file, offset_bytes, bit);
        assert!(simulation.open(), "the other one serves");
        for _ in 0..30 {
            chance.step(&mut simulation);
        }
        simulation.look_at_all();
        simulation.restart(Restart::PowerCut, FaultPlan::default(), true);
        assert!(simulation.open());
    });
}

#[test]
fn a_group_without_a_checkpoint_is_named_and_the_others_serve_on() {
    let lost = std::sync::atomic::AtomicU32::new(0);
    try_seeds(67, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        for _ in 0..chance.random.below(30) {
            chance.step(&mut simulation);
        }
        simulation.restart(Restart::PowerCut, FaultPlan::default(), chance.random.below(2) == 0);
        let Some((file, ..)) =
            place(&simulation.medium, &mut chance.random, |name| name.ends_with(".a"))
        else {
            return;
        };
        let group: u32 = file.trim_end_matches(".a").parse().unwrap();
        for place in ["a", "b"] {
            simulation.medium.rot(&format!("{group:06}.{place}"), 20, 3);
        }
        let engine =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                .unwrap();
        let damaged = engine.damaged_groups();
        if damaged.is_empty() {
            // Nobody misses a group whose databases are all elsewhere by now.
            assert_eq!(check_all(&engine, &simulation.live, |_| false), 0);
            return;
        }
        assert_eq!(damaged.iter().map(|each| each.group).collect::<Vec<_>>(), [group]);
        let gone = check_all(
            &engine,
            &simulation.live,
            |error| matches!(error, Error::LostGroup { group: named, .. } if *named == group),
        );
        let definition = &simulation.live.databases.values().next().unwrap().definition;
        for name in simulation.live.databases.keys() {
            // Its name stays its own.
            let refused = engine.create(name, definition, rrd::Timestamp::from_seconds(1));
            assert!(matches!(refused, Err(Error::Exists(_))), "{name}: {refused:?}");
        }
        engine.create("another", definition, rrd::Timestamp::from_seconds(1)).unwrap();
        engine.checkpoint().unwrap();
        assert!(
            engine
                .verify(|_, _| ())
                .unwrap()
                .damage
                .iter()
                .any(|each| each.file.contains(&format!("{group:06}")))
        );
        lost.fetch_add(gone, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(std::env::var("GYRE_SEED").is_ok() || lost.into_inner() > 100);
}

#[test]
fn rot_in_the_attic_or_the_catalogue_is_named() {
    let named = std::sync::atomic::AtomicU32::new(0);
    try_seeds(200, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        for _ in 0..chance.random.below(30) {
            chance.step(&mut simulation);
        }
        simulation.restart(Restart::PowerCut, FaultPlan::default(), chance.random.below(2) == 0);
        let kind = [".attic", "catalogue"][chance.random.below(2) as usize];
        let Some((file, offset_bytes, bit)) =
            place(&simulation.medium, &mut chance.random, |name| name.contains(kind))
        else {
            return;
        };
        simulation.medium.rot(&file, offset_bytes, bit);
        let names_it = |error: &Error| error.to_string().contains(&file);
        match Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options) {
            Err(error) => {
                assert!(names_it(&error), "{file}: {error}");
                named.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
            Ok(engine) => {
                let damaged = check_all(&engine, &simulation.live, names_it);
                let verified = engine.verify(|_, _| ()).unwrap();
                assert!(damaged == 0 || verified.damage.iter().any(|each| each.file == file));
                named.fetch_add(u32::from(damaged > 0), std::sync::atomic::Ordering::Relaxed);
            }
        }
    });
    assert!(std::env::var("GYRE_SEED").is_ok() || named.into_inner() > 16);
}

/// A last frame that has rotted and one that a power cut has torn look alike: no more than that is
/// ever taken for never written.
#[test]
fn rot_in_the_journal_is_named_or_takes_the_last_commit() {
    let named = std::sync::atomic::AtomicU32::new(0);
    try_seeds(200, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        let before = simulation.live.clone();
        chance.far_ahead(&mut simulation);
        simulation.restart(Restart::PowerCut, FaultPlan::default(), true);
        let Some((file, offset_bytes, bit)) =
            place(&simulation.medium, &mut chance.random, |name| is_segment(name) || is_note(name))
        else {
            return;
        };
        simulation.medium.rot(&file, offset_bytes, bit);
        let opened =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options);
        // Records that an outline tells of are read when they are needed.
        match opened.and_then(|engine| engine.replay().map(|()| engine)) {
            Err(error) => {
                assert!(error.to_string().contains("journal-"), "{file}: {error}");
                named.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
            Ok(engine) => {
                let is_named = !engine.report().log_damage.is_empty();
                named.fetch_add(u32::from(is_named), std::sync::atomic::Ordering::Relaxed);
                let names = engine.names().unwrap();
                let found: BTreeMap<String, Snapshot> = names
                    .iter()
                    .map(|name| (name.clone(), engine.snapshot(name).unwrap()))
                    .collect();
                let all = simulation.live.difference(&found);
                assert!(all.is_ok() || before.difference(&found).is_ok(), "{all:?}");
            }
        }
    });
    let named = named.into_inner();
    assert!(std::env::var("GYRE_SEED").is_ok() || named > 3, "{named}");
}
