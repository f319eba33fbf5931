//! Runs Clippy; warnings are errors.

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb =
    Verb { name: "clippy", usage: "", summary: "no warning in any crate, its tests included", run };

fn run(words: Vec<String>) -> Outcome {
    Arguments::new(words).finish()?;
    let mut command = cargo::command();
    command.args(["clippy", "--locked", "--workspace", "--all-targets", "--keep-going"]);
    cargo::run(command.args(["--", "-D", "warnings"]))
}
