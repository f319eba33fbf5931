//! `info`: definition and live state, one `key = value` a line.

use rrd::live::{CellState, SourceState};
use rrd::{Archive, DataSource};

use crate::facts::{self, Fact};
use crate::options::{OptionRule, Options};
use crate::session::{Failure, Session};
use crate::verb::{DAEMON, Verb};

pub(crate) const VERB: Verb = Verb {
    name: "info",
    summary: "Print what a file holds: its definition and live state",
    operands: "FILE",
    options: &[
        DAEMON,
        OptionRule {
            long: "noflush",
            short: Some('F'),
            value: None,
            help: "do not ask the daemon to write first",
        },
    ],
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let facts = facts(session, words)?;
    facts::append(&mut session.out, &facts);
    Ok(())
}

/// Definition and live state as named values, in rrdtool's order.
///
/// # Errors
/// The words are wrong, or there is no such database.
pub fn facts(session: &mut Session, words: &[&str]) -> Result<Vec<Fact>, Failure> {
    let mut options = Options::new(VERB.options, words);
    let (mut daemon, mut flushes) = (None, true);
    while let Some((name, value)) = options.next_option()? {
        match name {
            "noflush" => flushes = false,
            _ => daemon = Some(value),
        }
    }
    let [name] = options.operands()[..] else {
        return Err("Usage: rrdtool info [--daemon |-d <addr> [--noflush|-F]] <file>".into());
    };
    let told = session.ask_daemon(daemon, |client| {
        if flushes {
            client.flush(name)?;
        }
        client.info(name)
    })?;
    match told {
        Some(facts) => Ok(facts.into_iter().map(of_daemon).collect()),
        None => of(session, name),
    }
}

/// A fact as a daemon tells it.
fn of_daemon(fact: rrdcached::Fact) -> Fact {
    use rrdcached::FactValue::{Blob, Count, Integer, Number, Text};
    match fact.value {
        Number(value) => Fact::value(fact.key, value),
        Count(count) | Blob(count) => Fact::count(fact.key, count),
        Integer(number) => Fact::integer(fact.key, number as i32),
        Text(text) => Fact::text(fact.key, text),
    }
}

/// The same of a database.
///
/// # Errors
/// There is no such database.
pub fn of(session: &mut Session, name: &str) -> Result<Vec<Fact>, Failure> {
    let header = session.databases.header(name)?;
    let (definition, live) = (&header.definition, &header.live);
    let mut facts = vec![
        Fact::text("filename", name),
        Fact::text("rrd_version", header.version.to_string()),
        Fact::count("step", definition.step_seconds),
        Fact::count("last_update", live.last_update.seconds as u64),
        Fact::count("header_size", header.layout.header_bytes() as u64),
    ];
    for (index, (source, state)) in definition.sources.iter().zip(&live.sources).enumerate() {
        facts.extend(of_source(index, source, state));
    }
    let cells = live.cells.chunks(definition.sources.len().max(1));
    for (index, (archive, cells)) in definition.archives.iter().zip(cells).enumerate() {
        let newest_row = header.newest_rows.get(index).map_or(0, |row| row.0);
        append_archive(&mut facts, index, archive, newest_row, cells);
    }
    Ok(facts)
}

fn of_source(index: usize, source: &DataSource, state: &SourceState) -> [Fact; 8] {
    let prefix = format!("ds[{}].", source.name);
    let key = |field: &str| [&prefix, field].concat();
    [
        Fact::count(key("index"), index as u64),
        Fact::text(key("type"), source.kind.name()),
        Fact::count(key("minimal_heartbeat"), source.heartbeat_seconds),
        Fact::value(key("min"), source.minimum),
        Fact::value(key("max"), source.maximum),
        Fact::text(key("last_ds"), state.last_reading.text()),
        Fact::value(key("value"), state.value),
        Fact::count(key("unknown_sec"), state.unknown_seconds),
    ]
}

fn append_archive(
    facts: &mut Vec<Fact>,
    index: usize,
    archive: &Archive,
    newest_row: u64,
    cells: &[CellState],
) {
    let prefix = format!("rra[{index}].");
    let key = |field: &str| [&prefix, field].concat();
    facts.extend([
        Fact::text(key("cf"), archive.cf.name()),
        Fact::count(key("rows"), archive.rows),
        Fact::count(key("cur_row"), newest_row),
        Fact::count(key("pdp_per_row"), archive.pdp_per_row),
        Fact::value(key("xff"), archive.xff),
    ]);
    for (nth, cell) in cells.iter().enumerate() {
        let prefix = format!("rra[{index}].cdp_prep[{nth}].");
        let key = |field: &str| [&prefix, field].concat();
        facts.push(Fact::value(key("value"), cell.value));
        facts.push(Fact::count(key("unknown_datapoints"), cell.unknown_pdps));
    }
}
