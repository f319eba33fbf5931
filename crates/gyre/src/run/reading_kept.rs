//! A reading on its way to the store.

use mrtg::Number;
use rrd::Reading;

/// A reading that owns its text, to be sent to the writing thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReadingKept {
    /// Unknown, or an integer.
    Plain(Reading<'static>),
    /// The text of a fraction, or of an integer that does not fit in 64 bits.
    Text(Box<str>),
}

impl ReadingKept {
    /// An unknown reading.
    pub(super) const UNKNOWN: Self = Self::Plain(Reading::Unknown);

    /// A number, written as MRTG writes it.
    pub(super) fn of(number: Number) -> Self {
        let integer = number.as_integer().map(|integer| (integer < 0, integer.unsigned_abs()));
        match integer.map(|(is_negative, magnitude)| (is_negative, u64::try_from(magnitude))) {
            Some((false, Ok(value))) => Self::Plain(Reading::Unsigned(value)),
            Some((true, Ok(magnitude))) => Self::Plain(Reading::Negative(magnitude)),
            _ => Self::Text(number.to_string().into()),
        }
    }

    /// The reading in the store's type.
    pub(super) fn reading(&self) -> Reading<'_> {
        match self {
            Self::Plain(reading) => *reading,
            Self::Text(text) => Reading::of(text),
        }
    }
}
