//! A backup of a ring store reports the damaged pages that it copies.
#![allow(clippy::disallowed_methods)] // files and the clock

use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use backup::{Options, Report, Watch, run};
use disk::Moment;
use journal::JournalOptions;
use ring::RingStore;
use ring::{Pace, RingOptions};
use rrd::{Reading, Sample, Timestamp};
use store::{Store as _, Update};

const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;
const NAMES: [&str; 6] = ["silent", "a", "b", "c", "d", "e"];

/// A clock that is a minute ahead, so that no file is too young for its times to prove that it is
/// unchanged.
struct Clock;

impl Watch for Clock {
    fn now(&self) -> Moment {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        Moment { seconds: now.as_secs() as i64 + 60, nanoseconds: now.subsec_nanos() }
    }
}

fn options() -> RingOptions {
    RingOptions {
        pace: Pace { flush_cycles: 4, tile_rows_max: 2 },
        journal: JournalOptions { segment_bytes: 64 << 10, ..RingOptions::default().journal },
        ..RingOptions::default()
    }
}

/// A store in which one database is silent while the others of its group continue.
fn store_with_an_attic(root: &Path) -> PathBuf {
    store_of(root, 1..300);
    attic_of(root)
}

fn attic_of(root: &Path) -> PathBuf {
    let names = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let is_attic = |path: &PathBuf| path.to_string_lossy().contains(".attic");
    let found: Vec<PathBuf> = names.filter(is_attic).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

/// A store with updates of these cycles, closed.
fn store_of(root: &Path, cycles: Range<i64>) {
    let store = RingStore::create(root, options()).unwrap();
    let specs = ["DS:x:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:30"];
    let definition = rrd::spec::definition(STEP_SECONDS as u64, specs).unwrap();
    for name in NAMES {
        store.create(name.as_ref(), &definition, Timestamp::from_seconds(START_SECONDS)).unwrap();
    }
    update(&store, cycles);
    store.engine().checkpoint().unwrap();
    store.engine().checkpoint().unwrap();
    store.close().unwrap();
}

fn update(store: &RingStore, cycles: Range<i64>) {
    for cycle in cycles {
        let text = cycle.to_string();
        let time = Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS);
        let samples = [Sample { time, readings: &[text.as_str()].map(Reading::of) }];
        for name in NAMES.into_iter().filter(|name| cycle < 40 || *name != "silent") {
            let refused = store.update(&[Update::of(name, &samples)]);
            assert!(refused.is_empty(), "{refused:?}");
        }
        store.engine().work().unwrap();
    }
}

fn back_up(directory: &Path) -> Report {
    let (root, to) = (directory.join("store"), directory.join("backup"));
    run(&root, &to, &Options { full: true, ..Options::default() }, &Clock).unwrap()
}

fn assert_names_pages(report: &Report, pages: usize) {
    let [problem] = &report.problems[..] else { panic!("{:?}", report.problems) };
    let words = format!("000000.tiles: {pages} pages or checkpoints are damaged; copied as is");
    assert!(problem.ends_with(&words), "{problem}");
}

#[test]
fn a_damaged_page_of_an_attic_is_named() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let attic = store_with_an_attic(&directory.path().join("store"));
    assert_eq!(back_up(directory.path()).problems, [""; 0]);
    let sound = std::fs::read(&attic).unwrap();

    let mut rotten = sound.clone();
    rotten[100] ^= 4;
    let zeroed = vec![0; sound.len()];
    let cut = sound[..1000].to_vec();
    let pages = sound.len() / 4096;
    for (damaged, pages) in [(rotten, 1), (zeroed, pages), (cut, pages)] {
        std::fs::write(&attic, &damaged).unwrap();
        assert_names_pages(&back_up(directory.path()), pages);
    }
    std::fs::remove_file(&attic).unwrap();
    assert_names_pages(&back_up(directory.path()), pages);

    // A write that was cut short may leave bytes after the valid pages; these are ignored.
    let longer = [sound, vec![7; 4096]].concat();
    std::fs::write(&attic, longer).unwrap();
    assert_eq!(back_up(directory.path()).problems, [""; 0]);
}

/// Rows of a silent database are on a page that the flush overwrites because it finds it damaged.
#[test]
fn rows_that_a_flush_could_not_save_are_named() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let root = directory.path().join("store");
    store_of(&root, 1..60);
    let tiles = root.join("000000.tiles");
    let mut bytes = std::fs::read(&tiles).unwrap();
    // All written tiles are damaged, so that it does not matter which of them are overwritten.
    for page in bytes.chunks_mut(4096).filter(|page| page.iter().any(|byte| *byte != 0)) {
        page[200] ^= 4;
    }
    std::fs::write(&tiles, bytes).unwrap();
    let store = RingStore::open(&root, options()).unwrap();
    update(&store, 60..300);
    store.engine().checkpoint().unwrap();
    let damage = store.engine().verify(|_, _| ()).unwrap().damage;
    assert!(!damage.is_empty());
    assert!(damage.iter().all(|each| each.what.contains("rows of silent")), "{damage:?}");
    store.close().unwrap();
    let attic = std::fs::read(attic_of(&root)).unwrap();
    let marked = attic.chunks(4096).filter(|page| page.ends_with(b"gyrelost")).count();
    assert!(marked > 0);
    assert_names_pages(&back_up(directory.path()), marked);
}

/// A store so young that some of its tiles were never written.
fn young_store(root: &Path) -> RingStore {
    let store = RingStore::create(root, options()).unwrap();
    let specs = ["DS:x:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:200"];
    let definition = rrd::spec::definition(STEP_SECONDS as u64, specs).unwrap();
    for name in NAMES {
        store.create(name.as_ref(), &definition, Timestamp::from_seconds(START_SECONDS)).unwrap();
    }
    for cycle in 1..100 {
        let text = cycle.to_string();
        let time = Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS);
        let samples = [Sample { time, readings: &[text.as_str()].map(Reading::of) }];
        for name in NAMES {
            let refused = store.update(&[Update::of(name, &samples)]);
            assert!(refused.is_empty(), "{refused:?}");
        }
        store.engine().work().unwrap();
    }
    store.engine().checkpoint().unwrap();
    store
}

#[test]
fn a_written_tile_that_reads_as_zeros_is_named() {
    for live in [false, true] {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let root = directory.path().join("store");
        let mut store = Some(young_store(&root));
        if !live {
            store.take().unwrap().close().unwrap();
        }
        let tiles = root.join("000000.tiles");
        let sound = std::fs::read(&tiles).unwrap();
        let zeros = |page: &&[u8]| page.iter().all(|byte| *byte == 0);
        let never_written = sound.chunks(4096).filter(zeros).count();
        let written = sound.len() / 4096 - never_written;
        assert!(never_written > 1 && written > 1, "{never_written}, {written}");
        assert_eq!(back_up(directory.path()).problems, [""; 0]);

        let nth = sound.chunks(4096).position(|page| !zeros(&page)).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&tiles).unwrap();
        file.write_all_at(&[0; 4096], nth as u64 * 4096).unwrap();
        assert_names_pages(&back_up(directory.path()), 1);
        file.write_all_at(&vec![0; sound.len()], 0).unwrap();
        assert_names_pages(&back_up(directory.path()), written);
        // Pages beyond the end of the file count as missing, too.
        file.set_len(4096 * (nth as u64 + 1)).unwrap();
        assert_names_pages(&back_up(directory.path()), written);
        drop(store);
    }
}
