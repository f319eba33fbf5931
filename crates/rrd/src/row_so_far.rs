//! What STDEV and PERCENTILE keep of a row until it ends.

use crate::{Archive, ConsolidationFunction, Definition, UNKNOWN};

/// What is kept of the known PDPs of a row in the making.
#[derive(Clone, Debug, PartialEq)]
pub enum RowSoFar {
    /// Nothing: the cell has all that counts.
    InCell,
    /// Of STDEV.
    Moments(Moments),
    /// Of PERCENTILE: the PDPs themselves, in no order that counts.
    Values(Vec<f64>),
}

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

impl RowSoFar {
    /// That of an archive of which no PDP is known.
    #[must_use]
    pub fn fresh(archive: &Archive) -> Self {
        match archive.cf {
            ConsolidationFunction::Stdev => Self::Moments(Moments::default()),
            ConsolidationFunction::Percentile(_) => Self::Values(Vec::new()),
            _ => Self::InCell,
        }
    }

    /// For each cell of a definition; none where all cells have all that counts.
    #[must_use]
    pub fn all_fresh(definition: &Definition) -> Vec<Self> {
        if !definition.has_spreads() {
            return Vec::new();
        }
        let sources = definition.sources.len();
        let of_archive = |archive| std::iter::repeat_n(Self::fresh(archive), sources);
        definition.archives.iter().flat_map(of_archive).collect()
    }

    /// Whether it can be that of an archive whose row has not ended.
    #[must_use]
    pub fn is_of(&self, archive: &Archive) -> bool {
        let fits = |known_pdps: u64| known_pdps < archive.pdp_per_row;
        match (self, archive.cf) {
            (Self::Moments(moments), ConsolidationFunction::Stdev) => fits(moments.count),
            (Self::Values(values), ConsolidationFunction::Percentile(Some(_))) => {
                fits(values.len() as u64) && values.iter().all(|value| !value.is_nan())
            }
            (Self::InCell, cf) => !cf.is_spread(),
            _ => false,
        }
    }

    /// Whether each of them keeps the same kind of thing as the other in its place.
    #[must_use]
    pub fn are_alike(these: &[Self], those: &[Self]) -> bool {
        let is_alike = |(one, other): (&Self, &Self)| {
            std::mem::discriminant(one) == std::mem::discriminant(other)
        };
        these.len() == those.len() && these.iter().zip(those).all(is_alike)
    }

    /// Takes so many known PDPs, all equal.
    pub fn take(&mut self, pdp: f64, count: u64) {
        match self {
            Self::InCell => {}
            Self::Moments(moments) => moments.take(pdp, count),
            Self::Values(values) => values.extend(std::iter::repeat_n(pdp, count as usize)),
        }
    }

    /// Counts each PDP so many times: what it is where each step is cut into as many.
    pub(crate) fn multiply(&mut self, factor: u64) {
        match self {
            Self::InCell => {}
            Self::Moments(Moments { count, squares, .. }) => {
                *count = count.saturating_mul(factor);
                *squares *= factor as f64;
            }
            Self::Values(values) => {
                let times = |value: &f64| std::iter::repeat_n(*value, factor as usize);
                *values = values.iter().flat_map(times).collect();
            }
        }
    }

    /// Ends the row: its value, by the function of its archive. Nothing is left then.
    pub fn end(&mut self, cf: ConsolidationFunction) -> f64 {
        match self {
            Self::InCell => UNKNOWN,
            Self::Moments(moments) => std::mem::take(moments).deviation(),
            Self::Values(values) => {
                let value = percentile(values, cf);
                values.clear();
                value
            }
        }
    }

    /// Forgets the row.
    pub fn clear(&mut self) {
        match self {
            Self::InCell => {}
            Self::Moments(moments) => *moments = Moments::default(),
            Self::Values(values) => values.clear(),
        }
    }
}

fn percentile(values: &mut [f64], cf: ConsolidationFunction) -> f64 {
    let ConsolidationFunction::Percentile(Some(percent)) = cf else { return UNKNOWN };
    if values.is_empty() {
        return UNKNOWN;
    }
    let rank = percent.rank(values.len());
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
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
