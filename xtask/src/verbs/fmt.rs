//! Checks or fixes the formatting.

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb =
    Verb { name: "fmt", usage: "[--fix]", summary: "rustfmt finds nothing to change", run };

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let fix = arguments.flag("--fix");
    arguments.finish()?;
    format(None, fix)?;
    format(Some("fuzz/Cargo.toml"), fix)
}

fn format(manifest: Option<&str>, fix: bool) -> Outcome {
    let mut command = cargo::command();
    command.args(["fmt", "--all"]);
    if let Some(path) = manifest {
        command.args(["--manifest-path", path]);
    }
    if !fix {
        command.arg("--check");
    }
    cargo::run(&mut command)
}
