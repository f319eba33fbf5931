//! `lastupdate`: the readings of the last update.

use std::io::Write as _;

use rrd::{Definition, LiveState};

use crate::options::Options;
use crate::session::{Failure, Session};
use crate::verb::{DAEMON, Verb, no_daemon};

pub(crate) const VERB: Verb = Verb {
    name: "lastupdate",
    summary: "Print the readings of the last update",
    operands: "FILE",
    options: &[DAEMON],
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let (definition, live) = described(session, words)?;
    let out = &mut session.out;
    for source in &definition.sources {
        let _ = write!(out, " {}", source.name); // a Vec takes everything, here and below
    }
    let _ = write!(out, "\n\n{:>10}:", live.last_update.seconds);
    for source in &live.sources {
        out.push(b' ');
        out.extend_from_slice(source.last_reading.text());
    }
    out.push(b'\n');
    Ok(())
}

/// Definition and live state, which has the readings of the last update.
///
/// # Errors
/// The words are wrong, or there is no such database.
pub fn described(
    session: &mut Session,
    words: &[&str],
) -> Result<(Definition, LiveState), Failure> {
    let mut options = Options::new(VERB.options, words);
    if let Some((_, address)) = options.next_option()? {
        return Err(no_daemon(address));
    }
    let [name] = options.operands()[..] else {
        return Err("Usage: rrdtool lastupdate [--daemon|-d <addr>] <file>".into());
    };
    session.databases.describe(name)
}
