//! `gyre simulate`: runs updates of round robin databases through a simulated page cache.

mod arguments;
mod failure;
mod files;
mod table;
mod listener;
mod sources;
mod trace_output;
mod record;
mod trace_file;
mod playing;
mod subject;
mod report;
mod plot;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::command_line::{answer, ended, understood};
use arguments::{Form, LINE, Wanted};
use failure::Failure;
use playing::Playing;
use sources::Source;
use subject::Subject;
use table::Table;

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre simulate …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    match understood(&LINE, arguments::parse(words)) {
        Ok(wanted) => ended(&LINE, perform(&wanted)),
        Err(code) => code,
    }
}

fn perform(wanted: &Wanted) -> Result<(), Failure> {
    let source = Source::of(wanted)?;
    if let Some(path) = &wanted.write_trace {
        return trace_output::write(path, &source);
    }
    if let Source::Generated(scenario) = &source {
        let table = Table::simulate(wanted, scenario)?;
        return show(wanted, Subject::Generated(wanted, &scenario.fleet), &table);
    }
    let mut playing = Playing::new(wanted);
    source.tell(&mut playing)?;
    let (files, table) = playing.end();
    show(wanted, Subject::Told(&files), &table)
}

fn show(wanted: &Wanted, subject: Subject<'_>, table: &Table) -> Result<(), Failure> {
    if let Some(path) = &wanted.plot {
        crate::plot_file::write(path, &plot::plot(table)).map_err(Failure::Plot)?;
    }
    Ok(answer(&match wanted.form {
        Form::Text => report::text(subject, table),
        Form::Json => format!("{}\n", report::json(subject, table)),
        Form::Csv => report::csv(table),
    })?)
}
