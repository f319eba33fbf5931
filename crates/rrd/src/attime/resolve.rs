//! From a [`TimeSpec`] to seconds since the epoch.

use jiff::tz::TimeZone;

use super::clock::{LocalClock, LocalTime};
use super::spec::{AtTimeError, Day, Reference, TimeSpec};

/// The end of the last year that the C library can tell, 2147483647 years after 1900.
const LAST_MOMENT: i64 = 67_768_036_191_676_799;

/// Why a start and an end are no stretch of time; the words are rrdtool's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RelativeTimeError {
    /// Each is given from the other.
    #[error("the start and end times cannot be specified relative to each other")]
    EachOther,
    /// The start is given from the start.
    #[error("the start time cannot be specified relative to itself")]
    Start,
    /// The end is given from the end.
    #[error("the end time cannot be specified relative to itself")]
    End,
    /// The calendar has no such time.
    #[error("the specified time is incorrect (out of range?)")]
    OutOfRange,
}

/// The moment of a time, in seconds since the epoch.
///
/// # Errors
/// [`AtTimeError::OutOfRange`]. A time from `start` or `end` has no moment of its own and gives
/// this too: ask [`resolve_start_end`].
pub fn resolve(spec: &TimeSpec, now_seconds: i64, zone: &TimeZone) -> Result<i64, AtTimeError> {
    let mut clock = LocalClock::at(now_seconds, zone.clone());
    clock.resolve(spec, now_seconds)
}

/// The moments of a start and an end, either of which may be given from the other.
///
/// # Errors
/// [`RelativeTimeError`].
pub fn resolve_start_end(
    start: &TimeSpec,
    end: &TimeSpec,
    now_seconds: i64,
    zone: &TimeZone,
) -> Result<(i64, i64), RelativeTimeError> {
    let mut clock = LocalClock::at(now_seconds, zone.clone());
    clock.resolve_start_end(start, end, now_seconds)
}

impl LocalClock {
    /// As [`resolve`], with this clock's memory.
    ///
    /// # Errors
    /// As [`resolve`].
    pub fn resolve(&mut self, spec: &TimeSpec, now_seconds: i64) -> Result<i64, AtTimeError> {
        let moment = match spec.reference {
            Reference::Absolute => self.absolute(spec, now_seconds),
            Reference::Epoch => self.since_epoch(spec),
            Reference::Start | Reference::End => None,
        };
        moment.ok_or(AtTimeError::OutOfRange)
    }

    /// As [`resolve_start_end`], with this clock's memory.
    ///
    /// # Errors
    /// As [`resolve_start_end`].
    pub fn resolve_start_end(
        &mut self,
        start: &TimeSpec,
        end: &TimeSpec,
        now_seconds: i64,
    ) -> Result<(i64, i64), RelativeTimeError> {
        let out_of_range = |_| RelativeTimeError::OutOfRange;
        match (start.reference, end.reference) {
            (Reference::End, Reference::Start) => Err(RelativeTimeError::EachOther),
            (Reference::Start, _) => Err(RelativeTimeError::Start),
            (_, Reference::End) => Err(RelativeTimeError::End),
            (Reference::End, _) => {
                let end_seconds = self.resolve(end, now_seconds).map_err(out_of_range)?;
                let start_seconds = self.beside(start, end_seconds);
                self.remember(end_seconds - end.offset_seconds);
                Ok((start_seconds.ok_or(RelativeTimeError::OutOfRange)?, end_seconds))
            }
            (_, Reference::Start) => {
                let start = self.resolve(start, now_seconds).map_err(out_of_range)?;
                let end = self.beside(end, start);
                Ok((start, end.ok_or(RelativeTimeError::OutOfRange)?))
            }
            _ => {
                let start_seconds = self.resolve(start, now_seconds).map_err(out_of_range)?;
                let end_seconds = self.resolve(end, now_seconds).map_err(out_of_range)?;
                self.remember(end_seconds - end.offset_seconds);
                Ok((start_seconds, end_seconds))
            }
        }
    }

    fn absolute(&mut self, spec: &TimeSpec, now_seconds: i64) -> Option<i64> {
        let mut local = self.local(now_seconds);
        local.summer = None;
        if let Some(time) = spec.time_of_day {
            local.day_seconds = i64::from(time.hour * 3600 + time.minute * 60);
        }
        match spec.day {
            Day::Today(days) => local.day_of_month += i64::from(days),
            Day::Weekday(weekday) => {
                local.day_of_month += i64::from(weekday) - self.weekday(now_seconds);
            }
            Day::Date { year, month, day_of_month } => {
                local.year = year.map_or(local.year, i64::from);
                (local.month, local.day_of_month) = (month.into(), day_of_month.into());
            }
            Day::Moment(seconds) if seconds > LAST_MOMENT => return None,
            Day::Moment(seconds) => local = self.local(seconds),
        }
        // A moment of -1 is an error to the C library, and so to rrdtool.
        let moment = self.shifted(local, spec).filter(|moment| *moment != -1)?;
        moment.checked_add(spec.offset_seconds)
    }

    /// rrdtool counts from the day before the first of January 1900.
    fn since_epoch(&mut self, spec: &TimeSpec) -> Option<i64> {
        let epoch =
            LocalTime { year: 1900, month: 0, day_of_month: 0, day_seconds: 0, summer: None };
        self.shifted(epoch, spec)?.checked_add(spec.offset_seconds)
    }

    fn beside(&mut self, spec: &TimeSpec, partner_seconds: i64) -> Option<i64> {
        let partner = self.local(partner_seconds);
        self.shifted(partner, spec)?.checked_add(spec.offset_seconds)
    }

    fn shifted(&mut self, mut local: LocalTime, spec: &TimeSpec) -> Option<i64> {
        local.year += i64::from(spec.years);
        local.month += i64::from(spec.months);
        local.day_of_month += i64::from(spec.days);
        self.moment(&local)
    }
}
