//! Frozen files of rrdtool: what it wrote, gyre must write, on machines without rrdtool too.
//!
//! Each case of `tests/golden` is a file as rrdtool 1.7.2 created it (`.before.rrd`), commands
//! (`.txt`) and the file after rrdtool ran them (`.after.rrd`). `GYRE_BLESS=plain` makes those of
//! archives that consolidate anew with the installed rrdtool, `GYRE_BLESS=forecasts` the others.
#![allow(clippy::disallowed_methods)] // the test reads its golden files

mod cases;

use std::fs;
use std::path::{Path, PathBuf};

use cases::Update;
use cases::forecasts::forecast_case;
use oracle::Rrdtool;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

const CASES: usize = 24;
const FORECAST_CASES: usize = 10;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("golden")
}

#[test]
fn updates_leave_the_bytes_that_rrdtool_left() {
    match std::env::var("GYRE_BLESS").as_deref() {
        Ok("plain") => bless_plain(),
        Ok("forecasts") => bless_forecasts(),
        _ => {}
    }
    let scratch = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for entry in fs::read_dir(directory()).unwrap() {
        let commands = entry.unwrap().path();
        if commands.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let file = scratch.path().join("file.rrd");
        fs::copy(commands.with_extension("before.rrd"), &file).unwrap();
        for line in fs::read_to_string(&commands).unwrap().lines() {
            let _ = cases::update_file(&file, &parse(line)); // refusals are part of the cases
        }
        let expected = fs::read(commands.with_extension("after.rrd")).unwrap();
        assert!(fs::read(&file).unwrap() == expected, "{}", commands.display());
        compared += 1;
    }
    assert_eq!(compared, CASES + FORECAST_CASES);
}

fn parse(line: &str) -> Update {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let template = (words[0] == "-t").then(|| words.drain(..2).nth(1)).flatten();
    Update { template, arguments: words }
}

fn rrdtool() -> Rrdtool {
    let program = oracle::program("rrdtool", "golden files").expect("rrdtool makes them");
    Rrdtool::start(&program, &directory())
}

fn bless_plain() {
    let mut rrdtool = rrdtool();
    let mut runner = TestRunner::deterministic();
    for nth in 0..CASES {
        let case = cases::case().new_tree(&mut runner).unwrap().current();
        let create = cases::create_command("file.rrd", &case);
        bless(&mut rrdtool, &format!("{nth:02}"), &create, &case.updates);
    }
}

fn bless_forecasts() {
    let mut rrdtool = rrdtool();
    let mut runner = TestRunner::deterministic();
    // The C libraries of two machines may round these to different neighbours.
    let libm = ["SIN", "COS", "LOG", "EXP", "ATAN", "POW"];
    let exact = |create: &str| !libm.iter().any(|word| create.contains(word));
    let strategy = forecast_case().prop_filter("exact", move |case| exact(&case.create));
    for nth in 0..FORECAST_CASES {
        let case = strategy.new_tree(&mut runner).unwrap().current();
        bless(&mut rrdtool, &format!("forecast-{nth:02}"), &case.create, &case.updates);
    }
}

/// Lets rrdtool make the files of one case; `create` is for a file of the name `file.rrd`.
fn bless(rrdtool: &mut Rrdtool, name: &str, create: &str, updates: &[Update]) {
    let (before, after) = (format!("{name}.before.rrd"), format!("{name}.after.rrd"));
    rrdtool.send(&create.replacen("file.rrd", &before, 1));
    fs::copy(directory().join(&before), directory().join(&after)).unwrap();
    let mut commands = String::new();
    for update in updates {
        let template = update.template.as_ref().map(|names| format!("-t {names} "));
        let line = template.unwrap_or_default() + &update.arguments.join(" ");
        rrdtool.send(&format!("update {after} {line}"));
        commands += &line;
        commands.push('\n');
    }
    fs::write(directory().join(format!("{name}.txt")), commands).unwrap();
}
