//! Local time both ways, with the C library's answers where local time skips or repeats an hour.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Days of 400 years, after which the calendar repeats.
const CYCLE_DAYS: i64 = 146_097;
pub(super) const DAY_SECONDS: i64 = 86_400;
const CYCLE_SECONDS: i64 = CYCLE_DAYS * DAY_SECONDS;

/// How often the search for a moment is refined before it is given up.
const PROBES: u32 = 6;
/// How the neighbourhood is searched for a moment with the wanted summer time: in steps of a bit
/// less than a week, to half of the longest stretch without a change that a zone has known.
const STRIDE_SECONDS: i64 = 601_200;
const SEARCH_SECONDS: i64 = 536_454_000 / 2 + STRIDE_SECONDS;

/// A date and time of day in local time. Months count from 0, days of the month from 1; either may
/// lie beyond its end and then means what a calendar makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalTime {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day_of_month: i64,
    /// Seconds since midnight.
    pub(super) day_seconds: i64,
    /// Whether it is summer time, `None` where that is to be found out.
    pub(super) summer: Option<bool>,
}

/// A zone's local time, with the memory that the C library's `mktime` has: where an hour is
/// repeated it takes the one with the offset from UTC that it found last.
#[derive(Clone, Debug)]
pub struct LocalClock {
    zone: TimeZone,
    last_offset_seconds: i64,
}

/// The offset from UTC at one moment.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Offset {
    seconds: i64,
    summer: bool,
}

impl LocalClock {
    /// A clock as a process has it that has not yet asked for local time.
    #[must_use]
    pub const fn new(zone: TimeZone) -> Self {
        Self { zone, last_offset_seconds: 0 }
    }

    /// A clock that has found `now_seconds` before, as rrdtool's has once it began to read the
    /// arguments of fetch or graph.
    #[must_use]
    pub fn at(now_seconds: i64, zone: TimeZone) -> Self {
        let mut clock = Self::new(zone);
        clock.remember(now_seconds);
        clock
    }

    /// The zone.
    #[must_use]
    pub const fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Local time at a moment, as `2001-09-09 01:46:40 UTC`.
    #[must_use]
    pub fn date_and_time(&self, seconds: i64) -> String {
        let LocalTime { year, month, day_of_month, day_seconds, .. } = self.local(seconds);
        let (hour, minute) = (day_seconds / 3600, day_seconds / 60 % 60);
        let known = Timestamp::from_second(into_known_years(seconds)).unwrap_or_default();
        let zone = self.zone.to_offset_info(known);
        format!(
            "{year:04}-{:02}-{day_of_month:02} {hour:02}:{minute:02}:{:02} {}",
            month + 1,
            day_seconds % 60,
            zone.abbreviation()
        )
    }

    /// Moments from `seconds` on until which the offset from UTC stays what it is, with that offset
    /// in seconds and the zone's abbreviation; `None` beyond the years that a zone's rules are
    /// asked for.
    pub(super) fn stretch(&self, seconds: i64) -> Option<(std::ops::Range<i64>, i64, String)> {
        if into_known_years(seconds) != seconds {
            return None;
        }
        let moment = Timestamp::from_second(seconds).ok()?;
        let next = self.zone.following(moment).next();
        let end = next.map_or(4 * CYCLE_SECONDS, |next| next.timestamp().as_second());
        let info = self.zone.to_offset_info(moment);
        let offset_seconds = i64::from(info.offset().seconds());
        Some((seconds..end, offset_seconds, info.abbreviation().to_owned()))
    }

    /// Local time at a moment.
    pub(super) fn local(&self, seconds: i64) -> LocalTime {
        let offset = self.offset(seconds);
        let local_seconds = seconds.saturating_add(offset.seconds);
        let (year, month, day_of_month) = date_of(local_seconds.div_euclid(DAY_SECONDS));
        LocalTime {
            year,
            month,
            day_of_month,
            day_seconds: local_seconds.rem_euclid(DAY_SECONDS),
            summer: Some(offset.summer),
        }
    }

    /// The day of the week at a moment, 0 for Sunday.
    pub(super) fn weekday(&self, seconds: i64) -> i64 {
        let local_seconds = seconds.saturating_add(self.offset(seconds).seconds);
        // 1970-01-01 was a Thursday.
        (local_seconds.div_euclid(DAY_SECONDS) + 4).rem_euclid(7)
    }

