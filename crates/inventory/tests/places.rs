//! Existing trees, stores and configurations.
#![allow(clippy::disallowed_methods)] // a test: it makes files

use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use files::RrdFiles;
use inventory::{Configured, Given, Layouts, Ring, Tree};
use mrtg::Configuration;
use ring::Pace;
use ring::{RingOptions, RingStore};
use rrd::{Definition, Reading, Sample, Timestamp};
use store::{Store, Update};

fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn definition(step_seconds: u64, rows: u64) -> Definition {
    let words = ["DS:a:GAUGE:600:U:U".to_owned(), format!("RRA:AVERAGE:0.5:1:{rows}")];
    rrd::spec::definition(step_seconds, words.iter().map(String::as_str)).unwrap()
}

const START: Timestamp = Timestamp::from_seconds(1_700_000_000);

fn make(store: &dyn Store, prefix: &str, definition: &Definition, count: usize) {
    for nth in 0..count {
        store.create(format!("{prefix}{nth}.rrd").as_ref(), definition, START).unwrap();
    }
}

fn update(store: &dyn Store, name: &str, seconds: i64) {
    let samples =
        [Sample { time: Timestamp::from_seconds(seconds), readings: &["1"].map(Reading::of) }];
    assert!(store.update(&[Update::of(name, &samples)]).is_empty());
}

fn rows(layouts: &Layouts) -> Vec<(u64, u64, u64)> {
    let all = layouts.all().iter();
    all.map(|(it, own)| (it.step_seconds, it.archives[0].rows, *own)).collect()
}

#[test]
fn a_tree_of_several_layouts() {
    let directory = directory();
    let store = RrdFiles::below(directory.path());
    make(&store, "a/", &definition(300, 100), 30);
    make(&store, "a/b/", &definition(60, 50), 20);
    make(&store, "", &definition(300, 10), 9);
    std::fs::write(directory.path().join("none.rrd"), "nothing of the kind").unwrap();
    std::fs::write(directory.path().join("none.txt"), "nothing of the kind").unwrap();
    let odd = directory.path().join(std::ffi::OsString::from_vec(b"\xff\n.rrd".to_vec()));
    std::fs::copy(directory.path().join("0.rrd"), odd).unwrap();
    let tree = Tree::look(directory.path(), &mut |_| true).unwrap();
    let sample = &tree.sample;
    assert_eq!((sample.files, sample.sampled, sample.unreadable), (61, 60, 1));
    assert!(sample.is_whole && sample.fullest_directory == 30, "{sample:?}");
    // Unreadable files are assumed to be like the others.
    assert_eq!(rows(&tree.layouts), [(300, 100, 31), (60, 50, 20), (300, 10, 10)]);
    assert_eq!((sample.step_seconds, sample.idle), (300, 0.0));
    let mut asked = 0;
    let part = Tree::look(directory.path(), &mut |_| {
        asked += 1;
        false
    });
    let part = part.unwrap().sample;
    assert!(!part.is_whole && part.files == 11 && asked == 1, "{part:?}");
}

#[test]
fn files_without_updates_are_counted_as_idle() {
    let directory = directory();
    let store = RrdFiles::below(directory.path());
    make(&store, "", &definition(300, 10), 40);
    make(&store, "daily", &definition(86_400, 10), 1);
    let now = START.seconds + 3 * 86_400;
    (0..30).for_each(|nth| update(&store, &format!("{nth}.rrd"), now));
    let tree = Tree::look(directory.path(), &mut |_| true).unwrap();
    assert_eq!(rows(&tree.layouts), [(300, 10, 30), (86_400, 10, 1)]);
    assert!((tree.sample.idle - 10.0 / 41.0).abs() < 1e-9, "{tree:?}");
}

#[test]
fn a_clock_that_was_ahead_for_a_while_makes_no_file_idle() {
    let directory = directory();
    let store = RrdFiles::below(directory.path());
    make(&store, "", &definition(300, 10), 40);
    update(&store, "7.rrd", START.seconds + 10 * 365 * 86_400);
    let tree = Tree::look(directory.path(), &mut |_| true).unwrap();
    assert_eq!((tree.sample.idle, rows(&tree.layouts)), (0.0, vec![(300, 10, 40)]));
}

#[test]
fn patience_ends_within_a_directory() {
    let directory = directory();
    for nth in 0..10_000 {
        std::fs::write(directory.path().join(format!("{nth}.rrd")), "").unwrap();
    }
    let mut asked = Vec::new();
    let tree = Tree::look(directory.path(), &mut |files| {
        asked.push(files);
        asked.len() < 2
    });
    let sample = tree.unwrap().sample;
    assert!(!sample.is_whole && sample.files == 8192, "{sample:?}");
    assert_eq!((sample.fullest_directory, &asked[..2]), (8192, &[4096, 8192][..]));
    assert_eq!(sample.unreadable, 32, "these are looked into all the same");
}

