//! Rows that cannot be: far from all others, or outside of limits.

use rrd::{Moments, UNKNOWN};

use crate::Replacement;

/// The share of the known rows, at each end, that mean and deviation leave out.
const LEFT_OUT: f64 = 0.05;

/// The positions of rows that are further than `count` deviations from the mean.
pub(crate) fn by_deviation(rows: &[f64], count: f64, both_ways: bool) -> Vec<usize> {
    let known = sorted(rows);
    let cut = (known.len() as f64 * LEFT_OUT).ceil() as usize;
    let Some(middle) = known.get(cut..known.len().saturating_sub(cut)) else {
        return Vec::new();
    };
    let moments = moments(middle);
    let (mean, deviation) = (moments.mean, moments.deviation());
    if moments.count == 0 || deviation <= 0.0 {
        return Vec::new();
    }
    where_rows(rows, |value| {
        value - mean > count * deviation || (both_ways && mean - value > count * deviation)
    })
}

/// The positions of rows above `times` times a percentile.
pub(crate) fn by_percentile(rows: &[f64], percent: f64, times: f64) -> Vec<usize> {
    let known = sorted(rows);
    let rank = (known.len() as f64 * percent / 100.0).ceil() as usize;
    let Some(percentile) = known.get(rank.max(1) - 1) else { return Vec::new() };
    where_rows(rows, |value| value > percentile * times)
}

/// The positions of rows outside of limits; a NaN is no limit.
pub(crate) fn by_limits(rows: &[f64], minimum: f64, maximum: f64) -> Vec<usize> {
    where_rows(rows, |value| value < minimum || value > maximum)
}

/// Replaces the rows at these positions, which ascend.
pub(crate) fn replace(rows: &mut [f64], spikes: &[usize], by: Replacement) {
    for spike in spikes {
        rows[*spike] = UNKNOWN;
    }
    // Spikes that follow each other are replaced from the rows around all of them.
    let left = rows.to_vec();
    let mean = mean(&left);
    let (mut known, mut after) = (known(&left), None);
    for spike in spikes.iter().rev() {
        while known.last().is_some_and(|known| known.row > *spike) {
            after = known.pop();
        }
        let sides = Sides { before: known.last().copied(), after };
        rows[*spike] = sides.instead(*spike, by, mean);
    }
}

/// A known row.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) row: usize,
    pub(crate) value: f64,
}

fn known(rows: &[f64]) -> Vec<Known> {
    let rows = rows.iter().enumerate().filter(|(_, value)| !value.is_nan());
    rows.map(|(row, value)| Known { row, value: *value }).collect()
}

/// The known rows around unknown ones.
#[derive(Clone, Copy)]
pub(crate) struct Sides {
    pub(crate) before: Option<Known>,
    pub(crate) after: Option<Known>,
}

impl Sides {
    /// What comes into a row between them.
    pub(crate) fn instead(&self, row: usize, by: Replacement, mean: f64) -> f64 {
        match (by, self.before, self.after) {
            (Replacement::Mean, _, _) => mean,
            (Replacement::Previous, Some(before), _) => before.value,
            (Replacement::Line, Some(before), Some(after)) => {
                let share = (row - before.row) as f64 / (after.row - before.row) as f64;
                before.value + (after.value - before.value) * share
            }
            _ => UNKNOWN,
        }
    }
}

/// The mean of the known, finite values; unknown of none.
pub(crate) fn mean(rows: &[f64]) -> f64 {
    let Moments { count, mean, .. } = moments(rows);
    if count == 0 { UNKNOWN } else { mean }
}

fn moments(rows: &[f64]) -> Moments {
    let mut moments = Moments::default();
    rows.iter().filter(|value| value.is_finite()).for_each(|value| moments.take(*value, 1));
    moments
}

/// The known, finite values, in order.
fn sorted(rows: &[f64]) -> Vec<f64> {
    let mut known: Vec<f64> = rows.iter().copied().filter(|value| value.is_finite()).collect();
    known.sort_unstable_by(f64::total_cmp);
    known
}

fn where_rows(rows: &[f64], is_spike: impl Fn(f64) -> bool) -> Vec<usize> {
    (0..rows.len()).filter(|row| is_spike(rows[*row])).collect()
}

#[cfg(test)]
mod tests {
    use super::{by_deviation, by_limits, by_percentile, replace};
    use crate::Replacement;

    const NAN: f64 = f64::NAN;

    #[test]
    fn spikes_do_not_hide_each_other() {
        let mut rows: Vec<f64> = (0..200).map(|nth| 1e9 + f64::from(nth % 7)).collect();
        for spike in [20, 21, 90, 150] {
            rows[spike] = 1e15;
        }
        rows[30] = 0.0;
        assert_eq!(by_deviation(&rows, 10.0, false), [20, 21, 90, 150]);
        assert_eq!(by_deviation(&rows, 10.0, true), [20, 21, 30, 90, 150]);
        assert_eq!(by_percentile(&rows, 90.0, 2.0), [20, 21, 90, 150]);
    }

    #[test]
    fn flat_and_unknown_rows_have_no_spikes() {
        assert!(by_deviation(&[5.0; 40], 3.0, true).is_empty());
        assert!(by_deviation(&[NAN; 40], 3.0, true).is_empty());
        assert!(by_percentile(&[NAN; 40], 95.0, 2.0).is_empty());
        assert!(by_deviation(&[], 3.0, true).is_empty());
    }

    #[test]
    fn what_is_no_limit_limits_nothing() {
        let rows = [-5.0, 0.0, NAN, 7.0, f64::INFINITY];
        assert_eq!(by_limits(&rows, 0.0, NAN), [0]);
        assert_eq!(by_limits(&rows, NAN, 6.0), [3, 4]);
    }

    #[test]
    fn every_replacement() {
        let replaced = |by| {
            let mut rows = [1.0, 2.0, 99.0, 98.0, 6.0, 97.0];
            replace(&mut rows, &[2, 3, 5], by);
            rows
        };
        assert_eq!(replaced(Replacement::Previous), [1.0, 2.0, 2.0, 2.0, 6.0, 6.0]);
        let mean = 3.0;
        assert_eq!(replaced(Replacement::Mean), [1.0, 2.0, mean, mean, 6.0, mean]);
        let line = replaced(Replacement::Line);
        let third = 4.0 / 3.0;
        assert_eq!(line[..5], [1.0, 2.0, 2.0 + third, 2.0 + 4.0 * (2.0 / 3.0), 6.0]);
        assert!(line[5].is_nan());
        assert_eq!(replaced(Replacement::Unknown).iter().filter(|row| row.is_nan()).count(), 3);
    }
}
