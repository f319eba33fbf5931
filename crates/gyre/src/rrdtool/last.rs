//! `last`: when the last update was.

use std::io::Write as _;

use super::options::Options;
use super::session::{Failure, Session};
use super::verb::{DAEMON, Verb, no_daemon};

pub(crate) const VERB: Verb = Verb {
    name: "last",
    summary: "Print when the last update was, in seconds since 1970",
    operands: "FILE",
    options: &[DAEMON],
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let answer = last_update_seconds(session, words);
    // The number comes first even where there is none.
    let _ = writeln!(session.out, "{}", answer.as_ref().copied().unwrap_or(-1)); // a Vec takes all
    answer.map(drop)
}

fn last_update_seconds(session: &mut Session, words: &[&str]) -> Result<i64, Failure> {
    let mut options = Options::new(VERB.options, words);
    if let Some((_, address)) = options.next()? {
        return Err(no_daemon(address));
    }
    let [name] = options.operands()[..] else {
        return Err("Usage: rrdtool last [--daemon|-d <addr>] <file>".into());
    };
    Ok(session.databases.describe(name)?.1.last_update.seconds)
}
