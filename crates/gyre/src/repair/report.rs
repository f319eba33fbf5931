//! What was found and changed, as text and as JSON.

use std::fmt::Write as _;
use std::path::Path;

use figures::some;
use repair::Plan;
use rrd::refill::CellChange;
use rrd::{ConsolidationFunction, InSeconds, Snapshot, Timestamp};
use rrdtool::{Failure, Session};
use serde_json::{Value, json};

use super::arguments::Wanted;
use crate::json_lines::put_line;

/// Single changes that the text shows of one database.
const SHOWN: usize = 50;

/// What became of one database.
pub(super) struct Done {
    pub(super) name: String,
    pub(super) mended: Result<Mended, Failure>,
}

/// What changes in one database.
pub(super) struct Mended {
    pub(super) cells: usize,
    rows_by_rule: Vec<usize>,
    rows_calculated: usize,
    notes: Vec<String>,
    /// Cells that hold something else than a repair put there.
    left: usize,
    /// Every change, where there is one database.
    pub(super) changes: Vec<Shown>,
}

/// One change, with the names of things.
pub(super) struct Shown {
    pub(super) change: CellChange,
    function: ConsolidationFunction,
    pub(super) row: InSeconds,
    source: String,
}

impl Mended {
    pub(super) fn new(whole: &Snapshot, plan: Plan, keeps_changes: bool) -> Self {
        let notes = plan.notes.iter().map(ToString::to_string).collect();
        Self {
            cells: plan.changes.len(),
            rows_by_rule: plan.rows_by_rule,
            rows_calculated: plan.rows_calculated,
            notes,
            left: 0,
            changes: shown(whole, plan.changes, keeps_changes),
        }
    }

    pub(super) fn undone(
        whole: &Snapshot,
        changes: Vec<CellChange>,
        left: usize,
        keeps_changes: bool,
    ) -> Self {
        let cells = changes.len();
        let changes = shown(whole, changes, keeps_changes);
        let (rows_by_rule, notes) = (Vec::new(), Vec::new());
        Self { cells, rows_by_rule, rows_calculated: 0, notes, left, changes }
    }
}

fn shown(whole: &Snapshot, changes: Vec<CellChange>, keeps_changes: bool) -> Vec<Shown> {
    let definition = &whole.definition;
    let shown = |change: CellChange| {
        let archive = &definition.archives[change.archive as usize];
        Shown {
            change,
            function: archive.cf,
            row: definition.row_told(archive),
            source: definition.sources[change.source as usize].name.clone(),
        }
    };
    match keeps_changes {
        true => changes.into_iter().map(shown).collect(),
        false => Vec::new(),
    }
}

/// What became of all.
#[derive(Default)]
pub(super) struct Report {
    databases: usize,
    changed: Vec<(String, Mended)>,
    failed: Vec<(String, Failure)>,
}

impl Report {
    pub(super) fn add(&mut self, done: Vec<Done>) {
        for Done { name, mended } in done {
            self.databases += 1;
            match mended {
                Ok(mended) if mended.cells + mended.left + mended.notes.len() == 0 => {}
                Ok(mended) => self.changed.push((name, mended)),
                Err(failure) => self.failed.push((name, failure)),
            }
        }
    }

    /// The changes of the one database that there is.
    pub(super) fn changes(&self) -> &[Shown] {
        self.changed.first().map_or(&[], |(_, mended)| &mended.changes)
    }

    /// Prints it.
    ///
    /// # Errors
    /// Databases failed; each was named.
    pub(super) fn tell(
        &self,
        session: &mut Session,
        wanted: &Wanted,
        undo: Option<&Path>,
    ) -> Result<(), Failure> {
        match wanted.as_json {
            true => self.put_json(&mut session.out, wanted, undo),
            false => session.out.extend_from_slice(self.text(wanted, undo).as_bytes()),
        }
        for (name, failure) in &self.failed {
            rrdtool::complain!("{name}: {}", failure.in_words(session.wording));
        }
        match self.failed.len() {
            0 => Ok(()),
            count => Err(Failure::misuse(format!("{count} not repaired"))),
        }
    }

