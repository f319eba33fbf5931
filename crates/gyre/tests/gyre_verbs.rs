//! The verbs under gyre's own name: each has help, and errors that name the file, the place in it,
//! and the expected content.
#![allow(clippy::disallowed_methods)] // the test starts the program and damages files

mod verb_cases;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const VERBS: [&str; 22] = [
    "run",
    "demo",
    "create",
    "update",
    "updatev",
    "fetch",
    "info",
    "dump",
    "restore",
    "first",
    "last",
    "lastupdate",
    "graph",
    "fincore",
    "inspect",
    "verify",
    "store create",
    "store list",
    "store rename",
    "store delete",
    "store tune",
    "store",
];

fn gyre(directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.args(words).current_dir(directory).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The error message of a refused command.
fn refusal(directory: &Path, words: &[&str]) -> String {
    let output = gyre(directory, words);
    assert_eq!(output.status.code(), Some(1), "{words:?}");
    assert_eq!(text(&output.stdout), "", "{words:?}");
    text(&output.stderr)
}

#[test]
fn every_verb_tells_its_help() {
    let here = Path::new(".");
    for verb in VERBS {
        let words: Vec<&str> = verb.split(' ').chain(["--help"]).collect();
        let output = gyre(here, &words);
        assert!(output.status.success(), "{verb}");
        let help = text(&output.stdout).to_lowercase();
        assert!(help.contains(&format!("usage: gyre {verb} ")), "{help}");
        assert_eq!(text(&output.stderr), "", "{verb}");
    }
    assert!(text(&gyre(here, &["-", "--help"]).stdout).contains("mkdir DIRECTORY"));
}

#[test]
fn a_verb_that_is_none_is_named() {
    let here = Path::new(".");
    for (words, told) in [
        (&["frobnicate", "x"][..], "gyre: expected a verb, found frobnicate\n"),
        (&["update"], "Take samples into a file\n"),
    ] {
        let output = gyre(here, words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(text(&output.stderr).starts_with(told), "{}", text(&output.stderr));
    }
}

#[test]
fn errors_name_the_file_and_the_place() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let made = gyre(
        here,
        &["create", "a.rrd", "-b", "1000000000", "DS:a:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:5"],
    );
    assert!(made.status.success(), "{}", text(&made.stderr));
    let whole = fs::read(here.join("a.rrd")).unwrap();
    let damaged = |name: &str, damage: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(here.join(name), bytes).unwrap();
    };
    damaged("short.rrd", &|bytes| bytes.truncate(600));
    damaged("foreign.rrd", &|bytes| bytes[16..24].fill(7));
    damaged("kind.rrd", &|bytes| bytes[148..151].copy_from_slice(b"FOO"));
    assert!(gyre(here, &["dump", "a.rrd", "a.xml"]).status.success());
    let document = fs::read_to_string(here.join("a.xml")).unwrap();
    fs::write(here.join("a.xml"), document.replacen("<v>NaN", "<v>zz", 1)).unwrap();
    for (words, expected) in [
        (&["info", "nix.rrd"][..], "nix.rrd: opening: No such file or directory"),
        (&["info", "short.rrd"], "short.rrd: expected 624 bytes by its definition, found 600"),
        (&["info", "foreign.rrd"], "foreign.rrd: offset 16: expected the float cookie"),
        (&["info", "kind.rrd"], "kind.rrd: offset 148: expected a data source type"),
        (&["restore", "a.xml", "b.rrd"], "a.xml: line 39: expected a number in <v>, found zz"),
        (&["restore", "nix.xml", "b.rrd"], "nix.xml: No such file or directory"),
        (&["update", "a.rrd", "5:1"], "a.rrd: illegal attempt to update using time 5 "),
        (
            &["create", "c.rrd", "DS:a:COMPUTE:b,8,*", "RRA:AVERAGE:0.5:1:5"],
            "failed to parse computed data source",
        ),
        (
            &["create", "c.rrd", "DS:a:GAUGE:600:U:U", "RRA:HWPREDICT:10:0:0.1:5"],
            "Invalid alpha: must be between 0 and 1",
        ),
    ] {
        let told = refusal(here, words);
        assert!(told.starts_with(&format!("ERROR: {expected}")), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}
