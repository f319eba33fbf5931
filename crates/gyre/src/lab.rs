//! `gyre lab` names the program `gyre-lab`: servers do not need the laboratory, so it is a program of
//! its own.

use std::ffi::OsString;
use std::process::ExitCode;

use options::{CommandLine, Described, Misuse};

use crate::command_line::{ended, understood};

const LINE: CommandLine<()> = CommandLine {
    synopsis: "gyre lab",
    summary: "Says where the experiments are: in gyre-lab, a program of its own. `cargo build \
              --release -p lab` makes it, beside gyre in target/release.",
    options: &[],
    notes: "usage of that program: gyre-lab [OPTIONS] [EXPERIMENT...]\n",
};

/// The command, for its page.
pub(crate) fn described() -> Vec<Described> {
    vec![LINE.described()]
}

/// `gyre lab`.
pub(crate) fn main(words: Vec<OsString>) -> ExitCode {
    match understood(&LINE, parse(words)) {
        Ok(()) => ended(&LINE, crate::command_line::answer(&LINE.help())),
        Err(code) => code,
    }
}

fn parse(words: Vec<OsString>) -> Result<Option<()>, Misuse> {
    match LINE.read(words)? {
        Some(((), operands)) if operands.is_empty() => Ok(Some(())),
        Some(_) => Err(Misuse::operands("no words: the experiments are in gyre-lab")),
        None => Ok(None),
    }
}
