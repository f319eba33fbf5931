//! Frozen files of rrdtool: what it wrote, gyre must write, on machines without rrdtool too.
//!
//! Each case of `tests/golden` is a file as rrdtool 1.7.2 created it (`.before.rrd`), commands
//! (`.txt`) and the file after rrdtool ran them (`.after.rrd`). `GYRE_BLESS=1` makes them anew with
//! the installed rrdtool.
#![allow(clippy::disallowed_methods)] // the test reads its golden files

mod cases;

use std::fs;
use std::path::{Path, PathBuf};

use cases::Update;
use oracle::Rrdtool;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

const CASES: usize = 24;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("golden")
}

#[test]
fn updates_leave_the_bytes_that_rrdtool_left() {
    if std::env::var_os("GYRE_BLESS").is_some() {
        bless();
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
    assert_eq!(compared, CASES);
}

fn parse(line: &str) -> Update {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let template = (words[0] == "-t").then(|| words.drain(..2).nth(1)).flatten();
    Update { template, arguments: words }
}

fn bless() {
    let program = oracle::program("rrdtool", "golden files").expect("rrdtool makes them");
    let mut rrdtool = Rrdtool::start(&program, &directory());
    let mut runner = TestRunner::deterministic();
    for nth in 0..CASES {
        let case = cases::case().new_tree(&mut runner).unwrap().current();
        let (before, after) = (format!("{nth:02}.before.rrd"), format!("{nth:02}.after.rrd"));
        rrdtool.send(&cases::create_command(&before, &case));
        fs::copy(directory().join(&before), directory().join(&after)).unwrap();
        let mut commands = String::new();
        for update in &case.updates {
            let template = update.template.as_ref().map(|names| format!("-t {names} "));
            let line = template.unwrap_or_default() + &update.arguments.join(" ");
            rrdtool.send(&format!("update {after} {line}"));
            commands += &line;
            commands.push('\n');
        }
        fs::write(directory().join(format!("{nth:02}.txt")), commands).unwrap();
    }
}
