//! A moment on the time grid.

use std::fmt;

/// A moment: whole seconds since 1970-01-01 UTC and microseconds within that second.
///
/// Ordered as time is. RRD files of version 0003 and later store exactly these two numbers.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(try_from = "AnyMoment")]
pub struct Timestamp {
    /// Seconds since the epoch.
    pub seconds: i64,
    /// Microseconds within the second, below 1,000,000.
    pub micros: u32,
}

/// A moment from elsewhere, which may be none.
#[derive(serde::Deserialize)]
struct AnyMoment {
    seconds: i64,
    micros: u32,
}

impl TryFrom<AnyMoment> for Timestamp {
    type Error = &'static str;

    fn try_from(AnyMoment { seconds, micros }: AnyMoment) -> Result<Self, Self::Error> {
        // Infinity as a time is read as C converts it: before all others, with any fraction.
        match micros < 1_000_000 || seconds == i64::MIN {
            true => Ok(Self { seconds, micros }),
            false => Err("expected less than 1000000 microseconds"),
        }
    }
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
