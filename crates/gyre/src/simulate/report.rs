//! Prints the table as text, JSON or comma-separated values.

use std::fmt::Write as _;

use capacity::replay::{Outcome, Share};
use serde_json::{Value, json};

use super::subject::Subject;
use super::table::{Column, Table, per_update};

pub(super) fn text(subject: Subject<'_>, table: &Table) -> String {
    let mut text = subject.heading();
    match &table.columns[..] {
        [only] => one_pair(&mut text, only, table),
        _ => many_pairs(&mut text, table),
    }
    text
}

/// All counts for each update of one pair of policies; with several groups, also the pages that
/// each group reads.
fn one_pair(text: &mut String, column: &Column, table: &Table) {
    let Column { cache, readahead, outcomes } = column;
    let groups = if table.groups() > 1 { table.groups() } else { 0 };
    let _ = writeln!(text, "for each update, cache {cache}, readahead {readahead}:");
    text.push_str("  pages a file   page-ins   read ahead   evicted   written");
    for nth in 1..=groups {
        let _ = write!(text, " {:>16}", format!("group {nth} reads")); // a String takes everything
    }
    text.push('\n');
    for (pages_per_file, outcome) in table.pages_per_file.iter().zip(outcomes) {
        let each = |count: u64| per_update(outcome.updates, count);
        let counts = outcome.counts;
        let _ = write!(
            text,
            "{pages_per_file:>14} {:>10.4} {:>12.4} {:>9.4} {:>9.4}",
            each(counts.page_ins),
            each(counts.pages_read_ahead),
            each(counts.evictions),
            each(counts.write_backs),
        );
        for group in outcome.groups.iter().take(groups) {
            let _ = write!(text, " {:>16.4}", per_update(group.updates, group.pages_read()));
        }
        text.push('\n');
    }
}

/// Only the pages read for each update, of several pairs: of all files, then of each group if there
/// are several.
fn many_pairs(text: &mut String, table: &Table) {
    let reads = |outcome: &Outcome| per_update(outcome.updates, outcome.counts.pages_read());
    side_by_side(text, "", table, reads);
    for nth in (0..table.groups()).filter(|_| table.groups() > 1) {
        let reads = |outcome: &Outcome| {
            let share = outcome.groups[nth];
            per_update(share.updates, share.pages_read())
        };
        text.push('\n');
        side_by_side(text, &format!(" of group {}", nth + 1), table, reads);
    }
}

fn side_by_side(text: &mut String, whose: &str, table: &Table, value: impl Fn(&Outcome) -> f64) {
    let _ = writeln!(text, "pages read for each update{whose}, by cache and readahead:");
    let head = |name: fn(&Column) -> &'static str| {
        table
            .columns
            .iter()
            .fold(String::new(), |line, each| line + &format!(" {:>10}", name(each)))
    };
    let _ = writeln!(text, "              {}", head(|column| column.cache));
    let _ = writeln!(text, "  pages a file{}", head(|column| column.readahead));
    for (row, pages_per_file) in table.pages_per_file.iter().enumerate() {
        let _ = write!(text, "{pages_per_file:>14}");
        for column in &table.columns {
            let _ = write!(text, " {:>10.4}", value(&column.outcomes[row]));
        }
        text.push('\n');
    }
}

/// A line for each simulation, followed by a line for each group if there are several.
pub(super) fn csv(table: &Table) -> String {
    let mut text = String::from(
        "pages_per_file,cache,readahead,group,updates,references,page_ins,pages_read_ahead,\
         evictions,write_backs\n",
    );
    for (pages_per_file, Column { cache, readahead, .. }, outcome) in simulations(table) {
        let Outcome { updates, counts, groups } = outcome;
        let of = format!("{pages_per_file},{cache},{readahead}");
        let _ = writeln!(
            text,
            "{of},all,{updates},{},{},{},{},{}",
            counts.references,
            counts.page_ins,
            counts.pages_read_ahead,
            counts.evictions,
            counts.write_backs,
        );
        for (nth, share) in groups.iter().enumerate().filter(|_| groups.len() > 1) {
            let Share { updates, references, page_ins, pages_read_ahead } = share;
            let nth = nth + 1;
            let _ =
                writeln!(text, "{of},{nth},{updates},{references},{page_ins},{pages_read_ahead},,");
        }
    }
    text
}

pub(super) fn json(subject: Subject<'_>, table: &Table) -> Value {
    let mut report = subject.json();
    report["simulations"] = simulations(table).map(of_simulation).collect();
    report
}

/// The simulations, row by row, and in a row by pair of policies.
fn simulations(table: &Table) -> impl Iterator<Item = (u32, &Column, &Outcome)> {
    table.pages_per_file.iter().enumerate().flat_map(|(row, pages_per_file)| {
        let columns = table.columns.iter();
        columns.map(move |column| (*pages_per_file, column, &column.outcomes[row]))
    })
}

fn of_simulation((pages_per_file, column, outcome): (u32, &Column, &Outcome)) -> Value {
    json!({
        "pages_per_file": pages_per_file,
        "cache": column.cache,
        "readahead": column.readahead,
        "updates": outcome.updates,
        "references": outcome.counts.references,
        "page_ins": outcome.counts.page_ins,
        "pages_read_ahead": outcome.counts.pages_read_ahead,
        "evictions": outcome.counts.evictions,
        "write_backs": outcome.counts.write_backs,
        "groups": outcome.groups.iter().map(of_share).collect::<Vec<Value>>(),
    })
}

fn of_share(share: &Share) -> Value {
    json!({
        "updates": share.updates,
        "references": share.references,
        "page_ins": share.page_ins,
        "pages_read_ahead": share.pages_read_ahead,
    })
}
