//! Times in MRTG's words.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A time as MRTG's pages tell it: `Friday, 27 November 2026 at 14:02`.
pub(crate) fn told(seconds: i64, zone: &TimeZone) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or_default().to_zoned(zone.clone());
    time.strftime("%A, %-d %B %Y at %-H:%M").to_string()
}

/// The line of a `.meta` file, which web servers send with a page or picture, if it is read until
/// it expires.
#[must_use]
pub fn expires(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or_default().to_zoned(TimeZone::UTC);
    time.strftime("Expires: %a, %d %b %Y %H:%M:%S GMT\n").to_string()
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::{expires, told};

    #[test]
    fn times_read_as_mrtgs() {
        assert_eq!(told(1_795_788_184, &TimeZone::UTC), "Friday, 27 November 2026 at 14:03");
        assert_eq!(expires(1_795_788_184), "Expires: Fri, 27 Nov 2026 14:03:04 GMT\n");
    }
}
