//! The benchmark of the daemon at its smallest size: every part runs, and its figures are
//! plausible.
#![allow(clippy::disallowed_methods)] // it starts the benchmark's program

use std::process::Command;

use serde_json::Value;

/// Runs the benchmark with few files; returns its figures.
fn quick(words: &[&str]) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["daemon", "--quick", "--json", "--directory"])
        .arg(directory.path())
        .args(words)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The figures of the rows whose names have this prefix: gyre's, and rrdcached's if it is
/// installed.
fn figures(report: &Value, what: &str) -> Vec<(f64, Option<f64>)> {
    let rows = report["rows"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["what"].as_str().unwrap().starts_with(what));
    let figure = |row: &Value| (row["gyre"].as_f64().unwrap(), row["peers"]["rrdcached"].as_f64());
    rows.map(figure).collect()
}

#[test]
fn every_part_runs_with_few_files() {
    let report = quick(&[]);
    assert_eq!(report["failures"], Value::Array(Vec::new()));
    let has_peer = oracle::program("rrdcached", "the benchmark's column of that name").is_some();
    for (what, rows) in [
        ("CREATE", 2),
        ("BATCH", 1),
        ("first touch", 1),
        ("one UPDATE a round trip, 64 clients, --sync 1", 1),
        ("UPDATE, then its row", 2),
        ("an hour of 48 dense files: bytes", 1),
        ("kill -9", 2),
    ] {
        let found = figures(&report, what);
        assert_eq!(found.len(), rows, "{what}");
        for (ours, theirs) in found {
            assert!(ours > 0.0, "{what}");
            assert_eq!(theirs.is_some_and(|theirs| theirs > 0.0), has_peer, "{what}");
        }
    }
    assert_eq!(figures(&report, "files written for it")[0].0, 0.0);
}

#[test]
fn parts_are_chosen_by_name() {
    let report = quick(&["--only", "visible", "--no-peer"]);
    assert_eq!(report["rows"].as_array().unwrap().len(), 3);
    assert_eq!(figures(&report, "files written for it"), [(0.0, None)]);
}
