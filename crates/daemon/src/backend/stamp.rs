//! The time of a value, which rrdcached looks at before anything else.

use rrd::number::{self, Parsed};
use rrd::sample::TimeText;
use rrd::update::UpdateError;
use rrd::{SampleReader, Timestamp};

use super::Failure;

/// Splits a value into its time and readings, which are put into `readings`.
///
/// # Errors
/// In rrdcached's words where its time is none (`N` and AT-style times are none to it), or is not after
/// `last`; in those of rrdtool's where the readings are wrong, which rrdcached tells nobody.
pub(crate) fn split<'a>(
    path: &str,
    value: &'a str,
    reader: &SampleReader,
    readings: &mut Vec<&'a str>,
) -> Result<Timestamp, Failure> {
    let no_time = || Failure::Told(format!("Cannot find timestamp in '{value}'!"));
    match number::parse(value) {
        Parsed::Partial(_, tail) if tail.starts_with(':') => {}
        _ => return Err(no_time()),
    }
    let refused = |error| Failure::Rrd(format!("{path}: {error}"));
    let time = reader.split(value, readings).map_err(refused)?;
    let TimeText::Number(seconds) = time else { return Err(no_time()) };
    if seconds < 0.0 {
        // To rrdtool it would count back from now, here it is a time long ago.
        return Ok(Timestamp { seconds: seconds.floor() as i64, micros: 0 });
    }
    TimeText::Number(seconds).moment(Timestamp::from_seconds(0)).ok_or_else(no_time)
}

/// A refused sample in rrdcached's words.
pub(crate) fn refused(path: &str, error: &UpdateError) -> Failure {
    match error {
        UpdateError::NotAfterLast { found, last } => Failure::Told(format!(
            "illegal attempt to update using time {} when last update time is {} (minimum one \
             second step)",
            text(*found),
            text(*last)
        )),
        other => Failure::Rrd(format!("{path}: {other}")),
    }
}

/// `%lf`.
fn text(time: Timestamp) -> String {
    format!("{}.{:06}", time.seconds, time.micros)
}

#[cfg(test)]
mod tests {
    use rrd::{Definition, SampleReader};

    use super::{Failure, split};

    fn reader() -> SampleReader {
        let mut definition =
            Definition { step_seconds: 60, sources: Vec::new(), archives: Vec::new() };
        for spec in ["DS:a:GAUGE:60:U:U", "DS:b:GAUGE:60:U:U", "RRA:LAST:0.5:1:9"] {
            rrd::spec::append(&mut definition, spec).unwrap();
        }
        SampleReader::in_order(&definition)
    }

    #[test]
    fn times_are_numbers() {
        let reader = reader();
        let mut readings = Vec::new();
        for (value, seconds) in [("5:1:2", 5), ("5.9:1:2", 5), ("1e3:1:2", 1000), ("+7:1:U", 7)] {
            let time = split("a", value, &reader, &mut readings).unwrap();
            assert_eq!(time.seconds, seconds, "{value}");
        }
        assert!(split("a", "-5:1:2", &reader, &mut readings).unwrap().seconds < 0);
        for value in ["", "5", "N:1:2", "x:1", "5x:1:2", "5@1:2", "inf:1:2", "nan:1:2"] {
            let words = format!("Cannot find timestamp in '{value}'!");
            let refused = split("a", value, &reader, &mut readings);
            assert_eq!(refused.map(drop), Err(Failure::Told(words)));
        }
    }

    #[test]
    fn readings_are_counted_at_once() {
        let refused = split("a", "5:1", &reader(), &mut Vec::new());
        let words = "a: expected 2 data source readings (got 1) from 5";
        assert_eq!(refused.map(drop), Err(Failure::Rrd(words.into())));
    }
}