/// Opening a pipe would wait for a writer.
#[test]
fn only_files_are_databases() {
    let directory = directory();
    let path = |name| directory.path().join(name);
    make(&RrdFiles::below(directory.path()), "", &definition(300, 10), 1);
    let made = std::process::Command::new("mkfifo").arg(path("pipe.rrd")).status().unwrap();
    assert!(made.success());
    let link = |to, name| std::os::unix::fs::symlink(to, path(name)).unwrap();
    link("0.rrd", "file.rrd");
    link("pipe.rrd", "link.rrd");
    link("nowhere", "dangling.rrd");
    std::fs::create_dir(path("directory.rrd")).unwrap();
    let sample = Tree::look(directory.path(), &mut |_| true).unwrap().sample;
    assert_eq!((sample.files, sample.sampled, sample.unreadable), (2, 2, 0));
}

#[test]
fn a_header_is_read_to_a_bound() {
    let directory = directory();
    let store = RrdFiles::below(directory.path());
    make(&store, "usual", &definition(300, 10), 1);
    for (name, sources) in [("large", 1000), ("huge", 10_000)] {
        let sources = (0..sources).map(|nth| format!("DS:a{nth}:GAUGE:600:U:U"));
        let words: Vec<String> = sources.chain(["RRA:AVERAGE:0.5:1:1".into()]).collect();
        let words = words.iter().map(String::as_str);
        make(&store, name, &rrd::spec::definition(300, words).unwrap(), 1);
    }
    let sample = Tree::look(directory.path(), &mut |_| true).unwrap().sample;
    assert_eq!((sample.files, sample.sampled, sample.unreadable), (3, 2, 1));
}

#[test]
fn a_store_and_its_pace() {
    let directory = directory();
    let root = directory.path().join("store");
    let pace = Pace { flush_cycles: 6, tile_rows_max: 3 };
    let store = RingStore::create(&root, RingOptions { pace, ..RingOptions::default() }).unwrap();
    make(&store, "a", &definition(300, 100), 5);
    make(&store, "b", &definition(60, 100), 7);
    store.engine().checkpoint().unwrap();
    let ring = Ring::at(&root).unwrap();
    assert_eq!(rows(&ring.layouts), [(60, 100, 7), (300, 100, 5)]);
    assert_eq!((ring.pace, ring.totals.groups), (pace, 2));
    assert_eq!(Given::at(&root).unwrap(), Given::Store(root.canonicalize().unwrap()));
    assert!(ring.is_open);
    store.close().unwrap();
    assert!(!Ring::at(&root).unwrap().is_open);
    assert!(Ring::at(directory.path()).is_err());
}

#[test]
fn places_are_told_apart() {
    let directory = directory();
    let store = RrdFiles::below(directory.path());
    make(&store, "", &definition(300, 10), 1);
    let path = |name| directory.path().join(name);
    std::fs::write(path("mrtg.cfg"), "WorkDir: /tmp\n").unwrap();
    std::os::unix::fs::symlink(directory.path(), path("link")).unwrap();
    assert_eq!(Given::at(directory.path()).unwrap(), Given::Tree);
    assert_eq!(Given::at(&path("link")).unwrap(), Given::Tree);
    assert_eq!(Given::at(&path("0.rrd")).unwrap(), Given::Database);
    assert_eq!(Given::at(&path("mrtg.cfg")).unwrap(), Given::Configuration);
    assert_eq!(Given::at(Path::new("/dev/null")).unwrap(), Given::Neither);
    assert_eq!(Given::at(&path("nothing")).unwrap_err().kind(), io::ErrorKind::NotFound);
}

struct Text(String);

impl mrtg::Source for Text {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into())
    }

    fn glob(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }
}

fn configured(directory: &Path, rest: &str) -> Configured {
    let text =
        Text(format!("WorkDir: {}\nMaxBytes[_]: 1\nTitle[_]: t\n{rest}", directory.display()));
    let configuration = Configuration::read(Path::new("mrtg.cfg"), &text).unwrap();
    Configured::of(&configuration, &text)
}

#[test]
fn a_configuration_and_what_is_there_of_it() {
    let directory = directory();
    let targets = "Interval: 1\nTarget[a]: 1:p@10.0.0.1\nTarget[b]: 2:p@10.0.0.1\n\
                   Target[c]: 1:p@10.0.0.2\nRRDRowCount[c]: 9000\n";
    let found = configured(directory.path(), targets);
    assert_eq!(rows(&found.layouts), [(60, 4000, 2), (60, 9000, 1)]);
    assert_eq!((found.targets.targets, found.targets.devices), (3, 2));
    assert!(found.store.is_none() && !found.has_files);
    assert_eq!(found.place(), directory.path());
    make(&RrdFiles::below(directory.path()), "", &definition(60, 10), 1);
    std::fs::rename(directory.path().join("0.rrd"), directory.path().join("b.rrd")).unwrap();
    assert!(configured(directory.path(), targets).has_files);
    let root = directory.path().join(inventory::RING_DIRECTORY);
    RingStore::create(&root, RingOptions::default()).unwrap().close().unwrap();
    let found = configured(directory.path(), targets);
    assert_eq!((found.store.as_deref(), found.place()), (Some(&*root), &*root));
    assert!(configured(directory.path(), "").layouts.all().is_empty());
    // MRTG's directory itself leads to the store in it.
    let root = root.canonicalize().unwrap();
    assert_eq!(Given::at(directory.path()).unwrap(), Given::Store(root.clone()));
    assert_eq!(Given::at(&root).unwrap(), Given::Store(root));
}
