//! A moment on the time grid.

use std::fmt;

/// A moment: whole seconds since 1970-01-01 UTC and microseconds within that second.
///
/// Ordered as time is. RRD files of version 0003 and later store exactly these two numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since the epoch.
    pub seconds: i64,
    /// Microseconds within the second, below 1,000,000.
    pub micros: u32,
}

impl Timestamp {
    /// A moment at a whole second.
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self { seconds, micros: 0 }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.seconds, self.micros)
    }
}
