//! Fetches real rrdtools of other machines.

use super::Verb;
use crate::Outcome;
use crate::arguments::Arguments;
use crate::foreign::{MACHINES, provide};

pub(super) const VERB: Verb = Verb {
    name: "foreign",
    usage: "",
    summary: "fetch real rrdtools of other machines (below target/foreign, 100 MB over the net)",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    Arguments::new(words).finish()?;
    let missing = provide(true);
    if missing.is_empty() {
        eprintln!("all {} there", MACHINES.len());
        return Ok(());
    }
    Err(format!("missing: {}", missing.join(", ")))
}