    fn cells(&self) -> usize {
        self.changed.iter().map(|(_, mended)| mended.cells).sum()
    }

    fn text(&self, wanted: &Wanted, undo: Option<&Path>) -> String {
        let mut text = String::new();
        let verb = if wanted.writes { "changed" } else { "would change" };
        // Writing to a String cannot fail.
        for (name, mended) in &self.changed {
            for shown in mended.changes.iter().take(SHOWN) {
                let _ = writeln!(text, "{shown}");
            }
            if mended.changes.len() > SHOWN {
                let _ = writeln!(text, "and {} more", mended.changes.len() - SHOWN);
            }
            let cells = some(mended.cells as u64, "cell", "cells");
            let _ = write!(text, "{name}: {cells}");
            if mended.rows_calculated > 0 {
                let _ = write!(text, ", {} of them calculated anew", mended.rows_calculated);
            }
            text.push('\n');
            if mended.left > 0 {
                let left = some(mended.left as u64, "cell", "cells");
                let _ = writeln!(text, "  {left} left alone: other values came there since");
            }
            for note in &mended.notes {
                let _ = writeln!(text, "  {note}");
            }
        }
        let databases = some(self.databases as u64, "database", "databases");
        let changed = self.changed.iter().filter(|(_, mended)| mended.cells > 0).count();
        let cells = some(self.cells() as u64, "cell", "cells");
        let _ = writeln!(text, "{verb} {cells} in {changed} of {databases}");
        match undo {
            Some(path) => {
                let _ =
                    writeln!(text, "`gyre repair --undo {} --write` takes it back", path.display());
            }
            None if !wanted.writes && self.cells() > 0 => text.push_str("--write does it\n"),
            None => {}
        }
        text
    }

    fn put_json(&self, out: &mut Vec<u8>, wanted: &Wanted, undo: Option<&Path>) {
        for (name, mended) in &self.changed {
            let mut object = json!({
                "database": name,
                "cells": mended.cells,
                "rows_by_rule": mended.rows_by_rule,
                "rows_calculated": mended.rows_calculated,
                "left_alone": mended.left,
                "notes": mended.notes,
            });
            if !mended.changes.is_empty() {
                object["changes"] = mended.changes.iter().map(Shown::json).collect();
            }
            put_line(out, &object);
        }
        let total = json!({
            "databases": self.databases,
            "cells": self.cells(),
            "failed": self.failed.len(),
            "written": wanted.writes,
            "undo": undo.map(|path| path.display().to_string()),
        });
        put_line(out, &total);
    }
}

impl Shown {
    fn json(&self) -> Value {
        let CellChange { archive, row_end_seconds, before, after, .. } = self.change;
        // JSON has no number for what is unknown or infinite.
        json!({
            "archive": archive,
            "function": self.function.to_string(),
            "row_seconds": self.row,
            "source": self.source,
            "row_end_seconds": self.row.tick().told(row_end_seconds),
            "before": before,
            "after": after,
        })
    }
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let CellChange { row_end_seconds, before, after, .. } = self.change;
        let value = |value: f64| match value.is_nan() {
            true => "unknown".to_owned(),
            false => format!("{value:.6e}"),
        };
        let end = self.row.tick().told(row_end_seconds);
        let moment = moment(end);
        let (function, row, source) = (self.function, self.row, &self.source);
        let (before, after) = (value(before), value(after));
        write!(f, "  {function} of {row} s, {source}, {moment} UTC: {before} -> {after}")
    }
}

/// A time in UTC, with the digits behind the point that its tick has.
fn moment(end: InSeconds) -> String {
    let seconds = end.tick().moment(Timestamp::from_seconds(end.ticks())).seconds;
    let text = end.to_string();
    let fraction = text.find('.').map_or("", |point| &text[point..]);
    format!("{}{fraction}", figures::moment(seconds, &jiff::tz::TimeZone::UTC))
}
