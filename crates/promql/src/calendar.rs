//! Parts of a date, in UTC.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A function of seconds since 1970.
pub(crate) fn of_seconds(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "minute" => |it| part(it, |at| at.minute().into()),
        "hour" => |it| part(it, |at| at.hour().into()),
        "day_of_week" => |it| part(it, |at| at.weekday().to_sunday_zero_offset().into()),
        "day_of_month" => |it| part(it, |at| at.day().into()),
        "day_of_year" => |it| part(it, DateTime::day_of_year),
        "days_in_month" => |it| part(it, |at| at.days_in_month().into()),
        "month" => |it| part(it, |at| at.month().into()),
        "year" => |it| part(it, DateTime::year),
        _ => return None,
    })
}

/// NaN beyond the years that the calendar has, -9999 to 9999.
fn part(seconds: f64, of: impl Fn(DateTime) -> i16) -> f64 {
    if seconds.is_nan() {
        return f64::NAN;
    }
    let time = Timestamp::from_second(seconds as i64);
    time.map_or(f64::NAN, |it| of(it.to_zoned(TimeZone::UTC).datetime()).into())
}
