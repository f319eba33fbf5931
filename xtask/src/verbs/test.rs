//! The test command: all checks and tests.

use super::{Verb, circles, clippy, docs, errors, fmt, full, layers, licences, oracles, tests};
use crate::arguments::Arguments;
use crate::{Outcome, steps};

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
    let steps: [&'static Verb; 9] = [
        &oracles::VERB,
        &fmt::VERB,
        &layers::VERB,
        &circles::VERB,
        &errors::VERB,
        &licences::VERB,
        &clippy::VERB,
        &docs::VERB,
        &tests::VERB,
    ];
    steps::run_all(&steps, json)
}
