//! Times as columns have them: seconds since 1970, or dates of the local zone.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use sqlclient::Value;

use crate::number::number_of_text;

/// How a column's times are written and read.
pub(crate) struct Moments {
    /// The zone of dates.
    zone: Option<TimeZone>,
}

impl Moments {
    pub(crate) fn new(are_dates: bool) -> Self {
        Self { zone: are_dates.then(rrdtool::local_zone) }
    }

    /// A time as SQL compares it with the column's.
    pub(crate) fn sql(&self, seconds: i64) -> String {
        let timestamp = Timestamp::from_second(seconds).ok();
        match (&self.zone, timestamp) {
            (Some(zone), Some(timestamp)) => {
                let date = timestamp.to_zoned(zone.clone());
                format!("'{}'", date.strftime("%Y-%m-%d %H:%M:%S"))
            }
            _ => seconds.to_string(),
        }
    }

    /// The seconds of a value, if it is a time.
    pub(crate) fn seconds(&self, value: &Value) -> Option<i64> {
        match (value, &self.zone) {
            (Value::Integer(seconds), _) => Some(*seconds),
            (Value::Real(seconds), _) => whole(*seconds),
            (Value::Text(text), Some(zone)) => date_seconds(text, zone),
            (Value::Text(text), None) => whole(number_of_text(text)),
            (Value::Null | Value::Bytes(_), _) => None,
        }
    }
}

fn whole(seconds: f64) -> Option<i64> {
    seconds.is_finite().then_some(seconds as i64)
}

/// A date with an offset is a moment by itself.
fn date_seconds(text: &str, zone: &TimeZone) -> Option<i64> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.as_second());
    }
    let date: DateTime = text.parse().ok()?;
    Some(zone.to_ambiguous_timestamp(date).compatible().ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use sqlclient::Value;

    use super::Moments;

    #[test]
    fn dates_are_of_the_local_zone() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("it is one");
        let moments = Moments { zone: Some(zone) };
        assert_eq!(moments.sql(1_000_001_000), "'2001-09-09 04:03:20'");
        let read = |text: &str| moments.seconds(&Value::Text(text.into()));
        assert_eq!(read("2001-09-09 04:03:20"), Some(1_000_001_000));
        assert_eq!(read("2001-09-09 04:03:20.500000"), Some(1_000_001_000));
        assert_eq!(read("2001-09-09 02:03:20+00:00"), Some(1_000_001_000));
        assert_eq!(read("yesterday"), None);
    }

    #[test]
    fn seconds_come_in_all_kinds() {
        let moments = Moments::new(false);
        assert_eq!(moments.sql(-5), "-5");
        assert_eq!(moments.seconds(&Value::Integer(7)), Some(7));
        assert_eq!(moments.seconds(&Value::Real(7.9)), Some(7));
        assert_eq!(moments.seconds(&Value::Text("7.9".into())), Some(7));
        assert_eq!(moments.seconds(&Value::Real(f64::NAN)), None);
        assert_eq!(moments.seconds(&Value::Null), None);
    }
}
