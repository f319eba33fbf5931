//! `gyre sql drop`: removes the tables of a feed.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use options::{CommandLine, Misuse, texts};
use rrdtool::{Failure, Session};

use super::{address, feeder};
use crate::command_line::with_databases;

pub(super) const LINE: CommandLine<()> = CommandLine {
    synopsis: "gyre sql drop FILE",
    summary: "Remove the tables and views that `gyre sql create` and `gyre sql feed` made, and no \
              others.",
    options: &[],
    notes: super::PLACE_HELP,
};

pub(super) fn main(words: Vec<OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn parse(words: Vec<OsString>) -> Result<Option<String>, Misuse> {
    let Some(((), operands)) = LINE.read(words)? else { return Ok(None) };
    match <[String; 1]>::try_from(texts(operands)?) {
        Ok([file]) => Ok(Some(file)),
        Err(_) => Err(Misuse::operands("FILE")),
    }
}

fn run(session: &mut Session, file: &String) -> Result<(), Failure> {
    let address = address(Path::new(file)).map_err(Failure::of)?;
    let rings = feed::drop_all(&address, &feeder("gyre sql drop")).map_err(Failure::of)?;
    let told = format!("removed {rings} rings and their tables from {address}\n");
    session.out.extend_from_slice(told.as_bytes());
    Ok(())
}
