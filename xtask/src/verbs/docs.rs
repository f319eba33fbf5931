//! Builds the documentation of every crate.

use super::{Verb, clippy};
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
    if let Some(driver) = clippy::driver() {
        // What Clippy made of our crates is read here, too: else they would be checked once more.
        command.env("RUSTC_WORKSPACE_WRAPPER", driver).env("CLIPPY_ARGS", clippy::ARGUMENTS);
    }
    // Private items are documented, too, so that links to them are checked.
    command.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links");
    cargo::run(&mut command)
}
