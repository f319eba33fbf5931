//! Numbers and times as pages show them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::Look;

const PREFIXES: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];

/// A value of a target with its unit: `12.3 Mb/s`.
pub(crate) fn value(value: f64, look: &Look) -> String {
    let shown = value * look.factor;
    if !shown.is_finite() {
        return "–".to_owned();
    }
    let mut scaled = shown;
    let mut prefix = 0;
    while scaled.abs() >= look.kilo.max(2.0) && prefix + 1 < PREFIXES.len() {
        scaled /= look.kilo.max(2.0);
        prefix += 1;
    }
    let number = match scaled.abs() {
        _ if scaled == 0.0 => "0".to_owned(),
        ..10.0 => format!("{scaled:.2}"),
        ..100.0 => format!("{scaled:.1}"),
        _ => format!("{scaled:.0}"),
    };
    format!("{number} {}{}", PREFIXES[prefix], look.unit)
}

/// A whole number with thin spaces between thousands.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Seconds as one reads them: `3 ms`, `1.25 s`, `2 min`.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        ..0.0005 => format!("{:.0} µs", seconds * 1e6),
        ..0.9995 => format!("{:.0} ms", seconds * 1e3),
        ..90.0 if seconds.fract() == 0.0 => format!("{seconds} s"),
        ..90.0 => format!("{seconds:.2} s"),
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} days", seconds / 86400.0),
    }
}

/// How long ago something was.
pub(crate) fn ago(then_seconds: i64, now_seconds: i64) -> String {
    match now_seconds - then_seconds {
        ..2 => "just now".to_owned(),
        seconds @ ..90 => format!("{seconds} s ago"),
        seconds => format!("{} ago", duration(seconds as f64)),
    }
}

/// A moment: `2026-11-21 13:05:00`.
pub(crate) fn moment(seconds: i64, zone: &TimeZone) -> String {
    format_time(seconds, zone, "%Y-%m-%d %H:%M:%S")
}

/// A moment to the minute: `2026-11-21 13:05`.
pub(crate) fn minute(seconds: i64, zone: &TimeZone) -> String {
    format_time(seconds, zone, "%Y-%m-%d %H:%M")
}

fn format_time(seconds: i64, zone: &TimeZone, format: &str) -> String {
    Timestamp::from_second(seconds)
        .map_or_else(|_| "–".to_owned(), |time| zone.to_datetime(time).strftime(format).to_string())
}

#[cfg(test)]
mod tests {
    use super::{ago, count, duration};

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(7), "7");
        assert_eq!(count(1234), "1\u{202f}234");
        assert_eq!(count(100_000), "100\u{202f}000");
    }

    #[test]
    fn durations_have_a_fitting_unit() {
        assert_eq!(duration(0.000_012), "12 µs");
        assert_eq!(duration(0.25), "250 ms");
        assert_eq!(duration(5.0), "5 s");
        assert_eq!(duration(1.5), "1.50 s");
        assert_eq!(duration(600.0), "10 min");
        assert_eq!(ago(100, 160), "60 s ago");
        assert_eq!(ago(100, 99), "just now");
    }
}
