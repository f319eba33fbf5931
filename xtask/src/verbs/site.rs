//! The documentation as a site.

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, cargo, site};

pub(super) const VERB: Verb = Verb {
    name: "site",
    usage: "[--out DIR]",
    summary: "the documents and the manual as pages with a search (target/site)",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut words = Arguments::new(words);
    let out = words.value("--out")?.unwrap_or_else(|| "target/site".to_owned());
    words.finish()?;
    let mut command = cargo::command();
    cargo::run(command.args(["build", "--quiet", "--locked", "--package", "gyre"]))?;
    let gyre = cargo::target_directory().join("debug/gyre");
    site::make(cargo::root(), &cargo::root().join(out), &gyre)
}
