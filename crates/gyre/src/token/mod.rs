//! `gyre token`: the file that says who may see what is served.

mod file;
mod new;
mod list;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::sub_verbs::{SubVerb, SubVerbs};

const VERBS: SubVerbs = SubVerbs {
    called: "gyre token",
    about: "Tokens, by which `gyre run --tokens FILE` knows who may see its pages.",
    verbs: &[
        SubVerb { name: "new", summary: new::LINE.summary, main: new::main },
        SubVerb { name: "list", summary: list::LINE.summary, main: list::main },
    ],
};

/// `gyre token new|list …`.
pub(crate) fn main(words: Vec<OsString>) -> ExitCode {
    VERBS.run(words)
}
