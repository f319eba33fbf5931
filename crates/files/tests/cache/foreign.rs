//! What other programs do to a file meanwhile is noticed, and never written over.

use std::fs;
use std::path::Path;

use files::cache::{CacheOptions, FileCache, Flushed};
use files::{Access, RrdFile};
use rrd::{Reading, Sample, Timestamp};
use store::Update;
use store::{Error, Existing};

use crate::basics::{START, append, make, options, value};

/// Another program's update of one sample, at a number of steps.
pub(crate) fn update(path: &Path, nth: i64) {
    let mut file = RrdFile::open(path, Access::Update).unwrap();
    let time = Timestamp::from_seconds(START + 300 * nth);
    file.append(&Sample { time, readings: &["77", "88"].map(Reading::of) }).unwrap();
    file.commit().unwrap();
}

fn last_update(path: &Path) -> i64 {
    RrdFile::open(path, Access::Read).unwrap().header().live.last_update.seconds
}

#[test]
fn updates_of_others_are_kept_and_late_samples_dropped_and_counted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rrd");
    make(&path);
    let cache = FileCache::open(options()).unwrap();
    append(&cache, &path, &[&value(1)]);
    append(&cache, &path, &[&value(5)]);
    update(&path, 3);
    let mut failures = cache.append(&[Update::numbered(&path, &[&value(4)])]).into_iter();
    let (_, failure) = failures.next().expect("it is not after the waiting one");
    assert!(failure.error.to_string().contains("illegal attempt"), "{failure:?}");
    assert_eq!(cache.pending(&path).unwrap(), [value(5)]);
    assert_eq!(cache.flush(&path).unwrap(), Flushed::Written);
    assert_eq!(last_update(&path), START + 1500);
    assert_eq!((cache.report().refused_late, cache.report().data_sets_written), (1, 1));
    let expected = directory.path().join("b.rrd");
    make(&expected);
    update(&expected, 3);
    append(&cache, &expected, &[&value(5)]);
    cache.flush(&expected).unwrap();
    let rows = |path: &Path| RrdFile::open(path, Access::Read).unwrap().snapshot().unwrap().rows;
    assert_eq!(format!("{:?}", rows(&path)), format!("{:?}", rows(&expected)));
}

#[test]
fn a_file_renamed_over_counts_and_takes_what_is_later() {
    let directory = tempfile::tempdir().unwrap();
    let (path, other) = (directory.path().join("a.rrd"), directory.path().join("new.rrd"));
    make(&path);
    let cache = FileCache::open(options()).unwrap();
    append(&cache, &path, &[&value(1)]);
    append(&cache, &path, &[&value(9)]);
    make(&other);
    update(&other, 7);
    fs::rename(&other, &path).unwrap();
    assert_eq!(cache.last_update(&path).unwrap().seconds, START + 2700);
    cache.flush(&path).unwrap();
    assert_eq!(last_update(&path), START + 2700);
    assert_eq!(cache.report().refused_late, 1);
}

#[test]
fn a_deleted_file_is_told_and_what_waited_for_it_counted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rrd");
    make(&path);
    let cache = FileCache::open(options()).unwrap();
    append(&cache, &path, &[&value(1)]);
    fs::remove_file(&path).unwrap();
    let failures = cache.append(&[Update::numbered(&path, &[&value(2)])]);
    assert!(matches!(&failures[..], [(0, failure)] if failure.taken == 0));
    assert!(cache.header(&path).is_err());
    assert!(cache.flush(&path).unwrap_err().is_missing(), "there is no file");
    assert_eq!((cache.report().orphaned, cache.report().files), (1, 0));
    make(&path);
    append(&cache, &path, &[&value(3)]);
    cache.flush(&path).unwrap();
    assert_eq!(last_update(&path), START + 900);
}

#[test]
fn a_locked_file_waits_and_nothing_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rrd");
    make(&path);
    let write_after = std::time::Duration::from_secs(1);
    let cache = FileCache::open(CacheOptions { write_after, ..options() }).unwrap();
    let holder = RrdFile::open(&path, Access::Update).unwrap();
    append(&cache, &path, &[&value(1)]);
    assert!(matches!(cache.flush(&path), Err(Error::Locked(_))));
    eventually(|| cache.report().lock_waits > 0);
    append(&cache, &path, &[&value(2)]);
    assert_eq!(cache.pending(&path).unwrap(), [value(1), value(2)]);
    drop(holder);
    eventually(|| cache.report().data_sets_written == 2);
    assert_eq!(last_update(&path), START + 600);
}

#[test]
fn a_file_is_written_when_it_is_due_unless_suspended() {
    let directory = tempfile::tempdir().unwrap();
    let (path, other) = (directory.path().join("a.rrd"), directory.path().join("b.rrd"));
    make(&path);
    make(&other);
    let write_after = std::time::Duration::from_secs(1);
    let cache = FileCache::open(CacheOptions { write_after, ..options() }).unwrap();
    // It may be due at once: it must not be written before it is suspended.
    let holder = RrdFile::open(&path, Access::Update).unwrap();
    append(&cache, &path, &[&value(1)]);
    assert_eq!(cache.suspend(&path), Some(true));
    drop(holder);
    append(&cache, &other, &[&value(1)]);
    eventually(|| cache.report().updates_written == 1);
    cache.flush_all();
    assert_eq!(cache.flush(&path).unwrap(), Flushed::Suspended);
    assert_eq!((last_update(&path), last_update(&other)), (START, START + 300));
    assert_eq!(cache.resume(&path), Some(true));
    eventually(|| cache.report().updates_written == 2);
    assert_eq!(last_update(&path), START + 300);
}

/// Until it is so; a minute is more than any machine needs.
fn eventually(is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 60, "it never came");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_file_of_another_machine_is_refused_in_rrdtools_words() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rrd");
    make(&path);
    let mut bytes = fs::read(&path).unwrap();
    bytes[16..24].fill(7); // the float cookie, as a machine of other numbers would write it
    fs::write(&path, bytes).unwrap();
    let cache = FileCache::open(options()).unwrap();
    let mut failures = cache.append(&[Update::numbered(&path, &[&value(1)])]);
    let error = failures.pop().unwrap().1.error;
    let words = error.in_rrdtools_words();
    assert!(words.starts_with("This RRD was created on another architecture"), "{words}");
}

#[test]
fn a_change_of_the_file_through_the_cache_comes_after_what_waits() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rrd");
    make(&path);
    let cache = FileCache::open(options()).unwrap();
    append(&cache, &path, &[&value(1)]);
    let definition = cache.header(&path).unwrap().definition;
    let found = cache.change(&path, || {
        let found = last_update(&path);
        let start = Timestamp::from_seconds(START + 30_000);
        files::create(&path, &definition, start, Existing::Replace).unwrap();
        found
    });
    assert_eq!(found.unwrap(), START + 300);
    assert_eq!(cache.last_update(&path).unwrap().seconds, START + 30_000);
    append(&cache, &path, &[&value(101)]);
    let failures = cache.append(&[Update::numbered(&path, &[&value(99)])]);
    assert_eq!(failures.len(), 1);
}
