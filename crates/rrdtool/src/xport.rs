//! `xport`: series and what is calculated from them as one table, in XML or JSON.

use graph::{Export, ExportWindow, Markup, Plan, RowLength, TableForm};

use crate::failure::Failure;
use crate::number::c_integer;
use crate::session::Session;
use crate::verb::{Verb, daemon};
use crate::{graph as drawing, table};
use options::getopt::{self, Row};
use options::{checked, namings, option, switch};

pub(crate) const VERB: Verb = Verb {
    name: "xport",
    summary: "Print series and what is calculated from them as one table",
    operands: "DEF:NAME=FILE:SOURCE:CF ... CDEF:NAME=RPN ... XPORT:NAME[:LEGEND] ...",
    options: &namings(&rows()),
    run,
};

struct Settings<'a> {
    window: ExportWindow<'a>,
    json: bool,
    numbered: bool,
    with_time: bool,
}

const fn rows<'a>() -> [Row<'a, Settings<'a>, Failure>; 8] {
    let rows = "consolidate to about this many rows, at least 10 (400)";
    [
        option("-s --start", "TIME", "where it begins (end-1day)", |it, text| {
            it.window.start = Some(text)
        }),
        option("-e --end", "TIME", "where it ends (now)", |it, text| it.window.end = Some(text)),
        checked("-m --maxrows", "ROWS", rows, |it, text| {
            it.window.rows_max = rows_max(text)?;
            Ok(())
        }),
        option("--step", "SECONDS", "rows are at least this long", |it, text| {
            it.window.row_length = row_length(text)
        }),
        switch("--json", "print JSON instead of XML", |it| it.json = true),
        switch("-t --showtime", "put its time into each row", |it| it.with_time = true),
        switch("--enumds", "number the tags of values: v0, v1, ...", |it| it.numbered = true),
        daemon(|it, address| it.window.daemon = Some(address)),
    ]
}

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let (export, form) = export_as(session, words)?;
    table::print(session, &export, &form)
}

/// The table that the words after the verb ask for.
///
/// # Errors
/// The words are wrong, or a database has no answer.
pub fn export(session: &mut Session, words: &[&str]) -> Result<Export, Failure> {
    export_as(session, words).map(|(export, _)| export)
}

fn export_as(session: &mut Session, words: &[&str]) -> Result<(Export, TableForm), Failure> {
    let vocabulary = session.vocabulary();
    let window = ExportWindow {
        start: None,
        end: None,
        rows_max: 400,
        row_length: RowLength::default(),
        daemon: None,
        vocabulary,
    };
    let mut settings = Settings { window, json: false, numbered: false, with_time: false };
    let elements = getopt::read(&rows(), &mut settings, words)?;
    let Settings { window, json, numbered, with_time } = settings;
    let zone = session.times.clock().zone().clone();
    let plan = Plan::for_export(&window, &elements, session.times.now(), &zone);
    let plan = plan?;
    session.ask_reachable_daemon(window.daemon, |_| Ok(()))?;
    let fetched = drawing::fetch(session, plan.requests()).into_iter();
    let export = plan.export(&fetched.collect::<Result<Vec<_>, _>>()?)?;
    let markup = if json { Markup::Json } else { Markup::Xml { numbered } };
    Ok((export, TableForm { markup, with_time, time_format: None }))
}

/// Seconds, with a fraction if there is nothing else; else the integer at the start of a text.
fn row_length(text: &str) -> RowLength {
    RowLength::of_decimal(text)
        .unwrap_or_else(|| RowLength::of_seconds(c_integer(text).max(0) as u64))
}

fn rows_max(text: &str) -> Result<u64, Failure> {
    match c_integer(text) {
        ..10 => Err("maxrows below 10 rows".into()),
        rows => Ok(rows as u64),
    }
}
