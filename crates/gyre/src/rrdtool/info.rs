//! `info`: definition and live state, one `key = value` a line.

use std::io::Write as _;

use rrd::live::{CellState, SourceState};
use rrd::{Archive, DataSource};
use rrdfile::Header;

use super::number::append_known;
use super::options::{OptionRule, Options};
use super::session::{Failure, Session};
use super::verb::{DAEMON, Verb, no_daemon};

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
    let mut options = Options::new(VERB.options, words);
    while let Some((name, value)) = options.next()? {
        if name == DAEMON.long {
            return Err(no_daemon(value));
        }
    }
    let [name] = options.operands()[..] else {
        return Err("Usage: rrdtool info [--daemon |-d <addr> [--noflush|-F]] <file>".into());
    };
    let header = session.databases.header(name)?;
    append(&mut session.out, name, &header);
    Ok(())
}

fn append(out: &mut Vec<u8>, name: &str, header: &Header) {
    let (definition, live) = (&header.definition, &header.live);
    line(out, "filename", format_args!("\"{name}\""));
    line(out, "rrd_version", format_args!("\"{}\"", header.version));
    line(out, "step", format_args!("{}", definition.step_seconds));
    line(out, "last_update", format_args!("{}", live.last_update.seconds));
    line(out, "header_size", format_args!("{}", header.layout.header_bytes()));
    for (index, (source, state)) in definition.sources.iter().zip(&live.sources).enumerate() {
        append_source(out, index, source, state);
    }
    let cells = live.cells.chunks(definition.sources.len().max(1));
    for (index, (archive, cells)) in definition.archives.iter().zip(cells).enumerate() {
        let newest_row = header.newest_rows.get(index).map_or(0, |row| row.0);
        append_archive(out, index, archive, newest_row, cells);
    }
}

fn append_source(out: &mut Vec<u8>, index: usize, source: &DataSource, state: &SourceState) {
    let key = |field: &str| format!("ds[{}].{field}", source.name);
    line(out, &key("index"), format_args!("{index}"));
    line(out, &key("type"), format_args!("\"{}\"", source.kind));
    line(out, &key("minimal_heartbeat"), format_args!("{}", source.heartbeat_seconds));
    value_line(out, &key("min"), source.minimum);
    value_line(out, &key("max"), source.maximum);
    let _ = write!(out, "{} = \"", key("last_ds")); // a Vec takes everything
    out.extend_from_slice(state.last_reading.text());
    out.extend_from_slice(b"\"\n");
    value_line(out, &key("value"), state.value);
    line(out, &key("unknown_sec"), format_args!("{}", state.unknown_seconds));
}

fn append_archive(
    out: &mut Vec<u8>,
    index: usize,
    archive: &Archive,
    newest_row: u64,
    cells: &[CellState],
) {
    let key = |field: &str| format!("rra[{index}].{field}");
    line(out, &key("cf"), format_args!("\"{}\"", archive.cf));
    line(out, &key("rows"), format_args!("{}", archive.rows));
    line(out, &key("cur_row"), format_args!("{newest_row}"));
    line(out, &key("pdp_per_row"), format_args!("{}", archive.pdp_per_row));
    value_line(out, &key("xff"), archive.xff);
    for (nth, cell) in cells.iter().enumerate() {
        value_line(out, &key(&format!("cdp_prep[{nth}].value")), cell.value);
        let unknown = key(&format!("cdp_prep[{nth}].unknown_datapoints"));
        line(out, &unknown, format_args!("{}", cell.unknown_pdps));
    }
}

fn line(out: &mut Vec<u8>, key: &str, value: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{key} = {value}"); // a Vec takes everything
}

fn value_line(out: &mut Vec<u8>, key: &str, value: f64) {
    let _ = write!(out, "{key} = "); // a Vec takes everything
    append_known(out, value);
    out.push(b'\n');
}
