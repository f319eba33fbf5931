//! Numbers, times and durations as Prometheus writes and reads them.

/// Microseconds of a millisecond, in which Prometheus counts.
const MILLI_MICROS: i64 = 1_000;
/// Whole numbers up to here have one text, and digits alone.
const WHOLE_MAX: f64 = 9e15;

/// Writes a number as Go's `strconv.FormatFloat(value, 'f', -1, 64)` does.
pub(crate) fn write_value(out: &mut Vec<u8>, value: f64) {
    if value.is_nan() {
        return out.extend_from_slice(b"NaN");
    }
    if value.is_infinite() {
        return out.extend_from_slice(if value > 0.0 { b"+Inf" } else { b"-Inf" });
    }
    if value.trunc() == value
        && value.abs() < WHOLE_MAX
        && (value != 0.0 || value.is_sign_positive())
    {
        return out.extend_from_slice(itoa::Buffer::new().format(value as i64).as_bytes());
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    match text.contains('e') {
        true => out.extend_from_slice(value.to_string().as_bytes()), // never with an exponent
        false => out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes()),
    }
}

/// A number as Go's `strconv.FormatFloat(value, 'f', -1, 64)` has it.
pub(crate) fn value_text(value: f64) -> String {
    let mut out = Vec::new();
    write_value(&mut out, value);
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes a time in seconds, with three decimals if it is not whole.
pub(crate) fn write_time(out: &mut Vec<u8>, time_micros: i64) {
    let millis = time_micros.div_euclid(MILLI_MICROS);
    if millis < 0 {
        out.push(b'-');
    }
    let (seconds, rest) = (millis.unsigned_abs() / 1_000, millis.unsigned_abs() % 1_000);
    out.extend_from_slice(itoa::Buffer::new().format(seconds).as_bytes());
    if rest != 0 {
        out.extend_from_slice(format!(".{rest:03}").as_bytes());
    }
}

/// A time as text: seconds since 1970, or RFC 3339. As microseconds, whole milliseconds of them.
pub(crate) fn time_micros(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return micros_of_seconds(seconds);
    }
    let time: jiff::Timestamp = text.parse().ok()?;
    Some(time.as_microsecond().div_euclid(MILLI_MICROS) * MILLI_MICROS)
}

/// A duration as text: seconds, or as PromQL has it. Microseconds.
pub(crate) fn duration_micros(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return micros_of_seconds(seconds);
    }
    if !text.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let duration = promql_parser::util::parse_duration(text).ok()?;
    i64::try_from(duration.as_micros()).ok()
}

fn micros_of_seconds(seconds: f64) -> Option<i64> {
    let millis = (seconds * 1_000.0).round();
    // A third of what the type holds: sums of two times cannot overflow.
    (millis.abs() < 3e15).then(|| millis as i64 * MILLI_MICROS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_shortest_text_without_exponent() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-12345678.0, "-12345678"),
            (0.1, "0.1"),
            (1.5e-7, "0.00000015"),
            (1e21, "1000000000000000000000"),
            (123456.789, "123456.789"),
            (9007199254740993.0, "9007199254740992"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
        ];
        for (value, text) in cases {
            assert_eq!(value_text(value), text);
        }
        assert_eq!(value_text(5e-324).len(), 326);
    }

    #[test]
    fn times_have_three_decimals_or_none() {
        let text = |micros| {
            let mut out = Vec::new();
            write_time(&mut out, micros);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(1_700_000_000_000_000), "1700000000");
        assert_eq!(text(1_700_000_000_050_000), "1700000000.050");
        assert_eq!(text(-1_500_000), "-1.500");
    }

    #[test]
    fn times_and_durations_are_read_in_both_forms() {
        assert_eq!(time_micros("1700000000.1234"), Some(1_700_000_000_123_000));
        assert_eq!(time_micros("2023-11-14T22:13:20Z"), Some(1_700_000_000_000_000));
        assert_eq!(time_micros("2023-11-14T23:13:20.5+01:00"), Some(1_700_000_000_500_000));
        assert_eq!(
            (time_micros("x"), time_micros("NaN"), time_micros("1e300")),
            (None, None, None)
        );
        assert_eq!(duration_micros("5m"), Some(300_000_000));
        assert_eq!(duration_micros("1h30m"), Some(5_400_000_000));
        assert_eq!(duration_micros("0.5"), Some(500_000));
        assert_eq!((duration_micros("1x"), duration_micros("inf")), (None, None));
    }
}
