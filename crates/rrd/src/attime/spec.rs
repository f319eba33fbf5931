//! What a text says of a time, before a clock or a calendar is asked.

/// A time as a text gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpec {
    /// What the rest counts from.
    pub reference: Reference,
    /// The day.
    pub day: Day,
    /// The time of that day; `None` for that of now.
    pub time_of_day: Option<TimeOfDay>,
    /// Calendar years added.
    pub years: i32,
    /// Calendar months added.
    pub months: i32,
    /// Calendar days added.
    pub days: i32,
    /// Seconds added once the calendar has spoken.
    pub offset_seconds: i64,
}

/// What a time counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// Nothing but the clock and the calendar.
    Absolute,
    /// The start of the stretch of time that is asked for.
    Start,
    /// The end of that stretch.
    End,
    /// What rrdtool takes for the epoch: midnight of 1899-12-31, local time.
    Epoch,
}

/// The day of an absolute time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Day {
    /// So many days from today.
    Today(i32),
    /// The day of this week, 0 for Sunday.
    Weekday(i32),
    /// A date.
    Date {
        /// The year, `None` for this one.
        year: Option<i32>,
        /// The month, 0 for January.
        month: i32,
        /// The day of the month, counted from 1.
        day_of_month: i32,
    },
    /// Seconds since the epoch; a time of day beside it is ignored.
    Moment(i64),
}

/// A time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOfDay {
    /// 0 to 23.
    pub hour: i32,
    /// 0 to 59.
    pub minute: i32,
}

impl TimeSpec {
    /// Now.
    pub const NOW: Self = Self {
        reference: Reference::Absolute,
        day: Day::Today(0),
        time_of_day: None,
        years: 0,
        months: 0,
        days: 0,
        offset_seconds: 0,
    };

    /// `end-1d`, the start of a graph that names none.
    pub const DAY_BEFORE_END: Self =
        Self { reference: Reference::End, offset_seconds: -86_400, ..Self::NOW };

    /// A moment in seconds since the epoch.
    #[must_use]
    pub const fn at(seconds: i64) -> Self {
        Self { day: Day::Moment(seconds), ..Self::NOW }
    }
}

/// Why a text is no time; the words are rrdtool's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AtTimeError {
    /// It does not begin as a time does. Holds the text from the first word on.
    #[error("unparsable time: {0}")]
    Unparsable(String),
    /// Something is left over. Holds the text from there on.
    #[error("unparsable trailing text: '...{0}'")]
    Trailing(String),
    /// `start`, `end` or `epoch` stands alone.
    #[error("'start' or 'end' MUST be followed by +|- offset")]
    OffsetMissing,
    /// `now` is followed by something else than an offset.
    #[error("if 'now' is followed by a token it must be +|- offset")]
    AfterNow,
    /// A sign without a number.
    #[error("There should be number after '{0}'")]
    NumberMissing(char),
    /// `HH:` without minutes.
    #[error("Parsing HH:MM syntax, expecting MM as number, got none")]
    MinutesMissing,
    /// More than 59 minutes.
    #[error("parsing HH:MM syntax, got MM = {0} (>59!)")]
    Minutes(i32),
    /// More than 12 with `am` or `pm`.
    #[error("there cannot be more than 12 AM or PM hours")]
    HalfDayHours,
    /// A month's name without a day.
    #[error("the day of the month should follow month name")]
    DayMissing,
    /// A date breaks off.
    #[error("there should be {part} number after '{separator}'")]
    DatePartMissing {
        /// `month`, `day` or `year`.
        part: &'static str,
        /// What stands between its parts.
        separator: char,
    },
    /// No month has this number.
    #[error("did you really mean month {0}?")]
    Month(i32),
    /// No month has this day.
    #[error("I'm afraid that {0} is not a valid day of the month")]
    DayOfMonth(i32),
    /// A year that is neither of two nor of four digits.
    #[error("invalid year {0} (should be either 00-99 or >1900)")]
    Year(i32),
    /// Before 1970.
    #[error("won't handle dates before epoch (01/01/1970), sorry")]
    BeforeEpoch,
    /// The calendar has no such time.
    #[error("the specified time is incorrect (out of range?)")]
    OutOfRange,
}
