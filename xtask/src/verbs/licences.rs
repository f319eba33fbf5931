//! Checks the licences of dependencies.

use std::collections::BTreeMap;

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, licences, metadata};

pub(super) const VERB: Verb = Verb {
    name: "licences",
    usage: "[--json]",
    summary: "every crate that we use is under a permissive licence",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let json = arguments.flag("--json");
    arguments.finish()?;
    let metadata = metadata::Metadata::load()?;
    let used: Vec<_> = metadata.foreign().collect();
    if json {
        let terms: BTreeMap<_, _> = used
            .iter()
            .map(|package| (format!("{} {}", package.name, package.version), &package.license))
            .collect();
        let text = serde_json::to_string(&terms).map_err(|error| error.to_string())?;
        println!("{text}");
    }
    let refusals: Vec<_> = used.iter().filter_map(|p| licences::refusal(p)).collect();
    if refusals.is_empty() {
        eprintln!("{} crates, all permissive", used.len());
        return Ok(());
    }
    Err(refusals.join("\n"))
}
