//! `gyre plan`: predicts whether a machine carries a number of databases, how many more it could
//! carry, and what they cost it.
//!
//! ```text
//! operands ── subject ──▶ fleet ─┐
//! options  ── what_if ──▶ fleets ┼─ answers ──▶ report, json, plot
//! machine, its disk ─────────────┘
//! ```

mod arguments;
mod failure;
mod subject;
mod machine;
mod disks;
mod ways;
mod wanted_ways;
mod split;
mod what_if;
mod answers;
mod words;
mod report;
mod json;
mod plot;
mod load;
mod outlook;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::command_line::{answer, ended, understood};
use answers::Answers;
use arguments::{LINE, Wanted};
use failure::Failure;
pub(crate) use load::Load;
use machine::Found;
pub(crate) use outlook::outlook;
use subject::Subject;

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre plan …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    match understood(&LINE, arguments::parse(words)) {
        Ok(wanted) => ended(&LINE, perform(&wanted)),
        Err(code) => code,
    }
}

fn perform(wanted: &Wanted) -> Result<(), Failure> {
    let subject = Subject::of(wanted)?;
    let found = Found::look(wanted, &subject)?;
    let answers = Answers::calculate(wanted, &subject, &found)?;
    if let Some(path) = &wanted.plot {
        crate::plot_file::write(path, &plot::plot(&answers, &found.machine))
            .map_err(Failure::Plot)?;
    }
    Ok(answer(&match wanted.as_json {
        true => format!("{:#}\n", json::document(&subject, &found, &answers)),
        false => report::text(&subject, &found, &answers),
    })?)
}
