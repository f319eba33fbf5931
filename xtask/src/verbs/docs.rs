//! Builds the documentation of every crate.

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb = Verb {
    name: "docs",
    usage: "",
    summary: "the documentation builds, with every link whole",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    Arguments::new(words).finish()?;
    let mut command = cargo::command();
    command.args(["doc", "--locked", "--workspace", "--no-deps", "--quiet", "--keep-going"]);
    command.args(["--document-private-items"]);
    // Private items are documented, too, so that links to them are checked.
    command.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links");
    cargo::run(&mut command)
}
