//! `updatev`: takes samples into a file and prints the rows that became final.

use rrd::{Definition, Timestamp};
use store::Taken;

use crate::facts::{self, Fact};
use crate::failure::Failure;
use crate::order::{Order, rows_without_daemon, take};
use crate::session::Session;
use crate::verb::Verb;
use options::namings;

pub(crate) const VERB: Verb = Verb {
    name: "updatev",
    summary: "Take samples into a file and print the rows that became final",
    operands: "FILE TIME|N:READING[:READING...]|AT-TIME@READING[:READING...] ...",
    options: &namings(&rows_without_daemon()),
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let (order, _) = Order::read(&rows_without_daemon(), words)?;
    let (facts, taken) = fulfil(session, &order);
    facts::append(&mut session.out, &facts);
    taken
}

/// Takes samples; gives a `return_value` and the rows that became final.
///
/// # Errors
/// The words are wrong, or a sample is refused: the facts of what came before are then given too.
pub fn facts(session: &mut Session, words: &[&str]) -> (Vec<Fact>, Result<(), Failure>) {
    match Order::read(&rows_without_daemon(), words) {
        Ok((order, _)) => fulfil(session, &order),
        Err(failure) => (Vec::new(), Err(failure)),
    }
}

/// The same for an order that is no text.
pub fn fulfil(session: &mut Session, order: &Order<'_>) -> (Vec<Fact>, Result<(), Failure>) {
    let mut facts = vec![Fact::integer("return_value", 0)];
    let taken = take(session, order, Some(&mut |taken| append_rows(&mut facts, taken)));
    if taken.is_err() {
        facts[0] = Fact::integer("return_value", -1);
    }
    (facts, taken)
}

/// One line a row and source, in the order in which the rows became final: those of the step that
/// was open before, then archive by archive the first row and all further ones.
fn append_rows(out: &mut Vec<Fact>, taken: &Taken<'_>) {
    let Taken { definition, before, time, .. } = *taken;
    let open_step_seconds = open_step_end(definition, before, time);
    let mut runs = taken.final_rows().filter(|run| run.kept).peekable();
    let open_step_ends_rows_of = |archive: usize| {
        let row_seconds = definition.archives[archive].row_seconds(definition.step_seconds) as i64;
        let seconds = open_step_seconds.filter(|seconds| seconds % row_seconds == 0)?;
        // rrdtool takes that step to end a whole number of seconds after the last update: with a
        // fraction, it tells the row before.
        Some(if before.micros > 0 { seconds - row_seconds } else { seconds })
    };
    let mut is_done = vec![false; definition.archives.len()];
    while let Some(run) = runs.next() {
        let archive = run.archive;
        let row_seconds = definition.archives[archive].row_seconds(definition.step_seconds) as i64;
        if let Some(seconds) = open_step_ends_rows_of(archive)
            && !std::mem::replace(&mut is_done[archive], true)
        {
            append_row(out, definition, archive, run.values, seconds);
            continue;
        }
        let further = runs.next_if(|next| next.archive == archive);
        let further_rows = further.map_or(0, |run| run.count as i64);
        let last_seconds = time.seconds;
        let newest_seconds = last_seconds - last_seconds % row_seconds;
        let first_seconds = newest_seconds - further_rows * row_seconds;
        append_row(out, definition, archive, run.values, first_seconds);
        for row in 1..=further_rows {
            // rrdtool tells all but the first of these rows a row too late.
            let late = i64::from(definition.tick.is_second());
            let seconds = first_seconds + (row + late) * row_seconds;
            append_row(out, definition, archive, further.map_or(&[], |run| run.values), seconds);
        }
    }
}

/// When the step ended that was open before, if it was consolidated by itself: where the samples
/// lie in the same step, or in neighbouring ones, there is nothing to tell apart.
fn open_step_end(definition: &Definition, before: Timestamp, now: Timestamp) -> Option<i64> {
    let step_seconds = definition.step_seconds as i64;
    let elapsed_steps = now.seconds / step_seconds - before.seconds / step_seconds;
    let into_step_seconds = before.seconds % step_seconds;
    let open_seconds = step_seconds - into_step_seconds - i64::from(before.micros > 0);
    let is_open = into_step_seconds > 0 || before.micros > 0;
    (elapsed_steps >= 2 && is_open && open_seconds > 0)
        .then_some(before.seconds - into_step_seconds + step_seconds)
}

fn append_row(
    out: &mut Vec<Fact>,
    definition: &Definition,
    archive: usize,
    values: &[f64],
    seconds: i64,
) {
    let archive = &definition.archives[archive];
    for (source, value) in definition.sources.iter().zip(values) {
        let (cf, pdps, name) = (archive.cf, archive.pdp_per_row, &source.name);
        let time = definition.tick.told(seconds);
        out.push(Fact::value(format!("[{time}]RRA[{cf}][{pdps}]DS[{name}]"), *value));
    }
}
