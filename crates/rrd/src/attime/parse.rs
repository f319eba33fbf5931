//! From a text to a [`TimeSpec`].

use super::scan::{Scanner, Token};
use super::spec::{AtTimeError, Day, Reference, TimeOfDay, TimeSpec};

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTHS_IN_FULL: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const WEEKDAYS_IN_FULL: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/// A number beyond ten years of seconds is seconds since the epoch.
const MOMENTS_FROM: i64 = 10 * 365 * 86_400;
/// A number in here is a date, YYYYMMDD.
const COMPACT_DATES: std::ops::Range<i64> = 19_700_102..24_000_101;
/// The year that rrdtool fills in where a time of day stood before a date without one.
const YEAR_AFTER_TIME: i32 = 30_000;

/// Reads an AT-style time.
///
/// # Errors
/// [`AtTimeError`], in rrdtool's words.
pub fn parse(text: &str) -> Result<TimeSpec, AtTimeError> {
    let mut parser = Parser { scanner: Scanner::new(text), spec: TimeSpec::NOW };
    parser.reference()?;
    if matches!(parser.scanner.token(), Token::Plus | Token::Minus) {
        parser.offsets()?;
    }
    match parser.scanner.token() {
        Token::End => Ok(parser.spec),
        _ => Err(AtTimeError::Trailing(parser.scanner.text_and_rest())),
    }
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    spec: TimeSpec,
}

