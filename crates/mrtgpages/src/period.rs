//! The four pictures of a page, in MRTG's words.

use mrtg::{Interval, Period};

/// The pictures of a page, in their order.
pub const PERIODS: [Period; 4] = [Period::Day, Period::Week, Period::Month, Period::Year];

/// The letter in comments.
pub(crate) const fn letter(period: Period) -> char {
    match period {
        Period::Day => 'd',
        Period::Week => 'w',
        Period::Month => 'm',
        Period::Year => 'y',
    }
}

/// The word in names of pictures.
pub(crate) const fn word(period: Period) -> &'static str {
    match period {
        Period::Day => "day",
        Period::Week => "week",
        Period::Month => "month",
        Period::Year => "year",
    }
}

pub(crate) const fn adverb(period: Period) -> &'static str {
    match period {
        Period::Day => "Daily",
        Period::Week => "Weekly",
        Period::Month => "Monthly",
        Period::Year => "Yearly",
    }
}

/// What a value of the picture is an average of; for the day it is the interval.
pub(crate) fn span(period: Period, interval: Interval) -> String {
    match period {
        Period::Day => format!("{} Minute", interval.minutes()),
        Period::Week => "30 Minute".to_owned(),
        Period::Month => "2 Hour".to_owned(),
        Period::Year => "1 Day".to_owned(),
    }
}
