//! `lastupdate`: the readings of the last update.

use std::io::Write as _;

use rrd::{Definition, InSeconds, LiveState, Tick};
use rrdcached::{Client, Fact, FactValue};

use crate::failure::{Call, Failure};
use crate::session::Session;
use crate::verb::{Verb, only_daemon};
use options::getopt;
use options::namings;

pub(crate) const VERB: Verb = Verb {
    name: "lastupdate",
    summary: "Print the readings of the last update",
    operands: "FILE",
    options: &namings(&only_daemon()),
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let LastUpdate { time, readings } = last_update(session, words)?;
    let out = &mut session.out;
    for (source, _) in &readings {
        let _ = write!(out, " {source}"); // a Vec takes everything, here and below
    }
    let _ = write!(out, "\n\n{time:>10}:");
    for (_, reading) in &readings {
        out.push(b' ');
        out.extend_from_slice(reading);
    }
    out.push(b'\n');
    Ok(())
}

/// The last update of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastUpdate {
    /// When it was, since 1970.
    pub time: InSeconds,
    /// The data sources, each with the text of its reading.
    pub readings: Vec<(String, Vec<u8>)>,
}

/// The last update that the words after the verb ask for.
///
/// # Errors
/// The words are wrong, or there is no such database.
pub fn last_update(session: &mut Session, words: &[&str]) -> Result<LastUpdate, Failure> {
    let mut daemon = None;
    let [name] = getopt::read(&only_daemon(), &mut daemon, words)?[..] else {
        return Err(Call::new("lastupdate", "[--daemon|-d <addr>] <file>").into());
    };
    let told = session.ask_daemon(daemon, |client| {
        client.flush(name)?;
        // The files of a daemon elsewhere cannot be opened here; its INFO has what is asked for.
        if client.is_local() { Ok(None) } else { of_daemon(client, name).map(Some) }
    })?;
    match told.flatten() {
        Some(last_update) => Ok(last_update),
        None => session.databases.describe(name).map(LastUpdate::from),
    }
}

impl From<(Definition, LiveState)> for LastUpdate {
    fn from((definition, live): (Definition, LiveState)) -> Self {
        let time = definition.tick.told(live.last_update.seconds);
        let names = definition.sources.into_iter().map(|source| source.name);
        let texts = live.sources.iter().map(|source| source.last_reading.text().to_vec());
        Self { time, readings: names.zip(texts).collect() }
    }
}

fn of_daemon(client: &mut Client, name: &str) -> Result<LastUpdate, rrdcached::Error> {
    let mut found = LastUpdate { time: Tick::SECOND.told(0), readings: Vec::new() };
    for Fact { key, value } in client.info(name)? {
        let source = key.strip_prefix("ds[").and_then(|key| key.strip_suffix("].last_ds"));
        match (source, value) {
            (Some(source), FactValue::Text(text)) => {
                found.readings.push((source.to_owned(), text.into_bytes()));
            }
            (None, FactValue::Count(seconds)) if key == "last_update" => {
                found.time = Tick::SECOND.told(seconds as i64);
            }
            _ => {}
        }
    }
    Ok(found)
}