impl Parser<'_> {
    /// The part before any offset.
    fn reference(&mut self) -> Result<(), AtTimeError> {
        let scanner = &self.scanner;
        let among = |names: [&str; 2]| scanner.position_in(&names).is_some();
        match scanner.token() {
            Token::Plus | Token::Minus => Ok(()),
            Token::Number => self.time_and_date(),
            Token::Word if among(["now", "n"]) => self.now(),
            Token::Word if among(["start", "s"]) => self.relative(Reference::Start),
            Token::Word if among(["end", "e"]) => self.relative(Reference::End),
            Token::Word if scanner.is("epoch") => self.relative(Reference::Epoch),
            Token::Word if self.month().is_some() => self.month_first(),
            Token::Word if scanner.is("midnight") => self.named_hour(0),
            Token::Word if scanner.is("noon") => self.named_hour(12),
            Token::Word if scanner.is("teatime") => self.named_hour(16),
            _ => Err(AtTimeError::Unparsable(scanner.text_and_rest())),
        }
    }

    fn now(&mut self) -> Result<(), AtTimeError> {
        match self.scanner.advance() {
            Token::Plus | Token::Minus | Token::End => Ok(()),
            _ => Err(AtTimeError::AfterNow),
        }
    }

    fn relative(&mut self, reference: Reference) -> Result<(), AtTimeError> {
        self.spec.reference = reference;
        match self.scanner.advance() {
            Token::Plus | Token::Minus => Ok(()),
            _ => Err(AtTimeError::OffsetMissing),
        }
    }

    fn named_hour(&mut self, hour: i32) -> Result<(), AtTimeError> {
        self.spec.time_of_day = Some(TimeOfDay { hour, minute: 0 });
        self.scanner.advance();
        self.day(None)
    }

    fn month_first(&mut self) -> Result<(), AtTimeError> {
        self.day(None)?;
        match self.scanner.token() {
            Token::Number => self.time_of_day(),
            _ => Ok(()),
        }
    }

    /// `12:30 tomorrow`, `19991231 12:30`, and the like.
    fn time_and_date(&mut self) -> Result<(), AtTimeError> {
        self.time_of_day()?;
        self.day(Some(YEAR_AFTER_TIME))?;
        let has_date = matches!(self.spec.day, Day::Date { .. });
        if self.spec.time_of_day.is_none() && has_date {
            self.time_of_day()?;
        }
        Ok(())
    }

    /// `HH[:MM][am|pm]`. What turns out to be something else is left to be read again.
    fn time_of_day(&mut self) -> Result<(), AtTimeError> {
        let before = self.scanner;
        if before.token() != Token::End && before.text().len() > 2 {
            return Ok(());
        }
        let mut hour = before.number() as i32;
        let mut minute = 0;
        match self.scanner.advance() {
            Token::Slash | Token::Dot => {
                self.scanner = before;
                return Ok(());
            }
            Token::Colon => minute = self.minute()?,
            _ => {}
        }
        if self.scanner.is("am") || self.scanner.is("pm") {
            if hour > 12 {
                return Err(AtTimeError::HalfDayHours);
            }
            hour = hour % 12 + if self.scanner.is("pm") { 12 } else { 0 };
            self.scanner.advance();
        } else if hour > 23 {
            self.scanner = before;
            return Ok(());
        }
        self.spec.time_of_day = Some(TimeOfDay { hour, minute });
        Ok(())
    }

    fn minute(&mut self) -> Result<i32, AtTimeError> {
        if self.scanner.advance() != Token::Number {
            return Err(AtTimeError::MinutesMissing);
        }
        let minute = as_int(self.scanner.number());
        if minute > 59 {
            return Err(AtTimeError::Minutes(minute));
        }
        self.scanner.advance();
        Ok(minute)
    }

    fn month(&self) -> Option<i32> {
        let scanner = &self.scanner;
        scanner.position_in(&MONTHS).or_else(|| scanner.position_in(&MONTHS_IN_FULL))
    }

    fn weekday(&self) -> Option<i32> {
        let scanner = &self.scanner;
        scanner.position_in(&WEEKDAYS).or_else(|| scanner.position_in(&WEEKDAYS_IN_FULL))
    }

    /// The day, if one is given. `year` is the year of a date that names none.
    fn day(&mut self, year: Option<i32>) -> Result<(), AtTimeError> {
        if self.scanner.token() == Token::Number {
            return self.numeric_day(year);
        }
        if let Some(month) = self.month() {
            return self.day_after_month(month, year);
        }
        let day = match self.scanner.position_in(&["yesterday", "today", "tomorrow"]) {
            Some(position) => Some(Day::Today(position - 1)),
            None => self.weekday().map(Day::Weekday),
        };
        if let Some(day) = day {
            self.spec.day = day;
            self.scanner.advance();
        }
        Ok(())
    }

    /// `Mar 8 [1999]`, from the month on.
    fn day_after_month(&mut self, month: i32, year: Option<i32>) -> Result<(), AtTimeError> {
        if self.scanner.advance() != Token::Number {
            return Err(AtTimeError::DayMissing);
        }
        let day_of_month = self.scanner.number();
        let mut year = year.map(i64::from);
        if self.scanner.advance() == Token::Number {
            year = Some(self.scanner.number());
            self.scanner.advance();
        }
        self.set_date(year, month, day_of_month)
    }

    /// Seconds since the epoch, `YYYYMMDD`, `MM/DD[/YY]` or `DD.MM[.YY]`.
    fn numeric_day(&mut self, year: Option<i32>) -> Result<(), AtTimeError> {
        let number = self.scanner.number();
        if number > MOMENTS_FROM {
            self.spec.day = Day::Moment(number);
            self.scanner.advance();
            return Ok(());
        }
        let (year, month, day_of_month) = if COMPACT_DATES.contains(&number) {
            let part =
                |range| self.scanner.text().get(range).and_then(|part: &str| part.parse().ok());
            let parts = (part(0..4), part(4..6).unwrap_or(0), part(6..8).unwrap_or(0));
            self.scanner.advance();
            parts
        } else {
            self.separated_date(number, year)?
        };
        if !(1..=12).contains(&month) {
            return Err(AtTimeError::Month(month as i32));
        }
        if !(1..=31).contains(&day_of_month) {
            return Err(AtTimeError::DayOfMonth(day_of_month as i32));
        }
        self.set_date(year, month as i32 - 1, day_of_month)
    }

    /// Year, month and day of `first/…` or `first.…`; a day of 0 where no separator follows.
    fn separated_date(
        &mut self,
        first: i64,
        year: Option<i32>,
    ) -> Result<(Option<i64>, i64, i64), AtTimeError> {
        let mut year = year.map(i64::from);
        let separator = self.scanner.advance();
        if first > 31 || !matches!(separator, Token::Slash | Token::Dot) {
            return Ok((year, first, 0));
        }
        let european = separator == Token::Dot;
        let (part, letter) = if european { ("month", '.') } else { ("day", '/') };
        let second = self.date_part(part, letter)?;
        if self.scanner.advance() == separator {
            year = Some(self.date_part("year", letter)?);
            self.scanner.advance();
        }
        Ok(if european { (year, second, first) } else { (year, first, second) })
    }

    fn date_part(&mut self, part: &'static str, separator: char) -> Result<i64, AtTimeError> {
        match self.scanner.advance() {
            Token::Number => Ok(self.scanner.number()),
            _ => Err(AtTimeError::DatePartMissing { part, separator }),
        }
    }

    fn set_date(
        &mut self,
        year: Option<i64>,
        month: i32,
        day_of_month: i64,
    ) -> Result<(), AtTimeError> {
        self.spec.day = Day::Date {
            year: year.map(full_year).transpose()?,
            month,
            day_of_month: as_int(day_of_month),
        };
        Ok(())
    }

    /// Signs, numbers and units.
    fn offsets(&mut self) -> Result<(), AtTimeError> {
        let mut sign = 1;
        let mut unit_before = None;
        loop {
            match self.scanner.token() {
                Token::Number => {}
                token @ (Token::Plus | Token::Minus) => {
                    sign = if token == Token::Plus { 1 } else { -1 };
                    unit_before = None;
                    if self.scanner.advance() != Token::Number {
                        let letter = if sign == 1 { '+' } else { '-' };
                        return Err(AtTimeError::NumberMissing(letter));
                    }
                }
                _ => return Ok(()),
            }
            let amount = as_int(self.scanner.number());
            self.scanner.advance();
            let unit = Unit::of(&self.scanner, amount, unit_before);
            unit_before = unit;
            self.add(amount.wrapping_mul(sign), unit.unwrap_or(Unit::Seconds));
            // Whatever stood where a unit may stand is passed, as rrdtool does.
            self.scanner.advance();
        }
    }

    fn add(&mut self, amount: i32, unit: Unit) {
        let spec = &mut self.spec;
        let mut add_seconds = |each: i32| {
            let seconds = i64::from(amount.wrapping_mul(each));
            spec.offset_seconds = spec.offset_seconds.wrapping_add(seconds);
        };
        match unit {
            Unit::Seconds => add_seconds(1),
            Unit::Minutes => add_seconds(60),
            Unit::Hours => add_seconds(3600),
            Unit::Days => spec.days = spec.days.wrapping_add(amount),
            Unit::Weeks => spec.days = spec.days.wrapping_add(amount.wrapping_mul(7)),
            Unit::Months => spec.months = spec.months.wrapping_add(amount),
            Unit::Years => spec.years = spec.years.wrapping_add(amount),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Unit {
    Seconds,
    Minutes,
    Hours,
    Days,
    Weeks,
    Months,
    Years,
}

impl Unit {
    /// The unit that the word is, if it is one. A lone `m` goes by the unit before it or, failing
    /// that, by the amount: who asks for less than six minutes?
    fn of(scanner: &Scanner<'_>, amount: i32, before: Option<Self>) -> Option<Self> {
        let names: [(Self, &[&str]); 7] = [
            (Self::Seconds, &["s", "sec", "second", "seconds"]),
            (Self::Minutes, &["min", "minute", "minutes"]),
            (Self::Hours, &["h", "hr", "hour", "hours"]),
            (Self::Days, &["d", "day", "days"]),
            (Self::Weeks, &["w", "wk", "week", "weeks"]),
            (Self::Months, &["mon", "month", "months"]),
            (Self::Years, &["y", "yr", "year", "years"]),
        ];
        if scanner.is("m") {
            let months = before.map_or(amount < 6, |unit| unit >= Self::Days);
            return Some(if months { Self::Months } else { Self::Minutes });
        }
        let named = |(_, names): &&(Self, &[&str])| scanner.position_in(names).is_some();
        names.iter().find(named).map(|(unit, _)| *unit)
    }
}

/// The year that two or four digits stand for, in full.
fn full_year(year: i64) -> Result<i32, AtTimeError> {
    let since_1900 = match year {
        1971.. => as_int(year - 1900),
        139..=1970 => return Err(AtTimeError::Year(as_int(year))),
        0..38 => as_int(year) + 100,
        _ => as_int(year),
    };
    if since_1900 < 70 {
        return Err(AtTimeError::BeforeEpoch);
    }
    Ok(since_1900.wrapping_add(1900))
}

/// A `long` as an `int`.
fn as_int(number: i64) -> i32 {
    number as i32
}
