//! Checks the layers of the crates.

use serde_json::json;

use super::Verb;
use crate::arguments::Arguments;
use crate::layers::{TABLE, violations};
use crate::{Outcome, metadata};

pub(super) const VERB: Verb = Verb {
    name: "layers",
    usage: "[--json]",
    summary: "each crate depends only on the layers below it",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let json = arguments.flag("--json");
    arguments.finish()?;
    let metadata = metadata::Metadata::load()?;
    let members: Vec<_> = metadata.members().cloned().collect();
    let found = violations(TABLE, &members);
    if json {
        let crates: Vec<_> = TABLE.iter().map(crate_as_json).collect();
        println!("{}", json!({ "crates": crates, "violations": found }));
    }
    if found.is_empty() {
        eprintln!("{} crates in order", members.len());
        return Ok(());
    }
    Err(found.join("\n"))
}

fn crate_as_json(line: &crate::layers::Crate) -> serde_json::Value {
    json!({ "name": line.name, "layer": format!("{:?}", line.layer).to_lowercase() })
}
