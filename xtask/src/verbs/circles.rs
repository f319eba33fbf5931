//! Whether files of a crate use each other in a circle.

use serde_json::json;

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, circles};

pub(super) const VERB: Verb = Verb {
    name: "circles",
    usage: "[--json]",
    summary: "no two files of a crate use each other, but with a reason",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let json = arguments.flag("--json");
    arguments.finish()?;
    let found = circles::violations()?;
    if json {
        println!("{}", json!({ "violations": found }));
    }
    if found.is_empty() {
        eprintln!("files of every crate point one way");
        return Ok(());
    }
    Err(found.join("\n"))
}
