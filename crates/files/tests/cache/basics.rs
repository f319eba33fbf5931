//! What every use rests on: reads show what was taken, and a flush writes what rrdtool would.

use std::fs;
use std::path::Path;
use std::time::Duration;

use files::cache::{CacheOptions, FileCache, Flushed};
use oracle::{Reply, Rrdtool};
use rrd::fetch::Query;
use rrd::sample::SampleError;
use rrd::{ConsolidationFunction, Timestamp};
use store::Update;
use store::{Error, Existing};

pub(crate) const START: i64 = 1_000_000_000;

/// A cache that looks at a file before each update, and writes none for a day of its own accord.
pub(crate) fn options() -> CacheOptions {
    CacheOptions {
        look_every: Duration::ZERO,
        write_after: Duration::from_secs(86400),
        ..CacheOptions::default()
    }
}

/// Two counters, and archives of one and of six steps.
pub(crate) fn make(path: &Path) {
    let specs = [
        "DS:in:COUNTER:600:0:U",
        "DS:out:COUNTER:600:0:U",
        "RRA:AVERAGE:0.5:1:20",
        "RRA:MAX:0.5:6:10",
    ];
    let definition = rrd::spec::definition(300, specs).unwrap();
    files::create(path, &definition, Timestamp::from_seconds(START), Existing::Replace).unwrap();
}

pub(crate) fn value(nth: i64) -> String {
    format!("{}:{}:{}", START + 300 * nth, nth * 1000, nth * 2000)
}

pub(crate) fn append(cache: &FileCache, path: &Path, values: &[&str]) {
    let failures = cache.append(&[Update::numbered(path, values)]);
    assert!(failures.is_empty(), "{failures:?}");
}

#[test]
fn an_update_is_seen_at_once_and_written_by_a_flush_as_rrdtool_writes_it() {
    let Some(program) = oracle::program("rrdtool", "files written back equal rrdtool's") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let (path, theirs) = (directory.path().join("a.rrd"), directory.path().join("b.rrd"));
    make(&path);
    fs::copy(&path, &theirs).unwrap();
    let before = fs::read(&path).unwrap();
    let mut rrdtool = Rrdtool::start(&program, directory.path());
    let cache = FileCache::open(CacheOptions::default()).unwrap();
    for nth in 1..50 {
        let value = value(nth);
        append(&cache, &path, &[&value]);
        assert_eq!(rrdtool.send(&format!("update b.rrd {value}")), Reply::Ok(vec![]));
    }
    let end_seconds = START + 300 * 49;
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf: ConsolidationFunction::Average,
        start_seconds: end_seconds - 3000,
        end_seconds,
        step_seconds: 300,
    };
    let file = files::RrdFile::open(&theirs, files::Access::Read).unwrap();
    let (expected, found) = (file.fetch(&query).unwrap(), cache.fetch(&path, &query).unwrap());
    assert_eq!(format!("{found:?}"), format!("{expected:?}"));
    let (header, snapshot) = cache.snapshot(&path).unwrap();
    assert_eq!(format!("{:?}", file.header()), format!("{header:?}"));
    assert_eq!(format!("{:?}", file.snapshot().unwrap()), format!("{snapshot:?}"));
    assert_eq!(cache.last_update(&path).unwrap().seconds, end_seconds);
    assert_eq!(cache.pending(&path).unwrap().len(), 49);
    assert_eq!(fs::read(&path).unwrap(), before, "a read writes nothing");

    assert_eq!(cache.flush(&path).unwrap(), Flushed::Written);
    assert!(fs::read(&path).unwrap() == fs::read(&theirs).unwrap());
    assert_eq!(cache.flush(&path).unwrap(), Flushed::Nothing);
    let report = cache.report();
    assert_eq!((report.updates_received, report.data_sets_written), (49, 49));
}

#[test]
fn errors_are_told_at_once_and_leave_no_trace() {
    let directory = tempfile::tempdir().unwrap();
    let (path, alone) = (directory.path().join("a.rrd"), directory.path().join("b.rrd"));
    make(&path);
    fs::copy(&path, &alone).unwrap();
    let cache = FileCache::open(CacheOptions::default()).unwrap();
    let (first, second) = (value(1), value(2));
    for path in [&path, &alone] {
        append(&cache, path, &[&first]);
    }
    let told = |values: &[&str]| {
        let mut failures = cache.append(&[Update::numbered(&path, values)]);
        let (_, failure) = failures.pop().unwrap();
        (failure.error.to_string(), failure.taken)
    };
    let of_time = format!(
        "{}: illegal attempt to update using time {} when last update time is {} \
         (minimum one second step)",
        path.display(),
        START + 300,
        START + 300
    );
    assert_eq!(told(&[&first]), (of_time, 0));
    for value in ["N:1:2", "x:1:2", "1000000600", "1000000600@1:2", "-:1:2"] {
        let expected = SampleError::NoTime(value.into());
        assert_eq!(told(&[value]), (format!("{}: {expected}", path.display()), 0));
    }
    assert!(told(&["1000000600:1"]).0.contains(": expected 2 data source readings (got 1)"));
    assert!(told(&["1000000600:1:2:3"]).0.contains(": found extra data"));
    let (words, taken) = told(&[&second, "1000000900:5:abc", "1000001200:1:2"]);
    assert!(words.ends_with("not a simple unsigned integer: 'abc'") && taken == 1, "{words}");
    append(&cache, &alone, &[&second]);
    for path in [&path, &alone] {
        cache.flush(path).unwrap();
    }
    assert!(fs::read(&path).unwrap() == fs::read(&alone).unwrap());
}

#[test]
fn a_file_that_is_not_there_is_told_and_not_remembered() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("none.rrd");
    let cache = FileCache::open(CacheOptions::default()).unwrap();
    let mut failures = cache.append(&[Update::numbered(&path, &["1:2"])]);
    let (nth, failure) = failures.pop().unwrap();
    let Error::NoSuchDatabase { name } = failure.error else { panic!("{failure:?}") };
    assert_eq!((nth, name), (0, path.clone()));
    assert!(cache.flush(&path).is_err() && cache.header(&path).is_err());
    assert!(
        cache.pending(&path).is_none()
            && !cache.forget(&path).unwrap()
            && cache.suspend(&path).is_none()
    );
    assert_eq!(cache.report().files, 0);
}
