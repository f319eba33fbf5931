//! A stretch of time of a request, in rrdtool's words.

use jiff::tz::TimeZone;
use rrd::attime::{AtTimeError, LocalClock, RelativeTimeError, parse};

/// A stretch of time, in seconds since 1970. It ends after it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start_seconds: i64,
    pub(crate) end_seconds: i64,
}

/// Words that tell no stretch of time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum NoSpan {
    /// The start cannot be read.
    #[error("start: {0}")]
    Start(AtTimeError),
    /// The end cannot be read.
    #[error("end: {0}")]
    End(AtTimeError),
    /// Each is told by the other, or leads out of the calendar.
    #[error("start and end: {0}")]
    Relative(#[from] RelativeTimeError),
    /// It ends before it starts.
    #[error("start: expected a time before the end")]
    Empty,
    /// It is not of the years that are shown.
    #[error("start and end: expected times of the years 1970 to 9999")]
    FarAway,
}

/// The last second of the year 9999.
const LAST_SECONDS: i64 = 253_402_300_799;

impl Span {
    /// The stretch between two times as rrdtool reads them: `end-1d` and `now` where there are
    /// none.
    ///
    /// # Errors
    /// [`NoSpan`].
    pub(crate) fn between(
        start: Option<&str>,
        end: Option<&str>,
        now_seconds: i64,
        zone: &TimeZone,
    ) -> Result<Self, NoSpan> {
        let given = |text: Option<&str>| text.map(str::to_owned).filter(|text| !text.is_empty());
        let start = parse(&given(start).unwrap_or_else(|| "end-1d".to_owned()));
        let end = parse(&given(end).unwrap_or_else(|| "now".to_owned()));
        let (start, end) = (start.map_err(NoSpan::Start)?, end.map_err(NoSpan::End)?);
        let mut clock = LocalClock::at(now_seconds, zone.clone());
        let (start_seconds, end_seconds) = clock.resolve_start_end(&start, &end, now_seconds)?;
        match start_seconds < end_seconds {
            false => Err(NoSpan::Empty),
            true if start_seconds < 0 || end_seconds > LAST_SECONDS => Err(NoSpan::FarAway),
            true => Ok(Self { start_seconds, end_seconds }),
        }
    }

    /// How long it is.
    pub(crate) fn seconds(self) -> u64 {
        self.start_seconds.abs_diff(self.end_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::{NoSpan, Span};
    use jiff::tz::TimeZone;

    #[test]
    fn words_of_rrdtool_and_seconds_tell_a_span() {
        let now = 1_700_000_000;
        let span = |start, end| Span::between(start, end, now, &TimeZone::UTC);
        let day = span(None, None).unwrap();
        assert_eq!((day.seconds(), day.end_seconds), (86_400, now));
        assert_eq!(span(Some(""), Some("")).unwrap(), day);
        let two_hours = span(Some("end-2h"), Some("1600000000")).unwrap();
        assert_eq!(
            (two_hours.start_seconds, two_hours.end_seconds),
            (1_599_992_800, 1_600_000_000)
        );
        assert_eq!(span(Some("now"), Some("now-1h")), Err(NoSpan::Empty));
        assert!(matches!(span(Some("eleventeen"), None), Err(NoSpan::Start(_))));
        assert!(matches!(span(None, Some("25:99")), Err(NoSpan::End(_))));
        assert!(matches!(span(Some("end-1d"), Some("start+1d")), Err(NoSpan::Relative(_))));
    }
}
