//! Trials of the real program, by the crate that kills it.

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
    // All programs of the workspace: with the features that its tests have, whose build is then used.
    let (words, place) = match arguments.flag("--dev") {
        true => (&["--workspace", "--bins"][..], "debug"),
        false => (&["--release", "--package", "gyre", "--package", "torment"][..], "release"),
    };
    let mut command = cargo::command();
    cargo::run(command.args(["build", "--locked"]).args(words))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map(std::path::PathBuf::from);
    let programs = target.unwrap_or_else(|| cargo::root().join("target")).join(place);
    let mut command = std::process::Command::new(programs.join("torment"));
    command.arg("--gyre").arg(programs.join("gyre")).args(arguments.rest());
    cargo::run_with_output(&mut command)
}
