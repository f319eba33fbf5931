//! `gyre sql`: the final rows of a store as tables of a database.

mod place;
mod origin;
mod create;
mod feed;
mod status;
mod verify;
mod remove;

use std::ffi::OsString;
use std::process::ExitCode;

use options::{CommandLine, Misuse, texts};

use crate::sub_verbs::{SubVerb, SubVerbs};

pub(crate) use place::{PLACE_HELP, PlaceError, address};

const VERBS: SubVerbs = SubVerbs {
    called: "gyre sql",
    about: "The final rows of a store as tables of a database: SQLite, MariaDB, MySQL, PostgreSQL.",
    verbs: &[
        SubVerb { name: "create", described: || create::LINE.described(), main: create::main },
        SubVerb { name: "feed", described: || feed::LINE.described(), main: feed::main },
        SubVerb { name: "status", described: || status::LINE.described(), main: status::main },
        SubVerb { name: "verify", described: || verify::LINE.described(), main: verify::main },
        SubVerb { name: "drop", described: || remove::LINE.described(), main: remove::main },
    ],
};

/// The commands, for their page.
pub(crate) fn described() -> Vec<options::Described> {
    VERBS.described()
}

/// `gyre sql create|feed|status|verify|drop …`.
pub(crate) fn main(words: Vec<OsString>) -> ExitCode {
    VERBS.run(words)
}

/// The operands of a verb that compares a store with tables.
#[derive(Clone, Default)]
struct StoreAndFile {
    root: String,
    file: String,
}

/// Parses arguments whose operands are STORE and FILE.
fn with_store_and_file<T: Default>(
    line: &CommandLine<T>,
    words: Vec<OsString>,
) -> Result<Option<(T, StoreAndFile)>, Misuse> {
    let Some((wanted, operands)) = line.read(words)? else { return Ok(None) };
    match <[String; 2]>::try_from(texts(operands)?) {
        Ok([root, file]) => Ok(Some((wanted, StoreAndFile { root, file }))),
        Err(_) => Err(Misuse::operands("STORE and FILE")),
    }
}

/// Who feeds, as others are told.
pub(crate) fn feeder(what: &str) -> String {
    let system = rustix::system::uname();
    let machine = system.nodename().to_string_lossy();
    format!("{what}, process {} on {machine}", std::process::id())
}
