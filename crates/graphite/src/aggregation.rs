//! Many values to one.

/// How many values become one. NaN is unknown, and only [`Aggregation::AverageZero`],
/// [`Aggregation::Count`] and [`Aggregation::Product`] see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aggregation {
    Average,
    /// What is unknown counts as 0.
    AverageZero,
    Median,
    Sum,
    Minimum,
    Maximum,
    /// The first less all others.
    Difference,
    /// The standard deviation.
    Deviation,
    Count,
    Range,
    /// Unknown if one is.
    Product,
    Last,
}

/// The names of aggregations.
pub(crate) const AGGREGATIONS: [(&str, Aggregation); 16] = [
    ("average", Aggregation::Average),
    ("avg", Aggregation::Average),
    ("avg_zero", Aggregation::AverageZero),
    ("count", Aggregation::Count),
    ("current", Aggregation::Last),
    ("diff", Aggregation::Difference),
    ("last", Aggregation::Last),
    ("max", Aggregation::Maximum),
    ("median", Aggregation::Median),
    ("min", Aggregation::Minimum),
    ("multiply", Aggregation::Product),
    ("range", Aggregation::Range),
    ("rangeOf", Aggregation::Range),
    ("stddev", Aggregation::Deviation),
    ("sum", Aggregation::Sum),
    ("total", Aggregation::Sum),
];

impl Aggregation {
    pub(crate) fn named(name: &str) -> Option<Self> {
        AGGREGATIONS.iter().find(|(it, _)| *it == name).map(|(_, it)| *it)
    }

    /// The one value, or NaN.
    pub(crate) fn of(self, values: &[f64]) -> f64 {
        let known = || values.iter().copied().filter(|it| !it.is_nan());
        match self {
            Self::Average => average(values),
            Self::AverageZero => known().sum::<f64>() / values.len() as f64,
            Self::Median => median(values),
            Self::Sum => sum(values),
            Self::Minimum => known().fold(f64::NAN, f64::min),
            Self::Maximum => known().fold(f64::NAN, f64::max),
            Self::Difference => known().reduce(|a, b| a - b).unwrap_or(f64::NAN),
            Self::Deviation => deviation(values),
            Self::Count => known().count() as f64,
            Self::Range => known().fold(f64::NAN, f64::max) - known().fold(f64::NAN, f64::min),
            Self::Product => values.iter().product(),
            Self::Last => known().next_back().unwrap_or(f64::NAN),
        }
    }
}

/// The sum of what is known; NaN if nothing is.
pub(crate) fn sum(values: &[f64]) -> f64 {
    values.iter().copied().filter(|it| !it.is_nan()).reduce(|a, b| a + b).unwrap_or(f64::NAN)
}

/// The average of what is known; NaN if nothing is.
pub(crate) fn average(values: &[f64]) -> f64 {
    sum(values) / count(values) as f64
}

/// How many values are known.
pub(crate) fn count(values: &[f64]) -> usize {
    values.iter().filter(|it| !it.is_nan()).count()
}

/// Whether enough values are known.
pub(crate) fn are_enough(known: usize, all: f64, x_files_factor: f64) -> bool {
    known > 0 && all > 0.0 && known as f64 / all >= x_files_factor
}

fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        even if even % 2 == 0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
        _ => sorted[middle],
    }
}

fn deviation(values: &[f64]) -> f64 {
    let mean = average(values);
    let squares = values.iter().filter(|it| !it.is_nan()).map(|it| (it - mean) * (it - mean));
    (squares.sum::<f64>() / count(values) as f64).sqrt()
}

/// What is known, from the smallest to the largest.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|it| !it.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The value below which so many percent of the others lie, or between two values if it is
/// interpolated; NaN if nothing is known.
pub(crate) fn percentile(values: &[f64], percent: f64, is_interpolated: bool) -> f64 {
    let sorted = sorted(values);
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return f64::NAN };
    let exact = percent / 100.0 * (sorted.len() + 1) as f64;
    let part = exact - exact.trunc();
    let mut rank = exact.trunc().max(0.0) as usize;
    if !is_interpolated && part > 0.0 {
        rank += 1;
    }
    let value = match rank {
        0 => *first,
        rank => *sorted.get(rank - 1).unwrap_or(last),
    };
    match sorted.get(rank) {
        Some(next) if is_interpolated => value + part * (next - value),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_known_is_unknown() {
        for (name, aggregation) in AGGREGATIONS {
            let none = aggregation.of(&[f64::NAN, f64::NAN]);
            match aggregation {
                Aggregation::Count | Aggregation::AverageZero => assert_eq!(none, 0.0, "{name}"),
                _ => assert!(none.is_nan(), "{name}"),
            }
        }
    }

    #[test]
    fn percentiles_are_values_or_between_them() {
        let values = [5.0, 1.0, f64::NAN, 3.0];
        assert_eq!(percentile(&values, 50.0, false), 3.0);
        assert_eq!(percentile(&values, 60.0, false), 5.0);
        assert_eq!(percentile(&values, 60.0, true), 3.0 + 0.4 * 2.0);
        assert_eq!(percentile(&values, 100.0, false), 5.0);
        assert!(percentile(&[], 50.0, false).is_nan());
    }
}
