//! Which cells to change.

use rrd::refill::{CellChange, PastError, is_same};
use rrd::{ConsolidationFunction as Cf, InSeconds, Room, Snapshot, Tick};

use crate::column::Column;
use crate::{Replacement, Rule, Span, coarser, gaps, merge, shift, spikes};

/// What is to be mended.
#[derive(Clone, Debug)]
pub struct Repair<'a> {
    /// The rows that are looked at.
    pub span: Span,
    /// The sources; all if empty. A database without one of these names has none of it.
    pub sources: &'a [String],
    /// The rules, in the order in which they are applied.
    pub rules: Vec<Rule<'a>>,
    /// What replaces spikes.
    pub by: Replacement,
}

/// The cells to change.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Each with its old value and its new one.
    pub changes: Vec<CellChange>,
    /// How many rows each rule changed, in the order of the rules.
    pub rows_by_rule: Vec<usize>,
    /// How many coarser rows were calculated anew.
    pub rows_calculated: usize,
    /// What a rule could not do.
    pub notes: Vec<Note>,
}

/// What a rule could not do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// Rows cannot be moved by a part of a row.
    #[error(
        "RRA {archive}: not shifted: {seconds} s are no multiple of its rows of {row_seconds} s; \
         rows that finer ones tell of are calculated anew"
    )]
    NoWholeRows {
        /// The archive's position.
        archive: usize,
        /// The shift asked for.
        seconds: InSeconds,
        /// The length of its rows.
        row_seconds: InSeconds,
    },
    /// Rows were moved out of the ring.
    #[error("RRA {archive}: {rows} known rows are moved out of it, and go")]
    MovedOut {
        /// The archive's position.
        archive: usize,
        /// How many rows.
        rows: usize,
    },
    /// The other history has no such source.
    #[error("the other database has no data source '{0}'")]
    NoSuchSource(String),
}

/// Plans a repair of a database. `room` bounds the memory that merging takes.
///
/// # Errors
/// [`PastError`]: another history cannot be merged.
pub fn plan(whole: &Snapshot, repair: &Repair<'_>, room: &mut Room) -> Result<Plan, PastError> {
    let tick = whole.definition.tick;
    let rules = repair.rules.iter().map(|rule| rule.in_ticks(tick)).collect();
    let repair = &Repair { span: repair.span.in_ticks(tick), rules, ..*repair };
    let mut mended = whole.clone();
    let (mut rows_by_rule, mut notes) = (Vec::new(), Vec::new());
    for rule in &repair.rules {
        let other = match rule {
            Rule::Merge(other) => Some(merge::as_rows_of(whole, other, room)?),
            _ => None,
        };
        let mut work = Work { tick, repair, rule, other, notes: &mut notes, rows: 0 };
        work.on_all_columns(&mut mended);
        rows_by_rule.push(work.rows);
    }
    let rows_calculated = coarser::calculate_anew(whole, &mut mended);
    let changes = differences(whole, &mended);
    Ok(Plan { changes, rows_by_rule, rows_calculated, notes })
}

impl Plan {
    /// The changes that take these back.
    #[must_use]
    pub fn undone(changes: &[CellChange]) -> Vec<CellChange> {
        let undone = |change: &CellChange| {
            let CellChange { before, after, .. } = *change;
            CellChange { before: after, after: before, ..*change }
        };
        changes.iter().map(undone).collect()
    }
}

/// One rule at work.
struct Work<'a, 'w> {
    tick: Tick,
    repair: &'w Repair<'a>,
    rule: &'w Rule<'a>,
    /// What another database says of the rows.
    other: Option<Snapshot>,
    notes: &'w mut Vec<Note>,
    rows: usize,
}

impl Work<'_, '_> {
    fn on_all_columns(&mut self, mended: &mut Snapshot) {
        for source in 0..mended.definition.sources.len() {
            let name = &mended.definition.sources[source].name;
            let names = self.repair.sources;
            if !names.is_empty() && !names.contains(name) {
                continue;
            }
            if let Rule::Merge(other) = self.rule
                && !other.definition.sources.iter().any(|source| source.name == *name)
            {
                self.notes.push(Note::NoSuchSource(name.clone()));
                continue;
            }
            for archive in 0..mended.definition.archives.len() {
                if reaches(self.rule, mended.definition.archives[archive].cf) {
                    let mut column = Column::of(mended, archive, source);
                    let before = column.values.clone();
                    self.on_column(&mut column, mended);
                    let pairs = before.iter().zip(&column.values);
                    self.rows += pairs.filter(|(old, new)| !is_same(**old, **new)).count();
                    column.put_into(mended);
                }
            }
        }
    }

