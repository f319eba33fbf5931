//! Prints the lines of code of each crate.

use std::collections::BTreeMap;

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, lines};

pub(super) const VERB: Verb = Verb {
    name: "lines",
    usage: "[--json]",
    summary: "the lines of code of each crate, without blank lines, comments and tests",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let json = arguments.flag("--json");
    arguments.finish()?;
    let counts = lines::of_crates()?;
    if json {
        let by_name: BTreeMap<_, _> = counts.iter().map(|one| (one.name, one.lines)).collect();
        println!("{}", serde_json::to_string(&by_name).map_err(|error| error.to_string())?);
        return Ok(());
    }
    for one in &counts {
        println!("{:>7}  {}{}", one.lines, one.name, if one.product { "" } else { " (beside)" });
    }
    let product: usize = counts.iter().filter(|one| one.product).map(|one| one.lines).sum();
    let all: usize = counts.iter().map(|one| one.lines).sum();
    println!("{product:>7}  in the product, {all} in all");
    Ok(())
}
