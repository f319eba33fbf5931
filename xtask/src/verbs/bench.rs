//! Measurements, by the crate that knows the rivals.

use super::Verb;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb = Verb {
    name: "bench",
    usage: "NAME [...]",
    summary: "gyre beside its peers in one run, in a release build",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut command = cargo::command();
    command.args(["build", "--release", "--locked", "--package", "gyre"]);
    cargo::run(&mut command)?; // a rival in the measurement, started by name
    let mut command = cargo::command();
    command.args(["run", "--release", "--locked", "--package", "bench", "--"]);
    cargo::run_with_output(command.args(words))
}
