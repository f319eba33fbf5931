//! What may be asked.

use crate::subject::{Kind, Traits};

/// By what subjects are ranked. The last five are lists: they have the subjects for which something
/// holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// The rate of those that measure traffic.
    Traffic,
    /// The value as a share of the expected maximum.
    Utilisation,
    /// The rate of those that count errors or discarded packets, without those that have none.
    Errors,
    /// The value of those that measure anything else.
    Value,
    /// How far the average rate of traffic is from that of the same span a week ago.
    Change,
    /// At least 95 % of the expected maximum.
    Limit,
    /// No value is known.
    Silent,
    /// All values that are known are the same.
    Flat,
    /// The rate of a counter of 32 bits is so near to what it can tell at most that it may wrap
    /// unseen: at least half of it.
    Wrapping,
}

/// From which share of the expected maximum on a value is at its limit.
const LIMIT_SHARE: f64 = 0.95;
/// From which share of 2^32 within a step on a counter of 32 bits may wrap unseen. A second wrap
/// within a step cannot be seen, and a rate varies within its step.
const WRAP_SHARE: f64 = 0.5;
/// What a counter of 32 bits counts before it wraps.
const WRAP: f64 = 4_294_967_296.0;

/// Which of both values counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Line {
    /// The greater one.
    #[default]
    Either,
    /// The first.
    In,
    /// The second.
    Out,
}

/// Which number stands for the rows of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Their average.
    #[default]
    Average,
    /// The greatest, of an archive of maxima where rows have several steps.
    Maximum,
    /// The 95th percentile, as rrdtool's PERCENTNAN tells it.
    Percentile95,
}

/// A span of time that ends now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Its length.
    pub seconds: u64,
    /// When it ends, in seconds since 1970.
    pub end_seconds: i64,
}

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// By what subjects are ranked.
    pub by: By,
    /// By which of both values.
    pub line: Line,
    /// By which number of the rows.
    pub measure: Measure,
    /// At most so many are told.
    pub most: usize,
}

impl By {
    /// Every one.
    pub const ALL: [Self; 9] = [
        Self::Traffic,
        Self::Utilisation,
        Self::Errors,
        Self::Value,
        Self::Change,
        Self::Limit,
        Self::Silent,
        Self::Flat,
        Self::Wrapping,
    ];

    /// Whether the newest values answer it.
    #[must_use]
    pub const fn has_newest(self) -> bool {
        !matches!(self, Self::Change | Self::Flat)
    }

    /// Whether subjects with these traits are ranked at all.
    #[must_use]
    pub fn concerns(self, traits: &Traits) -> bool {
        match self {
            Self::Traffic | Self::Change => traits.kind == Kind::Traffic,
            Self::Errors => traits.kind == Kind::Errors,
            Self::Value => traits.kind == Kind::Other,
            Self::Utilisation | Self::Limit => traits.kind != Kind::Errors,
            Self::Wrapping => traits.is_narrow,
            Self::Silent | Self::Flat => true,
        }
    }

    /// The score of one value of a subject; `None` if it has none. [`Self::Change`], [`Self::Silent`]
    /// and [`Self::Flat`] need more than one number, and have none here.
    fn score_of(self, value: f64, maximum: f64, step_seconds: u64) -> Option<f64> {
        let share = || (maximum > 0.0 && maximum.is_finite()).then(|| value / maximum);
        match self {
            Self::Traffic | Self::Value => Some(value),
            Self::Utilisation => share(),
            Self::Errors => Some(value).filter(|value| *value > 0.0),
            Self::Limit => share().filter(|share| *share >= LIMIT_SHARE),
            Self::Wrapping => {
                Some(value * step_seconds as f64 / WRAP).filter(|share| *share >= WRAP_SHARE)
            }
            Self::Change | Self::Silent | Self::Flat => None,
        }
    }

    /// A value whose score is surely less than this one, and so is that of all lesser values; `None`
    /// if no value tells.
    pub(crate) fn value_below(self, score: f64, maximum: f64, step_seconds: u64) -> Option<f64> {
        let value = match self {
            Self::Traffic | Self::Value | Self::Errors => score,
            Self::Utilisation | Self::Limit => score * maximum,
            Self::Wrapping => score * WRAP / step_seconds.max(1) as f64,
            Self::Change | Self::Silent | Self::Flat => return None,
        };
        // A share is rounded: the value of a score may have a little less than that.
        (value > 0.0 && value.is_finite()).then_some(value * (1.0 - 1e-9))
    }

    /// The score of a subject with these values; NaN is an unknown one.
    #[must_use]
    pub fn score(self, line: Line, traits: &Traits, values: [f64; 2]) -> Option<f64> {
        if !self.concerns(traits) {
            return None;
        }
        let asked = |nth: &usize| line.has(*nth) && traits.are_shown[*nth];
        if self == Self::Silent {
            let is_known = (0..2).filter(asked).any(|nth| !values[nth].is_nan());
            return (!is_known && (0..2).any(|nth| asked(&nth))).then_some(0.0);
        }
        let known = (0..2).filter(asked).filter(|nth| values[*nth].is_finite());
        let scores = known
            .filter_map(|nth| self.score_of(values[nth], traits.maxima[nth], traits.step_seconds));
        scores.reduce(f64::max)
    }
}

impl Line {
    /// Whether the value of this position counts.
    #[must_use]
    pub const fn has(self, nth: usize) -> bool {
        match self {
            Self::Either => true,
            Self::In => nth == 0,
            Self::Out => nth == 1,
        }
    }
}
