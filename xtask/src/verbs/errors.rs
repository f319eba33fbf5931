//! Checks that errors are values.

use serde_json::json;

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, text_errors};

pub(super) const VERB: Verb = Verb {
    name: "errors",
    usage: "[--json]",
    summary: "the product's errors are values, and no message is taken apart",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let json = arguments.flag("--json");
    arguments.finish()?;
    let (found, files) = text_errors::violations()?;
    if json {
        println!("{}", json!({ "files": files, "violations": found }));
    }
    if found.is_empty() {
        eprintln!("{files} files hold to it");
        return Ok(());
    }
    Err(found.join("\n"))
}
