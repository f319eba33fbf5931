//! `first`: when the oldest row of an archive ends.

use std::io::Write as _;

use rrd::{Definition, InSeconds, Tick, Timestamp};

use crate::failure::{Call, Failure};
use crate::number::c_integer;
use crate::session::Session;
use crate::verb::{Verb, daemon};
use options::getopt::{self, Row};
use options::{checked, namings};

pub(crate) const VERB: Verb = Verb {
    name: "first",
    summary: "Print when the oldest row of an archive ends, in seconds since 1970",
    operands: "FILE",
    options: &namings(&rows()),
    run,
};

#[derive(Default)]
struct Settings<'a> {
    archive: i64,
    daemon: Option<&'a str>,
}

const fn rows<'a>() -> [Row<'a, Settings<'a>, Failure>; 2] {
    [
        checked("--rraindex", "NUMBER", "the archive, counted from 0 (0)", |it, value| {
            it.archive = c_integer(value);
            if it.archive < 0 { Err("invalid rraindex number".into()) } else { Ok(()) }
        }),
        daemon(|it, address| it.daemon = Some(address)),
    ]
}

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let answer = time(session, words);
    // The number comes first even where there is none.
    let none = || Tick::SECOND.told(-1);
    let _ = writeln!(session.out, "{}", answer.as_ref().copied().unwrap_or_else(|_| none()));
    answer.map(drop)
}

/// When the oldest row ends, in whole seconds since 1970.
///
/// # Errors
/// The words are wrong, there is no such database or archive, or it does not count whole seconds.
pub fn seconds(session: &mut Session, words: &[&str]) -> Result<i64, Failure> {
    whole_seconds(time(session, words)?)
}

fn whole_seconds(time: InSeconds) -> Result<i64, Failure> {
    time.tick().check_whole_seconds("rrd_first")?;
    Ok(time.ticks())
}

/// When the oldest row ends, in seconds since 1970.
///
/// # Errors
/// The words are wrong, or there is no such database or archive.
fn time(session: &mut Session, words: &[&str]) -> Result<InSeconds, Failure> {
    let mut settings = Settings::default();
    let [name, ..] = getopt::read(&rows(), &mut settings, words)?[..] else {
        return Err(Call::old("first", "[--rraindex number] [--daemon|-d <addr>] file.rrd").into());
    };
    let index = settings.archive as usize;
    match session.ask_daemon(settings.daemon, |client| client.first(name, index))? {
        Some(seconds) => Ok(Tick::SECOND.told(seconds)),
        None => time_of(session, name, index),
    }
}

/// The same for an archive of a database, in whole seconds.
///
/// # Errors
/// There is no such database or archive, or it does not count whole seconds.
pub fn of(session: &mut Session, name: &str, index: usize) -> Result<i64, Failure> {
    whole_seconds(time_of(session, name, index)?)
}

fn time_of(session: &mut Session, name: &str, index: usize) -> Result<InSeconds, Failure> {
    let (definition, live) = session.databases.describe(name)?;
    let ticks = of_archive(&definition, live.last_update, index);
    let ticks = ticks.ok_or_else(|| Failure::from("invalid rraindex number"))?;
    Ok(definition.tick.told(ticks))
}

/// The same by definition and last update, in ticks; `None` if there is no such archive.
#[must_use]
pub fn of_archive(definition: &Definition, last_update: Timestamp, index: usize) -> Option<i64> {
    let archive = definition.archives.get(index)?;
    let row_seconds = archive.row_seconds(definition.step_seconds) as i64;
    let last_seconds = last_update.seconds;
    let newest_seconds = last_seconds - last_seconds % row_seconds;
    Some(newest_seconds - (archive.rows as i64 - 1) * row_seconds)
}
