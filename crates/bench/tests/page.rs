//! The benchmark of pages at its smallest size: every part runs.
#![allow(clippy::disallowed_methods)] // it starts the benchmark's program

use std::process::Command;

use serde_json::Value;

#[test]
fn every_part_has_its_figures_with_few_names() {
    let directory = tempfile::tempdir().unwrap();
    let few = ["--names", "40", "--ports", "6", "--rounds", "2", "--viewers", "4", "--seconds", "4"];
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["page", "--quick", "--json", "--directory"])
        .arg(directory.path())
        .args(few)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["failures"], Value::Array(Vec::new()));
    const PART: &str = "what the screen shows";
    let programs = ["chromium", "node"];
    let has_programs = programs.iter().all(|name| oracle::program(name, PART).is_some());
    let has_browser = has_programs && oracle::node_of_tests(PART).is_some();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), if has_browser { 14 } else { 10 }, "{said}");
    let failed = |row: &&Value| row["what"].as_str().unwrap().ends_with("that failed");
    assert_eq!(rows.iter().find(failed).unwrap()["gyre"], 0.0, "{said}");
}
