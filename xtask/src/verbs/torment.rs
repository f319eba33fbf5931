//! Runs the trials of the crate `torment`, which kills the real program.

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb = Verb {
    name: "torment",
    usage: "[--dev] [...]",
    summary: "gyre killed in its work, and compared with rrdtool; --help tells the options",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let programs = cargo::programs(arguments.flag("--dev"), &["gyre", "torment"])?;
    let mut command = std::process::Command::new(programs.join("torment"));
    command.arg("--gyre").arg(programs.join("gyre")).args(arguments.rest());
    cargo::run_with_output(&mut command)
}
