//! `gyre store create`: an empty ring store.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use options::{CommandLine, Misuse};
use ring::{RingOptions, RingStore};
use rrdtool::Failure;

use super::options::{OfRing, flush_cycles, sparse, tile_rows};
use crate::command_line::with_databases;

pub(super) const LINE: CommandLine<RingOptions> = CommandLine {
    synopsis: "gyre store create [OPTIONS] STORE",
    summary: "Make an empty ring store.",
    options: &[
        flush_cycles("steps between two checkpoints of a group (18)"),
        tile_rows("the most rows of a database in one page (18)"),
        sparse(
            "allocate disk space when rows are written, not when databases are made: acknowledged \
             samples may then meet a full disk. The store remembers this",
        ),
    ],
    notes: "",
};

impl OfRing for RingOptions {
    fn ring(&mut self) -> &mut RingOptions {
        self
    }
}

pub(super) fn main(words: Vec<OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), |_, (options, root)| create(root, *options))
}

fn parse(words: Vec<OsString>) -> Result<Option<(RingOptions, PathBuf)>, Misuse> {
    let Some((options, operands)) = LINE.read(words)? else { return Ok(None) };
    match <[OsString; 1]>::try_from(operands) {
        Ok([root]) => Ok(Some((options, root.into()))),
        Err(_) => Err(Misuse::operands("STORE")),
    }
}

fn create(root: &Path, options: RingOptions) -> Result<(), Failure> {
    if RingStore::is_at(root) {
        let words = format!("{}: there is a ring store already", root.display());
        return Err(Failure::misuse(words));
    }
    if root.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::misuse(format!("{}: expected an empty directory", root.display())));
    }
    Ok(RingStore::create(root, options).and_then(RingStore::close)?)
}
