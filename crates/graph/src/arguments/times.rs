//! `--start` and `--end`: the window of a graph or of a single DEF.

use jiff::tz::TimeZone;
use rrd::attime;

use crate::Error;

/// The earliest start that rrdtool takes for a time rather than a slip of the pen.
const EARLIEST_SECONDS: i64 = 3600 * 24 * 365 * 10;

/// The start and end, in seconds, of texts that may refer to each other and to now.
///
/// # Errors
/// What rrdtool says of times that it cannot read, or that are out of order.
pub(crate) fn window(
    start: &str,
    end: &str,
    now_seconds: i64,
    zone: &TimeZone,
) -> Result<(i64, i64), Error> {
    let read = |text: &str, side: &str| {
        attime::parse(text).map_err(|error| Error::Time(format!("{side} time: {error}")))
    };
    let (start, end) = (read(start, "start")?, read(end, "end")?);
    let (start_seconds, end_seconds) = attime::resolve_start_end(&start, &end, now_seconds, zone)
        .map_err(|error| Error::Time(error.to_string()))?;
    if start_seconds < EARLIEST_SECONDS {
        return Err(Error::Time(format!(
            "the first entry to fetch should be after 1980 ({start_seconds})"
        )));
    }
    if end_seconds < start_seconds {
        return Err(Error::Time(format!(
            "start ({start_seconds}) should be less than end ({end_seconds})"
        )));
    }
    Ok((start_seconds, end_seconds))
}
