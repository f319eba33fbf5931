//! `gyre token`: the file that says who may see what is served.

mod file;
mod new;
mod list;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::sub_verbs::{SubVerb, SubVerbs};

const VERBS: SubVerbs = SubVerbs {
    called: "gyre token",
    about: "Tokens, by which `--tokens FILE` of `gyre run` and `gyre rrdcached` knows who may ask.",
    verbs: &[
        SubVerb { name: "new", described: || new::LINE.described(), main: new::main },
        SubVerb { name: "list", described: || list::LINE.described(), main: list::main },
    ],
};

/// The commands, for their page.
pub(crate) fn described() -> Vec<options::Described> {
    VERBS.described()
}

/// `gyre token new|list …`.
pub(crate) fn main(words: Vec<OsString>) -> ExitCode {
    VERBS.run(words)
}
