//! `lastupdate`: the readings of the last update.

use std::io::Write as _;

use super::options::Options;
use super::session::{Failure, Session};
use super::verb::{DAEMON, Verb, no_daemon};

pub(crate) const VERB: Verb = Verb {
    name: "lastupdate",
    summary: "Print the readings of the last update",
    operands: "FILE",
    options: &[DAEMON],
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut options = Options::new(VERB.options, words);
    if let Some((_, address)) = options.next()? {
        return Err(no_daemon(address));
    }
    let [name] = options.operands()[..] else {
        return Err("Usage: rrdtool lastupdate [--daemon|-d <addr>] <file>".into());
    };
    let (definition, live) = session.databases.describe(name)?;
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
