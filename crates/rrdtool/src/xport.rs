//! `xport`: series and what is calculated from them as one table, in XML or JSON.

use graph::{Export, ExportWindow, Plan};

use crate::failure::Failure;
use crate::session::Session;
use crate::verb::{DAEMON, Verb};
use crate::{graph as drawing, table};
use options::{OptionRule, Options};

pub(crate) const VERB: Verb = Verb {
    name: "xport",
    summary: "Print series and what is calculated from them as one table",
    operands: "DEF:NAME=FILE:SOURCE:CF ... CDEF:NAME=RPN ... XPORT:NAME[:LEGEND] ...",
    options: &[
        OptionRule {
            long: "start",
            short: Some('s'),
            value: Some("TIME"),
            help: "where it begins (end-1day)",
        },
        OptionRule {
            long: "end",
            short: Some('e'),
            value: Some("TIME"),
            help: "where it ends (now)",
        },
        OptionRule {
            long: "maxrows",
            short: Some('m'),
            value: Some("ROWS"),
            help: "consolidate to about this many rows, at least 10 (400)",
        },
        OptionRule {
            long: "step",
            short: None,
            value: Some("SECONDS"),
            help: "rows are at least this long",
        },
        OptionRule { long: "json", short: None, value: None, help: "print JSON instead of XML" },
        OptionRule {
            long: "showtime",
            short: Some('t'),
            value: None,
            help: "put its time into each row",
        },
        OptionRule {
            long: "enumds",
            short: None,
            value: None,
            help: "number the tags of values: v0, v1, ...",
        },
        DAEMON,
    ],
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let (export, form) = export_as(session, words)?;
    table::print(session, &export, form)
}

/// The table that the words after the verb ask for.
///
/// # Errors
/// The words are wrong, or a database has no answer.
pub fn export(session: &mut Session, words: &[&str]) -> Result<Export, Failure> {
    export_as(session, words).map(|(export, _)| export)
}

fn export_as(session: &mut Session, words: &[&str]) -> Result<(Export, table::Form), Failure> {
    let mut window =
        ExportWindow { start: None, end: None, rows_max: 400, step_seconds: 0, daemon: None };
    let mut form = table::Form::default();
    let mut options = Options::new(VERB.options, words);
    while let Some((name, value)) = options.next_option()? {
        match name {
            "start" => window.start = Some(value),
            "end" => window.end = Some(value),
            "maxrows" => window.rows_max = rows_max(value)?,
            "step" => window.step_seconds = crate::number::c_integer(value).max(0) as u64,
            "json" => form.json = true,
            "showtime" => form.with_time = true,
            "enumds" => form.numbered = true,
            _ => window.daemon = Some(value),
        }
    }
    let elements = options.operands();
    let zone = session.times.clock().zone().clone();
    let plan = Plan::for_export(&window, &elements, session.times.now(), &zone);
    let plan = plan?;
    session.ask_reachable_daemon(window.daemon, |_| Ok(()))?;
    let fetched = drawing::fetch(session, plan.requests()).into_iter();
    let export = plan.export(&fetched.collect::<Result<Vec<_>, _>>()?)?;
    Ok((export, form))
}

fn rows_max(text: &str) -> Result<u64, Failure> {
    match crate::number::c_integer(text) {
        ..10 => Err("maxrows below 10 rows".into()),
        rows => Ok(rows as u64),
    }
}
