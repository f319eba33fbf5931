//! Runs the tests of every crate.

use super::Verb;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb = Verb {
    name: "tests",
    usage: "[cargo test's arguments]",
    summary: "the tests of every crate",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut command = cargo::command();
    command.args(["test", "--locked", "--workspace", "--no-fail-fast"]);
    cargo::run(command.args(words))
}