    /// The moment of a local time, in seconds since the epoch; `None` where there is none.
    ///
    /// A time that the clocks skip becomes one beside the gap; of a repeated one, `summer` decides,
    /// else the offset found last.
    pub(super) fn moment(&mut self, local: &LocalTime) -> Option<i64> {
        let wanted = local.as_if_utc()?;
        let (mut found, exact) = self.probe(wanted, local.summer)?;
        if exact && local.summer.is_some_and(|summer| self.offset(found).summer != summer) {
            found = self.with_other_summer(wanted, found)?;
        }
        self.last_offset_seconds = wanted - found;
        Some(found)
    }

    /// Remembers the offset at a moment as the one found last.
    pub(super) fn remember(&mut self, seconds: i64) {
        self.last_offset_seconds = self.offset(seconds).seconds;
    }

    /// Refines a guess until it is the wanted local time. Where no moment is, the guesses swing
    /// between the two sides of the gap; the one in summer time is then taken (or the one that
    /// differs from the wanted), and the flag is false.
    fn probe(&self, wanted: i64, summer: Option<bool>) -> Option<(i64, bool)> {
        let mut guess = wanted.checked_sub(self.last_offset_seconds)?;
        let (mut before, mut before_that) = (guess, guess);
        let mut summer_before = false;
        for _ in 0..PROBES {
            let offset = self.offset(guess);
            let next = wanted.checked_sub(offset.seconds)?;
            if next == guess {
                return Some((guess, true));
            }
            let prefers_this = match summer {
                None => !summer_before || offset.summer,
                Some(summer) => summer != offset.summer,
            };
            if guess == before_that && guess != before && prefers_this {
                return Some((guess, false));
            }
            (before_that, before, guess) = (before, guess, next);
            summer_before = offset.summer;
        }
        None
    }

    /// The moment that the local time would be by the offset of the nearest moment with the other
    /// kind of time. Where there is none far and wide, summer time is taken to be an hour.
    fn with_other_summer(&self, wanted: i64, found: i64) -> Option<i64> {
        let summer_found = self.offset(found).summer;
        let mut distance = STRIDE_SECONDS;
        while distance < SEARCH_SECONDS {
            for near in [found.checked_sub(distance)?, found.checked_add(distance)?] {
                let offset = self.offset(near);
                if offset.summer != summer_found {
                    return wanted.checked_sub(offset.seconds);
                }
            }
            distance += STRIDE_SECONDS;
        }
        found.checked_add(if summer_found { 3600 } else { -3600 })
    }

    fn offset(&self, seconds: i64) -> Offset {
        let known = Timestamp::from_second(into_known_years(seconds)).unwrap_or_default();
        let info = self.zone.to_offset_info(known);
        Offset { seconds: i64::from(info.offset().seconds()), summer: info.dst().is_dst() }
    }
}

/// A moment of the same place in the calendar's cycle, within the years that the zone's rules are
/// asked for.
fn into_known_years(seconds: i64) -> i64 {
    let (first, last) = (-CYCLE_SECONDS, 4 * CYCLE_SECONDS);
    if seconds > last {
        last + (seconds - last).rem_euclid(CYCLE_SECONDS)
    } else {
        seconds.max(first)
    }
}

impl LocalTime {
    /// Seconds since the epoch, were local time UTC.
    fn as_if_utc(&self) -> Option<i64> {
        let year = self.year.checked_add(self.month.div_euclid(12))?;
        let first_day = days_before(year, self.month.rem_euclid(12))?;
        first_day
            .checked_add(self.day_of_month.checked_sub(1)?)?
            .checked_mul(DAY_SECONDS)?
            .checked_add(self.day_seconds)
    }
}

/// Days from 1970-01-01 to the first of a month.
fn days_before(year: i64, month: i64) -> Option<i64> {
    // Counted in years that begin in March, a leap day comes last.
    let (year, month) =
        if month < 2 { (year.checked_sub(1)?, month + 10) } else { (year, month - 2) };
    let of_months = (153 * month + 2) / 5;
    let of_years =
        year.checked_mul(365)? + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    of_years.checked_add(of_months - 719_468)
}

/// Year, month (from 0) and day of the month of a day counted from 1970-01-01.
pub(super) fn date_of(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468; // from 0000-03-01
    let (cycle, day) = (shifted.div_euclid(CYCLE_DAYS), shifted.rem_euclid(CYCLE_DAYS));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 2) } else { (year + 1, month - 10) };
    (cycle * 400 + year, month, day_of_month)
}
