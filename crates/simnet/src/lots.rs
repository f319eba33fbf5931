//! Random numbers without state: the same source always gives the same number.

use chance::{first, mix};

/// A source of random numbers for one purpose, such as a port or a kind of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(mix(seed ^ 0x6779_7265_2073_696d))
    }

    /// A source that is independent of this one's other children.
    pub(crate) fn child(self, number: u64) -> Chance {
        Chance(mix(self.0 ^ first(number)))
    }

    /// From 0 inclusive to 1 exclusive.
    pub(crate) fn unit(self) -> f64 {
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From `low` to `high`.
    pub(crate) fn between(self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// From 0 inclusive to `limit` exclusive.
    pub(crate) fn below(self, limit: u64) -> u64 {
        ((u128::from(self.0) * u128::from(limit)) >> 64) as u64
    }
}
