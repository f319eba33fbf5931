//! Forecasts and calculated sources: random definitions and updates, gyre against Debian's rrdtool.
//!
//! Both sides begin with one file that rrdtool created (its row pointers are random, and seasons
//! depend on them); after each command the copies must be equal byte for byte.
#![allow(clippy::disallowed_methods)] // the test reads the files it compares

mod cases;

use std::fs;

use oracle::{Reply, Rrdtool};
use proptest::test_runner::{Config, TestRunner};
use rrd::{Timestamp, spec};
use store::Existing;

use cases::compare::{self, field_at};
use cases::forecasts::{ForecastCase, forecast_case};

#[test]
fn forecasts_leave_the_same_bytes_and_say_the_same_words() {
    let what = "bit for bit equality of forecasts with rrdtool";
    let Some(program) = oracle::program("rrdtool", what) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let rrdtool = std::cell::RefCell::new(Rrdtool::start(&program, directory.path()));
    let mut runner = TestRunner::new(Config {
        cases: cases::wanted(300),
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&forecast_case(), |case| {
        let ForecastCase { create, updates } = &case;
        compare::updates(&mut rrdtool.borrow_mut(), directory.path(), create, updates, |_| {});
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[test]
fn created_files_differ_in_their_row_pointers_only() {
    let Some(program) = oracle::program("rrdtool", "new files with forecasts") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let rrdtool = std::cell::RefCell::new(Rrdtool::start(&program, directory.path()));
    let mut runner = TestRunner::new(Config {
        cases: cases::wanted(100),
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&forecast_case(), |ForecastCase { create, .. }| {
        assert_eq!(rrdtool.borrow_mut().send(&create), Reply::Ok(vec![]));
        let words: Vec<&str> = create.split(' ').collect();
        let ["create", name, "-b", start, "-s", step, specs @ ..] = &words[..] else {
            panic!("{create}");
        };
        let step_seconds = spec::step_seconds(step).unwrap();
        let mut definition = spec::definition(step_seconds, specs.iter().copied()).unwrap();
        definition.spread_smoothing(name, 0);
        let ours = directory.path().join("ours.rrd");
        let start = Timestamp::from_seconds(start.parse().unwrap());
        files::create(&ours, &definition, start, Existing::Replace).unwrap();
        let theirs = without_row_pointers(fs::read(directory.path().join(name)).unwrap());
        let ours = without_row_pointers(fs::read(&ours).unwrap());
        if let Some(offset) = (0..theirs.len()).find(|at| theirs[*at] != ours[*at]) {
            panic!("{create}\nbyte {offset} differs, {}", field_at(&theirs, offset));
        }
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// rrdtool draws the row written last at random; all rows of a new file are unknown.
fn without_row_pointers(mut bytes: Vec<u8>) -> Vec<u8> {
    let header = rrdfile::Header::decode(&bytes, bytes.len() as u64).unwrap();
    let end = header.layout.header_bytes();
    bytes[end - 8 * header.definition.archives.len()..end].fill(0);
    bytes
}

/// What rrdtool refuses, or takes although it looks odd.
const ODD_DEFINITIONS: [&str; 44] = [
    "RRA:HWPREDICT:10:.1:.2",
    "RRA:HWPREDICT:10:.1:.2:5:1",
    "RRA:HWPREDICT:10:.1:.2:5:1:7",
    "RRA:HWPREDICT:4:.1:.2:5",
    "RRA:HWPREDICT:10:0:.2:5",
    "RRA:HWPREDICT:10:1:.2:5",
    "RRA:HWPREDICT:10:.1:1.2:5",
    "RRA:HWPREDICT:10:.1:x:5",
    "RRA:HWPREDICT:10:.1:0:3.7",
    "RRA:HWPREDICT:10:.1:1:+3",
    "RRA:HWPREDICT:10:.1:.2:-3",
    "RRA:HWPREDICT:10:.1:.2:0:1",
    "RRA:HWPREDICT:10:.1:.2:70000:1",
    "RRA:HWPREDICT:1m:.1:.2:5",
    "RRA:HWPREDICT:5s:.1:.2:5",
    "RRA:HWPREDICT",
    "RRA:HWPREDICT:10:.1:.2:5:2147483648",
    "RRA:HWPREDICTx:10:.1:.2:5",
    "RRA:MHWPREDICT:10:nan:.2:5",
    "RRA:SEASONAL:5:.1",
    "RRA:SEASONAL:5:.1:1",
    "RRA:SEASONAL:5:2:1",
    "RRA:SEASONAL:0:.2:1",
    "RRA:SEASONAL::.1:1",
    "RRA:SEASONAL:5:.1:1:smoothing-window=2",
    "RRA:SEASONAL:5:.1:1:smoothing-window=-0.5",
    "RRA:SEASONAL:5:.1:1:smoothing-window=0.5x",
    "RRA:SEASONAL:5:.1:1:smoothing-window=x",
    "RRA:SEASONAL:5:.1:1:smoothing-window=",
    "RRA:SEASONAL:5:.1:1:smooth",
    "RRA:SEASONAL:5:.1:1:foo",
    "RRA:SEASONAL:5:.1:1:smoothing-window=0.5:1",
    "RRA:DEVSEASONAL:5",
    "RRA:DEVPREDICT:5",
    "RRA:DEVPREDICT:5:1:1",
    "RRA:FAILURES:5:0:5:1",
    "RRA:FAILURES:5:29:5:1",
    "RRA:FAILURES:5:3:2:1",
    "RRA:FAILURES:5:3:5",
    "RRA:FAILURES:5:3:5:1:1",
    "RRA:FAILURES:5:3:29:1",
    "DS:c:COMPUTE:a,b,+ RRA:AVERAGE:0.5:1:5",
    "DS:c:COMPUTE:a,PREV,+ RRA:AVERAGE:0.5:1:5",
    "DS:c:COMPUTE:a,2,*, RRA:AVERAGE:0.5:1:5",
];

/// Expressions that rrdtool refuses, or takes although they look odd.
const ODD_EXPRESSIONS: [&str; 24] = [
    "a",
    "1,2,+",
    "",
    "a,COUNT,+",
    "a,TREND",
    "a,1.5,*",
    "a,40000,*",
    "a,-32768,*",
    "a,-32769,*",
    "a,+",
    "a,a",
    "PREV(c)",
    "c",
    "a,NOW,+",
    "a,ROUND",
    "a,1E2,*",
    "a,1e2,*",
    "a,,a",
    "NEWDAY,a,+",
    "a,3",
    "a,TIME,b",
    "a,2,*:5",
    "a,1,+,1,+,1,+,1,+,1,+,1,+,1,+,1,+,1,+,DUP",
    "a,1,+,1,+,1,+,1,+,1,+,1,+,1,+,1,+,1,+",
];

#[test]
fn odd_definitions_are_refused_in_the_same_words() {
    let Some(program) = oracle::program("rrdtool", "words for odd definitions") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let mut rrdtool = Rrdtool::start(&program, directory.path());
    let expressions = ODD_EXPRESSIONS.map(|text| format!("DS:c:COMPUTE:{text} RRA:LAST:0.5:1:5"));
    for text in ODD_DEFINITIONS.map(str::to_owned).into_iter().chain(expressions) {
        let specs: Vec<&str> = ["DS:a:GAUGE:20:U:U"].into_iter().chain(text.split(' ')).collect();
        let create = format!("create a.rrd -b 1000000000 -s 10 {}", specs.join(" "));
        let theirs = match rrdtool.send(&create) {
            Reply::Ok(_) => Ok(()),
            Reply::Error(words) => Err(words),
        };
        let ours = spec::definition(10, specs.iter().copied());
        assert_eq!(ours.map(drop).map_err(|error| error.to_string()), theirs, "{text}");
    }
}
