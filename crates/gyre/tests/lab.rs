//! The laboratory in its tiny form: set-up, updates of real files, verdicts, and nothing left behind.
//!
//! Needs root, control groups and loop devices; says so where it cannot run.
#![allow(clippy::disallowed_methods)] // it starts gyre and reads what it wrote

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const EXPERIMENTS: [&str; 7] = ["fig6", "fig3-11", "fig12", "fig13", "fig14", "io-modes", "open"];

#[test]
fn every_experiment_runs_in_its_tiny_form() {
    let directory = directory();
    if !can_run(directory.path()) {
        return;
    }
    let output = gyre(directory.path(), &["all", "--quick", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let documents = String::from_utf8(output.stdout).unwrap();
    let documents: Vec<Value> =
        documents.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<_> = documents.iter().map(|it| it["experiment"].as_str().unwrap()).collect();
    assert_eq!(names, EXPERIMENTS);
    for (name, document) in EXPERIMENTS.iter().zip(&documents) {
        assert!(!document["verdicts"].as_array().unwrap().is_empty(), "{name}");
        for end in [".csv", ".svg", ".txt"] {
            let written = std::fs::read_to_string(directory.path().join(format!("{name}{end}")));
            assert!(written.unwrap().len() > 50, "{name}{end}");
        }
    }
    pages_are_those_of_the_simulation(&documents[0]);
    assert_eq!(left_behind(directory.path()), [""; 0]);
}

/// Page counts are no matter of luck: what an update brings is known to the page.
fn pages_are_those_of_the_simulation(fig6: &Value) {
    for figures in fig6["figures"].as_array().unwrap() {
        let pages = |name: &str| figures[name].as_f64().unwrap();
        let way = figures["way"].as_str().unwrap();
        if way.ends_with("-advice") || way == "rrdtool" {
            assert!(pages("pages_max") <= 3.0, "{figures}");
            assert_eq!(pages("pages_mean"), pages("simulated_today"), "{figures}");
        }
    }
}

#[test]
fn an_interrupted_experiment_leaves_nothing_behind() {
    let directory = directory();
    if !can_run(directory.path()) {
        return;
    }
    let mut lab = command(directory.path(), &["fig13", "--quick"]);
    let mut lab = lab.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while left_behind(directory.path()).is_empty() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(left_behind(directory.path()).len(), 1);
    assert!(Command::new("kill").arg("-INT").arg(lab.id().to_string()).status().unwrap().success());
    assert_eq!(lab.wait().unwrap().code(), Some(1));
    assert_eq!(left_behind(directory.path()), [""; 0]);
}

#[test]
fn experiments_are_listed_and_mistakes_named() {
    let directory = directory();
    let output = gyre(directory.path(), &[]);
    let listed = String::from_utf8(output.stdout).unwrap();
    let names: Vec<_> = listed.lines().map(|it| it.split(' ').next().unwrap()).collect();
    assert_eq!(names, EXPERIMENTS);
    let output = gyre(directory.path(), &["fig99"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no experiment fig99"));
}

fn command(directory: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.arg("lab").args(words).arg("--output").arg(directory);
    command
}

fn gyre(directory: &Path, words: &[&str]) -> Output {
    command(directory, words).output().unwrap()
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Disks of experiments that are still there.
fn left_behind(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("gyre-testbed-")).collect()
}

fn can_run(directory: &Path) -> bool {
    let group = testbed::Cgroup::new("test", 64 << 20).map(drop);
    let made = group.and_then(|()| testbed::LoopDisk::new(directory, 16 << 20).map(drop));
    let said = made.inspect_err(|error| {
        // Not by `eprintln!`, which the test harness swallows where the test passes.
        let _ = writeln!(std::io::stderr(), "NOT TESTED, gyre lab: {error}");
    });
    said.is_ok()
}
