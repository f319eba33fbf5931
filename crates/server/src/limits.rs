//! The limits that a configuration sets to a value, as pages show them.

use std::sync::Arc;

/// A limit of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Which side of it is good.
    pub side: LimitSide,
    /// Where it is.
    pub at: LimitAt,
    /// Its key and number in the configuration: `ThreshMaxI 80%`.
    pub words: Arc<str>,
}

/// On which side of a limit a value is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitSide {
    /// At the limit or above.
    Min,
    /// At the limit or below.
    Max,
}

/// Where a limit is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimitAt {
    /// In the units of the database.
    Value(f64),
    /// In percent of the expected maximum.
    Percent(f64),
}

impl Limit {
    /// Where it is, in the units of the database.
    pub(crate) fn value(&self, maximum: f64) -> f64 {
        match self.at {
            LimitAt::Value(value) => value,
            LimitAt::Percent(percent) => maximum * percent / 100.0,
        }
    }
}
