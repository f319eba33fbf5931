//! What the rows of a span say of one value.

use rrd::Stretch;

/// What the known rows of one value say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// How many are known.
    pub rows: usize,
    /// Their average.
    pub average: f64,
    /// The least.
    pub minimum: f64,
    /// The greatest.
    pub maximum: f64,
}

impl Default for Figures {
    /// No row is known.
    fn default() -> Self {
        Self { rows: 0, average: f64::NAN, minimum: f64::NAN, maximum: f64::NAN }
    }
}

impl Figures {
    /// Those of known values.
    #[must_use]
    pub fn of(known: &[f64]) -> Self {
        let mut figures = Counting::default();
        known.iter().for_each(|value| figures.take(*value));
        figures.finish()
    }

    /// Those of the finite values of the first two columns. Rows are looked at once, for the sums
    /// of both columns then grow side by side.
    pub(crate) fn of_both(rows: &Stretch) -> [Self; 2] {
        let mut both = [Counting::default(); 2];
        let columns = rows.source_names.len().max(1);
        for row in rows.held.chunks_exact(columns) {
            for (figures, value) in both.iter_mut().zip(row) {
                if value.is_finite() {
                    figures.take(*value);
                }
            }
        }
        both.map(Counting::finish)
    }
}

/// Figures of the values so far.
#[derive(Clone, Copy)]
struct Counting {
    rows: usize,
    sum: f64,
    minimum: f64,
    maximum: f64,
}

impl Default for Counting {
    fn default() -> Self {
        // What a sum of floating point numbers begins with: -0 changes no value.
        Self { rows: 0, sum: -0.0, minimum: f64::INFINITY, maximum: f64::NEG_INFINITY }
    }
}

impl Counting {
    fn take(&mut self, value: f64) {
        self.rows += 1;
        self.sum += value;
        // Plain comparisons: `f64::min` asks of each value whether it is a NaN.
        self.minimum = if value < self.minimum { value } else { self.minimum };
        self.maximum = if value > self.maximum { value } else { self.maximum };
    }

    fn finish(self) -> Figures {
        let Self { rows, sum, minimum, maximum } = self;
        match rows {
            0 => Figures::default(),
            _ => Figures { rows, average: sum / rows as f64, minimum, maximum },
        }
    }
}

/// The finite values of a column, in place of what the list had.
pub(crate) fn known(rows: &Stretch, column: usize, into: &mut Vec<f64>) {
    into.clear();
    let columns = rows.source_names.len().max(1);
    let values = rows.held.chunks_exact(columns).filter_map(|row| row.get(column));
    into.extend(values.filter(|value| value.is_finite()));
}

/// The 95th percentile of known values, as rrdtool's PERCENTNAN; NaN of none. Their order changes.
#[must_use]
pub fn percentile_95(known: &mut [f64]) -> f64 {
    match known.is_empty() {
        true => f64::NAN,
        false => *known.select_nth_unstable_by(place_of_95(known.len()), f64::total_cmp).1,
    }
}

/// The place of the 95th percentile among so many sorted values.
fn place_of_95(count: usize) -> usize {
    (95.0 * count.saturating_sub(1) as f64 / 100.0).round() as usize
}

/// Whether the 95th percentile of a column is surely less than a level: too few of its values
/// reach that. Nothing is sorted for it, nor copied.
pub(crate) fn is_percentile_below(rows: &Stretch, column: usize, level: f64) -> bool {
    let columns = rows.source_names.len().max(1);
    let (mut known, mut reaching) = (0_usize, 0_usize);
    for value in rows.held.iter().skip(column).step_by(columns) {
        known += usize::from(value.is_finite());
        reaching += usize::from(value.is_finite() && *value >= level);
    }
    reaching < known.saturating_sub(place_of_95(known)).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Figures, is_percentile_below, known, percentile_95};
    use rrd::{Stretch, Tick};

    #[test]
    fn figures_of_known_values() {
        let figures = Figures::of(&[3.0, 1.0, 2.0]);
        assert_eq!(figures, Figures { rows: 3, average: 2.0, minimum: 1.0, maximum: 3.0 });
        assert!(Figures::of(&[]).average.is_nan());
        let mut hundred: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(percentile_95(&mut hundred), 95.0);
        assert!(percentile_95(&mut []).is_nan());
    }
    #[test]
    fn columns_are_looked_at_without_a_copy() {
        let number = |nth: u64| chance::mix(nth) % 50;
        for count in 0..120 {
            let held = (0..2 * count).map(|nth| match number(nth) {
                0..10 => f64::NAN,
                number => number as f64,
            });
            let rows = Stretch {
                tick: Tick::SECOND,
                start_seconds: 0,
                end_seconds: count as i64,
                step_seconds: 1,
                source_names: vec!["ds0".to_owned(), "ds1".to_owned()],
                rows: count + 1,
                rows_before: 1,
                held: held.collect(),
            };
            let mut room = Vec::new();
            for column in 0..2 {
                known(&rows, column, &mut room);
                let (one, other) = (Figures::of(&room), Figures::of_both(&rows)[column]);
                assert_eq!(format!("{one:?}"), format!("{other:?}"));
                let percentile = percentile_95(&mut room);
                for level in 0..50 {
                    let level = f64::from(level);
                    let is_below = is_percentile_below(&rows, column, level);
                    assert_eq!(is_below, room.is_empty() || percentile < level);
                }
            }
        }
    }
}
