//! `gyre sql status`: what the tables say of a feed.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use feed::Status;
use figures::size;
use jiff::Timestamp;
use options::{CommandLine, Misuse, switch, texts};
use rrdtool::{Failure, Session};

use super::address;
use crate::command_line::with_databases;

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre sql status [--json] FILE",
    summary: "Show what is fed into a database, by whom, and how far it is.",
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
    let status = feed::status(&address).map_err(Failure::of)?;
    let told = match wanted.as_json {
        true => {
            let value = serde_json::to_value(&status).map_err(Failure::of)?;
            format!("{value:#}\n")
        }
        false => text(&status, &address.to_string()),
    };
    session.out.extend_from_slice(told.as_bytes());
    Ok(())
}

fn text(status: &Status, place: &str) -> String {
    let mut text = format!("{place}\n");
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "  {what:<12} {value}"); // a String takes everything
    };
    let selection = &status.selection;
    let names = if selection.names.is_empty() { "all" } else { &selection.names };
    line("names", names.to_owned());
    line("databases", format!("{}, {} not fed yet", status.databases, status.databases_unfed));
    if status.trash > 0 {
        line("to delete", format!("rows of {} databases", status.trash));
    }
    for ring in &status.rings {
        line(
            "view",
            format!("{} ({} rows of {} s)", ring.view, ring.ring.slots, ring.ring.row_seconds),
        );
    }
    line("size", size(status.bytes));
    line("newest", moment(status.newest_seconds));
    line(
        "feeder",
        if status.feeder.is_empty() { "none yet".into() } else { status.feeder.clone() },
    );
    line("last sign", moment(status.beat_seconds));
    text
}

fn moment(seconds: i64) -> String {
    match (seconds, Timestamp::from_second(seconds)) {
        (0, _) => "never".to_owned(),
        (_, Ok(moment)) => moment.to_string(),
        (_, Err(_)) => seconds.to_string(),
    }
}
