//! Local time of many moments as text: what neighbours share is found once.

use std::fmt::Write as _;
use std::ops::Range;

use super::clock::{DAY_SECONDS, LocalClock, date_of};

/// Texts of moments, as `2001-09-09 01:46:40 UTC`.
#[derive(Clone, Debug)]
pub struct DatesAndTimes<'a> {
    clock: &'a LocalClock,
    /// The moments for which the offset is known.
    known: Range<i64>,
    offset_seconds: i64,
    abbreviation: String,
    /// The day of `date`, counted from 1970-01-01.
    day: i64,
    date: String,
}

impl LocalClock {
    /// Texts of many moments, as [`LocalClock::date_and_time`] gives them one by one.
    #[must_use]
    pub fn dates_and_times(&self) -> DatesAndTimes<'_> {
        DatesAndTimes::new(self)
    }
}

impl<'a> DatesAndTimes<'a> {
    fn new(clock: &'a LocalClock) -> Self {
        Self {
            clock,
            known: 0..0,
            offset_seconds: 0,
            abbreviation: String::new(),
            day: i64::MIN,
            date: String::new(),
        }
    }

    /// Appends the text of a moment.
    pub fn append(&mut self, out: &mut String, seconds: i64) {
        if !self.known.contains(&seconds) {
            let Some(stretch) = self.clock.stretch(seconds) else {
                return out.push_str(&self.clock.date_and_time(seconds));
            };
            (self.known, self.offset_seconds, self.abbreviation) = stretch;
        }
        let local_seconds = seconds + self.offset_seconds;
        let day = local_seconds.div_euclid(DAY_SECONDS);
        if day != self.day {
            self.set_date(day);
        }
        let of_day = local_seconds.rem_euclid(DAY_SECONDS);
        let mut time = *b" 00:00:00 ";
        for (at, number) in [(1, of_day / 3600), (4, of_day / 60 % 60), (7, of_day % 60)] {
            time[at] += (number / 10) as u8;
            time[at + 1] += (number % 10) as u8;
        }
        out.push_str(&self.date);
        out.push_str(str::from_utf8(&time).unwrap_or_default());
        out.push_str(&self.abbreviation);
    }

    /// Sets the day and its date, as `2001-09-09`.
    fn set_date(&mut self, day: i64) {
        let (year, month, day_of_month) = date_of(day);
        self.day = day;
        self.date.clear();
        // A String takes everything.
        match u16::try_from(year) {
            Ok(year @ 0..=9999) => {
                let two = |number: u16| {
                    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8].map(char::from)
                };
                self.date.extend(two(year / 100));
                self.date.extend(two(year % 100));
                self.date.push('-');
                self.date.extend(two(month as u16 + 1));
                self.date.push('-');
                self.date.extend(two(day_of_month as u16));
            }
            _ => {
                let _ = write!(self.date, "{year:04}-{:02}-{day_of_month:02}", month + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use crate::attime::LocalClock;

    #[test]
    fn many_are_as_one_by_one() {
        for zone in ["CET-1CEST,M3.5.0,M10.5.0/3", "UTC0", "XYZ3:30:20", "<-03>3"] {
            let clock = LocalClock::new(TimeZone::posix(zone).unwrap());
            let mut texts = clock.dates_and_times();
            let moments = (0..40_000).map(|nth| nth * 3_607 * 13 - 900_000_000);
            let far = [i64::from(i32::MIN) * 9, -1, 0, 1 << 40, i64::MAX / 4, 1_000_000_000];
            for seconds in moments.chain(far) {
                let mut text = String::new();
                texts.append(&mut text, seconds);
                assert_eq!(text, clock.date_and_time(seconds), "{seconds} {zone}");
            }
        }
    }
}
