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
        let [first, rest @ ..] = known else { return Self::default() };
        let (mut sum, mut minimum, mut maximum) = (*first, *first, *first);
        // Plain comparisons: `f64::min` asks of each value whether it is a NaN.
        for value in rest {
            sum += value;
            minimum = if *value < minimum { *value } else { minimum };
            maximum = if *value > maximum { *value } else { maximum };
        }
        Self { rows: known.len(), average: sum / known.len() as f64, minimum, maximum }
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
    let Some(last) = known.len().checked_sub(1) else { return f64::NAN };
    let place = (95.0 * last as f64 / 100.0).round() as usize;
    *known.select_nth_unstable_by(place, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::{Figures, percentile_95};

    #[test]
    fn figures_of_known_values() {
        let figures = Figures::of(&[3.0, 1.0, 2.0]);
        assert_eq!(figures, Figures { rows: 3, average: 2.0, minimum: 1.0, maximum: 3.0 });
        assert!(Figures::of(&[]).average.is_nan());
        let mut hundred: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(percentile_95(&mut hundred), 95.0);
        assert!(percentile_95(&mut []).is_nan());
    }
}
