//! `last`: when the last update was.

use std::io::Write as _;

use rrd::{InSeconds, Tick};

use crate::failure::{Call, Failure};
use crate::session::Session;
use crate::verb::{Verb, only_daemon};
use options::getopt;
use options::namings;

pub(crate) const VERB: Verb = Verb {
    name: "last",
    summary: "Print when the last update was, in seconds since 1970",
    operands: "FILE",
    options: &namings(&only_daemon()),
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let answer = time(session, words);
    // The number comes first even where there is none.
    let none = || Tick::SECOND.told(-1);
    let _ = writeln!(session.out, "{}", answer.as_ref().copied().unwrap_or_else(|_| none()));
    answer.map(drop)
}

/// When the last update was, in whole seconds since 1970.
///
/// # Errors
/// The words are wrong, there is no such database, or it does not count whole seconds.
pub fn seconds(session: &mut Session, words: &[&str]) -> Result<i64, Failure> {
    let time = time(session, words)?;
    time.tick().check_whole_seconds("rrd_last")?;
    Ok(time.ticks())
}

/// When the last update was, in seconds since 1970.
///
/// # Errors
/// The words are wrong, or there is no such database.
fn time(session: &mut Session, words: &[&str]) -> Result<InSeconds, Failure> {
    let mut daemon = None;
    let [name] = getopt::read(&only_daemon(), &mut daemon, words)?[..] else {
        return Err(Call::new("last", "[--daemon|-d <addr>] <file>").into());
    };
    match session.ask_daemon(daemon, |client| client.last(name))? {
        Some(seconds) => Ok(Tick::SECOND.told(seconds)),
        None => {
            let (definition, live) = session.databases.describe(name)?;
            Ok(definition.tick.told(live.last_update.seconds))
        }
    }
}
