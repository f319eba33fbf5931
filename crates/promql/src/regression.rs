//! Sums whose rounding errors do not add up, and what is made of them.

/// A sum that carries what rounding left out (Neumaier's variant of Kahan's).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    sum: f64,
    left_out: f64,
}

impl Sum {
    /// Adds a number.
    pub(crate) fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.left_out += if sum.is_infinite() {
            0.0
        } else if self.sum.abs() >= value.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
    }

    /// The sum.
    pub(crate) fn total(self) -> f64 {
        if self.sum.is_infinite() { self.sum } else { self.sum + self.left_out }
    }
}

/// The mean of numbers, of which there is at least one.
pub(crate) fn mean(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mut sum = Sum::default();
    values.iter().for_each(|value| sum.add(*value));
    match sum.total() {
        // The sum may be too large where the mean is not.
        total if total.is_infinite() && values.iter().all(|it| it.is_finite()) => {
            let mut sum = Sum::default();
            values.iter().for_each(|value| sum.add(*value / count));
            sum.total()
        }
        total => total / count,
    }
}

/// The variance of numbers, of which there is at least one.
pub(crate) fn variance(values: &[f64]) -> f64 {
    let (mut mean, mut squares) = (Sum::default(), Sum::default());
    for (nth, value) in values.iter().enumerate() {
        let delta = value - mean.total();
        mean.add(delta / (nth + 1) as f64);
        squares.add(delta * (value - mean.total()));
    }
    squares.total() / values.len() as f64
}

/// The value below which a share of numbers lies, between neighbours in proportion. The numbers
/// are sorted by it.
pub(crate) fn quantile(share: f64, values: &mut [f64]) -> f64 {
    if values.is_empty() || share.is_nan() {
        return f64::NAN;
    }
    if !(0.0..=1.0).contains(&share) {
        return if share < 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    values.sort_unstable_by(|one, other| nan_first(*one, *other));
    let last = values.len() - 1;
    let rank = share * last as f64;
    let below = (rank.floor() as usize).min(last);
    let weight = rank - rank.floor();
    values[below] * (1.0 - weight) + values[(below + 1).min(last)] * weight
}

/// The order in which NaN is less than all numbers.
pub(crate) fn nan_first(one: f64, other: f64) -> std::cmp::Ordering {
    one.partial_cmp(&other).unwrap_or_else(|| other.is_nan().cmp(&one.is_nan()))
}

/// A line through samples.
pub(crate) struct Line {
    /// Its rise in a second.
    pub(crate) slope: f64,
    /// Its height at the time that was asked for.
    pub(crate) height: f64,
}

/// The line that is nearest to samples by least squares.
pub(crate) fn line(times_micros: &[i64], values: &[f64], at_micros: i64) -> Line {
    let first = values[0];
    if values.iter().all(|value| *value == first) {
        return match first.is_infinite() {
            true => Line { slope: f64::NAN, height: f64::NAN },
            false => Line { slope: 0.0, height: first },
        };
    }
    let [mut x, mut y, mut xy, mut xx] = [Sum::default(); 4];
    for (time, value) in times_micros.iter().zip(values) {
        let seconds = (time - at_micros) as f64 / 1e6;
        x.add(seconds);
        y.add(*value);
        xy.add(seconds * value);
        xx.add(seconds * seconds);
    }
    let count = values.len() as f64;
    let covariance = xy.total() - x.total() * y.total() / count;
    let slope = covariance / (xx.total() - x.total() * x.total() / count);
    Line { slope, height: y.total() / count - slope * x.total() / count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_survive_large_ones() {
        let mut sum = Sum::default();
        [1e100, 1.0, -1e100].iter().for_each(|value| sum.add(*value));
        assert_eq!(sum.total(), 1.0);
        assert_eq!(mean(&[f64::MAX, f64::MAX]), f64::MAX);
        assert_eq!(mean(&[f64::INFINITY, 1.0]), f64::INFINITY);
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(quantile(0.5, &mut [3.0, 1.0]), 2.0);
        assert_eq!(quantile(1.0, &mut [3.0, 1.0, f64::NAN]), 3.0);
        assert_eq!(quantile(-1.0, &mut [1.0]), f64::NEG_INFINITY);
        assert!(quantile(f64::NAN, &mut [1.0]).is_nan());
    }

    #[test]
    fn a_line_is_found_again() {
        let found = line(&[0, 1_000_000, 2_000_000], &[1.0, 3.0, 5.0], 4_000_000);
        assert_eq!((found.slope, found.height), (2.0, 9.0));
    }
}
