//! `info`: definition and live state, one `key = value` a line.

use rrd::live::{CellState, SourceState};
use rrd::{
    Archive, ConsolidationFunction, DataSource, Definition, ForecastWords, Parameters, SourceKind,
    Tick, Violations,
};
use rrdfile::Header;

use crate::facts::{self, Fact};
use crate::failure::{Call, Failure};
use crate::session::Session;
use crate::verb::{Verb, daemon, noflush};
use options::getopt::{self, Row};
use options::namings;

pub(crate) const VERB: Verb = Verb {
    name: "info",
    summary: "Print what a file holds: its definition and live state",
    operands: "FILE",
    options: &namings(&rows()),
    run,
};

#[derive(Default)]
struct Settings<'a> {
    daemon: Option<&'a str>,
    keeps: bool,
}

const fn rows<'a>() -> [Row<'a, Settings<'a>, Failure>; 2] {
    [daemon(|it, address| it.daemon = Some(address)), noflush(|it| it.keeps = true)]
}

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
    let mut settings = Settings::default();
    let [name] = getopt::read(&rows(), &mut settings, words)?[..] else {
        return Err(Call::new("info", "[--daemon |-d <addr> [--noflush|-F]] <file>").into());
    };
    let told = session.ask_daemon(settings.daemon, |client| {
        if !settings.keeps {
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
    Ok(of_header(&session.databases.header(name)?, name.as_bytes()))
}

/// The same of what stands at the head of a database's file.
#[must_use]
pub fn of_header(header: &Header, name: &[u8]) -> Vec<Fact> {
    let (definition, live) = (&header.definition, &header.live);
    let tick = definition.tick;
    let mut facts = vec![
        Fact::text("filename", name),
        Fact::text("rrd_version", header.version.to_string()),
        Fact::time("step", definition.step_seconds, tick),
        Fact::time("last_update", live.last_update.seconds as u64, tick),
        Fact::count("header_size", header.layout.header_bytes() as u64),
    ];
    if !tick.is_second() {
        facts.insert(2, Fact::time("tick", 1, tick));
    }
    let names: Vec<&str> = definition.sources.iter().map(|source| source.name.as_str()).collect();
    for (index, (source, state)) in definition.sources.iter().zip(&live.sources).enumerate() {
        append_source(&mut facts, index, source, state, (&names, tick));
    }
    let sources = definition.sources.len().max(1);
    let mut words = live.forecast.words.chunks(sources);
    let cells = live.cells.chunks(sources);
    for (index, (archive, cells)) in definition.archives.iter().zip(cells).enumerate() {
        let newest_row = header.newest_rows.get(index).map_or(0, |row| row.0);
        let words = words.next().unwrap_or_default();
        append_archive(&mut facts, index, archive, newest_row);
        append_parameters(&mut facts, index, archive, definition);
        for (nth, cell) in cells.iter().enumerate() {
            let words = words.get(nth).copied().unwrap_or_default();
            append_cell(
                &mut facts,
                &format!("rra[{index}].cdp_prep[{nth}]."),
                archive,
                cell,
                words,
            );
        }
    }
    facts
}

fn append_source(
    facts: &mut Vec<Fact>,
    index: usize,
    source: &DataSource,
    state: &SourceState,
    (names, tick): (&[&str], Tick),
) {
    let prefix = format!("ds[{}].", source.name);
    let key = |field: &str| [&prefix, field].concat();
    facts.push(Fact::count(key("index"), index as u64));
    facts.push(Fact::text(key("type"), source.kind.name()));
    if let SourceKind::Compute(expression) = source.kind {
        facts.push(Fact::text(key("cdef"), expression.text(names)));
    } else {
        facts.push(Fact::time(key("minimal_heartbeat"), source.heartbeat_seconds, tick));
        facts.push(Fact::value(key("min"), source.minimum));
        facts.push(Fact::value(key("max"), source.maximum));
    }
    facts.push(Fact::text(key("last_ds"), state.last_reading.text().to_vec()));
    facts.push(Fact::value(key("value"), state.value));
    facts.push(Fact::time(key("unknown_sec"), state.unknown_seconds, tick));
}

fn append_archive(facts: &mut Vec<Fact>, index: usize, archive: &Archive, newest_row: u64) {
    let prefix = format!("rra[{index}].");
    let key = |field: &str| [&prefix, field].concat();
    facts.extend([
        Fact::text(key("cf"), archive.cf.to_string()),
        Fact::count(key("rows"), archive.rows),
        Fact::count(key("cur_row"), newest_row),
        Fact::count(key("pdp_per_row"), archive.pdp_per_row),
    ]);
}

/// What a cell remembers: what it is depends on the archive.
fn append_cell(
    facts: &mut Vec<Fact>,
    prefix: &str,
    archive: &Archive,
    cell: &CellState,
    words: ForecastWords,
) {
    let key = |field: &str| [prefix, field].concat();
    let intercept = words.value(ForecastWords::INTERCEPT);
    match archive.parameters {
        Parameters::None => {
            facts.push(Fact::value(key("value"), cell.value));
            facts.push(Fact::count(key("unknown_datapoints"), cell.unknown_pdps));
        }
        Parameters::Predict { .. } => {
            facts.push(Fact::value(key("intercept"), intercept));
            facts.push(Fact::value(key("slope"), words.value(ForecastWords::SLOPE)));
            facts.push(Fact::count(key("NaN_count"), words.0[ForecastWords::COUNT]));
        }
        Parameters::Seasonal { .. } if archive.cf == ConsolidationFunction::Seasonal => {
            facts.push(Fact::value(key("seasonal"), intercept));
        }
        Parameters::Seasonal { .. } => facts.push(Fact::value(key("deviation"), intercept)),
        Parameters::DevPredict { .. } => {}
        Parameters::Failures { window, .. } => {
            let violations = Violations::of(cell, &words);
            let digit = |byte: &u8| if *byte == 1 { '1' } else { '0' };
            let history: String = violations.window(window).iter().map(digit).collect();
            facts.push(Fact::text(key("history"), history));
        }
    }
}

fn append_parameters(
    facts: &mut Vec<Fact>,
    index: usize,
    archive: &Archive,
    definition: &Definition,
) {
    let prefix = format!("rra[{index}].");
    let key = |field: &str| [&prefix, field].concat();
    match archive.parameters {
        Parameters::None => {
            facts.push(Fact::value(key("xff"), archive.xff));
            let percent = archive.cf.percent();
            facts.extend(percent.map(|percent| Fact::value(key("percent"), percent.value())));
        }
        Parameters::Predict { alpha, beta, .. } => {
            facts.push(Fact::value(key("alpha"), alpha));
            facts.push(Fact::value(key("beta"), beta));
        }
        Parameters::Seasonal { gamma, smoothing_window, .. } => {
            facts.push(Fact::value(key("gamma"), gamma));
            if definition.format_version() >= 4 {
                facts.push(Fact::value(key("smoothing_window"), smoothing_window));
            }
        }
        Parameters::DevPredict { .. } => {}
        Parameters::Failures { delta_above, delta_below, window, threshold, .. } => {
            facts.push(Fact::value(key("delta_pos"), delta_above));
            facts.push(Fact::value(key("delta_neg"), delta_below));
            facts.push(Fact::count(key("failure_threshold"), threshold));
            facts.push(Fact::count(key("window_length"), window));
        }
    }
}
