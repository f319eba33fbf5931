//! Times by strftime formats.

use jiff::fmt::strtime::{BrokenDownTime, Config, PosixCustom};
use jiff::{Timestamp, tz::TimeZone};

/// Prints a moment; a format that no calendar knows is printed as it stands.
pub(crate) fn strftime(format: &str, seconds: i64, zone: &TimeZone) -> String {
    let Ok(moment) = Timestamp::from_second(seconds) else {
        return String::new();
    };
    let time = BrokenDownTime::from(&moment.to_zoned(zone.clone()));
    let config = Config::new().custom(PosixCustom::new()).lenient(true);
    time.to_string_with_config(&config, format).unwrap_or_else(|_| format.to_owned())
}
