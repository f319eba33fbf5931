//! AVERAGE, MIN and MAX of one stretch of time on one grid of rows.

use rrd::Stretch;

/// The rows of a grid: `count` of them, the first of which ends at `first_end`. Times are counted in
/// the ticks of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) first_end: i64,
    pub(super) step: i64,
    pub(super) count: usize,
    /// How many rows of the archive are one of the grid.
    pub(super) merged: usize,
}

impl Grid {
    /// The grid of the rows that a stretch holds, `merged` of which are one. Where a row begins does
    /// not depend on where the stretch does, so that a chart that is moved keeps its rows.
    pub(super) fn of(rows: &Stretch, merged: usize) -> Self {
        let row = rows.step_seconds.max(1) as i64;
        let step = row.saturating_mul(merged as i64);
        let held = held_rows(rows) as i64;
        let start = rows.start_seconds + rows.rows_before as i64 * row;
        let end = start + held * row;
        let first_start = start.div_euclid(step) * step;
        let last_end = -(-end).div_euclid(step) * step;
        let count = if held == 0 { 0 } else { (last_end - first_start) / step };
        Self { first_end: first_start + step, step, count: count as usize, merged }
    }

    /// The row of the grid that holds a row which ends at this time.
    fn position(&self, end: i64) -> Option<usize> {
        let position = (end - 1 - (self.first_end - self.step)).div_euclid(self.step);
        usize::try_from(position).ok().filter(|position| *position < self.count)
    }

    /// A column of a stretch with the step of the archive, put together.
    pub(super) fn merge(&self, rows: &Stretch, column: usize, how: Merge) -> Vec<f64> {
        self.merge_of(rows, column, how, 0)
    }

    /// The same of a stretch of that long ago.
    fn merge_of(&self, rows: &Stretch, column: usize, how: Merge, ago: i64) -> Vec<f64> {
        let mut cells = vec![Cell::default(); self.count];
        for (end, value) in column_of(rows, column) {
            let position = end.checked_add(ago).and_then(|end| self.position(end));
            if let Some(cell) = position.and_then(|position| cells.get_mut(position)) {
                cell.add(value, how);
            }
        }
        cells.iter().map(|cell| cell.value(how)).collect()
    }

    /// A column of a stretch of that long ago, whose rows may be of any length: each row of the grid
    /// gets the average of those that end in it, and of longer ones the one that its end lies in.
    pub(super) fn ghost(&self, rows: &Stretch, column: usize, ago: i64) -> Vec<f64> {
        let columns = rows.source_names.len().max(1);
        let step = rows.step_seconds.max(1) as i64;
        if step < self.step {
            return self.merge_of(rows, column, Merge::Average, ago);
        }
        let start = rows.start_seconds + rows.rows_before as i64 * step;
        let value = |nth: usize| {
            let end = self.first_end + nth as i64 * self.step - ago;
            let row = usize::try_from((end - 1 - start).div_euclid(step)).ok()?;
            rows.held.get(row.checked_mul(columns)?.checked_add(column)?).copied()
        };
        (0..self.count).map(|nth| value(nth).unwrap_or(f64::NAN)).collect()
    }
}

/// How rows are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    Average,
    Minimum,
    Maximum,
}

/// What is known of a row so far.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    sum: f64,
    known: u32,
}

impl Cell {
    fn add(&mut self, value: f64, how: Merge) {
        if !value.is_finite() {
            return;
        }
        self.sum = match (how, self.known) {
            (_, 0) => value,
            (Merge::Average, _) => self.sum + value,
            (Merge::Minimum, _) => self.sum.min(value),
            (Merge::Maximum, _) => self.sum.max(value),
        };
        self.known += 1;
    }

    fn value(&self, how: Merge) -> f64 {
        match (how, self.known) {
            (_, 0) => f64::NAN,
            (Merge::Average, 2..) => self.sum / f64::from(self.known),
            _ => self.sum,
        }
    }
}

/// How many rows are in memory.
pub(super) fn held_rows(rows: &Stretch) -> usize {
    rows.held.len() / rows.source_names.len().max(1)
}

/// The held values of a column with the times at which their rows end.
pub(super) fn column_of(rows: &Stretch, column: usize) -> impl Iterator<Item = (i64, f64)> {
    let columns = rows.source_names.len().max(1);
    let step = rows.step_seconds as i64;
    let first = rows.start_seconds + (rows.rows_before as i64 + 1) * step;
    let values = rows.held.iter().skip(column).step_by(columns);
    (0..).zip(values).map(move |(nth, value)| (first + nth * step, *value))
}

#[cfg(test)]
mod tests {
    use rrd::{Stretch, Tick};

    use super::{Grid, Merge};

    /// Rows of ten seconds from the end 130 on, of two columns.
    fn stretch(values: &[f64]) -> Stretch {
        Stretch {
            tick: Tick::SECOND,
            start_seconds: 100,
            end_seconds: 200,
            step_seconds: 10,
            source_names: vec!["a".into(), "b".into()],
            rows: 10,
            rows_before: 2,
            held: values.iter().flat_map(|value| [*value, -value]).collect(),
        }
    }

    #[test]
    fn rows_that_no_archive_holds_are_left_out() {
        let rows = stretch(&[1.0, 2.0, f64::NAN, 4.0]);
        let grid = Grid::of(&rows, 1);
        assert_eq!(grid, Grid { first_end: 130, step: 10, count: 4, merged: 1 });
        let second = grid.merge(&rows, 1, Merge::Average);
        assert_eq!(second[..2], [-1.0, -2.0]);
        assert!(second[2].is_nan());
        assert_eq!(Grid::of(&stretch(&[]), 3).count, 0);
    }

    #[test]
    fn merged_rows_begin_at_multiples_of_their_length() {
        // They end at 130, 140 | 150, 160, 170 and so on: rows of 30 s end at 150, 180.
        let rows = stretch(&[1.0, 2.0, 6.0, 7.0, f64::NAN, 9.0]);
        let grid = Grid::of(&rows, 3);
        assert_eq!(grid, Grid { first_end: 150, step: 30, count: 2, merged: 3 });
        assert_eq!(grid.merge(&rows, 0, Merge::Average), [3.0, 8.0]);
        assert_eq!(grid.merge(&rows, 0, Merge::Minimum), [1.0, 7.0]);
        assert_eq!(grid.merge(&rows, 0, Merge::Maximum), [6.0, 9.0]);
    }

    #[test]
    fn a_ghost_of_shorter_rows_is_their_average() {
        // Those that end at 130, 140 | 150, 160, 170 and so on, a thousand ticks later.
        let rows = stretch(&[1.0, 2.0, 6.0, 7.0, f64::NAN, 9.0]);
        let grid = Grid { first_end: 1140, step: 30, count: 4, merged: 3 };
        let ghost = grid.ghost(&rows, 0, 1000);
        assert_eq!(ghost[..3], [1.5, 6.5, 9.0]);
        assert!(ghost[3].is_nan());
    }

    #[test]
    fn a_ghost_may_have_longer_rows() {
        let rows = stretch(&[1.0, 2.0, 3.0]);
        let grid = Grid { first_end: 1125, step: 5, count: 4, merged: 1 };
        let ghost = grid.ghost(&rows, 0, 1000);
        assert_eq!(ghost[..4], [1.0, 1.0, 2.0, 2.0]);
        let later = Grid { first_end: 1155, ..grid }.ghost(&rows, 0, 1000);
        assert!(later.iter().all(|value| value.is_nan()));
    }
}
