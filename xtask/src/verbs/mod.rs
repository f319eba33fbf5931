//! The chores, each in a file; dispatch and help come from this table.

use crate::Outcome;

mod test;
mod full;
mod oracles;
mod foreign;
mod fmt;
mod clippy;
mod layers;
mod circles;
mod errors;
mod licences;
mod lines;
mod docs;
mod site;
mod tests;
mod fuzz;
mod bench;
mod torment;
mod gallery;
mod librrd;
mod package;

/// One chore.
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    /// The words that may follow the name.
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
    &circles::VERB,
    &errors::VERB,
    &licences::VERB,
    &lines::VERB,
    &docs::VERB,
    &site::VERB,
    &tests::VERB,
    &fuzz::VERB,
    &bench::VERB,
    &torment::VERB,
    &gallery::VERB,
    &librrd::VERB,
    &package::VERB,
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
        && !["bench", "torment", "gallery"].contains(&name)
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

#[cfg(test)]
mod documents {
    use super::VERBS;

    /// The documents that mention chores.
    const DOCUMENTS: [&str; 6] = [
        include_str!("../../../README.md"),
        include_str!("../../../docs/convert.md"),
        include_str!("../../../docs/librrd.md"),
        include_str!("../../../docs/packages.md"),
        include_str!("../../../docs/torment.md"),
        include_str!("../../../docs/bench/README.md"),
    ];
    /// The options of `torment`. The options of a benchmark are compared with its table in `bench`.
    const TORMENT: &str = include_str!("../../../crates/torment/src/arguments.rs");

    #[test]
    fn chores_that_documents_show_are_there() {
        let calls = DOCUMENTS.iter().flat_map(|text| text.split("cargo xtask ").skip(1));
        let mut count = 0;
        for call in calls.map(|rest| rest.split(['`', '\n', '#']).next().unwrap_or_default()) {
            count += 1;
            let mut words = call.split([' ', '[', ']']).filter(|word| !word.is_empty());
            let name = words.next().unwrap_or_default();
            if name == "--help" {
                continue;
            }
            let verb = VERBS.iter().find(|verb| verb.name == name);
            let verb = verb.unwrap_or_else(|| panic!("there is no chore for: {call}"));
            for option in words.filter(|word| word.starts_with("--") && name != "bench") {
                let of_program = name == "torment" && TORMENT.contains(&format!("\"{option}\" =>"));
                assert!(verb.usage.contains(option) || of_program, "{call}");
            }
        }
        assert!(count > 15, "{count}");
    }
}
