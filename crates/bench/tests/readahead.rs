//! The benchmark of readahead at its smallest size: every pattern runs, and both sides read the
//! same bytes.
#![allow(clippy::disallowed_methods)] // it starts the benchmark's program

use std::process::Command;

use serde_json::Value;

#[test]
fn every_pattern_runs_over_a_small_file() {
    // Not the temporary directory, which may be a memory file system, where no file is cold.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["readahead", "--quick", "--json", "--records", "64", "--directory"])
        .arg(directory.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["failures"], Value::Array(Vec::new()));
    let measured = report["raw"]["measurements"].as_array().unwrap();
    for pattern in ["sequential", "backward", "stride-17", "random", "eight-readers", "buffered"] {
        let row = measured.iter().find(|row| row["pattern"] == pattern).unwrap();
        let [theirs, ours] = ["kernel", "gyre"].map(|side| &row[side][0]);
        assert_eq!(theirs["hash"], ours["hash"], "{pattern}");
        assert!(ours["wanted_bytes"].as_u64().unwrap() > 0, "{pattern}");
    }
}
