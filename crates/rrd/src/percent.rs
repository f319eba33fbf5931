//! Which percentile: a number from 0 to 100 with at most six decimals.

use std::fmt;
use std::str::FromStr;

/// A percentage, exact to a millionth: that of a [percentile](crate::ConsolidationFunction).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(try_from = "u32", into = "u32")]
pub struct Percent {
    millionths: u32,
}

/// The most PDPs that a row of PERCENTILE has: all known ones are kept until it ends, eight bytes
/// each.
pub const MAX_PERCENTILE_PDPS: u64 = 4096;

/// What is no percentage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a number from 0 to 100 with at most six decimals")]
pub struct NoPercent;

const DECIMALS: usize = 6;
const MILLION: u32 = 1_000_000;

impl Percent {
    /// So many millionths of a percent.
    ///
    /// # Errors
    /// [`NoPercent`]: more than 100 percent.
    pub const fn of_millionths(millionths: u32) -> Result<Self, NoPercent> {
        if millionths <= 100 * MILLION { Ok(Self { millionths }) } else { Err(NoPercent) }
    }

    /// It in millionths of a percent.
    #[must_use]
    pub const fn millionths(self) -> u32 {
        self.millionths
    }

    /// It as a number from 0 to 100: the double that is nearest.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.millionths) / f64::from(MILLION)
    }

    /// The place of the percentile among so many sorted values, the nearest rank as the VDEF
    /// PERCENTNAN has it. There must be one at least.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn rank(self, values: usize) -> usize {
        assert!(values > 0);
        let last = (values - 1) as f64;
        (self.value() * last / 100.0).round() as usize
    }
}

impl TryFrom<u32> for Percent {
    type Error = NoPercent;

    fn try_from(millionths: u32) -> Result<Self, NoPercent> {
        Self::of_millionths(millionths)
    }
}

impl From<Percent> for u32 {
    fn from(percent: Percent) -> Self {
        percent.millionths
    }
}

/// Shortest: `95`, `99.9`.
impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl FromStr for Percent {
    type Err = NoPercent;

    fn from_str(text: &str) -> Result<Self, NoPercent> {
        let (whole, decimals) = match text.split_once('.') {
            Some((whole, decimals)) if !decimals.is_empty() => (whole, decimals),
            Some(_) => return Err(NoPercent),
            None => (text, ""),
        };
        let are_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = !whole.is_empty() && are_digits(whole) && are_digits(decimals);
        if !is_number || decimals.len() > DECIMALS {
            return Err(NoPercent);
        }
        let millionths = format!("{whole}{decimals:0<DECIMALS$}");
        Self::of_millionths(millionths.parse().map_err(|_| NoPercent)?)
    }
}

#[cfg(test)]
mod tests {
    use super::Percent;

    #[test]
    fn texts_are_exact_or_refused() {
        for (text, shown) in [("95", "95"), ("99.9", "99.9"), ("0", "0"), ("100.000000", "100")] {
            let percent: Percent = text.parse().unwrap();
            assert_eq!(percent.to_string(), shown);
            assert_eq!(percent.value(), text.parse().unwrap());
        }
        for text in ["", "101", "100.000001", "-1", "+5", "1e1", "95.", ".5", "99.1234567", "nan"] {
            assert!(text.parse::<Percent>().is_err(), "{text}");
        }
    }

    #[test]
    fn ranks_are_those_of_percentnan() {
        let rank = |text: &str, values| text.parse::<Percent>().unwrap().rank(values);
        assert_eq!([rank("0", 7), rank("100", 7), rank("50", 7)], [0, 6, 3]);
        // 95 * 287 / 100 is 272.65.
        assert_eq!(rank("95", 288), 273);
        assert_eq!(rank("95", 1), 0);
    }
}
