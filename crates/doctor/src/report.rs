//! Findings for people and for programs.

use std::fmt::Write as _;

use serde_json::{Value, json as value};

use crate::checks::Check;
use crate::finding::{Finding, State};
use crate::measure::Measured;
use crate::unseen::Seen;

/// Columns of the text.
const WIDTH: usize = 110;
/// Column in which words begin.
const INDENT: usize = 30;

/// Findings under their groups, with colours where they are seen.
#[must_use]
pub fn text(
    findings: &[(&Check, Finding)],
    measured: Option<&Seen<Measured>>,
    with_colours: bool,
) -> String {
    let mut out = String::new();
    let mut group = "";
    for (check, finding) in findings {
        if check.group != group {
            group = check.group;
            let _ = writeln!(out, "{}{group}", if out.is_empty() { "" } else { "\n" }); // a String takes everything
        }
        one(&mut out, check, finding, with_colours);
    }
    if let Some(Ok(measured)) = measured {
        let _ = writeln!(out, "\nMeasured\n  {}", words(measured)); // as above
    }
    let _ = writeln!(out, "\n{}", sums(findings)); // as above
    out
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

/// Appends words in lines that begin in one column.
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

fn words(measured: &Measured) -> String {
    format!(
        "a sync {:.2} ms, a cold page at random {:.2} ms (medians); {:.0} MB/s written, {:.0} MB/s read",
        measured.sync_seconds * 1e3,
        measured.cold_read_seconds * 1e3,
        measured.write_bytes_per_second / 1e6,
        measured.read_bytes_per_second / 1e6
    )
}

fn sums(findings: &[(&Check, Finding)]) -> String {
    let of = |state| findings.iter().filter(|(_, finding)| finding.state == state).count();
    let states = [State::Warning, State::Advice, State::Unknown, State::Ok];
    let told = states.map(|state| format!("{} {}", of(state), state.name()));
    told.join(", ")
}

/// Findings as JSON.
#[must_use]
pub fn json(findings: &[(&Check, Finding)], measured: Option<&Seen<Measured>>) -> Value {
    let each = findings.iter().map(|(check, finding)| {
        value!({
            "check": check.name,
            "group": check.group,
            "state": finding.state.name(),
            "found": finding.found,
            "change": finding.change,
            "gain": finding.gain,
        })
    });
    let measured = measured.map(|measured| match measured {
        Ok(measured) => value!({
            "sync_seconds": measured.sync_seconds,
            "cold_read_seconds": measured.cold_read_seconds,
            "write_bytes_per_second": measured.write_bytes_per_second,
            "read_bytes_per_second": measured.read_bytes_per_second,
        }),
        Err(unseen) => value!({ "unseen": unseen.0 }),
    });
    value!({ "findings": each.collect::<Vec<_>>(), "measured": measured })
}
