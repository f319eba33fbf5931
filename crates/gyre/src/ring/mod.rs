//! The verbs of a ring store: some inspect it, others do what `mv`, `rm` and `rrdtool tune` do to
//! `.rrd` files.

mod inspect;
mod figures;
mod verify;
mod life;
mod options;
mod create;
mod salvage;
mod upgrade;

use std::ffi::OsString;
use std::process::ExitCode;

use ::options::{CommandLine, Misuse, texts};

use crate::sub_verbs::{SubVerb, SubVerbs};
pub(crate) use inspect::{described as inspect_described, main as inspect};
pub(crate) use options::{OfRing, PACE_MAX, flush_cycles, sparse, tile_rows};
pub(crate) use verify::{described as verify_described, main as verify};

const VERBS: SubVerbs = SubVerbs {
    called: "gyre store",
    about: "Databases of a ring store.",
    verbs: &[
        SubVerb { name: "create", described: || create::LINE.described(), main: create::main },
        SubVerb { name: "list", described: || life::LIST.described(), main: life::list },
        SubVerb { name: "rename", described: || life::RENAME.described(), main: life::rename },
        SubVerb { name: "delete", described: || life::DELETE.described(), main: life::delete },
        SubVerb { name: "tune", described: || life::TUNE.described(), main: life::tune },
        SubVerb { name: "salvage", described: || salvage::LINE.described(), main: salvage::main },
        SubVerb { name: "upgrade", described: || upgrade::LINE.described(), main: upgrade::main },
    ],
};

/// The commands, for their page.
pub(crate) fn store_described() -> Vec<::options::Described> {
    VERBS.described()
}

/// `gyre store create|list|rename|delete|tune|salvage|upgrade …`.
pub(crate) fn store(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    VERBS.run(words)
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
