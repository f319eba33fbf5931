//! Runs Clippy; warnings are errors.

use std::path::{Path, PathBuf};

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb =
    Verb { name: "clippy", usage: "", summary: "no warning in any crate, its tests included", run };

/// How `cargo clippy` hands `-D warnings` to its compiler.
pub(super) const ARGUMENTS: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

/// The compiler that `cargo clippy` has cargo call for our own crates.
pub(super) fn driver() -> Option<PathBuf> {
    let cargo = std::env::var_os("CARGO")?;
    let driver = Path::new(&cargo).with_file_name("clippy-driver");
    driver.is_file().then_some(driver)
}

fn run(words: Vec<String>) -> Outcome {
    Arguments::new(words).finish()?;
    let mut command = cargo::command();
    command.args(["clippy", "--locked", "--workspace", "--all-targets", "--keep-going"]);
    cargo::run(command.args(["--", "-D", "warnings"]))
}
