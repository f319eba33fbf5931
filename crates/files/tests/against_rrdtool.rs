//! Both write the same bits: random definitions and updates, gyre against Debian's rrdtool.
//!
//! rrdtool creates a file and both update copies of it; the copies must then be equal byte for
//! byte, and each update must fail in the same cases with the same words. Files that each creates
//! are compared with the fields masked that rrdtool leaves to chance.
#![allow(clippy::disallowed_methods)] // the test reads the files it compares

mod cases;

use std::fs;
use std::path::Path;

use files::{Access, RrdFile};
use oracle::{Reply, Rrdtool};
use proptest::test_runner::{Config, TestRunner};
use rrd::Timestamp;
use rrd::fetch::Query;
use store::Existing;

use cases::compare::{self, field_at};
use cases::{Case, case, create_command};

#[test]
fn updates_leave_the_same_bytes_and_say_the_same_words() {
    updates_are_the_same(400, None);
}

#[test]
fn updates_of_old_versions_leave_the_same_bytes() {
    // Whatever made such files is gone; rrdtool still takes them, so they are cut from new ones.
    updates_are_the_same(60, Some(b"0001"));
    updates_are_the_same(60, Some(b"0002"));
}

fn updates_are_the_same(usual_cases: u32, version: Option<&[u8; 4]>) {
    let what = "bit for bit equality of updates with rrdtool";
    let Some(program) = oracle::program("rrdtool", what) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let rrdtool = std::cell::RefCell::new(Rrdtool::start(&program, directory.path()));
    let mut runner = TestRunner::new(Config {
        cases: cases::wanted(usual_cases),
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&case(), |case| {
        compare_updates(&mut rrdtool.borrow_mut(), directory.path(), &case, version);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn compare_updates(
    rrdtool: &mut Rrdtool,
    directory: &Path,
    case: &Case,
    version: Option<&[u8; 4]>,
) {
    let create = create_command("file.rrd", case);
    let ours = compare::updates(rrdtool, directory, &create, &case.updates, |created| {
        if let Some(version) = version {
            compare::make_old(created, version);
        }
    });
    for fetch in &case.fetches {
        compare_fetch(rrdtool, &ours, fetch);
    }
}

/// Both choose the same archive and rows, and give the same values.
fn compare_fetch(rrdtool: &mut Rrdtool, ours: &Path, fetch: &cases::Fetch) {
    let file = RrdFile::open(ours, Access::Read).unwrap();
    let start_seconds = file.header().live.last_update.seconds - fetch.start_before_seconds;
    let end_seconds = start_seconds + fetch.length_seconds;
    let (cf, step_seconds) = (fetch.cf, fetch.step_seconds);
    let line = format!("fetch file.rrd {cf} -s {start_seconds} -e {end_seconds} -r {step_seconds}");
    let found = file.fetch(&Query {
        tick: rrd::Tick::SECOND,
        cf,
        start_seconds,
        end_seconds,
        step_seconds,
    });
    match (rrdtool.send(&line), found) {
        (Reply::Ok(lines), Ok(series)) => {
            let rows: Vec<_> = lines[2..].iter().map(|line| fetched_row(line)).collect();
            assert_eq!(rows.len(), series.rows(), "{line}");
            for ((time, values), (our_time, our_values)) in rows.iter().zip(series.iter()) {
                let same = |(theirs, ours): (&f64, &f64)| {
                    // What rrdtool prints has eleven digits.
                    theirs == ours
                        || (theirs.is_nan() && ours.is_nan())
                        || (theirs - ours).abs() <= theirs.abs() * 1e-10
                };
                assert!(*time == our_time && values.iter().zip(our_values).all(same), "{line}");
            }
        }
        (Reply::Error(words), Err(error)) => assert_eq!(error.in_rrdtools_words(), words),
        (theirs, ours) => panic!("{line}\ntheirs {theirs:?}\nours {ours:?}"),
    }
}

fn fetched_row(line: &str) -> (i64, Vec<f64>) {
    let (time, values) = line.split_once(": ").unwrap();
    let values = values.split(' ').map(|value| value.parse());
    let values = values.map(|value| value.unwrap_or(f64::NAN)).collect();
    (time.trim().parse().unwrap(), values)
}

#[test]
fn created_files_differ_in_chance_only() {
    let what = "bit for bit equality of new files with rrdtool's";
    let Some(program) = oracle::program("rrdtool", what) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let rrdtool = std::cell::RefCell::new(Rrdtool::start(&program, directory.path()));
    let mut runner =
        TestRunner::new(Config { cases: 100, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&case(), |case| {
        let (theirs, ours) = (directory.path().join("t.rrd"), directory.path().join("o.rrd"));
        let created = rrdtool.borrow_mut().send(&create_command("t.rrd", &case));
        assert_eq!(created, Reply::Ok(vec![]));
        let start = Timestamp::from_seconds(case.start_seconds);
        files::create(&ours, &case.definition, start, Existing::Replace).unwrap();
        let (theirs, ours) = (masked(fs::read(theirs).unwrap()), masked(fs::read(ours).unwrap()));
        if let Some(offset) = (0..theirs.len()).find(|at| theirs[*at] != ours[*at]) {
            let field = field_at(&theirs, offset);
            panic!("{}\nbyte {offset} differs, {field}", create_command("t.rrd", &case));
        }
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// A file without what rrdtool leaves to chance: `rra_ptr`, the row written last, is random at
/// create. (All rows of a new file are unknown, so that no rotation is needed.)
fn masked(mut bytes: Vec<u8>) -> Vec<u8> {
    let header = rrdfile::Header::decode(&bytes, bytes.len() as u64).unwrap();
    let end = header.layout.header_bytes();
    bytes[end - 8 * header.definition.archives.len()..end].fill(0);
    bytes
}
