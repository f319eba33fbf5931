//! A store whose tiles take disk space as they are written remembers that.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use ring::{RingOptions, RingStore};
use rrd::Timestamp;

/// Makes a group of its own. Returns the bytes of its tiles, and those that the disk gave them.
fn made(root: &Path, options: RingOptions, rows: usize, group: u32) -> (u64, u64, bool) {
    let store = RingStore::open_or_create(root, options).unwrap();
    let archive = format!("RRA:AVERAGE:0.5:1:{rows}");
    let definition = rrd::spec::definition(10, ["DS:x:GAUGE:60:U:U", &archive]).unwrap();
    let start = Timestamp::from_seconds(1_700_000_000);
    store.engine().create(&format!("{rows}.rrd"), &definition, start).unwrap();
    let is_sparse = store.engine().report().sparse;
    store.close().unwrap();
    let tiles = std::fs::metadata(root.join(format!("{group:06}.tiles"))).unwrap();
    (tiles.len(), tiles.blocks() * 512, is_sparse)
}

#[test]
fn it_holds_for_later_groups_whoever_opens_the_store() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let sparse = RingOptions { sparse: true, ..RingOptions::default() };
    let usual = RingOptions::default();
    let root = directory.path().join("made");
    for (group, options) in [sparse, usual].into_iter().enumerate() {
        let (bytes, taken, is_sparse) = made(&root, options, 100_000 + group, group as u32);
        assert!(is_sparse && taken < bytes / 10, "{group}: {taken} of {bytes}");
    }
    // One that was not is from when it was asked for.
    let root = directory.path().join("later");
    for (group, (options, expected)) in
        [(usual, false), (sparse, true), (usual, true)].into_iter().enumerate()
    {
        let (bytes, taken, is_sparse) = made(&root, options, 100_000 + group, group as u32);
        assert_eq!(is_sparse, expected, "{group}");
        assert_eq!(taken < bytes, expected, "{group}: {taken} of {bytes}");
    }
}

#[test]
fn a_group_that_the_disk_has_no_room_for_is_refused_and_leaves_nothing() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = RingStore::create(directory.path(), RingOptions::default()).unwrap();
    let start = Timestamp::from_seconds(1_700_000_000);
    let definition = |rows: u64| {
        let archive = format!("RRA:AVERAGE:0.5:1:{rows}");
        rrd::spec::definition(10, ["DS:x:GAUGE:60:U:U", &archive]).unwrap()
    };
    let error = store.engine().create("large", &definition(10_000_000_000_000), start).unwrap_err();
    let words = error.to_string();
    assert!(words.starts_with("000000.tiles: reserving: "), "{words}");
    assert!(words.contains(" bytes are needed on the disk, and "), "{words}");
    assert!(store.engine().names().unwrap().is_empty());
    let files = std::fs::read_dir(directory.path()).unwrap().map(|file| file.unwrap().file_name());
    let left: Vec<_> = files.filter(|name| name.to_string_lossy().starts_with("000000.")).collect();
    assert!(left.is_empty(), "{left:?}");
    // Its number is free again.
    store.engine().create("small", &definition(10), start).unwrap();
    assert!(directory.path().join("000000.tiles").exists());
    store.close().unwrap();
}
