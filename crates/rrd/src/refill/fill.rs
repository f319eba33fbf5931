//! New rows of an archive, from what the archives of a database say of their time.

use super::grid::Grid;
use super::spread::{self, Column};
use crate::{Archive, ConsolidationFunction as Cf, Definition, Snapshot, UNKNOWN};

/// Rows that come to an archive.
pub(super) struct NewRows<'a> {
    /// The archive, and the database that it will be part of.
    pub(super) archive: &'a Archive,
    /// Seconds between two PDPs of that database.
    pub(super) step_seconds: u64,
    /// For each source of that database the one of the old.
    pub(super) of_source: &'a [Option<usize>],
}

impl NewRows<'_> {
    /// Fills the `count` oldest rows of the archive's ring with what the old database knows.
    pub(super) fn fill(&self, old: &Snapshot, ring: &mut [f64], count: usize) {
        if self.archive.cf.is_spread() {
            return self.fill_spread(old, ring, count);
        }
        if !is_plain(self.archive.cf) {
            return;
        }
        let grid = Grid::new(self.archive, self.step_seconds, old.live.last_update);
        let suppliers = suppliers(&old.definition, self.archive.cf);
        let sources = self.of_source.len();
        for (nth, row) in ring.chunks_exact_mut(sources).take(count).enumerate() {
            let (start_seconds, end_seconds) = grid.span(nth);
            for &supplier in &suppliers {
                let grid = Grid::of(&old.definition, &old.live, supplier);
                if let Some(rows) = rows_between(&grid, start_seconds, end_seconds) {
                    self.fill_row(old, supplier, &rows, row);
                }
            }
        }
    }

    /// The same where rows follow from single PDPs alone.
    fn fill_spread(&self, old: &Snapshot, ring: &mut [f64], count: usize) {
        let grid = Grid::new(self.archive, self.step_seconds, old.live.last_update);
        let sources = self.of_source.len();
        for (nth, row) in ring.chunks_exact_mut(sources).take(count).enumerate() {
            let (_, end_seconds) = grid.span(nth);
            for (value, kept) in row.iter_mut().zip(self.of_source) {
                let from = kept.and_then(|kept| Column::of_pdps(old, kept, self.step_seconds));
                let told =
                    from.map(|it| spread::row(self.archive, self.step_seconds, end_seconds, it));
                *value = told.unwrap_or(UNKNOWN);
            }
        }
    }

    /// Fills what is still unknown of a row from these rows of an archive.
    fn fill_row(&self, old: &Snapshot, supplier: usize, rows: &Rows, row: &mut [f64]) {
        let seconds = old.definition.archives[supplier].row_seconds(old.definition.step_seconds);
        let old_sources = old.definition.sources.len();
        for (value, kept) in row.iter_mut().zip(self.of_source) {
            if let Some(source) = kept.filter(|_| value.is_nan()) {
                let ring = &old.rows[supplier];
                let known = rows.iter().map(|row| ring[row * old_sources + source]);
                *value = consolidated(self.archive.cf, known, seconds as f64);
            }
        }
    }
}

/// Whether rows of that function can be calculated from rows.
pub(super) fn is_plain(cf: Cf) -> bool {
    matches!(cf, Cf::Average | Cf::Min | Cf::Max | Cf::Last)
}

/// The archives that rows of a function can be taken from, the best first.
pub(super) fn suppliers(definition: &Definition, cf: Cf) -> Vec<usize> {
    let archives = &definition.archives;
    let fits = |nth: &usize| archives[*nth].cf == cf || archives[*nth].cf == Cf::Average;
    let mut suppliers: Vec<usize> = (0..archives.len()).filter(fits).collect();
    suppliers
        .sort_by_key(|nth| (archives[*nth].pdp_per_row, std::cmp::Reverse(archives[*nth].rows)));
    suppliers
}

/// Consecutive rows of a ring, which may go on at its start.
struct Rows {
    first: usize,
    count: usize,
    ring: usize,
}

impl Rows {
    fn iter(&self) -> impl Iterator<Item = usize> {
        (self.first..self.first + self.count).map(|row| row % self.ring)
    }
}

/// The rows of a ring that a stretch of time touches; `None` if it lies outside.
fn rows_between(grid: &Grid, start_seconds: i64, end_seconds: i64) -> Option<Rows> {
    let ring = grid.rows;
    let (first, last) = match (grid.row_at(start_seconds), grid.row_at(end_seconds)) {
        (None, None) => return None,
        // Where a stretch starts before the ring, rrdtool takes its newest row, too, and where it
        // ends after the ring, it leaves the newest row out. What is in files stays the same.
        (None, Some(last)) => (ring - 1, last),
        (Some(first), None) => (first, (ring - 1 + ring - 1) % ring),
        (Some(first), Some(last)) => (first, last),
    };
    let count = if last + 1 < first { last + 1 + ring - first } else { last + 1 - first };
    Some(Rows { first, count, ring })
}

/// What rows of `row_seconds` say together; unknown if none of them is known.
fn consolidated(cf: Cf, values: impl Iterator<Item = f64>, row_seconds: f64) -> f64 {
    let known = values.filter(|value| !value.is_nan());
    let reduced = match cf {
        Cf::Average => return average(known, row_seconds),
        Cf::Min => known.reduce(|least, value| if least < value { least } else { value }),
        Cf::Max => known.reduce(|most, value| if most > value { most } else { value }),
        _ => known.last(),
    };
    reduced.unwrap_or(UNKNOWN)
}

fn average(known: impl Iterator<Item = f64>, row_seconds: f64) -> f64 {
    let mut found: Option<(f64, f64)> = None;
    for value in known {
        found = Some(match found {
            None => (value * row_seconds, row_seconds),
            Some((sum, seconds)) => (sum + value * row_seconds, seconds + row_seconds),
        });
    }
    found.map_or(UNKNOWN, |(sum, seconds)| sum / seconds)
}
