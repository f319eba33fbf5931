//! `gyre convert`: translates `.rrd` files of other machines and of old versions to the format of
//! this machine.
//!
//! The new file has everything that the old one had: row pointers, live state, every bit of a
//! value. It appears whole or not at all, with the permissions of the old file.

mod report;
mod targets;
mod work;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use options::{CommandLine, Misuse, option, switch};
use rrdtool::{Failure, Session};

use crate::command_line::with_databases;
use targets::Place;

const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre convert (--in-place | --output PLACE) [--json] FILE|DIRECTORY...",
    summary: "Convert .rrd files of another kind of machine (32-bit or big-endian), or of a \
              version of rrdtool before 1.2, to files that rrdtool and gyre can update on this \
              machine. Nothing in a file is lost. Of a directory, all files below it are \
              converted. A file that needs no change is left alone, or copied with --output.",
    options: &[
        switch("-i --in-place", "replace each file by the converted one", |it| {
            it.in_place = true;
        }),
        option(
            "-o --output",
            "PLACE",
            "write a single file to this name, or all files below this directory; existing files \
             are not replaced",
            |it, value| it.output = Some(value.path()),
        ),
        switch("--json", "print the result for each file as JSON", |it| it.as_json = true),
    ],
    notes: "",
};

/// The values of the options.
#[derive(Default)]
struct Wanted {
    in_place: bool,
    output: Option<PathBuf>,
    as_json: bool,
}

/// The files to convert, and how to report them.
struct Conversion {
    places: Vec<PathBuf>,
    to: Place,
    as_json: bool,
}

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre convert …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Conversion>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    let to = match (wanted.in_place, wanted.output) {
        (true, None) => Place::Same,
        (false, Some(output)) => Place::Other(output),
        _ => return Err(Misuse::operands("--in-place or --output PLACE")),
    };
    match operands.is_empty() {
        true => Err(Misuse::operands("a FILE or a DIRECTORY")),
        false => {
            let places = operands.into_iter().map(PathBuf::from).collect();
            Ok(Some(Conversion { places, to, as_json: wanted.as_json }))
        }
    }
}

fn run(session: &mut Session, wanted: &Conversion) -> Result<(), Failure> {
    let jobs = targets::find(&wanted.places, &wanted.to)?;
    let outcomes = work::convert(&jobs);
    let report = report::Report { jobs: &jobs, outcomes: &outcomes };
    session.out.extend(if wanted.as_json { report.json() } else { report.text() });
    report.verdict()
}
