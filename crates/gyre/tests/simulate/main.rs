//! `gyre simulate`: computed, traced and recorded updates, the forms of the table, and errors.
#![allow(clippy::disallowed_methods)] // a test: it makes files and starts programs

mod generated;
mod traces;
mod recorded;
mod large_folios;
mod mistakes;

use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const GYRE: &str = env!("CARGO_BIN_EXE_gyre");

fn simulate(words: &[&str]) -> Output {
    Command::new(GYRE).arg("simulate").args(words).output().unwrap()
}

fn text(words: &[&str]) -> String {
    let output = simulate(words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&text(words)).unwrap()
}

fn directory() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// The one error of a command, without the program's name, and the exit code.
fn error(words: &[&str]) -> (String, i32) {
    let output = simulate(words);
    assert!(output.stdout.is_empty(), "{words:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    let line = said.lines().next().unwrap_or_default();
    let reason =
        line.strip_prefix("gyre simulate: ").unwrap_or_else(|| panic!("{words:?}: {said}"));
    (reason.to_owned(), output.status.code().unwrap())
}
