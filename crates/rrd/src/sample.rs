//! The argument of an update: a time and the text of one reading for each data source.

use crate::number::{self, Parsed, digits};
use crate::{BetweenTicks, Definition, Reading, Tick, Timestamp};

/// One update: readings that were true at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// When the readings were taken.
    pub time: Timestamp,
    /// One for each data source, in the order of the definition.
    pub readings: &'a [Reading<'a>],
}

/// Why an update argument is refused; the words are rrdtool's.
#[derive(Clone, Debug, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum SampleError {
    /// There is neither `:` nor `@`.
    #[error("expected timestamp not found in data source from {0}")]
    NoTime(String),
    /// Too few readings.
    #[error("expected {expected} data source readings (got {found}) from {time}")]
    TooFew {
        /// How many the definition or the template asks for.
        expected: usize,
        /// How many there are.
        found: usize,
        /// The text of the time.
        time: String,
    },
    /// Too many readings.
    #[error("found extra data on update argument: {0}")]
    TooMany(String),
    /// The time is no number.
    #[error("error while parsing time in get_time_from_reading - {0}")]
    Time(NotANumber),
    /// An AT-style time is not understood.
    #[error("ds time: {0}: {1}")]
    AtTime(String, String),
    /// An AT-style time refers to something that an update does not have.
    #[error("specifying time relative to the 'start' or 'end' makes no sense here: {0}")]
    Relative(String),
    /// A template names a source twice too often.
    #[error("tmplt contains more DS definitions than RRD")]
    TemplateTooLong,
    /// A template names a source that does not exist.
    #[error("unknown DS name '{0}'")]
    UnknownSource(String),
    /// The time is no whole tick of the database.
    #[error(transparent)]
    BetweenTicks(#[from] BetweenTicks),
    /// The time has digits for less than a microsecond.
    #[error("the time {0} has more than six digits behind the point")]
    TooFine(String),
    /// The time cannot be counted in ticks of the database.
    #[error("the time {0} is out of range")]
    OutOfRange(Timestamp),
}

/// A text that is not, or not wholly, a number; the words are rrdtool's.
#[derive(Clone, Debug, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum NotANumber {
    /// Not even its beginning.
    #[error("Cannot convert '{0}' to float")]
    Nothing(String),
    /// A number with a tail.
    #[error("Converted '{text}' to {number:.6}, but cannot convert '{tail}'")]
    Tail {
        /// The whole text.
        text: String,
        /// What its beginning means.
        number: f64,
        /// What follows.
        tail: String,
    },
}

/// Whole numbers of seconds up to here are doubles.
const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;

/// Reads a whole number or says why it is none.
pub(crate) fn number_of(text: &str) -> Result<f64, NotANumber> {
    match number::parse(text) {
        Parsed::Whole(number) => Ok(number),
        Parsed::Partial(number, tail) => {
            Err(NotANumber::Tail { text: text.into(), number, tail: tail.into() })
        }
        Parsed::Nothing => Err(NotANumber::Nothing(text.into())),
    }
}

/// The time of an update argument, before a clock or a calendar is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeText<'a> {
    /// `N`: now.
    Now,
    /// Seconds since the epoch or, where negative, back from now.
    Number(f64),
    /// An AT-style time.
    AtStyle(&'a str),
}

impl<'a> TimeText<'a> {
    /// The time of an argument, whatever its readings are.
    ///
    /// # Errors
    /// What rrdtool says of a time that is none.
    pub fn of(argument: &'a str) -> Result<Self, SampleError> {
        Parts::of(argument)?.time_text()
    }

