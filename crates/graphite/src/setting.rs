//! What a request is answered from and within.

use jiff::tz::TimeZone;
use series::{Paths, Source};

use crate::Limits;

/// Who has the series.
#[derive(Clone, Copy)]
pub struct Store<'a> {
    /// The tree of their paths.
    pub paths: &'a dyn Paths,
    /// Their labels, which are Graphite's tags.
    pub source: &'a dyn Source,
}

/// What a request may take, and what time it is.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// Now, seconds since 1970.
    pub now_seconds: i64,
    /// The time zone of civil times, where the request names none.
    pub zone: &'a TimeZone,
    /// A time zone by the name that a request gives.
    pub zone_named: &'a dyn Fn(&str) -> Option<TimeZone>,
    /// How much it may take.
    pub limits: Limits,
    /// Whether there is time left.
    pub goes_on: &'a dyn Fn() -> bool,
}
