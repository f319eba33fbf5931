//! The verbs of a ring store: some inspect it, others do what `mv`, `rm` and `rrdtool tune` do to
//! `.rrd` files.

mod inspect;
mod figures;
mod verify;
mod life;
mod options;
mod create;
mod salvage;

use std::ffi::OsString;
use std::process::ExitCode;

use ::options::{CommandLine, Misuse, help, texts};

use crate::command_line::{MISUSE, show};
pub(crate) use inspect::main as inspect;
pub(crate) use options::{OfRing, PACE_MAX, flush_cycles, sparse, tile_rows};
pub(crate) use verify::main as verify;

/// Columns of the list of verbs.
const WIDTH: usize = 92;

/// A verb below `gyre store`.
struct StoreVerb {
    name: &'static str,
    summary: &'static str,
    main: fn(Vec<OsString>) -> ExitCode,
}

const STORE_VERBS: [StoreVerb; 6] = [
    StoreVerb { name: "create", summary: create::LINE.summary, main: create::main },
    StoreVerb { name: "list", summary: life::LIST.summary, main: life::list },
    StoreVerb { name: "rename", summary: life::RENAME.summary, main: life::rename },
    StoreVerb { name: "delete", summary: life::DELETE.summary, main: life::delete },
    StoreVerb { name: "tune", summary: life::TUNE.summary, main: life::tune },
    StoreVerb { name: "salvage", summary: salvage::LINE.summary, main: salvage::main },
];

/// `gyre store create|list|rename|delete|tune|salvage …`.
pub(crate) fn store(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut words = words.into_iter();
    let name = words.next().map(|name| name.to_string_lossy().into_owned());
    let found = STORE_VERBS.iter().find(|verb| Some(verb.name) == name.as_deref());
    match (found, name.as_deref()) {
        (Some(verb), _) => (verb.main)(words.collect()),
        (None, Some("--help" | "-h" | "help")) => show("gyre store", &overview()),
        (None, found) => {
            let expected = STORE_VERBS.map(|verb| verb.name).join(", ");
            let found = found.unwrap_or("nothing");
            rrdtool::complain!("gyre store: expected one of {expected}, found {found}\n");
            rrdtool::complain!("{}", overview().trim_end());
            ExitCode::from(MISUSE)
        }
    }
}

/// Parses arguments whose only operand is a path; `expected` names it in the error.
fn with_place<T: Default>(
    line: &CommandLine<T>,
    words: impl IntoIterator<Item = OsString>,
    expected: &'static str,
) -> Result<Option<(T, String)>, Misuse> {
    let Some((wanted, operands)) = line.read(words)? else { return Ok(None) };
    match <[String; 1]>::try_from(texts(operands)?) {
        Ok([root]) => Ok(Some((wanted, root))),
        Err(_) => Err(Misuse::operands(expected)),
    }
}

fn overview() -> String {
    let mut text = "usage: gyre store VERB ...\n\nDatabases of a ring store.\n\n".to_owned();
    for StoreVerb { name, summary, .. } in STORE_VERBS {
        text += &format!("  {name:<14}");
        help::wrap(&mut text, summary, WIDTH, 16);
    }
    text + "\n`gyre store VERB --help` tells more.\n"
}