    /// The moment, for `N` and numbers.
    ///
    /// Fractions are kept to the microsecond below, computed as rrdtool does. AT-style times need
    /// a calendar and give `None`.
    #[must_use]
    pub fn moment(self, now: Timestamp) -> Option<Timestamp> {
        let seconds = match self {
            Self::Now => return Some(now),
            Self::AtStyle(_) => return None,
            Self::Number(seconds) if seconds < 0.0 => {
                seconds + now.seconds as f64 + f64::from(now.micros) * f64::from(1e-6_f32)
            }
            Self::Number(seconds) => seconds,
        };
        let whole = truncate_as_c(seconds.floor());
        let micros = (seconds - whole as f64) * 1e6;
        Some(Timestamp { seconds: whole, micros: micros as u32 })
    }
}

/// A double as `long`, with the result that x86 gives where it does not fit.
fn truncate_as_c(number: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&number) { number as i64 } else { i64::MIN }
}

/// The digits of a microsecond.
const MICROS_DIGITS: usize = 6;
/// The digits of a nanosecond.
const NANOS_DIGITS: usize = 9;

/// The time of an argument, where it is written `SECONDS[.FRACTION]` and is not the reading of a
/// clock; an error if it is no whole number of microseconds.
fn decimal_time(argument: &str) -> Option<Result<Timestamp, SampleError>> {
    let end = argument.find([':', '@'])?;
    let (whole, fraction) = argument[..end].split_once('.').unwrap_or((&argument[..end], ""));
    let seconds = digits::value(whole.as_bytes())?;
    if fraction.len() == NANOS_DIGITS {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let micros = match fraction {
        "" => 0,
        _ if fraction.len() > MICROS_DIGITS => {
            return Some(Err(SampleError::TooFine(argument[..end].into())));
        }
        _ => {
            let scale = 10_u64.pow((MICROS_DIGITS - fraction.len()) as u32);
            digits::value(fraction.as_bytes())? * scale
        }
    };
    Some(Ok(Timestamp { seconds: i64::try_from(seconds).ok()?, micros: micros as u32 }))
}

/// The two parts of an update argument.
struct Parts<'a> {
    time: &'a str,
    readings: &'a str,
    is_at_style: bool,
}

impl<'a> Parts<'a> {
    fn of(argument: &'a str) -> Result<Self, SampleError> {
        match (argument.split_once('@'), argument.split_once(':')) {
            (Some((time, readings)), _) => Ok(Self { time, readings, is_at_style: true }),
            (None, Some((time, readings))) => Ok(Self { time, readings, is_at_style: false }),
            (None, None) => Err(SampleError::NoTime(argument.into())),
        }
    }

    fn time_text(self) -> Result<TimeText<'a>, SampleError> {
        match self.time {
            _ if self.is_at_style => Ok(TimeText::AtStyle(self.time)),
            "N" => Ok(TimeText::Now),
            time => number_of(time).map(TimeText::Number).map_err(SampleError::Time),
        }
    }
}

/// Splits update arguments into a time and readings by the order of sources or by a template.
#[derive(Clone, Debug)]
pub struct SampleReader {
    /// For each reading of an argument, the source that it belongs to.
    order: Vec<usize>,
    sources: usize,
    tick: Tick,
}

impl SampleReader {
    /// A reader for arguments that give every source in order but those that are calculated.
    #[must_use]
    pub fn in_order(definition: &Definition) -> Self {
        let sources = definition.sources.iter().enumerate();
        let read = sources.filter(|(_, source)| source.kind.takes_readings());
        let order = read.map(|(nth, _)| nth).collect();
        Self { order, sources: definition.sources.len(), tick: definition.tick }
    }

    /// How many readings a sample has: one for each data source.
    #[must_use]
    pub fn sources(&self) -> usize {
        self.sources
    }

    /// A reader for arguments that give the sources a template names: `name:name…`. What is given
    /// for a calculated source is kept as its last reading and changes nothing.
    ///
    /// # Errors
    /// [`SampleError::TemplateTooLong`] or [`SampleError::UnknownSource`].
    pub fn by_template(definition: &Definition, template: &str) -> Result<Self, SampleError> {
        let sources = definition.sources.len();
        let mut order = Vec::with_capacity(sources);
        for name in template.split(':') {
            if order.len() == sources {
                return Err(SampleError::TemplateTooLong);
            }
            let position = definition.sources.iter().position(|source| source.name == name);
            order.push(position.ok_or_else(|| SampleError::UnknownSource(name.into()))?);
        }
        Ok(Self { order, sources, tick: definition.tick })
    }

