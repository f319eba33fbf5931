//! The chores, one a file; this table feeds both dispatch and help.

use crate::Outcome;

mod test;
mod oracles;
mod foreign;
mod fmt;
mod clippy;
mod layers;
mod licences;
mod docs;
mod tests;
mod fuzz;
mod bench;
mod torment;
mod librrd;

/// One chore.
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    /// What may follow the name.
    pub(crate) usage: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) run: fn(Vec<String>) -> Outcome,
}

const VERBS: &[&Verb] = &[
    &test::VERB,
    &oracles::VERB,
    &foreign::VERB,
    &fmt::VERB,
    &clippy::VERB,
    &layers::VERB,
    &licences::VERB,
    &docs::VERB,
    &tests::VERB,
    &fuzz::VERB,
    &bench::VERB,
    &torment::VERB,
    &librrd::VERB,
];

/// Runs the chore of that name.
pub(crate) fn run(name: Option<&str>, words: Vec<String>) -> Outcome {
    let name = match name {
        None | Some("help" | "-h" | "--help") => {
            print!("{}", help());
            return Ok(());
        }
        Some(name) => name,
    };
    let Some(verb) = VERBS.iter().find(|verb| verb.name == name) else {
        return Err(format!("no chore is called {name}\n\n{}", help()));
    };
    if words.iter().any(|word| word == "--help" || word == "-h")
        && !["bench", "torment"].contains(&name)
    {
        println!("{}", line(verb));
        return Ok(());
    }
    (verb.run)(words)
}

fn help() -> String {
    let lines: Vec<_> = VERBS.iter().map(|verb| line(verb)).collect();
    format!("cargo xtask CHORE\n\n{}\n", lines.join("\n"))
}

fn line(verb: &Verb) -> String {
    let call = format!("{} {}", verb.name, verb.usage);
    format!("  {:<34} {}", call.trim_end(), verb.summary)
}
