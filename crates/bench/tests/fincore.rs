//! The benchmark of fincore at its smallest size: both programs count the same.
#![allow(clippy::disallowed_methods)] // it starts the benchmark's program

use std::path::Path;
use std::process::Command;

#[test]
fn both_count_the_same() {
    let bench = Path::new(env!("CARGO_BIN_EXE_bench"));
    if oracle::program("fincore", "the benchmark of fincore").is_none() {
        return;
    }
    if !bench.with_file_name("gyre").is_file() {
        // Only a build of the workspace makes the program; `cargo xtask bench` does that.
        eprintln!("not tested: the benchmark of fincore, gyre is not built beside it");
        return;
    }
    let directory = env!("CARGO_TARGET_TMPDIR");
    let mut command = Command::new(bench);
    let output =
        command.args(["fincore", "--quick", "--json", "--directory", directory]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(figures["raw"]["parameters"]["files"], 3000);
    let rows = figures["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row["ratio"].as_f64().unwrap() > 0.0));
}