    /// Splits `argument` (`time:reading…` or `at-time@reading…`); `readings` is filled with one
    /// for each source, unknown where the template leaves one out.
    ///
    /// # Errors
    /// What rrdtool says of malformed arguments.
    pub fn split<'a>(
        &self,
        argument: &'a str,
        readings: &mut Vec<Reading<'a>>,
    ) -> Result<TimeText<'a>, SampleError> {
        let parts = Parts::of(argument)?;
        self.fill((parts.time, parts.readings), readings)?;
        parts.time_text()
    }

    /// Reads `seconds:reading…` as rrdcached does, to which a time is a number of seconds and
    /// nothing else: one below zero does not count back from now, it is long ago.
    ///
    /// # Errors
    /// [`SampleError::NoTime`] with the whole argument, and what rrdtool says of readings.
    pub fn read_numbered<'a>(
        &self,
        argument: &'a str,
        readings: &mut Vec<Reading<'a>>,
    ) -> Result<Timestamp, SampleError> {
        // Nearly every one is a whole number of seconds.
        if let Some((time, rest)) = argument.split_once(':')
            && let Some(seconds) = digits::value(time.as_bytes()).filter(|it| *it <= EXACT)
            && !rest.contains('@')
        {
            self.fill((time, rest), readings)?;
            return self.whole_ticks(Timestamp::from_seconds(seconds as i64));
        }
        let no_time = || SampleError::NoTime(argument.into());
        match number::parse(argument) {
            Parsed::Partial(_, tail) if tail.starts_with(':') => {}
            _ => return Err(no_time()),
        }
        let time = self.split(argument, readings)?;
        self.in_ticks(argument, || match time {
            TimeText::Number(seconds) if seconds < 0.0 => {
                Ok(Timestamp { seconds: truncate_as_c(seconds.floor()), micros: 0 })
            }
            time @ TimeText::Number(_) => time.moment(Timestamp::default()).ok_or_else(no_time),
            TimeText::Now | TimeText::AtStyle(_) => Err(no_time()),
        })
    }

    /// The time of an argument in ticks of the database: a number is one, to the microsecond; now,
    /// and what is counted from now, is the last tick up to it. So is a number of nanoseconds, with
    /// nine decimals, in which clients tell a daemon what they took for now.
    ///
    /// `moment` says when that is, to the microsecond as rrdtool computes it, which is all of it
    /// where the tick is a second.
    ///
    /// # Errors
    /// Those of `moment`. [`SampleError::BetweenTicks`], [`SampleError::OutOfRange`].
    #[inline]
    pub fn in_ticks(
        &self,
        argument: &str,
        moment: impl FnOnce() -> Result<Timestamp, SampleError>,
    ) -> Result<Timestamp, SampleError> {
        let time = moment()?;
        if self.tick.is_second() {
            return Ok(time);
        }
        match decimal_time(argument) {
            Some(time) => self.whole_ticks(time?),
            None => self.tick.up_to(time).ok_or(SampleError::OutOfRange(time)),
        }
    }

    /// A moment in ticks of the database.
    ///
    /// # Errors
    /// [`SampleError::BetweenTicks`], [`SampleError::OutOfRange`].
    #[inline]
    pub fn whole_ticks(&self, time: Timestamp) -> Result<Timestamp, SampleError> {
        match self.tick.is_second() {
            true => Ok(time),
            false => Ok(self.tick.of_moment(time)?),
        }
    }

    /// Puts what follows the time of an argument into its places.
    fn fill<'a>(
        &self,
        (time, rest): (&'a str, &'a str),
        readings: &mut Vec<Reading<'a>>,
    ) -> Result<(), SampleError> {
        readings.clear();
        readings.resize(self.sources, Reading::Unknown);
        let mut found = 0;
        for reading in rest.split(':') {
            let Some(source) = self.order.get(found) else {
                return Err(SampleError::TooMany(reading.into()));
            };
            readings[*source] = Reading::of(reading);
            found += 1;
        }
        if found < self.order.len() {
            let expected = self.order.len();
            return Err(SampleError::TooFew { expected, found, time: time.into() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::SampleError;
    use crate::{Reading, SampleReader, Timestamp, spec};

    fn reader() -> SampleReader {
        let words = ["DS:a:GAUGE:60:U:U", "DS:b:GAUGE:60:U:U", "RRA:LAST:0.5:1:9"];
        SampleReader::in_order(&spec::definition(60, words).unwrap())
    }

    #[test]
    fn times_of_rrdcached_are_numbers() {
        let (reader, mut readings) = (reader(), Vec::new());
        let mut read = |value| reader.read_numbered(value, &mut readings);
        for (value, seconds, micros) in [
            ("5:1:2", 5, 0),
            ("5.5:1:2", 5, 500_000),
            ("1e3:1:2", 1000, 0),
            ("+7:1:U", 7, 0),
            ("007:1:2", 7, 0),
            ("-5:1:2", -5, 0),
        ] {
            assert_eq!(read(value), Ok(Timestamp { seconds, micros }), "{value}");
        }
        for value in ["", "5", "N:1:2", "x:1", "5x:1:2", "5@1:2", "inf:1:2", "nan:1:2", "5:1@2:3"] {
            assert_eq!(read(value), Err(SampleError::NoTime(value.into())));
        }
        let too_few = SampleError::TooFew { expected: 2, found: 1, time: "5".into() };
        assert_eq!(read("5:1"), Err(too_few));
        assert_eq!(read("5:1:2:3"), Err(SampleError::TooMany("3".into())));
    }

    #[test]
    fn times_are_whole_ticks_to_the_microsecond() {
        let words = ["DS:a:GAUGE:60:U:U", "RRA:LAST:0.5:1:9"];
        let units = spec::Units::of_step("0.001", None).unwrap();
        let definition = spec::definition_in(units, words).unwrap();
        let reader = SampleReader::in_order(&definition);
        let read = |value: &str| reader.read_numbered(value, &mut Vec::new());
        // As a double, each of these is a little less.
        for millis in [1, 17, 123, 999] {
            let text = format!("1700000000.{millis:03}:1");
            assert_eq!(read(&text), Ok(Timestamp::from_seconds(1_700_000_000_000 + millis)));
        }
        assert_eq!(read("5.5:1"), Ok(Timestamp::from_seconds(5_500)));
        assert_eq!(read("5.500000:1"), Ok(Timestamp::from_seconds(5_500)));
        let between = read("5.0005:1").unwrap_err();
        assert_eq!(between.to_string(), "the time 5.000500 is between two ticks of 0.001 s");
        assert_eq!(read("5.123456789:1"), Ok(Timestamp::from_seconds(5_123)));
        assert_eq!(read("5.123456000:1"), Ok(Timestamp::from_seconds(5_123)));
        assert!(read("5.1234567:1").is_err());
        assert!(read("9223372036854775:1").is_ok());
        assert!(read("92233720368547758:1").is_err());
        let now = Timestamp { seconds: 7, micros: 123_456 };
        assert_eq!(reader.in_ticks("N:1", || Ok(now)), Ok(Timestamp::from_seconds(7_123)));
    }

    #[test]
    fn readings_are_what_their_texts_are() {
        let mut readings = Vec::new();
        reader().read_numbered("5:18:-3", &mut readings).unwrap();
        assert_eq!(readings, [Reading::Unsigned(18), Reading::Negative(3)]);
        reader().read_numbered("5:U:1.5", &mut readings).unwrap();
        assert_eq!(readings, [Reading::Unknown, Reading::Text("1.5")]);
    }
}
