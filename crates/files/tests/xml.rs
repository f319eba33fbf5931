//! Dumps are rrdtool's byte for byte, and both restore the same file from one.
#![allow(clippy::disallowed_methods)] // the test reads the files it compares

mod cases;

use std::fs;
use std::path::Path;
use std::process::Command;

use files::{Access, RrdFile};
use jiff::tz::TimeZone;
use oracle::{Reply, Rrdtool};
use proptest::test_runner::{Config, TestRunner};
use rrdfile::xml::{Prologue, forget_values_out_of_range, parse, write};
use store::Existing;

use cases::Update;
use cases::forecasts::{ForecastCase, forecast_case};

#[test]
fn dumps_and_restores_equal_rrdtools() {
    let Some(program) = oracle::program("rrdtool", "dump and restore") else { return };
    let directory = tempfile::tempdir().unwrap();
    let rrdtool = std::cell::RefCell::new(Rrdtool::start(&program, directory.path()));
    let config =
        Config { cases: cases::wanted(60), failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&cases::case(), |case| {
        let create = cases::create_command("file.rrd", &case);
        compare(&mut rrdtool.borrow_mut(), &program, directory.path(), &create, &case.updates);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[test]
fn dumps_and_restores_of_forecasts_equal_rrdtools() {
    let Some(program) = oracle::program("rrdtool", "dump and restore of forecasts") else { return };
    let directory = tempfile::tempdir().unwrap();
    let rrdtool = std::cell::RefCell::new(Rrdtool::start(&program, directory.path()));
    let config =
        Config { cases: cases::wanted(60), failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&forecast_case(), |case| {
        let ForecastCase { create, updates } = &case;
        // rrdtool crashes when it is to name what it never calculates.
        if !create.contains("PREV(") {
            compare(&mut rrdtool.borrow_mut(), &program, directory.path(), create, updates);
        }
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn compare(
    rrdtool: &mut Rrdtool,
    program: &Path,
    directory: &Path,
    create: &str,
    updates: &[Update],
) {
    assert_eq!(rrdtool.send(create), Reply::Ok(vec![]));
    for update in updates {
        let _ = cases::update_file(&directory.join("file.rrd"), update); // refusals are cases too
    }
    let (zone_name, prologue, option) = match create.len() % 3 {
        0 => ("UTC", Prologue::Dtd, "dtd"),
        1 => ("Europe/Berlin", Prologue::None, "none"),
        _ => ("America/St_Johns", Prologue::Xsd, "xsd"),
    };
    let theirs = Command::new(program)
        .args(["dump", "-h", option, "file.rrd"])
        .current_dir(directory)
        .env("TZ", zone_name)
        .output()
        .unwrap();
    let theirs = String::from_utf8(theirs.stdout).unwrap();
    let file = RrdFile::open(&directory.join("file.rrd"), Access::Read).unwrap();
    let zone = TimeZone::get(zone_name).unwrap();
    let ours =
        write(&file.snapshot().unwrap(), file.header().version, prologue, &|seconds, out| {
            let moment = jiff::Timestamp::from_second(seconds).unwrap().to_zoned(zone.clone());
            *out += &moment.strftime("%Y-%m-%d %H:%M:%S %Z").to_string();
        });
    for (nth, (theirs, ours)) in theirs.lines().zip(ours.lines()).enumerate() {
        assert_eq!(ours, theirs, "line {}", nth + 1);
    }
    assert_eq!(ours, theirs);

    fs::write(directory.join("dump.xml"), &theirs).unwrap();
    // For rrdtool an expression's bytes are limits too.
    let options = if create.contains("COMPUTE") { &[""][..] } else { &["", "-r"] };
    for option in options {
        // Not in the pipe: there rrdtool goes on with `-r` once it was given.
        let words = ["restore", "-f", "dump.xml", "theirs.rrd", option];
        let words = words.iter().filter(|word| !word.is_empty());
        let restored = Command::new(program).args(words).current_dir(directory).status();
        assert!(restored.unwrap().success());
        let ours = directory.join("ours.rrd");
        let mut snapshot = parse(&theirs).unwrap();
        if *option == "-r" {
            forget_values_out_of_range(&mut snapshot);
        }
        files::restore(&ours, &snapshot, Existing::Replace).unwrap();
        compare_restored(&directory.join("theirs.rrd"), &ours);
    }
}

/// Compares two restored files but for what is left to chance: `rra_ptr`, the row written last, and
/// with it the rotation of each archive's rows.
fn compare_restored(theirs: &Path, ours: &Path) {
    let decoded = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        let (header, snapshot) = rrdfile::decode(&bytes).unwrap();
        let pointers = 8 * header.newest_rows.len();
        let fixed = bytes[..header.layout.header_bytes() - pointers].to_vec();
        let rows: Vec<u64> = snapshot.rows.concat().iter().map(|value| value.to_bits()).collect();
        (fixed, rows)
    };
    let ((their_header, their_rows), (header, rows)) = (decoded(theirs), decoded(ours));
    let differs = (0..header.len()).find(|at| header[*at] != their_header[*at]);
    assert!(differs.is_none() && header.len() == their_header.len(), "header byte {differs:?}");
    let differs = (0..rows.len()).find(|at| rows[*at] != their_rows[*at]);
    let values = differs.map(|at| (at, f64::from_bits(rows[at]), f64::from_bits(their_rows[at])));
    assert!(values.is_none() && rows.len() == their_rows.len(), "ours and theirs: {values:?}");
}

#[test]
fn a_broken_dump_is_told_with_its_line() {
    let definition =
        rrd::spec::definition(300, ["DS:a:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:2"]).unwrap();
    let live = rrd::LiveState::fresh(&definition, rrd::Timestamp::from_seconds(1_000_000_000));
    let rows = vec![vec![rrd::UNKNOWN; 2]];
    let snapshot = rrd::Snapshot { definition, live, rows };
    let version = rrdfile::Version::of(&snapshot.definition);
    let good =
        write(&snapshot, version, Prologue::Dtd, &|seconds, out| *out += &seconds.to_string());
    assert!(parse(&good).is_ok());
    for (from, to, told) in [
        ("<rrd>", "RRD\u{1}", "line 5: expected <rrd>, found \"RRD\\u{1}\""),
        ("<xff>5.0000000000e-01</xff>", "", "line 42: expected <xff> in <rra>, found none"),
        ("GAUGE", "FOO", "line 11: expected a data source type, found FOO"),
        ("<step>300", "<step>x", "line 6: expected a whole number in <step>, found x"),
        ("AVERAGE", "FOO", "line 24: expected a consolidation function, found FOO"),
        ("<row>", "<row><v>1</v>", "line 39: expected 1 <v> in <row>, one a source, found 2"),
        (
            "</rra>",
            "</rra><ds></ds>",
            "line 42: expected every <ds> before the first <rra>, found <ds> after it",
        ),
        ("</rrd>", "", "line 44: expected </rrd>, found the end of the document"),
        (
            "<params>",
            "<params><x>",
            "line 27: expected an element of <params> that is known, found <x>",
        ),
    ] {
        let broken = good.replacen(from, to, 1);
        assert_eq!(parse(&broken).unwrap_err().to_string(), told);
    }
    for end in (0..good.len()).filter(|end| good.is_char_boundary(*end)) {
        let cut = parse(&good[..end]);
        assert!(cut.is_err() || good[end..].trim().is_empty());
    }
}
