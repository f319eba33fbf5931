//! A store of format version 1 that was left uncleanly, as it was written when the version was
//! fixed: it opens and answers for ever. `GYRE_BLESS=1` writes it anew, which only a new version of
//! the format justifies.
//!
//! The files are kept without their zeros: for each its name, length and stretches, each number in
//! little-endian bytes.

use std::fmt::Write as _;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use disk::{AnyMedium, FaultPlan, FaultyMedium, Medium, MediumFile as _, PosixMedium};
use journal::JournalOptions;
use ring::{Engine, Pace, RingOptions};
use rrd::{Archive, Definition, LiveState, Reading, Sample, Snapshot, Timestamp};
use store::Update;

const BLOCK_BYTES: usize = 4096;
const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ring-v1").join(name)
}

fn options() -> RingOptions {
    RingOptions {
        pace: Pace { flush_cycles: 4, tile_rows_max: 2 },
        journal: JournalOptions {
            segment_bytes: 64 << 10,
            block_bytes: BLOCK_BYTES,
            segments: 2,
            ..RingOptions::default().journal
        },
        sparse: true,
        replay_threads: 0,
        ..RingOptions::default()
    }
}

fn definitions() -> [Definition; 2] {
    let one: &[_] = &["DS:x:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:30", "RRA:MAX:0.5:3:20"];
    let two: &[_] = &["DS:in:COUNTER:100:0:U", "DS:out:DERIVE:100:U:U", "RRA:LAST:0.5:2:15"];
    [one, two].map(|specs| rrd::spec::definition(STEP_SECONDS as u64, specs.to_vec()).unwrap())
}

/// Databases of two layouts; one is always late, one stops; some of the log is in no checkpoint.
fn live() -> (FaultyMedium, Engine<AnyMedium>) {
    let medium = FaultyMedium::new(FaultPlan::default());
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    let definitions = definitions();
    let mut names: Vec<String> = (0..6).map(|nth| format!("rack/{nth}")).collect();
    for (nth, name) in names.iter().enumerate() {
        let start = Timestamp::from_seconds(START_SECONDS);
        engine.create(name, &definitions[nth % 2], start).unwrap();
    }
    for cycle in 1..=90 {
        for (nth, name) in names.iter().enumerate() {
            if nth == 3 && cycle > 40 {
                continue; // it has stopped
            }
            let late = if nth == 2 { 7 * STEP_SECONDS } else { 0 };
            let time = START_SECONDS + 100 + cycle * STEP_SECONDS + nth as i64 - late;
            let text = (cycle * (nth as i64 + 3)).to_string();
            let readings = vec![Reading::of(&text); 1 + nth % 2];
            let time = Timestamp::from_seconds(time);
            let samples = [Sample { time, readings: &readings }];
            assert!(engine.update(&[Update::of(name, &samples)]).is_empty());
        }
        engine.work().unwrap();
        if cycle == 70 {
            engine.checkpoint().unwrap();
            engine.rename("rack/5", "rack/five").unwrap();
            names[5] = "rack/five".into();
        }
    }
    engine.delete("rack/4").unwrap();
    (medium, engine)
}

/// Every database, its values bit by bit.
fn told<M: Medium<File: 'static>>(engine: &Engine<M>) -> String {
    let mut text = String::new();
    for name in engine.names().unwrap() {
        let snapshot = engine.snapshot(&name).unwrap();
        writeln!(text, "{name}\n{}\n{}", definition(&snapshot), live_state(&snapshot)).unwrap();
        for rows in &snapshot.rows {
            let values = rows.iter().map(|value| format!("{:016x}", value.to_bits()));
            writeln!(text, "{}", values.collect::<Vec<_>>().join(" ")).unwrap();
        }
    }
    text
}

/// The definition in the words that the frozen text has, whatever fields came since.
fn definition(snapshot: &Snapshot) -> String {
    let Definition { step_seconds, sources, archives, .. } = &snapshot.definition;
    let archives = archives.iter().map(|Archive { cf, rows, pdp_per_row, xff, .. }| {
        format!("Archive {{ cf: {cf:?}, rows: {rows}, pdp_per_row: {pdp_per_row}, xff: {xff:?} }}")
    });
    let archives = archives.collect::<Vec<_>>().join(", ");
    format!(
        "Definition {{ step_seconds: {step_seconds}, sources: {sources:?}, archives: [{archives}] }}"
    )
}

