//! Some points of a series to one, where it has more than there is room for.

use series::Preferred;

use crate::aggregation::{self, Aggregation, are_enough};

/// How points become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Consolidation {
    #[default]
    Average,
    AverageZero,
    Sum,
    Minimum,
    Maximum,
    First,
    Last,
}

/// The names of consolidations.
pub(crate) const CONSOLIDATIONS: [(&str, Consolidation); 8] = [
    ("average", Consolidation::Average),
    ("avg", Consolidation::Average),
    ("avg_zero", Consolidation::AverageZero),
    ("first", Consolidation::First),
    ("last", Consolidation::Last),
    ("max", Consolidation::Maximum),
    ("min", Consolidation::Minimum),
    ("sum", Consolidation::Sum),
];

impl Consolidation {
    pub(crate) fn named(name: &str) -> Option<Self> {
        CONSOLIDATIONS.iter().find(|(it, _)| *it == name).map(|(_, it)| *it)
    }

    /// Which archive of a database has been consolidated so.
    pub(crate) fn preferred(self) -> Preferred {
        match self {
            Self::Average => Preferred::Average,
            Self::Minimum => Preferred::Minimum,
            Self::Maximum => Preferred::Maximum,
            Self::Last => Preferred::Last,
            Self::AverageZero | Self::Sum | Self::First => Preferred::Named,
        }
    }

    /// Points in parts of so many, each made one. The last part may have fewer: it is known if
    /// enough of a whole part are.
    pub(crate) fn points(self, values: &[f64], per_point: usize, x_files_factor: f64) -> Vec<f64> {
        if per_point <= 1 {
            return values.to_vec();
        }
        let part = |part: &[f64]| match are_enough(
            aggregation::count(part),
            per_point as f64,
            x_files_factor,
        ) {
            true => self.of(part),
            false => f64::NAN,
        };
        values.chunks(per_point).map(part).collect()
    }

    fn of(self, values: &[f64]) -> f64 {
        let known = || values.iter().copied().filter(|it| !it.is_nan());
        match self {
            Self::Average => Aggregation::Average.of(values),
            Self::AverageZero => Aggregation::AverageZero.of(values),
            Self::Sum => Aggregation::Sum.of(values),
            Self::Minimum => Aggregation::Minimum.of(values),
            Self::Maximum => Aggregation::Maximum.of(values),
            Self::First => known().next().unwrap_or(f64::NAN),
            Self::Last => Aggregation::Last.of(values),
        }
    }
}
