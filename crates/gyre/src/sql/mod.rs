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

use options::help;

use crate::command_line::{MISUSE, show};

pub(crate) use place::{PLACE_HELP, PlaceError, address};

/// Columns of the list of verbs.
const WIDTH: usize = 92;

/// A verb below `gyre sql`.
struct SqlVerb {
    name: &'static str,
    summary: &'static str,
    main: fn(Vec<OsString>) -> ExitCode,
}

const SQL_VERBS: [SqlVerb; 5] = [
    SqlVerb { name: "create", summary: create::LINE.summary, main: create::main },
    SqlVerb { name: "feed", summary: feed::LINE.summary, main: feed::main },
    SqlVerb { name: "status", summary: status::LINE.summary, main: status::main },
    SqlVerb { name: "verify", summary: verify::LINE.summary, main: verify::main },
    SqlVerb { name: "drop", summary: remove::LINE.summary, main: remove::main },
];

/// `gyre sql create|feed|status|verify|drop …`.
pub(crate) fn main(words: Vec<OsString>) -> ExitCode {
    let mut words = words.into_iter();
    let name = words.next().map(|name| name.to_string_lossy().into_owned());
    let found = SQL_VERBS.iter().find(|verb| Some(verb.name) == name.as_deref());
    match (found, name.as_deref()) {
        (Some(verb), _) => (verb.main)(words.collect()),
        (None, Some("--help" | "-h" | "help")) => show("gyre sql", &overview()),
        (None, found) => {
            let expected = SQL_VERBS.map(|verb| verb.name).join(", ");
            let found = found.unwrap_or("nothing");
            rrdtool::complain!("gyre sql: expected one of {expected}, found {found}\n");
            rrdtool::complain!("{}", overview().trim_end());
            ExitCode::from(MISUSE)
        }
    }
}

fn overview() -> String {
    let mut text =
        "usage: gyre sql VERB ...\n\nThe final rows of a store as tables of a database: \
                    SQLite, MariaDB, MySQL, PostgreSQL.\n\n"
            .to_owned();
    for SqlVerb { name, summary, .. } in SQL_VERBS {
        text += &format!("  {name:<14}");
        help::wrap(&mut text, summary, WIDTH, 16);
    }
    text + "\n`gyre sql VERB --help` tells more.\n"
}

/// Who feeds, as others are told.
pub(crate) fn feeder(what: &str) -> String {
    let system = rustix::system::uname();
    let machine = system.nodename().to_string_lossy();
    format!("{what}, process {} on {machine}", std::process::id())
}
