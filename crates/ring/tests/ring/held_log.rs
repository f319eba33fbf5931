//! A process that copies a store holds its log, but not without a bound.

use disk::{AnyMedium, File, Mode, PosixMedium};
use journal::JournalOptions;
use ring::{Engine, Pace, RingOptions, Sync};
use rrd::{Reading, Sample, Timestamp};
use store::Update;

const START: i64 = 1_600_000_000;
const SEGMENT_BYTES: usize = 16 << 10;
const LOG_BYTES_MAX: u64 = 50_000;
const HELD_BYTES_MAX: u64 = 300_000;

fn options() -> RingOptions {
    RingOptions {
        pace: Pace { flush_cycles: 4, tile_rows_max: 2 },
        journal: JournalOptions { segment_bytes: SEGMENT_BYTES, ..RingOptions::default().journal },
        log_bytes_max: Some(LOG_BYTES_MAX),
        held_log_bytes_max: Some(HELD_BYTES_MAX),
        sync: Sync::Deferred, // the log grows alike, and sooner
        replay_threads: 0,
        ..RingOptions::default()
    }
}

/// Takes samples of so many steps, and does what is due. Returns the most bytes that the log had.
fn live(engine: &Engine<AnyMedium>, steps: std::ops::Range<i64>) -> u64 {
    let mut log_bytes_max = 0;
    let filler = "1".repeat(300); // long records make a long log
    for step in steps {
        let time = Timestamp::from_seconds(START + step * 10);
        for name in ["a", "b"] {
            let reading = format!("{filler}.{step}");
            let samples = [Sample { time, readings: &[Reading::of(&reading)] }];
            assert!(engine.update(&[Update::of(name, &samples)]).is_empty());
        }
        engine.work().unwrap();
        log_bytes_max = log_bytes_max.max(engine.report().log_bytes);
    }
    log_bytes_max
}

#[test]
fn a_log_that_is_held_is_freed_beyond_its_bound() {
    let directory = tempfile::tempdir().unwrap();
    let medium = PosixMedium::open(directory.path()).unwrap();
    let engine = Engine::create_store(AnyMedium::of(medium), options()).unwrap();
    let specs = ["DS:x:GAUGE:100:U:U", "RRA:LAST:0.5:1:30"];
    let definition = rrd::spec::definition(10, specs).unwrap();
    for name in ["a", "b"] {
        engine.create(name, &definition, Timestamp::from_seconds(START)).unwrap();
    }
    let free = live(&engine, 1..300);
    // As a copier does that is then stopped.
    let copier = File::open(&directory.path().join("catalogue"), Mode::Read).unwrap();
    assert!(copier.try_lock(Mode::Read).unwrap());
    let held = live(&engine, 300..1500);
    assert!(held > 2 * free, "{held} bytes are held, {free} without the hold");
    assert!(held < HELD_BYTES_MAX + 2 * LOG_BYTES_MAX, "{held} bytes are held");
    // Its files do not grow either, however long that goes on.
    let (segments, _) = engine.report().journal_segments;
    assert!(live(&engine, 1500..3000) < HELD_BYTES_MAX + 2 * LOG_BYTES_MAX);
    let (segments_later, _) = engine.report().journal_segments;
    assert!(segments_later < segments + segments / 4, "{segments_later}, {segments} before");
    drop(copier);
    // The hold is over: the log is as short as before.
    live(&engine, 3000..3150);
    assert!(live(&engine, 3150..3300) <= free + LOG_BYTES_MAX);
}
