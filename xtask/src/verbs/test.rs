//! The test command: all checks and tests.

use super::{Verb, circles, clippy, docs, errors, fmt, full, layers, licences, oracles, tests};
use crate::Outcome;
use crate::arguments::Arguments;
use crate::steps::{self, Plan};

pub(super) const VERB: Verb = Verb {
    name: "test",
    usage: "[--json] | --full [PART]",
    summary: "everything that must hold, the oracles installed first where that is allowed; --full: \
              longer searches",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    if arguments.flag("--full") {
        return match &arguments.rest()[..] {
            [] => full::run(None),
            [part] => full::run(Some(part)),
            _ => Err(format!("--full takes one part\n\n{}", full::list())),
        };
    }
    let json = arguments.flag("--json");
    arguments.finish()?;
    let steps = [
        &fmt::VERB,
        &layers::VERB,
        &circles::VERB,
        &errors::VERB,
        &licences::VERB,
        &clippy::VERB,
        &docs::VERB,
    ];
    let plan = Plan { beside: &oracles::VERB, steps: &steps, last: &tests::VERB };
    steps::run_all(&plan, json)
}
