//! Runs the tests of every crate.

use super::Verb;
use crate::{Outcome, cargo, testing};

pub(super) const VERB: Verb = Verb {
    name: "tests",
    usage: "[cargo test's arguments]",
    summary: "the tests of every crate, some programs at a time if no argument chooses",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    if words.is_empty() {
        return testing::run_all(testing::build()?);
    }
    let mut command = cargo::command();
    command.args(["test", "--locked", "--workspace", "--no-fail-fast"]);
    cargo::run(command.args(words))
}
