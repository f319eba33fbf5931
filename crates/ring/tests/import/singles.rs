//! Databases that come one at a time: what each costs. `cargo test --release -p ring@0.1.0 --test import
//! -- --ignored --nocapture` tells the figures.
#![allow(clippy::disallowed_methods)] // it looks at files and the clock

use std::time::Instant;

use ring::{RingOptions, RingStore};
use rrd::{LiveState, Snapshot, Timestamp};

/// MRTG's layout, every row known.
fn mrtg() -> Snapshot {
    let archives = ["AVERAGE", "MAX"].into_iter().flat_map(|cf| {
        [(1, 600), (6, 700), (24, 775), (288, 797)]
            .map(|(pdps, rows)| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
    });
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
    let specs: Vec<String> = sources.into_iter().chain(archives).collect();
    let definition = rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap();
    let live = LiveState::fresh(&definition, Timestamp::from_seconds(1_700_000_000));
    let rows = definition
        .archives
        .iter()
        .map(|archive| (0..archive.rows * 2).map(|nth| nth as f64).collect());
    Snapshot { rows: rows.collect(), live, definition }
}

#[test]
#[ignore = "it measures"]
fn what_single_restores_cost() {
    const COUNT: usize = 1000;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("store");
    let store = RingStore::create(&root, RingOptions::default()).unwrap();
    let snapshot = mrtg();
    let start = Instant::now();
    for nth in 0..COUNT {
        store.engine().restore(&format!("port{nth}"), &snapshot).unwrap();
    }
    let restored = start.elapsed();
    let groups = store.report().groups.len();
    store.close().unwrap();
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(&root).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with(|letter: char| letter.is_ascii_digit()) {
            files += 1;
            bytes += entry.metadata().unwrap().len();
        }
    }
    let start = Instant::now();
    let store = RingStore::open(&root, RingOptions::default()).unwrap();
    let opened = start.elapsed();
    assert_eq!(store.engine().names().unwrap().len(), COUNT);
    println!(
        "{COUNT} single restores: {groups} groups, {files} files, {} bytes each, {:.0} a second, \
         open again in {opened:?}",
        bytes / COUNT as u64,
        COUNT as f64 / restored.as_secs_f64(),
    );
}
