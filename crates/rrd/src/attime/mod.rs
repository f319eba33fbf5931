//! AT-style times: `-1d`, `noon yesterday`, `end-1h`, `8:30 24.12.2024`, as rrdtool reads them.
//!
//! ```text
//!   text --parse--> TimeSpec --resolve(now, zone)--> seconds since the epoch
//! ```
//!
//! [`parse()`] looks at the text alone. A [`TimeSpec`] becomes a moment by way of a calendar
//! ([`LocalClock`], which finds the same moments as the C library's `mktime` in the gaps and folds
//! of summer time) and, where it says `start` or `end`, by way of its partner:
//! [`resolve_start_end`].
//!
//! The man page of rrdfetch describes the language. What it does not tell was learned from rrdtool
//! 1.7.2 itself, including what looks like accidents: a sign after a number without a unit is
//! skipped (`-12+1d` goes back twelve seconds and one day), a date before which a time stands needs
//! its year, and `epoch` counts from the last day of 1899.

mod spec;
mod parse;
mod scan;
mod clock;
mod dates;
mod resolve;

pub use clock::LocalClock;
pub use dates::DatesAndTimes;
pub use parse::parse;
pub use resolve::{RelativeTimeError, resolve, resolve_start_end};
pub use spec::{AtTimeError, Day, Reference, TimeOfDay, TimeSpec};
