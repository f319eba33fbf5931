//! `updatev`: takes samples into a file and prints the rows that became final.

use std::io::Write as _;

use rrd::{Definition, Timestamp};
use store::RrdFile;

use super::number::append_known;
use super::session::{Failure, Session};
use super::update::{Order, SKIP_PAST, TEMPLATE, take};
use super::verb::Verb;

pub(crate) const VERB: Verb = Verb {
    name: "updatev",
    summary: "Take samples into a file and print the rows that became final",
    operands: "FILE TIME|N:READING[:READING...]|AT-TIME@READING[:READING...] ...",
    options: &[TEMPLATE, SKIP_PAST],
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let order = Order::read(VERB.options, words)?;
    let mut rows = Vec::new();
    let taken = take(session, &order, |file, before| append_rows(&mut rows, file, before));
    let code = if taken.is_ok() { 0 } else { -1 };
    let _ = writeln!(session.out, "return_value = {code}"); // a Vec takes everything
    session.out.append(&mut rows);
    taken
}

/// One line a row and source.
fn append_rows(out: &mut Vec<u8>, file: &RrdFile, before: Timestamp) {
    let header = file.header();
    let definition = &header.definition;
    let last_seconds = header.live.last_update.seconds;
    let runs: Vec<_> = file.final_rows().collect();
    for (nth, run) in runs.iter().enumerate() {
        let row_seconds = definition.archives[run.archive].row_seconds(definition.step_seconds);
        let row_seconds = row_seconds as i64;
        let goes_on = runs[nth + 1..].iter().any(|later| later.archive == run.archive);
        let newest_seconds = if goes_on {
            // The rows of the step that was open before come first.
            next_step_seconds(definition, before)
        } else {
            last_seconds - last_seconds % row_seconds
        };
        let oldest_seconds = newest_seconds - (run.count as i64 - 1) * row_seconds;
        for row in 0..run.count as i64 {
            // rrdtool tells the second row of a run, and all further ones, a row too late.
            let seconds = oldest_seconds + (row + i64::from(row > 0)) * row_seconds;
            append_row(out, definition, run.archive, run.values, seconds);
        }
    }
}

fn next_step_seconds(definition: &Definition, time: Timestamp) -> i64 {
    let step_seconds = definition.step_seconds as i64;
    time.seconds - time.seconds % step_seconds + step_seconds
}

fn append_row(
    out: &mut Vec<u8>,
    definition: &Definition,
    archive: usize,
    values: &[f64],
    seconds: i64,
) {
    let archive = &definition.archives[archive];
    for (source, value) in definition.sources.iter().zip(values) {
        let (cf, pdps, name) = (archive.cf, archive.pdp_per_row, &source.name);
        let _ = write!(out, "[{seconds}]RRA[{cf}][{pdps}]DS[{name}] = "); // a Vec takes everything
        append_known(out, *value);
        out.push(b'\n');
    }
}
