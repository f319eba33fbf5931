//! The test command: everything that must hold.

use super::{Verb, clippy, docs, errors, fmt, layers, licences, oracles, tests};
use crate::arguments::Arguments;
use crate::{Outcome, steps};

pub(super) const VERB: Verb = Verb {
    name: "test",
    usage: "[--json]",
    summary: "everything that must hold, the oracles installed first where that is allowed",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let json = arguments.flag("--json");
    arguments.finish()?;
    let steps: [&'static Verb; 8] = [
        &oracles::VERB,
        &fmt::VERB,
        &layers::VERB,
        &errors::VERB,
        &licences::VERB,
        &clippy::VERB,
        &docs::VERB,
        &tests::VERB,
    ];
    steps::run_all(&steps, json)
}
