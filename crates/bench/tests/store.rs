//! The benchmark of the store at its smallest size: every part runs, and its figures are plausible.
#![allow(clippy::disallowed_methods)] // it starts the benchmark's program

use std::process::Command;

use serde_json::Value;

/// Runs the benchmark with few RRDs; returns its figures.
fn quick(words: &[&str]) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["store", "--quick", "--json", "--directory"])
        .arg(directory.path())
        .args(words)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The figure of the row whose name has this prefix.
fn figure(report: &Value, what: &str) -> f64 {
    let rows = report["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["what"].as_str().unwrap().starts_with(what));
    row.unwrap_or_else(|| panic!("no row {what}"))["gyre"].as_f64().unwrap()
}

#[test]
fn every_part_runs_with_few_rrds() {
    let report = quick(&[]);
    assert_eq!(report["failures"], Value::Array(Vec::new()));
    assert!(figure(&report, "cycle of 480 updates, median") > 0.0);
    // The readings alone need more than this, unless a file system compresses them.
    assert!(figure(&report, "bytes written an update, K=18, first pass") > 4.0);
    assert!(figure(&report, "fetch of a day, hot") > 0.0);
    assert!(figure(&report, "kill -9 to replay done, 480") > 0.0);
}

#[test]
fn both_backends_end_with_the_same_rows() {
    let hash = |words: &[&str]| quick(words)["raw"]["result_hash"].as_str().unwrap().to_owned();
    let ring = hash(&["--only", "day"]);
    assert_eq!(ring, hash(&["--only", "day", "--store", "directory"]));
    assert_ne!(ring, hash(&["--only", "day", "--cycles", "5"]));
}
