//! A few databases of a store that nobody has open: what is looked up of them is what the store
//! would answer, and the store stays as it was, to the last byte.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

use disk::{
    AnyMedium, FaultPlan, FaultyMedium, Medium, MediumFile as _, OverlayMedium, Random, Restart,
};
use ring::RingStore;
use ring::{Engine, LookUp, RingOptions, Sync};
use rrd::ConsolidationFunction;
use rrd::fetch::Query;
use store::Error;

use crate::chance::{Chance, options};
use crate::model::assert_same;
use crate::seeds::try_seeds;
use crate::simulation::Simulation;

type Opened = Engine<AnyMedium>;

/// Everything that a directory holds.
fn contents(medium: &FaultyMedium) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| {
        let file = medium.open(&name).unwrap();
        let mut bytes = vec![0; file.len_bytes().unwrap() as usize];
        assert_eq!(file.read_at(&mut bytes, 0).unwrap(), bytes.len());
        (name, bytes)
    };
    medium.list().unwrap().into_iter().map(read).collect()
}

/// What became of a question, so that it can be compared.
fn told<T: std::fmt::Debug>(answer: Result<T, Error>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("error: {error}"),
    }
}

/// Asks for everything that there is to know of a name.
fn compare(whole: &Opened, look_up: &LookUp, name: &str, random: &mut Random) {
    assert_eq!(look_up.has(name).unwrap(), whole.has(name), "{name}");
    let wanted = whole.outline(name);
    let last = wanted.as_ref().map_or(0, |outline| outline.last_update.seconds);
    let step = wanted.as_ref().map_or(1, |outline| outline.definition.step_seconds);
    assert_eq!(told(look_up.outline(name)), told(wanted), "{name}");
    assert_eq!(told(look_up.describe(name)), told(whole.describe(name)), "{name}");
    let start_seconds = last - random.below(60 * step) as i64;
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf: ConsolidationFunction::PLAIN[random.below(4) as usize],
        start_seconds,
        end_seconds: start_seconds + random.below(50 * step) as i64,
        step_seconds: 1 + random.below(step * 6),
    };
    assert_eq!(told(look_up.fetch(name, &query)), told(whole.fetch(name, &query)), "{name}");
    let (found, wanted) = (look_up.fetch_stretch(name, &query), whole.fetch_stretch(name, &query));
    assert_eq!(told(found), told(wanted), "{name}");
    assert_eq!(told(look_up.snapshot(name)), told(whole.snapshot(name)), "{name}");
    let image = whole.departures().one(name).and_then(|departure| departure.file_bytes());
    assert_eq!(told(look_up.image(name)), told(image), "{name}");
    assert_eq!(told(look_up.header(name)), told(whole.header(name)), "{name}");
}

/// Looks up every name, and some that nobody has. Returns how often a part was enough.
fn compare_all(simulation: &Simulation, known: &BTreeSet<String>, random: &mut Random) -> u32 {
    let medium = &simulation.medium;
    let before = contents(medium);
    let whole =
        Engine::open_store(AnyMedium::of(OverlayMedium::over(medium.clone())), simulation.options);
    let whole = whole.unwrap_or_else(|error| panic!("{error}"));
    let mut names: BTreeSet<String> = whole.names().unwrap().into_iter().collect();
    names.extend(known.iter().cloned());
    let together = LookUp::over(medium.clone(), simulation.options);
    let mut parts = 0;
    for name in names {
        match random.below(4) {
            0 => continue,
            1 => compare(&whole, &together, &name, random),
            _ => {
                let alone = LookUp::over(medium.clone(), simulation.options);
                compare(&whole, &alone, &name, random);
                parts += u32::from(!alone.is_whole());
                assert!(!alone.is_whole(), "{name}: a part of a sound store is enough");
            }
        }
    }
    assert!(contents(medium) == before, "nothing is written");
    parts
}

/// A store that has aged, and died somehow.
fn live(seed: u64, parts: &AtomicU32) {
    let mut random = Random::new(seed);
    let mut options = options(&mut random);
    if seed.is_multiple_of(3) {
        options.sync = Sync::Deferred;
    }
    let mut simulation = Simulation::new(options, FaultPlan::default());
    let mut chance = Chance::new(random, 3 + seed as usize % 20);
    let mut known = BTreeSet::from(["nobody".to_owned()]);
    assert!(simulation.open(), "a machine without faults");
    (0..5).for_each(|_| chance.create(&mut simulation));
    for _ in 0..4 {
        for _ in 0..chance.random.below(120) {
            chance.step(&mut simulation);
            known.extend(simulation.live.databases.keys().cloned());
        }
        let killed = chance.random.below(4) > 0;
        if !killed {
            simulation.checkpoint();
            simulation.engine().end().unwrap();
        }
        let how = if seed.is_multiple_of(2) { Restart::Process } else { Restart::PowerCut };
        simulation.restart(how, FaultPlan::default(), killed);
        parts.fetch_add(compare_all(&simulation, &known, &mut chance.random), Ordering::Relaxed);
        assert!(simulation.open(), "a machine without faults");
    }
}

