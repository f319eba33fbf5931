//! The formats of sizes, numbers, durations and times for people, shared by everything that gyre
//! prints.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Bytes with a binary unit and at most three significant digits: `104 KiB`, `1.5 GiB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64 / 1024.0;
    let mut units = UNITS.iter();
    let Some(mut unit) = units.next().filter(|_| bytes >= 1024) else {
        return format!("{bytes} B");
    };
    while value >= 1023.5
        && let Some(larger) = units.next()
    {
        (value, unit) = (value / 1024.0, larger);
    }
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{} {unit}", without_zeros(&format!("{value:.digits$}")))
}

/// A whole number with commas between thousands.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with the singular or plural of a word: `1 file`, `2,000 files`.
#[must_use]
pub fn some(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A share: `10%`, `0.35%`.
#[must_use]
pub fn share(part: f64) -> String {
    let percent = part * 100.0;
    let digits = if percent >= 10.0 { 0 } else { 2 };
    format!("{}%", without_zeros(&format!("{percent:.digits$}")))
}

/// A duration: `12 µs`, `1.5 ms`, `1.25 s`, `2 min`, `1.5 h`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    match seconds {
        ..0.0005 => format!("{:.0} µs", seconds * 1e6),
        ..0.0095 => format!("{} ms", without_zeros(&format!("{:.1}", seconds * 1e3))),
        ..0.9995 => format!("{:.0} ms", seconds * 1e3),
        ..90.0 => format!("{} s", without_zeros(&format!("{seconds:.2}"))),
        ..570.0 => format!("{} min", without_zeros(&format!("{:.1}", seconds / 60.0))),
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{} h", without_zeros(&format!("{:.1}", seconds / 3600.0))),
        _ => format!("{} days", without_zeros(&format!("{:.1}", seconds / 86_400.0))),
    }
}

/// A whole number of seconds, as for steps and archives, without rounding: `90 s`, `5 min`, `2 h`.
#[must_use]
pub fn span(seconds: u64) -> String {
    match seconds {
        _ if seconds > 0 && seconds.is_multiple_of(86_400) => format!("{} d", seconds / 86_400),
        _ if seconds > 0 && seconds.is_multiple_of(3600) => format!("{} h", seconds / 3600),
        _ if seconds > 0 && seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// A step or row, whose seconds may have a fraction, without rounding: `5 min`, `0.1 s`.
#[must_use]
pub fn step(seconds: f64) -> String {
    match seconds.fract() == 0.0 && (0.0..1e15).contains(&seconds) {
        true => span(seconds as u64),
        false => format!("{seconds} s"),
    }
}

/// How long ago something was.
#[must_use]
pub fn ago(then_seconds: i64, now_seconds: i64) -> String {
    match now_seconds - then_seconds {
        ..2 => "just now".to_owned(),
        seconds @ ..90 => format!("{seconds} s ago"),
        seconds => format!("{} ago", duration(seconds as f64)),
    }
}

/// A time to the second: `2026-11-21 13:05:00`.
#[must_use]
pub fn moment(seconds: i64, zone: &TimeZone) -> String {
    formatted(seconds, zone, "%Y-%m-%d %H:%M:%S")
}

/// A time to the minute: `2026-11-21 13:05`.
#[must_use]
pub fn minute(seconds: i64, zone: &TimeZone) -> String {
    formatted(seconds, zone, "%Y-%m-%d %H:%M")
}

/// A time beyond the calendar is given in seconds.
fn formatted(seconds: i64, zone: &TimeZone, format: &str) -> String {
    let moment = Timestamp::from_second(seconds);
    moment.map_or_else(
        |_| seconds.to_string(),
        |moment| zone.to_datetime(moment).strftime(format).to_string(),
    )
}

fn without_zeros(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits_at_most() {
        let bytes = [0, 1023, 1024, 106_496, (1 << 30) - 1, 1_500_000_000, 5 << 30, u64::MAX];
        assert_eq!(
            bytes.map(size),
            ["0 B", "1023 B", "1 KiB", "104 KiB", "1 GiB", "1.4 GiB", "5 GiB", "16 EiB"]
        );
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 4096, 1_234_567].map(count), ["0", "999", "4,096", "1,234,567"]);
        assert_eq!([1, 2000].map(|it| some(it, "file", "files")), ["1 file", "2,000 files"]);
        let shares = [0.1, 0.0035, 1.0, 0.015, 3.8].map(share);
        assert_eq!(shares, ["10%", "0.35%", "100%", "1.5%", "380%"]);
    }

    #[test]
    fn durations_have_a_fitting_unit() {
        let durations = [0.000_012, 0.0015, 0.25, 5.0, 1.5, 173.0, 600.0, 90_000.0].map(duration);
        assert_eq!(
            durations,
            ["12 µs", "1.5 ms", "250 ms", "5 s", "1.5 s", "2.9 min", "10 min", "25 h"]
        );
        assert_eq!([0, 10, 300, 7200, 86_400].map(span), ["0 s", "10 s", "5 min", "2 h", "1 d"]);
        assert_eq!((ago(100, 160), ago(100, 99)), ("60 s ago".into(), "just now".into()));
    }

    #[test]
    fn moments_are_those_of_a_zone() {
        assert_eq!(moment(1_700_000_000, &TimeZone::UTC), "2023-11-14 22:13:20");
        assert_eq!(minute(1_700_000_000, &TimeZone::UTC), "2023-11-14 22:13");
        assert_eq!(moment(i64::MAX, &TimeZone::UTC), i64::MAX.to_string());
    }
}
