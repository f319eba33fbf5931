//! The table as text, JSON and comma-separated values.

use std::fmt::Write as _;

use capacity::scenario::Outcome;
use capacity::trace::Shape;
use capacity::trace_text::Files;
use serde_json::{Value, json};

use super::arguments::Wanted;
use super::table::{Column, Row, Table, per_update};

/// What was simulated: files as the command line says, or a trace's.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'a> {
    Generated(&'a Wanted, &'a Shape),
    Told(&'a Files),
}

impl Subject<'_> {
    fn heading(&self) -> String {
        match self {
            Self::Generated(wanted, shape) => format!(
                "{} files of {} pages, {} of them data, updated every {} s for {} days after {}\n\n",
                wanted.files,
                shape.pages(),
                shape.data_pages(),
                shape.step_seconds(),
                wanted.days,
                wanted.warming_days,
            ),
            Self::Told(files) => {
                files.groups().iter().fold(String::new(), |text, group| {
                    let (files, data) = (group.files, group.data_pages);
                    let pages = data + group.metadata_pages;
                    text + &format!(
                        "{files} files of {pages} pages, {data} of them data, as told\n"
                    )
                }) + "\n"
            }
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Generated(wanted, shape) => json!({
                "files": wanted.files,
                "pages_of_file": shape.pages(),
                "data_pages_of_file": shape.data_pages(),
                "page_bytes": wanted.page_bytes,
                "step_seconds": shape.step_seconds(),
                "days": wanted.days,
                "warming_days": wanted.warming_days,
            }),
            Self::Told(files) => json!({ "files": files.files(), "pages": files.pages() }),
        }
    }
}

pub(super) fn text(subject: Subject<'_>, table: &Table) -> String {
    let mut text = subject.heading();
    match &table.columns[..] {
        [only] => one_pair(&mut text, *only, table),
        columns => many_pairs(&mut text, columns, table),
    }
    text
}

/// All that was counted, for each update.
fn one_pair(text: &mut String, column: Column, table: &Table) {
    let Column { cache, readahead } = column;
    let _ = writeln!(text, "for each update, cache {cache}, readahead {readahead}:");
    let _ = writeln!(text, "  pages a file   page-ins   read ahead   evicted   written");
    for row in &table.rows {
        let outcome = &row.outcomes[0];
        let each = |count: u64| per_update(outcome, count);
        let counts = outcome.counts;
        let _ = writeln!(
            text,
            "{:>14} {:>10.4} {:>12.4} {:>9.4} {:>9.4}",
            row.pages_per_file,
            each(counts.page_ins),
            each(counts.pages_read_ahead),
            each(counts.evictions),
            each(counts.write_backs),
        );
    }
}

/// The pages read, for each update.
fn many_pairs(text: &mut String, columns: &[Column], table: &Table) {
    let _ = writeln!(text, "pages read for each update, by cache and readahead:");
    let head = |name: &dyn Fn(&Column) -> &'static str| {
        columns.iter().fold(String::new(), |line, column| line + &format!(" {:>10}", name(column)))
    };
    let _ = writeln!(text, "              {}", head(&|column| column.cache));
    let _ = writeln!(text, "  pages a file{}", head(&|column| column.readahead));
    for row in &table.rows {
        let _ = write!(text, "{:>14}", row.pages_per_file);
        for outcome in &row.outcomes {
            let _ = write!(text, " {:>10.4}", per_update(outcome, outcome.counts.pages_read()));
        }
        text.push('\n');
    }
}

pub(super) fn csv(table: &Table) -> String {
    let mut text = String::from(
        "pages_per_file,cache,readahead,updates,references,page_ins,pages_read_ahead,evictions,\
         write_backs\n",
    );
    for row in &table.rows {
        for (Column { cache, readahead }, outcome) in table.columns.iter().zip(&row.outcomes) {
            let (pages, counts) = (row.pages_per_file, outcome.counts);
            let _ = writeln!(
                text,
                "{pages},{cache},{readahead},{},{},{},{},{},{}",
                outcome.updates,
                counts.references,
                counts.page_ins,
                counts.pages_read_ahead,
                counts.evictions,
                counts.write_backs,
            );
        }
    }
    text
}

pub(super) fn json(subject: Subject<'_>, table: &Table) -> Value {
    let simulations = table.rows.iter().flat_map(|row| of_row(row, &table.columns));
    let mut report = subject.json();
    report["simulations"] = simulations.collect();
    report
}

fn of_row(row: &Row, columns: &[Column]) -> Vec<Value> {
    let one = |(column, outcome): (&Column, &Outcome)| {
        json!({
            "pages_per_file": row.pages_per_file,
            "cache": column.cache,
            "readahead": column.readahead,
            "updates": outcome.updates,
            "references": outcome.counts.references,
            "page_ins": outcome.counts.page_ins,
            "pages_read_ahead": outcome.counts.pages_read_ahead,
            "evictions": outcome.counts.evictions,
            "write_backs": outcome.counts.write_backs,
        })
    };
    columns.iter().zip(&row.outcomes).map(one).collect()
}
