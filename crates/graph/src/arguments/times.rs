//! `--start` and `--end`: the window of a graph or of a single DEF.

use jiff::tz::TimeZone;
use rrd::Tick;
use rrd::attime::{self, Reference, TimeSpec};

use crate::Error;
use crate::time_window::TimeWindow;

/// The earliest start that rrdtool takes for a time rather than a slip of the pen.
const EARLIEST_SECONDS: i64 = 3600 * 24 * 365 * 10;

/// Seconds since 1970 have as many digits if anything follows them behind a point.
const WHOLE_DIGITS_MIN: usize = 9;

/// The digits behind a point that a time may have.
const DECIMALS_MAX: usize = 6;

/// The start and end of texts that may refer to each other and to now. They are counted in seconds,
/// or in what the decimals of seconds since 1970 ask for: `1700000000.5`.
///
/// # Errors
/// What rrdtool says of times that it cannot read, or that are out of order.
pub(crate) fn window(
    start: &str,
    end: &str,
    now_seconds: i64,
    zone: &TimeZone,
) -> Result<TimeWindow, Error> {
    let (start, end) = (Given::read(start, "start")?, Given::read(end, "end")?);
    let resolved = attime::resolve_start_end(&start.spec, &end.spec, now_seconds, zone);
    let (start_seconds, end_seconds) = resolved.map_err(|error| Error::Time(error.to_string()))?;
    if start_seconds < EARLIEST_SECONDS {
        return Err(Error::Time(format!(
            "the first entry to fetch should be after 1980 ({start_seconds})"
        )));
    }
    let whole = TimeWindow { tick: Tick::SECOND, start_seconds, end_seconds };
    let window = with_fractions(whole, &start, &end)?;
    let TimeWindow { tick, start_seconds, end_seconds } = window;
    if end_seconds < start_seconds {
        let (start, end) = (tick.told(start_seconds), tick.told(end_seconds));
        return Err(Error::Time(format!("start ({start}) should be less than end ({end})")));
    }
    Ok(window)
}

/// A time as it was given.
struct Given {
    spec: TimeSpec,
    /// The digits behind the point of seconds since 1970.
    decimals: String,
}

impl Given {
    fn read(text: &str, side: &str) -> Result<Self, Error> {
        let (whole, decimals) = parts(text).unwrap_or((text, ""));
        let spec =
            attime::parse(whole).map_err(|error| Error::Time(format!("{side} time: {error}")))?;
        Ok(Self { spec, decimals: decimals.trim_end_matches('0').into() })
    }

    /// The decimals, or those of the other end if the time counts from that.
    fn decimals_beside<'a>(&'a self, other: &'a Self, reference: Reference) -> &'a str {
        if self.spec.reference == reference { &other.decimals } else { &self.decimals }
    }
}

/// Seconds since 1970, and the digits behind their point.
fn parts(text: &str) -> Option<(&str, &str)> {
    let (whole, decimals) = text.split_once('.')?;
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = whole.len() >= WHOLE_DIGITS_MIN && (1..=DECIMALS_MAX).contains(&decimals.len());
    (is_time && are_digits(whole) && are_digits(decimals)).then_some((whole, decimals))
}

fn with_fractions(whole: TimeWindow, start: &Given, end: &Given) -> Result<TimeWindow, Error> {
    let starts = start.decimals_beside(end, Reference::End);
    let ends = end.decimals_beside(start, Reference::Start);
    let count = starts.len().max(ends.len());
    let tick = Tick::of_per_second(10_u32.pow(count as u32)).unwrap_or_default();
    let too_far = || Error::Time(format!("the times are too far away for ticks of {tick} s"));
    let window = whole.in_finer(tick).ok_or_else(too_far)?;
    let ticks = |decimals: &str| format!("{decimals:0<count$}").parse().unwrap_or(0_i64);
    Ok(TimeWindow {
        start_seconds: window.start_seconds + ticks(starts),
        end_seconds: window.end_seconds + ticks(ends),
        ..window
    })
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::window;

    fn told(start: &str, end: &str) -> Result<[String; 2], String> {
        let found = window(start, end, 1_700_000_100, &TimeZone::UTC);
        let found = found.map_err(|error| error.to_string())?;
        Ok([found.start_seconds, found.end_seconds].map(|at| found.tick.told(at).to_string()))
    }

    #[test]
    fn seconds_may_have_decimals() {
        let both = |start: &str, end: &str| Ok([start.to_owned(), end.to_owned()]);
        assert_eq!(told("1700000000.5", "1700000002"), both("1700000000.5", "1700000002.0"));
        assert_eq!(told("end-2", "1700000002.250"), both("1700000000.25", "1700000002.25"));
        assert_eq!(
            told("1700000000.000001", "start+1"),
            both("1700000000.000001", "1700000001.000001")
        );
        assert_eq!(told("1700000000.0", "now"), both("1700000000", "1700000100"));
        let error = told("1700000000.5", "1700000000.25").unwrap_err();
        assert!(error.ends_with("start (1700000000.50) should be less than end (1700000000.25)"));
        for text in ["1700000000.", "1700000000.0000001", "1700000000.5x"] {
            assert!(told(text, "now").is_err(), "{text}");
        }
    }
}
