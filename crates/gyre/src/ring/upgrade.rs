//! `gyre store upgrade`: there is one format so far.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use options::CommandLine;

use crate::command_line::with_databases;

pub(super) const LINE: CommandLine<()> = CommandLine {
    synopsis: "gyre store upgrade STORE",
    summary: "Bring a ring store to the format of this version. There is one format so far: this \
              opens the store as every verb does, and says which one it has.",
    options: &[],
    notes: "",
};

pub(super) fn main(words: Vec<OsString>) -> ExitCode {
    with_databases(&LINE, super::with_place(&LINE, words, "STORE"), |session, ((), root)| {
        session.databases.store_at(root)?; // it refuses a store of another format
        let format = ring::STORE_FORMAT;
        // A Vec takes everything.
        let _ = writeln!(session.out, "{root}: format {format}, the only one: nothing to do");
        Ok(())
    })
}
