//! Predictions compared with known figures, and with each other.

mod machines;

use machines::{GIB, machine, mrtg};
use planner::{Fleet, Prediction, Way, most, most_more, predict};
use serde_json::Value;

fn of(databases: u64, memory_bytes: u64, way: Way) -> Prediction {
    predict(&Fleet::of(mrtg(), databases), &machine(memory_bytes), way).unwrap()
}

#[test]
fn the_reference_s_480_000_files_need_its_memory() {
    let memory_of = |pages: u64| 480_000 * (pages * 4200 + 1950) + (11 << 20);
    let eight = of(480_000, memory_of(8), Way::FILES);
    assert!((7.9..8.1).contains(&eight.pages_per_file.unwrap()), "{eight:?}");
    assert!((eight.memory.page_cache_bytes - 15.7e9).abs() < 0.1e9, "14.6 GiB: {eight:?}");
    assert!(eight.reads.page_ins_per_update < 0.06, "{eight:?}");
    let six = of(480_000, memory_of(6), Way::FILES);
    assert!(six.reads.page_ins_per_update > 4.0 * eight.reads.page_ins_per_update, "{six:?}");
    assert!(six.reads.page_ins_per_update_max > 3.0, "at midnight: {six:?}");
}

#[test]
fn the_ring_store_is_predicted_by_its_own_arithmetic() {
    let ring = of(1_000_000, 2 * GIB, Way::RING);
    assert_eq!(ring.pace.unwrap().tile_rows_max, 18);
    assert!(ring.memory.process_bytes < 700e6, "{ring:?}");
    assert_eq!(ring.reads.page_ins_per_second, 0.0);
    assert!(ring.fits(), "{ring:?}");
    let bytes_per_update = ring.written.bytes() / ring.updates_per_second;
    assert!((57.5..60.0).contains(&bytes_per_update), "{bytes_per_update}");
}

/// The measurements of `cargo xtask bench store` with 1,000,000 databases.
#[test]
fn the_ring_store_of_a_million_is_as_it_was_seen() {
    let text = include_str!("../../../docs/bench/store-1m.json");
    let seen: Value = serde_json::from_str(text).unwrap();
    let seen = &seen["raw"]["day"];
    let figures = |name: &str| -> Vec<f64> {
        let of = seen[name].as_array().unwrap();
        of.iter().map(|figure| figure.as_f64().unwrap()).collect()
    };
    let ring = of(1_000_000, 2 * GIB, Way::RING);
    let near = |what: &str, planned: f64, seen: f64, part: f64| {
        assert!((planned / seen - 1.0).abs() < part, "{what}: {planned} planned, {seen} seen");
    };
    // During the first half, the store still allocates its space.
    let bytes = &figures("cycle_bytes")[20..];
    let seen_bytes = bytes.iter().sum::<f64>() / bytes.len() as f64;
    near("bytes", ring.written.bytes() * 300.0, seen_bytes, 0.1);
    let mut seconds = figures("cycle_seconds");
    seconds.sort_by(f64::total_cmp);
    near("seconds of a cycle", ring.cycle.seconds, seconds[seconds.len() / 2], 0.25);
    near("restart", ring.restart_seconds, 2.9, 0.25);
}

/// Resident bytes of the same benchmark's worker (a day of 288 cycles) and of that of
/// `cargo xtask bench plan --only ring`, both on 26 November 2026.
#[test]
fn the_ring_store_s_memory_is_as_it_was_seen() {
    let with_rows = |tile_rows_max| {
        let pace = ring::Pace { tile_rows_max, ..ring::Pace::default() };
        Way::Ring { pace: Some(pace) }
    };
    for (databases, tile_rows, seen_bytes) in
        [(1_000_000, 18, 485e6), (100_000, 18, 62.4e6), (100_000, 2, 44.7e6), (100_000, 1, 41.8e6)]
    {
        let planned = of(databases, 2 * GIB, with_rows(tile_rows)).memory.process_bytes;
        let ratio = planned / seen_bytes;
        assert!((0.9..1.1).contains(&ratio), "{databases}, K {tile_rows}: {planned} planned");
    }
}

#[test]
fn a_journal_writes_a_page_once_for_many_samples() {
    let files = of(10_000, GIB, Way::FILES);
    let journal = of(10_000, GIB, Way::DAEMON);
    assert!(journal.written.data_bytes < files.written.data_bytes / 4.0, "{journal:?}");
}

#[test]
fn more_memory_never_costs_more_page_ins() {
    for way in [Way::FILES, Way::DAEMON] {
        let page_ins = |pages: u64| {
            let memory_bytes = 10_000 * (pages * 4096 + 3000) + (16 << 20);
            of(10_000, memory_bytes, way).reads.page_ins_per_second
        };
        let row: Vec<f64> = [2, 4, 6, 8, 12, 20].map(page_ins).into();
        assert!(row.windows(2).all(|pair| pair[1] <= pair[0]), "{way:?}: {row:?}");
    }
}

#[test]
fn the_most_that_fit_is_the_edge() {
    let (fleet, machine) = (Fleet::of(mrtg(), 50_000), machine(2 * GIB));
    for way in [Way::FILES, Way::DAEMON, Way::RING] {
        let most = most(&fleet, &machine, way).unwrap();
        let fits = |databases| predict(&fleet.resized(databases), &machine, way).unwrap().fits();
        assert!(fits(most) && !fits(most + most / 250 + 1), "{way:?}: {most}");
    }
    let most = most(&fleet, &machine, Way::RING).unwrap();
    let more = most_more(&fleet, 0, &machine, Way::RING).unwrap();
    assert!((more + 50_000).abs_diff(most) <= most / 100, "{most} and 50000 + {more}");
}
