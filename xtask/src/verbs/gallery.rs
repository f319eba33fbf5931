//! Graphs of other programs, drawn by rrdtool and by gyre.

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb = Verb {
    name: "gallery",
    usage: "[--dev] [...]",
    summary: "graphs as other programs write them, by rrdtool and gyre side by side; --help tells the options",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let programs = cargo::programs(arguments.flag("--dev"), &["gyre", "gallery"])?;
    let mut command = std::process::Command::new(programs.join("gallery"));
    cargo::run_with_output(command.args(arguments.rest()))
}
