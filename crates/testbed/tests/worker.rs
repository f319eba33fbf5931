//! A worker whose parent has ended before the worker could ask for a signal at that.
#![allow(clippy::disallowed_methods)] // it starts programs

use std::process::{Command, Stdio};

use testbed::{end_with_parent, name_parent};

#[test]
fn a_worker_that_comes_late_ends() {
    let output = again("starts_a_worker_and_ends").stdout(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let line = said.lines().find_map(|line| Some(line.split_once("late: ")?.1));
    assert_eq!(line, Some("the program that started this worker has ended"), "{said}");
}

#[test]
#[ignore = "the parent of the worker that comes late"]
fn starts_a_worker_and_ends() {
    let mut worker = again("comes_late");
    name_parent(&mut worker);
    worker.env("LATE_FOR", std::process::id().to_string()).spawn().unwrap();
    std::process::exit(0);
}

#[test]
#[ignore = "the worker that comes late"]
fn comes_late() {
    let Ok(parent) = std::env::var("LATE_FOR") else { return };
    while std::os::unix::process::parent_id().to_string() == parent {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    println!("late: {}", end_with_parent().err().unwrap_or_else(|| "it works on".into()));
}

/// Runs this program again, for another of its tests.
fn again(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", name]);
    command
}
