//! Runs the measurements of the crate `bench`.

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb = Verb {
    name: "bench",
    usage: "[--dev] NAME [...]",
    summary: "gyre beside its peers in one run, in a release build but with --dev",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let programs = cargo::programs(arguments.flag("--dev"), &["gyre", "bench"])?;
    let mut command = std::process::Command::new(programs.join("bench"));
    cargo::run_with_output(command.args(arguments.rest()))
}
