//! What a store has, counted from outside.

use ring::RingStore;
use ring::{Census, Pace, RingOptions};
use rrd::{Definition, Timestamp};
use store::NewDatabase;

fn definition(sources: usize, rows: u64) -> Definition {
    let sources = (0..sources).map(|nth| format!("DS:x{nth}:GAUGE:600:U:U"));
    let words: Vec<String> = sources.chain([format!("RRA:AVERAGE:0.5:1:{rows}")]).collect();
    rrd::spec::definition(300, words.iter().map(String::as_str)).unwrap()
}

fn make(store: &RingStore, prefix: &str, definition: &Definition, count: usize) {
    let start = Timestamp::from_seconds(1_700_000_000);
    let names: Vec<String> = (0..count).map(|nth| format!("{prefix}{nth}.rrd")).collect();
    let new: Vec<_> =
        names.iter().map(|name| NewDatabase { name: name.as_ref(), definition, start }).collect();
    assert!(store.engine().create_all(&new).is_empty());
}

#[test]
fn databases_are_counted_while_others_have_the_store() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let root = directory.path().join("store");
    let pace = Pace { flush_cycles: 12, tile_rows_max: 6 };
    let options = RingOptions { pace, ..RingOptions::default() };
    let (small, large) = (definition(1, 100), definition(2, 800));
    let store = RingStore::create(&root, options).unwrap();
    make(&store, "small", &small, 300);
    make(&store, "large", &large, 50);
    make(&store, "gone", &definition(3, 10), 1);
    store.engine().delete("gone0.rrd").unwrap();
    store.engine().checkpoint().unwrap();
    let expected = Census { pace, databases: vec![(small, 300), (large, 50)] };
    assert_eq!(format!("{:?}", Census::at(&root).unwrap()), format!("{expected:?}"));
    let files = || {
        let mut files = disk::files_in(&root).unwrap();
        files.sort();
        files
    };
    let before = files();
    assert_eq!(Census::at(&root).unwrap().databases.len(), 2, "it may be asked again");
    assert_eq!(files(), before);
    store.close().unwrap();
    assert_eq!(format!("{:?}", Census::at(&root).unwrap()), format!("{expected:?}"));
}

#[test]
fn what_is_no_store_is_told() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let error = Census::at(directory.path()).unwrap_err().to_string();
    assert!(error.contains("No such file"), "{error}");
    std::fs::write(directory.path().join("catalogue"), "nothing of the kind").unwrap();
    let error = Census::at(directory.path()).unwrap_err().to_string();
    assert!(error.contains("no catalogue of a ring store"), "{error}");
    let mut damaged = Vec::from(*b"redb\x1a\x0a\xa9\x0d\x0a");
    damaged.resize(40_000, 7);
    std::fs::write(directory.path().join("catalogue"), damaged).unwrap();
    let error = Census::at(directory.path()).unwrap_err().to_string();
    assert!(error.starts_with("catalogue: opening"), "{error}");
}
