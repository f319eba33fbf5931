//! How much one question may take.

use series::Unanswered;

/// Bounds on one answer.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most series.
    pub series_max: usize,
    /// The most values of all series.
    pub values_max: usize,
    /// The most names, values of a label or nodes of a tree.
    pub names_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { series_max: 300_000, values_max: 50_000_000, names_max: 1_000_000 }
    }
}

impl Limits {
    pub(crate) fn check_series(&self, count: usize) -> Result<(), Unanswered> {
        check("series", count, self.series_max)
    }

    pub(crate) fn check_values(&self, count: usize) -> Result<(), Unanswered> {
        check("values", count, self.values_max)
    }

    pub(crate) fn check_names(&self, count: usize) -> Result<(), Unanswered> {
        check("names", count, self.names_max)
    }
}

fn check(what: &'static str, count: usize, limit: usize) -> Result<(), Unanswered> {
    match count > limit {
        true => Err(Unanswered::TooMuch { what, count: count as u64, limit: limit as u64 }),
        false => Ok(()),
    }
}
