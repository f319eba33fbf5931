//! What a running network can be told, a line each.

use std::str::FromStr;

use simnet::{FaultError, Mending, Rule};

/// A command.
pub(super) enum Command {
    Fault(Rule),
    Mend(Mending),
    List,
    Status,
    Help,
    End,
}

/// Why a line is no command.
#[derive(Debug, thiserror::Error)]
pub(super) enum Misunderstood {
    #[error(
        "expected fault KIND[=VALUE]:DEVICES, mend KIND:DEVICES, mend all:DEVICES, list, status, \
         help or end, found {0}"
    )]
    Word(String),
    #[error(transparent)]
    Fault(#[from] FaultError),
    #[error("expected at most {most_bytes} bytes in a line")]
    Long { most_bytes: usize },
}

impl FromStr for Command {
    type Err = Misunderstood;

    fn from_str(line: &str) -> Result<Command, Misunderstood> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["fault", rule] => Ok(Command::Fault(rule.parse()?)),
            ["mend", mending] => Ok(Command::Mend(mending.parse()?)),
            ["list"] => Ok(Command::List),
            ["status"] => Ok(Command::Status),
            ["help"] => Ok(Command::Help),
            ["end"] => Ok(Command::End),
            _ => Err(Misunderstood::Word(if line.is_empty() { "nothing" } else { line }.into())),
        }
    }
}
