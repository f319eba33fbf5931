//! `last`: when the last update was.

use std::io::Write as _;

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
    let answer = seconds(session, words);
    // The number comes first even where there is none.
    let _ = writeln!(session.out, "{}", answer.as_ref().copied().unwrap_or(-1)); // a Vec takes all
    answer.map(drop)
}

/// When the last update was, in seconds since 1970.
///
/// # Errors
/// The words are wrong, or there is no such database.
pub fn seconds(session: &mut Session, words: &[&str]) -> Result<i64, Failure> {
    let mut daemon = None;
    let [name] = getopt::read(&only_daemon(), &mut daemon, words)?[..] else {
        return Err(Call::new("last", "[--daemon|-d <addr>] <file>").into());
    };
    match session.ask_daemon(daemon, |client| client.last(name))? {
        Some(seconds) => Ok(seconds),
        None => Ok(session.databases.describe(name)?.1.last_update.seconds),
    }
}
