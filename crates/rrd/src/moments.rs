//! Count, mean and spread of values, one after the other.

use crate::UNKNOWN;

/// Count, mean and squared deviations of values, which stand for them all. The sums stay small
/// where the values are large and close together: a plain sum of squares would lose all digits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// How many values.
    pub count: u64,
    /// Their mean; 0 of none.
    pub mean: f64,
    /// The sum of their squared distances from the mean.
    pub squares: f64,
}

impl Moments {
    /// Those of one value.
    #[must_use]
    pub fn of(value: f64) -> Self {
        Self { count: 1, mean: value, squares: 0.0 }
    }

    /// Those of these values and others.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        let (own, others) = (self.count as f64, other.count as f64);
        let count = own + others;
        let distance = other.mean - self.mean;
        let mean = self.mean + distance * (others / count);
        let between = distance * distance * (own * others / count);
        let squares = self.squares + other.squares + between;
        Self { count: self.count + other.count, mean, squares }
    }

    /// Takes so many values more, all equal: Welford's recurrence, for a run of them at once.
    pub fn take(&mut self, value: f64, count: u64) {
        if count == 0 {
            return;
        }
        let before = self.count as f64;
        self.count += count;
        let share = count as f64 / self.count as f64;
        let distance = value - self.mean;
        self.mean += distance * share;
        self.squares += distance * distance * before * share;
    }

    /// The standard deviation of the values; unknown of none.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        known((self.squares / self.count as f64).sqrt())
    }

    /// The standard deviation of what the values are a sample of; unknown of fewer than two.
    #[must_use]
    pub fn sample_deviation(self) -> f64 {
        match self.count {
            0 | 1 => UNKNOWN,
            count => (self.squares / (count - 1) as f64).sqrt(),
        }
    }
}

/// The one unknown value of all files, in place of what calculating with infinity gives.
fn known(value: f64) -> f64 {
    if value.is_nan() { UNKNOWN } else { value }
}

#[cfg(test)]
mod tests {
    use super::Moments;

    #[test]
    fn a_run_is_what_its_values_are() {
        let (mut one_by_one, mut at_once) = (Moments::default(), Moments::default());
        for (value, count) in [(3.0, 1), (1e9, 17), (-2.5, 3), (0.0, 40)] {
            (0..count).for_each(|_| one_by_one.take(value, 1));
            at_once.take(value, count);
        }
        assert_eq!(one_by_one.count, at_once.count);
        let ratio = one_by_one.deviation() / at_once.deviation();
        assert!((ratio - 1.0).abs() < 1e-12, "{ratio}");
    }

    #[test]
    fn equal_values_deviate_by_nothing() {
        let mut moments = Moments::default();
        (0..1000).for_each(|_| moments.take(0.1 + 0.2, 3));
        assert_eq!(moments.deviation(), 0.0);
    }

    #[test]
    fn a_billion_and_some_noise_keep_their_digits() {
        let mut moments = Moments::default();
        for nth in 0..4096 {
            moments.take(1e9 + f64::from(nth % 2), 1);
        }
        assert!((moments.deviation() - 0.5).abs() < 1e-9, "{}", moments.deviation());
    }
}
