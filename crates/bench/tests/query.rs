//! The benchmark of queries at its smallest size: every part runs, and the answers are checked.
#![allow(clippy::disallowed_methods)] // it starts the benchmark's program

use std::process::Command;

use serde_json::Value;

#[test]
fn every_part_answers_with_few_series() {
    let directory = tempfile::tempdir().unwrap();
    let few = ["--rendered", "3", "--ranged", "5", "--summed", "300", "--named", "1200"];
    let few = [&few[..], &["--updated", "200", "--sent", "300"]].concat();
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["query", "--quick", "--json", "--directory"])
        .arg(directory.path())
        .args(few)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["failures"], Value::Array(Vec::new()));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 13, "{said}");
    assert!(rows.iter().all(|row| row["gyre"].as_f64().unwrap() > 0.0), "{said}");
}