/// The same for the live state.
fn live_state(snapshot: &Snapshot) -> String {
    let LiveState { last_update, sources, cells, .. } = &snapshot.live;
    format!("LiveState {{ last_update: {last_update:?}, sources: {sources:?}, cells: {cells:?} }}")
}

fn pack(medium: &FaultyMedium) -> Vec<u8> {
    let mut out = Vec::new();
    for name in medium.list().unwrap() {
        let file = medium.open(&name).unwrap();
        let mut bytes = vec![0; file.len_bytes().unwrap() as usize];
        assert_eq!(file.read_at(&mut bytes, 0).unwrap(), bytes.len());
        put(&mut out, name.as_bytes());
        out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        for (nth, block) in bytes.chunks(BLOCK_BYTES).enumerate() {
            let zeros = block.iter().rev().take_while(|byte| **byte == 0).count();
            if zeros < block.len() {
                put(&mut out, &block[..block.len() - zeros]);
                out.extend_from_slice(&((nth * BLOCK_BYTES) as u64).to_le_bytes());
            }
        }
        put(&mut out, &[]);
    }
    out
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn unpack(mut packed: &[u8], root: &Path) {
    while !packed.is_empty() {
        let name = std::str::from_utf8(take(&mut packed)).unwrap().to_owned();
        let file = File::create(root.join(name)).unwrap();
        file.set_len(number(&mut packed)).unwrap();
        loop {
            let stretch = take(&mut packed);
            if stretch.is_empty() {
                break;
            }
            file.write_all_at(stretch, number(&mut packed)).unwrap();
        }
    }
}

fn take<'a>(packed: &mut &'a [u8]) -> &'a [u8] {
    let (length, rest) = packed.split_first_chunk().unwrap();
    let (bytes, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
    *packed = rest;
    bytes
}

fn number(packed: &mut &[u8]) -> u64 {
    let (number, rest) = packed.split_first_chunk().unwrap();
    *packed = rest;
    u64::from_le_bytes(*number)
}

#[test]
fn a_store_of_version_1_opens_for_ever() {
    if std::env::var_os("GYRE_BLESS").is_some() {
        let (medium, engine) = live();
        std::fs::create_dir_all(golden("")).unwrap();
        std::fs::write(golden("store.bin"), pack(&medium)).unwrap();
        std::fs::write(golden("expected.txt"), told(&engine)).unwrap();
    }
    let root = tempfile::tempdir().unwrap();
    unpack(&std::fs::read(golden("store.bin")).unwrap(), root.path());
    let medium = PosixMedium::open(root.path()).unwrap();
    let engine = Engine::open_store(AnyMedium::of(medium), options()).unwrap();
    assert!(engine.damaged_groups().is_empty());
    let expected = std::fs::read_to_string(golden("expected.txt")).unwrap();
    assert!(told(&engine) == expected, "found:\n{}", told(&engine));
    engine.checkpoint().unwrap();
    assert_eq!(engine.verify(|_, _| ()).unwrap().damage, []);
    assert!(told(&engine) == expected, "after a checkpoint:\n{}", told(&engine));
}

/// A store of the first version does not say which tiles were written. What a check of it has seen
/// is known from the next checkpoint on.
#[test]
fn tiles_of_an_old_store_are_known_once_they_were_verified() {
    let root = tempfile::tempdir().unwrap();
    unpack(&std::fs::read(golden("store.bin")).unwrap(), root.path());
    let open = || {
        Engine::open_store(AnyMedium::of(PosixMedium::open(root.path()).unwrap()), options())
            .unwrap()
    };
    let engine = open();
    assert!(engine.verify(|_, _| ()).unwrap().tiles > 0);
    engine.checkpoint().unwrap();
    drop(engine);
    let path = root.path().join("000000.tiles");
    let bytes = std::fs::read(&path).unwrap();
    let page = bytes.chunks(BLOCK_BYTES).position(|page| page.starts_with(b"gyretile")).unwrap();
    let tiles = File::options().write(true).open(&path).unwrap();
    tiles.write_all_at(&[0; BLOCK_BYTES], (page * BLOCK_BYTES) as u64).unwrap();
    let damage = open().verify(|_, _| ()).unwrap().damage;
    let found: Vec<_> = damage.iter().map(|each| (each.file.as_str(), each.offset_bytes)).collect();
    assert_eq!(found, [("000000.tiles", Some((page * BLOCK_BYTES) as u64))]);
}
