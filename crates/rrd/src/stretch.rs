//! A stretch of time of which only the rows that an archive holds are in memory.

use crate::fetch::{HeldRows, Window};
use crate::{Definition, Series, Tick, UNKNOWN};

/// A stretch of time, with the rows that an archive holds of it. Those before and after them are
/// unknown, and take no memory, however many they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// What the times are counted in: where it is no second, "seconds" are ticks.
    pub tick: Tick,
    /// The start of the stretch: the first row *ends* one step later.
    pub start_seconds: i64,
    /// The end of the last row.
    pub end_seconds: i64,
    /// Seconds between two rows.
    pub step_seconds: u64,
    /// The names of the data sources, one for each column.
    pub source_names: Vec<String>,
    /// How many rows there are, those at both ends included.
    pub rows: u64,
    /// How many unknown rows come before those that are held.
    pub rows_before: u64,
    /// Row-major values of the rows that are held; NaN is unknown.
    pub held: Vec<f64>,
}

impl Stretch {
    /// The stretch of a window whose archive holds these rows of it, with these values.
    #[must_use]
    pub fn new(
        window: &Window,
        definition: &Definition,
        held_rows: HeldRows,
        held: Vec<f64>,
    ) -> Self {
        Self {
            tick: definition.tick,
            start_seconds: window.start_seconds,
            end_seconds: window.end_seconds,
            step_seconds: window.step_seconds,
            source_names: definition.sources.iter().map(|source| source.name.clone()).collect(),
            rows: window.rows,
            rows_before: held_rows.before,
            held,
        }
    }

    /// All rows with the time at which each ends, in seconds; `None` for one that is not held.
    pub fn iter(&self) -> impl Iterator<Item = (i64, Option<&[f64]>)> {
        let columns = self.source_names.len().max(1);
        (0..self.rows).map(move |nth| {
            let seconds = self.start_seconds + (nth as i64 + 1) * self.step_seconds as i64;
            let held = nth.checked_sub(self.rows_before).and_then(|nth| usize::try_from(nth).ok());
            let first = held.and_then(|nth| nth.checked_mul(columns));
            (seconds, first.and_then(|first| self.held.get(first..first + columns)))
        })
    }

    /// The same with every row in memory.
    ///
    /// # Panics
    /// If there is no memory for them: [`crate::fetch::window`] sees to it that there is.
    #[must_use]
    pub fn whole(self) -> Series {
        let columns = self.source_names.len();
        let size = self.rows as usize * columns;
        let before = self.rows_before as usize * columns;
        let values = match before == 0 && self.held.len() == size {
            true => self.held,
            false => {
                let mut values = vec![UNKNOWN; size];
                values[before..before + self.held.len()].copy_from_slice(&self.held);
                values
            }
        };
        Series {
            tick: self.tick,
            start_seconds: self.start_seconds,
            end_seconds: self.end_seconds,
            step_seconds: self.step_seconds,
            source_names: self.source_names,
            values,
        }
    }
}

impl From<Series> for Stretch {
    fn from(series: Series) -> Self {
        Self {
            tick: series.tick,
            start_seconds: series.start_seconds,
            end_seconds: series.end_seconds,
            step_seconds: series.step_seconds,
            rows: series.rows() as u64,
            rows_before: 0,
            source_names: series.source_names,
            held: series.values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stretch;
    use crate::Tick;

    #[test]
    fn rows_that_are_not_held_are_told_and_unknown_in_the_whole() {
        let stretch = Stretch {
            tick: Tick::SECOND,
            start_seconds: 100,
            end_seconds: 150,
            step_seconds: 10,
            source_names: vec!["a".into(), "b".into()],
            rows: 5,
            rows_before: 2,
            held: vec![1.0, 2.0, 3.0, 4.0],
        };
        let rows: Vec<_> = stretch.iter().collect();
        let (third, fourth): (&[f64], &[f64]) = (&[1.0, 2.0], &[3.0, 4.0]);
        let expected = [(110, None), (120, None), (130, Some(third)), (140, Some(fourth))];
        assert_eq!(rows[..4], expected);
        assert_eq!(rows[4], (150, None));
        let whole = stretch.whole();
        assert_eq!(whole.rows(), 5);
        assert_eq!(whole.values[4..8], [1.0, 2.0, 3.0, 4.0]);
        assert!([0, 1, 2, 3, 8, 9].iter().all(|nth| whole.values[*nth].is_nan()));
    }
}
