//! `gyre sql drop`: removes the tables of a feed.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use options::{CommandLine, Misuse, switch, texts};
use rrdtool::{Failure, Session};
use serde_json::json;

use super::{address, feeder};
use crate::command_line::with_databases;

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre sql drop [--json] FILE",
    summary: "Remove the tables and views that `gyre sql create` and `gyre sql feed` made, and no \
              others.",
    options: &[switch("--json", "print the result as JSON", |it| it.as_json = true)],
    notes: super::PLACE_HELP,
};

#[derive(Default)]
pub(super) struct Wanted {
    as_json: bool,
    file: String,
}

pub(super) fn main(words: Vec<OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn parse(words: Vec<OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    match <[String; 1]>::try_from(texts(operands)?) {
        Ok([file]) => Ok(Some(Wanted { file, ..wanted })),
        Err(_) => Err(Misuse::operands("FILE")),
    }
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let address = address(Path::new(&wanted.file)).map_err(Failure::of)?;
    let rings = feed::drop_all(&address, &feeder("gyre sql drop")).map_err(Failure::of)?;
    let told = match wanted.as_json {
        true => format!("{}\n", json!({ "rings_removed": rings })),
        false => format!("removed {rings} rings and their tables from {address}\n"),
    };
    session.out.extend_from_slice(told.as_bytes());
    Ok(())
}
