//! Reports findings as text or JSON.

use std::fmt::Write as _;

use serde_json::{Value, json as value};

use crate::checks::Check;
use crate::finding::{Finding, State};
use crate::measure::Measured;
use crate::unseen::Seen;
use figures::{count, duration, size};

/// The width of the text in columns.
const WIDTH: usize = 110;
/// The column in which sentences begin.
const INDENT: usize = 30;

/// The content of a report.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// The findings, in the order of the report.
    pub findings: &'a [(&'a Check, Finding)],
    /// Leave out findings that are fine, but count them.
    pub quiet: bool,
    /// The speed of the disk, if it was measured.
    pub measured: Option<&'a Seen<Measured>>,
}

impl<'a> Report<'a> {
    /// The findings by group, with colours on a terminal.
    #[must_use]
    pub fn text(&self, with_colours: bool) -> String {
        let mut out = String::new();
        let mut group = "";
        for (check, finding) in self.told() {
            if check.group != group {
                group = check.group;
                begin(&mut out, group, with_colours);
            }
            one(&mut out, check, finding, with_colours);
        }
        if let Some(measured) = self.measured {
            begin(&mut out, "Measured", with_colours);
            let _ = writeln!(out, "  {}", words(measured)); // a String takes everything
        }
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "{}", self.sums()); // as above
        out
    }

    fn told(&self) -> impl Iterator<Item = &'a (&'a Check, Finding)> {
        let quiet = self.quiet;
        self.findings.iter().filter(move |(_, finding)| !quiet || finding.state != State::Ok)
    }

    fn sums(&self) -> String {
        let of = |state| self.findings.iter().filter(|(_, it)| it.state == state).count();
        let states = [State::Warning, State::Advice, State::Unknown, State::Ok];
        states.map(|state| format!("{} {}", of(state), state.name())).join(", ")
    }

    /// Findings as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let each = self.told().map(|(check, finding)| {
            value!({
                "check": check.name,
                "group": check.group,
                "state": finding.state.name(),
                "found": finding.found,
                "change": finding.change,
                "gain": finding.gain,
            })
        });
        let measured = self.measured.map(|measured| match measured {
            Ok(measured) => value!({
                "sync_seconds": measured.sync_seconds,
                "cold_read_seconds": measured.cold_read_seconds,
                "write_bytes_per_second": measured.write_bytes_per_second,
                "read_bytes_per_second": measured.read_bytes_per_second,
                "random_writes_per_second": measured.random_writes_per_second,
            }),
            Err(unseen) => value!({ "unseen": unseen.0 }),
        });
        value!({ "findings": each.collect::<Vec<_>>(), "measured": measured })
    }
}

/// The head of a group.
fn begin(out: &mut String, group: &str, with_colours: bool) {
    let (bold, plain) = if with_colours { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let space = if out.is_empty() { "" } else { "\n" };
    let _ = writeln!(out, "{space}{bold}{group}{plain}"); // as above
}

fn one(out: &mut String, check: &Check, finding: &Finding, with_colours: bool) {
    let colour = match finding.state {
        State::Ok => "32",
        State::Unknown => "35",
        State::Advice => "33",
        State::Warning => "31",
    };
    let state = format!("{:<8}", finding.state.name());
    let state = if with_colours { format!("\x1b[{colour}m{state}\x1b[0m") } else { state };
    let _ = write!(out, "  {state}{:<20}", check.name); // as above
    wrap(out, &finding.found);
    for change in &finding.change {
        let _ = write!(out, "{:INDENT$}> ", ""); // as above
        out.push_str(change); // commands are not broken
        out.push('\n');
    }
    if let Some(gain) = &finding.gain {
        let _ = write!(out, "{:INDENT$}", ""); // as above
        wrap(out, &format!("gain: {gain}"));
    }
}

/// Appends text, wrapped, with all lines in one column.
fn wrap(out: &mut String, text: &str) {
    let mut column = INDENT;
    for (nth, word) in text.split_whitespace().enumerate() {
        let length = word.chars().count();
        if nth > 0 && column + 1 + length > WIDTH {
            let _ = write!(out, "\n{:INDENT$}", ""); // as above
            column = INDENT;
        } else if nth > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
}

fn words(measured: &Seen<Measured>) -> String {
    let measured = match measured {
        Ok(measured) => measured,
        Err(unseen) => return format!("nothing: {}", unseen.0),
    };
    format!(
        "a sync {}, a cold page at random {} (medians)\n  {}/s written, {}/s read; {} pages/s written at random",
        duration(measured.sync_seconds),
        duration(measured.cold_read_seconds),
        size(measured.write_bytes_per_second as u64),
        size(measured.read_bytes_per_second as u64),
        count(measured.random_writes_per_second.round() as u64)
    )
}
