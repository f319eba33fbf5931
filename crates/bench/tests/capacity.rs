//! The benchmark of the page cache at its smallest size: the kernel reads the predicted pages.
#![allow(clippy::disallowed_methods)] // it starts the benchmark's program

#[path = "../../testbed/tests/left/mod.rs"]
mod left;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use left::Left;

#[test]
fn a_cache_that_is_large_enough_reads_each_page_once() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["capacity", "--quick", "--json", "--sizes", "30", "--directory"])
        .arg(directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let failures = report["failures"].to_string();
    if failures.contains("/sys/fs/cgroup") {
        eprintln!("not tested: no control group may be made here: {failures}");
        return;
    }
    assert!(output.status.success(), "{said}");
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{said}");
    for row in rows {
        let (model, kernel) = (row["gyre"].as_f64(), row["peers"]["kernel"].as_f64());
        let (model, kernel) = (model.unwrap(), kernel.unwrap());
        // In the second pair of cycles, all but a few pages are already cached.
        assert!(model < 0.5 && kernel < 0.5, "{row}");
    }
}

#[test]
fn a_signal_ends_the_worker_and_removes_its_group() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some(mut bench) = with_a_worker(directory.path()) else { return };
    let process = bench.id();
    assert!(Command::new("kill").arg(process.to_string()).status().unwrap().success());
    assert_eq!(bench.wait().unwrap().code(), Some(1));
    // A group with a process in it could not have been removed.
    assert_eq!(Left::at_last(process, directory.path()), Left::default());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn what_a_killed_benchmark_left_the_next_removes() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some(mut bench) = with_a_worker(directory.path()) else { return };
    let process = bench.id();
    bench.kill().unwrap();
    bench.wait().unwrap();
    let left = Left::of(process, directory.path()).groups;
    assert_eq!(left.len(), 1);
    let mut next = command(directory.path(), &["--quick", "--only", "pwrite-advice"]);
    let said = String::from_utf8(next.output().unwrap().stderr).unwrap();
    let removed = format!("removed {}, which a killed run left", left[0].display());
    assert!(said.contains(&removed), "{said}");
    assert_eq!(Left::at_last(process, directory.path()), Left::default());
}

/// Starts a benchmark that would take hours; returns when its worker has a group.
fn with_a_worker(directory: &Path) -> Option<Child> {
    let few = ["--files", "100", "--sizes", "30", "--only", "pwrite-advice", "--cycles", "9999999"];
    let mut bench = command(directory, &few).stdout(Stdio::null()).spawn().unwrap();
    while Left::of(bench.id(), directory).groups.is_empty() {
        if bench.try_wait().unwrap().is_some() {
            eprintln!("not tested: no control group may be made here");
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Some(bench)
}

fn command(directory: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.arg("capacity").args(words).arg("--directory").arg(directory);
    command
}
