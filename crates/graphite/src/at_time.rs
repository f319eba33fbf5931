//! Times as Graphite writes them: `-1h`, `noon yesterday`, `16:30_20260131`, `1767225600`.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;

use crate::Error;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// Times that no date of four digits passes.
pub(crate) const SECONDS_MAX: i64 = 253_402_300_799;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    /// 30 days.
    Month,
    /// 365 days.
    Year,
}

impl Unit {
    /// By the beginning of its name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let names = [
            ("s", Self::Second),
            ("min", Self::Minute),
            ("h", Self::Hour),
            ("d", Self::Day),
            ("w", Self::Week),
            ("mon", Self::Month),
            ("y", Self::Year),
        ];
        names.into_iter().find(|(start, _)| name.starts_with(start)).map(|(_, unit)| unit)
    }

    pub(crate) const fn seconds(self) -> i64 {
        match self {
            Self::Second => 1,
            Self::Minute => MINUTE,
            Self::Hour => HOUR,
            Self::Day => DAY,
            Self::Week => 7 * DAY,
            Self::Month => 30 * DAY,
            Self::Year => 365 * DAY,
        }
    }
}

/// Reads a time; seconds since 1970.
pub(crate) fn time(text: &str, now_seconds: i64, zone: &TimeZone) -> Result<i64, Error> {
    let plain: String =
        text.trim().to_lowercase().chars().filter(|it| !"_, ".contains(*it)).collect();
    let wrong = |expected| Error::Time { text: text.to_owned(), expected };
    if is_digits(&plain) && compact_date(&plain).is_none() {
        let seconds = plain.parse().ok().filter(|seconds| *seconds <= SECONDS_MAX);
        return seconds.ok_or_else(|| wrong("seconds since 1970 before the year 10000"));
    }
    let split = plain.find(['+', '-']).unwrap_or(plain.len());
    let (reference, offset) = plain.split_at(split);
    let from = reference_time(reference, now_seconds, zone).ok_or_else(|| {
        wrong("now, a time of day, a date or a weekday, and perhaps an offset as -1h")
    })?;
    let offset = offset_seconds(offset).map_err(&wrong)?;
    let seconds = from.saturating_add(offset);
    match (0..=SECONDS_MAX).contains(&seconds) {
        true => Ok(seconds),
        false => Err(wrong("one from 1970 to 9999")),
    }
}

/// Reads an interval: `5min`, `-1d12h`.
pub(crate) fn interval(text: &str) -> Result<i64, Error> {
    offset_seconds(text).map_err(|expected| Error::Time { text: text.to_owned(), expected })
}