#[test]
fn what_is_looked_up_is_what_the_store_answers() {
    let parts = AtomicU32::new(0);
    try_seeds(38, &[], |seed| live(seed, &parts));
    let parts = parts.into_inner();
    assert!(std::env::var("GYRE_SEED").is_ok() || parts > 1000, "{parts}");
}

/// What is damaged is told, or does not matter for what is looked up.
#[test]
fn nothing_false_is_told_of_a_store_that_is_damaged() {
    let told = AtomicU32::new(0);
    try_seeds(75, &[], |seed| {
        let mut random = Random::new(seed);
        let options = options(&mut random);
        let mut simulation = Simulation::new(options, FaultPlan::default());
        let mut chance = Chance::new(random, 12);
        assert!(simulation.open(), "a machine without faults");
        (0..8).for_each(|_| chance.create(&mut simulation));
        (0..chance.random.below(150)).for_each(|_| chance.step(&mut simulation));
        simulation.restart(Restart::Process, FaultPlan::default(), chance.random.below(3) > 0);
        let random = &mut chance.random;
        let what = damage(&simulation.medium, random);
        let before = contents(&simulation.medium);
        let whole = Engine::open_store(
            AnyMedium::of(OverlayMedium::over(simulation.medium.clone())),
            simulation.options,
        );
        for (name, wanted) in &simulation.live.databases {
            let look_up = LookUp::over(simulation.medium.clone(), simulation.options);
            let found = look_up.snapshot(name);
            match (&found, &whole) {
                // Not all damage of the log can be noticed; what is lost then is the same.
                (Ok(found), Ok(whole)) => assert_same(name, found, &whole.snapshot(name).unwrap()),
                // The store is refused for a hole in the log that this database does not need. Rot
                // in the log's last frame, too, looks as if that had never been acknowledged.
                (Ok(found), Err(_)) if journal::is_segment(&what) => {
                    assert!(found.live.last_update <= wanted.live.last_update, "{name}");
                }
                (Ok(found), Err(_)) => assert_same(name, found, wanted),
                // A group that is lost, or a tile.
                (Err(_), Ok(whole)) => {
                    whole.snapshot(name).unwrap_err();
                }
                (Err(error), Err(whole)) => {
                    assert_eq!(error.to_string(), whole.to_string(), "{what}");
                }
            }
            told.fetch_add(u32::from(found.is_err()), Ordering::Relaxed);
        }
        assert!(contents(&simulation.medium) == before, "nothing is written");
    });
    let told = told.into_inner();
    assert!(std::env::var("GYRE_SEED").is_ok() || told > 100, "{told}");
}

/// Damages a file somewhere: it rots, is cut, or is gone. Returns which.
fn damage(medium: &FaultyMedium, random: &mut Random) -> String {
    let names = medium.list().unwrap();
    let name = &names[random.below(names.len() as u64) as usize];
    let file = medium.open(name).unwrap();
    let bytes = file.len_bytes().unwrap().max(1);
    match random.below(4) {
        0 => medium.remove(name).unwrap(),
        1 => file.truncate(random.below(bytes)).unwrap(),
        _ => {
            for _ in 0..1 + random.below(200) {
                let at = random.below(bytes);
                let mut byte = [0];
                file.read_at(&mut byte, at).unwrap();
                byte[0] ^= 1 << random.below(8);
                file.write_at(&byte, at).unwrap();
            }
        }
    }
    name.clone()
}

#[test]
fn a_store_is_written_or_looked_up() {
    let directory = tempfile::tempdir().unwrap();
    let root = &directory.path().join("store");
    let options = RingOptions::default();
    let is_locked = |error: Option<Error>| matches!(error, Some(Error::Locked(_)));
    let store = RingStore::create(root, options).unwrap();
    assert!(is_locked(RingStore::look_up(root, options).err()));
    store.close().unwrap();
    let looking = [(), ()].map(|()| RingStore::look_up(root, options).unwrap());
    assert!(!looking[0].has("nobody").unwrap());
    assert!(is_locked(RingStore::open(root, options).err()));
    drop(looking);
    RingStore::open(root, options).unwrap().close().unwrap();
    let nowhere = RingStore::look_up(directory.path(), options).unwrap_err().to_string();
    assert!(nowhere.contains("gyre-store"), "{nowhere}");
}
