//! Cells of a table by GETBULK: the question after the row before the first one, and the answer,
//! whose columns rise each by itself.

use super::names::{Names, TableNames};
use crate::oid::Oid;
use crate::pdu::{Operation, VarBind};
use crate::value::Value;
use std::ops::Range;

/// So many of the rows between the first and the last one must be wanted: one in this many.
const SPARSE_MAX: usize = 2;

/// A GETBULK for some cells of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BulkAsk {
    /// How many of the scalars it asks for, from the first.
    scalars: usize,
    /// The rows, counted from the table's first.
    rows: Range<usize>,
    repetitions: u32,
}

/// What an answer brings of the names that were asked for.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Places and their values.
    pub(super) values: Vec<(usize, Value)>,
    /// Whether it went past a cell that was asked for, which is then not there, or is left out.
    pub(super) passed_any: bool,
    /// Whether its names do not rise: then nothing of it counts.
    pub(super) is_nonsense: bool,
}

impl BulkAsk {
    /// The question for these places, which rise, with at most `bindings_max` values in
    /// `repetitions_max` rows; `None` if most of what it brings would not be wanted.
    pub(super) fn of(
        names: &Names,
        places: &[usize],
        bindings_max: usize,
        repetitions_max: usize,
    ) -> Option<BulkAsk> {
        let Names::Table(table) = names else { return None };
        let scalars = places.iter().take_while(|place| **place < table.scalars.len()).count();
        let cells = places.get(scalars..)?;
        // Scalars are asked for from the first on, or not at all.
        if places.iter().take(scalars).ne((0..scalars).collect::<Vec<_>>().iter()) {
            return None;
        }
        let first = table.row_of(*cells.first()?)?;
        let last = table.row_of(*cells.last()?)?;
        let room = bindings_max.checked_sub(scalars)?.checked_div(table.columns.len())?;
        let room = room.min(repetitions_max);
        let from = *table.rows.get(first)?;
        let wanted = table.rows.get(first..=last)?;
        let reached = wanted.iter().take_while(|row| ((*row - from) as usize) < room).count();
        if reached == 0 {
            // There is no room for a single row.
            return None;
        }
        let rows = first..first + reached;
        let repetitions = table.rows.get(rows.end.checked_sub(1)?)? - from + 1;
        let brought = repetitions as usize * table.columns.len();
        let wanted = cells.iter().filter(|place| table.row_of(**place) < Some(rows.end)).count();
        (brought <= wanted * SPARSE_MAX).then_some(BulkAsk { scalars, rows, repetitions })
    }

    /// The places that it asks for: whole rows.
    pub(super) fn covers(&self, names: &Names, place: usize) -> bool {
        let Names::Table(table) = names else { return false };
        place < self.scalars || table.row_of(place).is_some_and(|row| self.rows.contains(&row))
    }

    pub(super) fn question(&self, names: &Names) -> Option<(Operation, Vec<VarBind>)> {
        let Names::Table(table) = names else { return None };
        let scalars = table.scalars.get(..self.scalars)?;
        let before = table.rows.get(self.rows.start)?.checked_sub(1);
        let start = |column: &Oid| match before {
            Some(row) => column.extended(&[row]).ok(),
            None => Some(column.clone()),
        };
        let mut bindings = Vec::with_capacity(scalars.len() + table.columns.len());
        for scalar in scalars {
            bindings.push(VarBind::asking(scalar.parent()?));
        }
        for column in &table.columns {
            bindings.push(VarBind::asking(start(column)?));
        }
        let non_repeaters = scalars.len() as u32;
        let max_repetitions = self.repetitions;
        Some((Operation::GetBulk { non_repeaters, max_repetitions }, bindings))
    }

    /// Reads an answer.
    pub(super) fn read(&self, names: &Names, bindings: Vec<VarBind>) -> Found {
        let Names::Table(table) = names else { return Found::default() };
        let mut found = Found { values: Vec::with_capacity(bindings.len()), ..Found::default() };
        let before = table.rows.get(self.rows.start).and_then(|row| row.checked_sub(1));
        let mut columns =
            vec![Progress { seen: before, row: self.rows.start }; table.columns.len()];
        let mut bindings = bindings.into_iter();
        for (place, binding) in bindings.by_ref().take(self.scalars).enumerate() {
            if table.scalars.get(place) == Some(&binding.oid) {
                found.values.push((place, binding.value));
            }
        }
        for (nth, binding) in bindings.enumerate() {
            let column = nth % table.columns.len();
            let Some(progress) = columns.get_mut(column) else { break };
            let Some(root) = table.columns.get(column) else { break };
            match binding.oid.index_below(root).filter(|_| !binding.value.is_exception()) {
                Some(index) if progress.seen.is_some_and(|seen| index <= seen) => {
                    found.is_nonsense = true;
                    return found;
                }
                Some(index) => {
                    progress.seen = Some(index);
                    let expected = progress.row;
                    match progress.step_to(table, self.rows.end, index) {
                        Some(row) => {
                            found.passed_any |= row > expected;
                            progress.row = row + 1;
                            found.values.push((table.place(row, column), binding.value));
                        }
                        None => found.passed_any |= progress.row > expected,
                    }
                }
                // The column has no further rows.
                None => found.passed_any |= progress.row < self.rows.end,
            }
        }
        found
    }
}

/// How far an answer has come in a column.
#[derive(Clone, Debug)]
struct Progress {
    /// The last index seen.
    seen: Option<u32>,
    /// The next row that is wanted.
    row: usize,
}

impl Progress {
    /// Goes on to the row with this index; returns it if it is wanted.
    fn step_to(&mut self, table: &TableNames, end: usize, index: u32) -> Option<usize> {
        while self.row < end && table.rows.get(self.row).is_some_and(|row| *row < index) {
            self.row += 1;
        }
        let is_it = self.row < end && table.rows.get(self.row) == Some(&index);
        is_it.then_some(self.row)
    }
}