fn offset_seconds(text: &str) -> Result<i64, &'static str> {
    let (sign, mut rest) = match text.as_bytes().first() {
        None => return Ok(0),
        Some(b'+') => (1, &text[1..]),
        Some(b'-') => (-1, &text[1..]),
        Some(_) => (1, text),
    };
    let mut seconds = 0_i64;
    while !rest.is_empty() {
        let digits = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
        let (count, behind) = rest.split_at(digits);
        let letters = behind.find(|it: char| !it.is_alphabetic()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(letters);
        let count: i64 = count.parse().map_err(|_| "a number before each unit of an interval")?;
        let unit = Unit::named(unit)
            .ok_or("intervals in seconds, minutes, hours, days, weeks, months or years")?;
        seconds = count
            .checked_mul(unit.seconds())
            .and_then(|it| it.checked_add(seconds))
            .filter(|it| *it <= SECONDS_MAX)
            .ok_or("intervals below 8000 years")?;
        rest = behind;
    }
    Ok(sign * seconds)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// `20260131`.
fn compact_date(text: &str) -> Option<Date> {
    if text.len() != 8 || !is_digits(text) {
        return None;
    }
    let number = |from: usize, to: usize| text[from..to].parse::<i16>().ok();
    let (year, month, day) = (number(0, 4)?, number(4, 6)?, number(6, 8)?);
    // As graphite-web tells a date from seconds.
    (year > 1900 && month < 13 && day < 32).then_some(())?;
    Date::new(year, month as i8, day as i8).ok()
}

fn reference_time(text: &str, now_seconds: i64, zone: &TimeZone) -> Option<i64> {
    if text.is_empty() || text == "now" {
        return Some(now_seconds);
    }
    let now = Timestamp::from_second(now_seconds).ok()?.to_zoned(zone.clone()).datetime();
    let (time, day) = time_of_day(text)?;
    let date = match day {
        "" | "today" => now.date(),
        "yesterday" => now.date().yesterday().ok()?,
        "tomorrow" => now.date().tomorrow().ok()?,
        day => date(day, now.date())?,
    };
    let zoned = DateTime::from_parts(date, time).to_zoned(zone.clone()).ok()?;
    Some(zoned.timestamp().as_second())
}

/// A time of day, and what follows it; midnight if there is none.
fn time_of_day(text: &str) -> Option<(Time, &str)> {
    let (mut hour, mut minute, mut rest) = (0_i8, 0_i8, text);
    if let Some((before, behind)) =
        text.split_once(':').filter(|(it, _)| (1..3).contains(&it.len()))
    {
        hour = before.parse().ok()?;
        minute = behind.get(..2)?.parse().ok()?;
        rest = &behind[2..];
        if let Some(behind) = rest.strip_prefix("am") {
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("pm") {
            hour = (hour + 12) % 24;
            rest = behind;
        }
    } else if let Some(at) = rest.find("am").filter(|at| (1..3).contains(at)) {
        hour = rest[..at].parse().ok()?;
        rest = &rest[at + 2..];
    } else if let Some(at) = rest.find("pm").filter(|at| (1..3).contains(at)) {
        hour = (rest[..at].parse::<i8>().ok()? + 12) % 24;
        rest = &rest[at + 2..];
    }
    for (name, named_hour) in [("noon", 12), ("midnight", 0), ("teatime", 16)] {
        if let Some(behind) = rest.strip_prefix(name) {
            (hour, minute, rest) = (named_hour, 0, behind);
            break;
        }
    }
    Some((Time::new(hour, minute, 0, 0).ok()?, rest))
}

fn date(text: &str, today: Date) -> Option<Date> {
    if text.matches('/').count() == 2 {
        return american_date(text);
    }
    if let Some(date) = compact_date(text) {
        return Some(date);
    }
    let start = text.get(..3)?;
    if let Some(month) = MONTHS.iter().position(|it| *it == start) {
        let digits = text.trim_start_matches(|it: char| !it.is_ascii_digit());
        let day = digits.get(digits.len().saturating_sub(2)..)?.parse().ok()?;
        return Date::new(today.year(), month as i8 + 1, day).ok();
    }
    let (_, weekday) = WEEKDAYS.iter().find(|(name, _)| *name == start)?;
    let days = today.weekday().since(*weekday);
    today.checked_sub(jiff::Span::new().days(i64::from(days))).ok()
}

/// `12/31/26` or `12/31/2026`.
fn american_date(text: &str) -> Option<Date> {
    let mut parts = text.split('/').map(|it| it.parse::<i16>().ok());
    let (month, day, mut year) = (parts.next()??, parts.next()??, parts.next()??);
    if year < 1900 {
        year += 1900;
    }
    if year < 1970 {
        year += 100;
    }
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thursday, 2026-01-15 12:34:56 in Berlin.
    const NOW: i64 = 1_768_476_896;

    fn berlin(text: &str) -> String {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        match time(text, NOW, &zone) {
            Ok(seconds) => {
                let zoned = Timestamp::from_second(seconds).unwrap().to_zoned(zone);
                zoned.strftime("%Y-%m-%d %H:%M:%S").to_string()
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn times_are_those_of_graphite() {
        for (text, time) in [
            ("now", "2026-01-15 12:34:56"),
            ("", "2026-01-15 12:34:56"),
            ("-1h", "2026-01-15 11:34:56"),
            ("now-1d12h", "2026-01-14 00:34:56"),
            ("-1mon", "2025-12-16 12:34:56"),
            ("midnight", "2026-01-15 00:00:00"),
            ("noon yesterday", "2026-01-14 12:00:00"),
            ("6pm today", "2026-01-15 18:00:00"),
            ("6:30am_tomorrow", "2026-01-16 06:30:00"),
            ("16:05_20251231", "2025-12-31 16:05:00"),
            ("20251231", "2025-12-31 00:00:00"),
            ("teatime 12/31/25", "2025-12-31 16:00:00"),
            ("january 8", "2026-01-08 00:00:00"),
            ("monday", "2026-01-12 00:00:00"),
            ("thu+1h", "2026-01-15 01:00:00"),
            ("1767225600", "2026-01-01 01:00:00"),
        ] {
            assert_eq!(berlin(text), time, "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["-1m", "-h", "25:00", "20261301x", "someday", "1/2", "-99999999y", "-100y"] {
            assert!(berlin(text).contains("expected a time"), "{text}: {}", berlin(text));
        }
        assert!(berlin("99999999999999999999").contains("1970"));
    }

    #[test]
    fn intervals_have_signs_and_units() {
        assert_eq!(interval("1h30min").unwrap(), 5400);
        assert_eq!(interval("-1w").unwrap(), -7 * DAY);
        assert!(interval("5").is_err() && interval("x").is_err());
    }
}
