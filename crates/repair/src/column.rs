//! The rows of one archive and source.

use rrd::{Definition, Snapshot};

use crate::Span;

/// The rows of one archive and source, oldest first.
pub(crate) struct Column {
    pub(crate) archive: usize,
    pub(crate) source: usize,
    pub(crate) row_seconds: u64,
    first_end_seconds: i64,
    pub(crate) values: Vec<f64>,
}

impl Column {
    pub(crate) fn of(whole: &Snapshot, archive: usize, source: usize) -> Self {
        let Definition { archives, sources, step_seconds, .. } = &whole.definition;
        let row_seconds = archives[archive].row_seconds(*step_seconds);
        let ring = &whole.rows[archive];
        let values: Vec<f64> = ring.iter().skip(source).step_by(sources.len()).copied().collect();
        let rows_before = values.len() as i64 - 1;
        let first_end_seconds =
            whole.newest_row_seconds(archive) - rows_before * row_seconds as i64;
        Self { archive, source, row_seconds, first_end_seconds, values }
    }

    /// When a row ends.
    pub(crate) fn end_seconds(&self, row: usize) -> i64 {
        self.first_end_seconds + row as i64 * self.row_seconds as i64
    }

    /// The row that ends then; `None` if the ring has none.
    pub(crate) fn row_ending_at(&self, seconds: i64) -> Option<usize> {
        let after_seconds = seconds.checked_sub(self.first_end_seconds)?;
        let row = usize::try_from(after_seconds / self.row_seconds as i64).ok()?;
        let is_there = after_seconds >= 0
            && after_seconds % self.row_seconds as i64 == 0
            && row < self.values.len();
        is_there.then_some(row)
    }

    /// The rows of a span.
    pub(crate) fn rows_of(&self, span: Span) -> std::ops::Range<usize> {
        let is_before = |row: &usize| self.end_seconds(*row) <= span.start_seconds;
        let begin = (0..self.values.len()).take_while(is_before).count();
        let is_within = |row: &usize| span.has(self.end_seconds(*row));
        begin..begin + (begin..self.values.len()).take_while(is_within).count()
    }

    /// Puts its values where they came from.
    pub(crate) fn put_into(&self, whole: &mut Snapshot) {
        let sources = whole.definition.sources.len();
        let cells = whole.rows[self.archive].iter_mut().skip(self.source).step_by(sources);
        cells.zip(&self.values).for_each(|(cell, value)| *cell = *value);
    }
}
