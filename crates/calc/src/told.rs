//! An answer as text: the lines of PRINT, then which rows gave them.

use std::fmt::Write as _;

use graph::{RowFact, RowsTold};
use jiff::Timestamp;
use rrd::Tick;

use crate::outcome::{Coarse, Outcome};

/// The text of an answer.
///
/// ```text
/// a/b.rrd
/// 95th percentile: 83.20 M
/// rows of in: 8640 of AVERAGE (a/b.rrd), 300 s each, 2024-01-01T00:00:00Z to
/// 2024-01-31T00:00:00Z, 3 unknown
/// ```
#[must_use]
pub fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    let answer = &outcome.answer;
    if !outcome.name.is_empty() {
        text = outcome.name.clone() + "\n";
    }
    for print in &answer.prints {
        text += &print.text;
        text.push('\n');
    }
    if answer.prints.is_empty() {
        answer.facts.iter().for_each(|fact| put_fact(&mut text, fact));
    }
    let of_facts = answer.facts.iter().map(|fact| &fact.rows);
    let of_prints = answer.prints.iter().map(|print| &print.rows);
    let mut told: Vec<&RowsTold> = Vec::new();
    for rows in of_facts.chain(of_prints) {
        if !told.contains(&rows) {
            told.push(rows);
            put_rows(&mut text, outcome, rows);
        }
    }
    outcome.coarse.iter().for_each(|coarse| put_coarse(&mut text, coarse));
    if let Some(summed) = outcome.summed {
        let (databases, unknown) = (summed.databases, summed.unknown);
        let _ = writeln!(text, "sum of {databases} databases, {unknown} unknown values left out");
    }
    text
}

fn put_fact(text: &mut String, fact: &RowFact) {
    // A String takes all.
    let _ = match fact.when_seconds {
        Some(at) => {
            let at = time(fact.rows.tick, at);
            writeln!(text, "{}: {} at {at}", fact.name, fact.value)
        }
        None => writeln!(text, "{}: {}", fact.name, fact.value),
    };
}

fn put_rows(text: &mut String, outcome: &Outcome, rows: &RowsTold) {
    let RowsTold { of, tick, start_seconds, end_seconds, row_seconds, count, unknown, requests } =
        rows;
    let origins = requests.iter().map(|nth| &outcome.origins[*nth]);
    let mut from: Vec<String> = Vec::new();
    for origin in origins {
        let archive = format!("{} of {} s", origin.function, span(origin.tick, origin.row_seconds));
        let named = match outcome.name == origin.database {
            true => archive,
            false => format!("{archive} in {}", origin.database),
        };
        if !from.contains(&named) {
            from.push(named);
        }
    }
    let (start, end, from) =
        (time(*tick, *start_seconds), time(*tick, *end_seconds), from.join(", "));
    let row = span(*tick, *row_seconds);
    let _ = writeln!(
        text,
        "rows of {of}: {count} of {row} s ({from}), {start} to {end}, {unknown} unknown"
    );
}

fn put_coarse(text: &mut String, coarse: &Coarse) {
    let Coarse { name, tick, step_seconds, row_seconds, bounds } = coarse;
    let (step, row) = (span(*tick, *step_seconds), span(*tick, *row_seconds));
    let _ = write!(text, "{name} is no percentile of steps of {step} s, but of rows of {row} s: ");
    let _ = match bounds {
        Some(bounds) => writeln!(
            text,
            "that of all steps lies between {} and {}, by rows of MIN and MAX",
            bounds.least, bounds.greatest
        ),
        None => writeln!(text, "no rows of MIN and MAX show how far that of all steps is from it"),
    };
}

/// A time as text, with a fraction where it has one.
pub(crate) fn time(tick: Tick, time: i64) -> String {
    let moment = tick.moment(rrd::Timestamp::from_seconds(time));
    Timestamp::new(moment.seconds, moment.micros as i32 * 1000)
        .map_or_else(|_| tick.told(time).to_string(), |time| time.to_string())
}

/// A length of time in seconds: `300` or `0.1`.
pub(crate) fn span(tick: Tick, ticks: u64) -> f64 {
    tick.seconds_of(ticks)
}