    fn on_column(&mut self, column: &mut Column, whole: &Snapshot) {
        let span = column.rows_of(self.repair.span);
        let rows = &mut column.values[span.clone()];
        let found = match *self.rule {
            Rule::Deviations { count, both_ways } => spikes::by_deviation(rows, count, both_ways),
            Rule::Percentile { percent, times } => spikes::by_percentile(rows, percent, times),
            Rule::Limits { minimum, maximum } => spikes::by_limits(rows, minimum, maximum),
            Rule::OwnLimits => {
                let source = &whole.definition.sources[column.source];
                spikes::by_limits(rows, source.minimum, source.maximum)
            }
            Rule::Gaps { seconds_max, by } => {
                return gaps::fill(rows, (seconds_max / column.row_seconds) as usize, by);
            }
            Rule::Scale { factor } => return rows.iter_mut().for_each(|value| *value *= factor),
            Rule::Shift { seconds } => return self.shift(column, span, seconds),
            Rule::Merge(_) => {
                let other =
                    self.other.as_ref().map(|it| Column::of(it, column.archive, column.source));
                let other = other.map_or_else(Vec::new, |other| other.values);
                return merge::fill(rows, other.get(span).unwrap_or_default());
            }
        };
        spikes::replace(rows, &found, self.repair.by);
    }

    fn shift(&mut self, column: &mut Column, span: std::ops::Range<usize>, seconds: i64) {
        let (archive, row_seconds) = (column.archive, column.row_seconds);
        if seconds % row_seconds as i64 != 0 {
            let tick = self.tick;
            let (seconds, row_seconds) = (tick.told(seconds), tick.told(row_seconds as i64));
            return self.note(Note::NoWholeRows { archive, seconds, row_seconds });
        }
        let rows = shift::shift(&mut column.values, span, seconds / row_seconds as i64);
        if rows > 0 {
            self.note(Note::MovedOut { archive, rows });
        }
    }

    /// Sources of one archive are told together.
    fn note(&mut self, note: Note) {
        let of_archive = |it: &&mut Note| match (&**it, &note) {
            (Note::MovedOut { archive: one, .. }, Note::MovedOut { archive: other, .. }) => {
                one == other
            }
            (one, other) => *one == *other,
        };
        match (self.notes.iter_mut().find(of_archive), &note) {
            (Some(Note::MovedOut { rows, .. }), Note::MovedOut { rows: more, .. }) => *rows += more,
            (Some(_), _) => {}
            (None, _) => self.notes.push(note),
        }
    }
}

/// Whether a rule looks at the rows of archives of this function. What is a spike, or what another
/// history says, cannot be told of deviations and percentiles: they follow from finer rows.
fn reaches(rule: &Rule<'_>, cf: Cf) -> bool {
    match rule {
        Rule::Shift { .. } | Rule::Scale { .. } | Rule::Gaps { .. } => !cf.is_forecast(),
        _ => Cf::PLAIN.contains(&cf),
    }
}

/// The cells in which two states of a database differ.
fn differences(old: &Snapshot, new: &Snapshot) -> Vec<CellChange> {
    let mut changes = Vec::new();
    for archive in 0..old.definition.archives.len() {
        for source in 0..old.definition.sources.len() {
            let (old, new) = (Column::of(old, archive, source), Column::of(new, archive, source));
            let pairs = old.values.iter().zip(&new.values).enumerate();
            let differing = pairs.filter(|(_, (before, after))| !is_same(**before, **after));
            changes.extend(differing.map(|(row, (before, after))| CellChange {
                archive: archive as u32,
                source: source as u32,
                row_end_seconds: old.end_seconds(row),
                before: *before,
                after: *after,
            }));
        }
    }
    changes
}
