//! One limit: its name, its number, and whether a value breaks it.

use mrtg::{Direction, Limits, Thresholds, leading_number};
use rrd::cformat::FloatFormat;

/// What is compared with the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The rate of the last step: `Thresh...`.
    Rate,
    /// Whether the last step was aberrant: `HWThresh...`.
    Failure,
}

/// On which side of the limit a value is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// At the limit or above.
    Min,
    /// At the limit or below.
    Max,
}

/// A limit of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the types say it")]
pub struct LimitId {
    pub kind: Kind,
    pub side: Side,
    pub direction: Direction,
}

impl Kind {
    /// MRTG's word in keys, names of files and mails.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rate => "thresh",
            Self::Failure => "hwthresh",
        }
    }

    pub(crate) const fn limits(self, all: &Thresholds) -> &Limits {
        match self {
            Self::Rate => &all.rates,
            Self::Failure => &all.failures,
        }
    }
}

impl Side {
    /// MRTG's word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

/// `i` or `o`.
pub(crate) const fn letter(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "i",
        Direction::Out => "o",
    }
}

impl LimitId {
    /// All limits that a target can have, in the order in which they are checked.
    pub fn all() -> impl Iterator<Item = Self> {
        Direction::BOTH.into_iter().flat_map(|direction| {
            [Kind::Rate, Kind::Failure].into_iter().flat_map(move |kind| {
                [Side::Min, Side::Max].map(|side| Self { kind, side, direction })
            })
        })
    }

    /// Its key in mrtg.cfg: `ThreshMaxI`.
    #[must_use]
    pub fn key(self) -> String {
        let Self { kind, side, direction } = self;
        let kind = match kind {
            Kind::Rate => "Thresh",
            Kind::Failure => "HWThresh",
        };
        let side = match side {
            Side::Min => "Min",
            Side::Max => "Max",
        };
        format!("{kind}{side}{}", letter(direction).to_ascii_uppercase())
    }

    /// The limit that has this key.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        Self::all().find(|limit| limit.key() == key)
    }

    /// What marks of this limit end with: `threshmaxI`.
    #[must_use]
    pub fn ending(self) -> String {
        let Self { kind, side, direction } = self;
        format!("{}{}{}", kind.word(), side.word(), letter(direction).to_ascii_uppercase())
    }
}

/// A limit's number and a value, in the form in which they are compared and told.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The limit as it is written, without its `%`.
    pub limit: String,
    /// `% (` the limit in units per second `)`, or nothing.
    pub limit_absolute: String,
    /// The value: a number, or of a limit with `%` the percentage of MaxBytes to one decimal.
    pub value: String,
    /// `% (` the value in units per second `)`, or nothing.
    pub value_absolute: String,
    limit_number: f64,
    value_number: f64,
}

impl Bound {
    /// Prepares the comparison of a value with a limit as it is written.
    #[must_use]
    pub fn new(written: &str, value: f64, max_bytes: f64) -> Self {
        let whole = general(value);
        let Some(limit) = written.strip_suffix('%') else {
            let (limit_number, _) = leading_number(written);
            return Self {
                limit: written.to_owned(),
                limit_absolute: String::new(),
                value_number: value,
                value: whole,
                value_absolute: String::new(),
                limit_number,
            };
        };
        let (limit_number, _) = leading_number(limit);
        let share = one_decimal(value / max_bytes * 100.0);
        Self {
            limit: limit.to_owned(),
            limit_absolute: format!("% ({})", one_decimal(max_bytes * limit_number / 100.0)),
            value_number: leading_number(&share).0, // it is compared as it is printed
            value: share,
            value_absolute: format!("% ({whole})"),
            limit_number,
        }
    }

    /// Whether the value lies on the wrong side.
    #[must_use]
    pub fn is_broken(&self, side: Side) -> bool {
        match side {
            Side::Min => self.limit_number > self.value_number,
            Side::Max => self.limit_number < self.value_number,
        }
    }

    /// Whether a value on the wrong side lies less than that share of the limit beyond it.
    #[must_use]
    pub fn is_within(&self, side: Side, hysteresis: f64) -> bool {
        let band = hysteresis * self.limit_number;
        match side {
            Side::Min => self.limit_number - band < self.value_number,
            Side::Max => self.limit_number + band > self.value_number,
        }
    }
}

/// `%.15g`, in which Perl prints numbers.
fn general(number: f64) -> String {
    match FloatFormat::parse("%.15g") {
        Some((format, _)) => format.text(number),
        None => number.to_string(),
    }
}

fn one_decimal(number: f64) -> String {
    FloatFormat::fixed(1).text(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_percent_compare_to_one_decimal() {
        // 80.04 % rounds to 80.0 %, which is not above 80 %.
        let bound = Bound::new("80%", 80_040.0, 100_000.0);
        assert!(!bound.is_broken(Side::Max) && !bound.is_broken(Side::Min));
        let bound = Bound::new("80%", 80_060.5, 100_000.0);
        assert!(bound.is_broken(Side::Max));
        assert_eq!((&*bound.limit, &*bound.limit_absolute), ("80", "% (80000.0)"));
        assert_eq!((&*bound.value, &*bound.value_absolute), ("80.1", "% (80060.5)"));
    }

    #[test]
    fn plain_limits_compare_as_they_are() {
        let bound = Bound::new("1e3", 1000.0 + 1.0 / 3.0, 1.0);
        assert!(bound.is_broken(Side::Max) && !bound.is_broken(Side::Min));
        assert_eq!((&*bound.value, &*bound.value_absolute), ("1000.33333333333", ""));
        assert!(bound.is_within(Side::Max, 0.1));
        assert!(!Bound::new("100", 110.0, 1.0).is_within(Side::Max, 0.1));
        assert!(Bound::new("100", 91.0, 1.0).is_within(Side::Min, 0.1));
        assert!(!Bound::new("100", 90.0, 1.0).is_within(Side::Min, 0.1));
    }

    #[test]
    fn endings_are_those_of_mrtg() {
        let endings: Vec<String> = LimitId::all().map(LimitId::ending).collect();
        assert_eq!(
            endings,
            [
                "threshminI",
                "threshmaxI",
                "hwthreshminI",
                "hwthreshmaxI",
                "threshminO",
                "threshmaxO",
                "hwthreshminO",
                "hwthreshmaxO"
            ]
        );
    }
}
