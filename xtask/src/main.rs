//! The project's chores. Continuous integration calls `cargo xtask test` and nothing else.
#![allow(clippy::disallowed_methods)] // it starts programs, reads files and measures time

mod verbs;
mod steps;
mod terminal;
mod cargo;
mod commit;
mod metadata;
mod layers;
mod sources;
mod tokens;
mod circles;
mod text_errors;
mod licences;
mod lines;
mod packages;
mod testing;
mod foreign;
mod site;
mod node;
mod python;
mod arguments;

use std::process::ExitCode;

/// The result of a chore: nothing, or the reason for its failure.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    match verbs::run(words.next().as_deref(), words.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{}", terminal::red(&reason));
            ExitCode::FAILURE
        }
    }
}
