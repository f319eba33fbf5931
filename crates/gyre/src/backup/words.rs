//! Sizes and moments in words.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Bytes as a person reads them.
pub(super) fn size(bytes: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let unit = units.into_iter().find(|(_, size)| bytes as f64 >= *size);
    unit.map_or(format!("{bytes} B"), |(name, size)| format!("{:.1} {name}", bytes as f64 / size))
}

/// A moment in the local time zone.
pub(super) fn moment(seconds: i64) -> String {
    let moment = Timestamp::from_second(seconds).unwrap_or_default();
    moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_are_short() {
        let sizes = [0, 999, 1000, 94_096, 12_345_678, 45_000_000_000].map(super::size);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "94.1 kB", "12.3 MB", "45.0 GB"]);
    }
}
