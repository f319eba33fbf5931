//! Numbers as Python prints them.

use std::fmt::Write as _;
use std::sync::LazyLock;

use rrd::cformat::FloatFormat;

/// Below this, and at or above the next, Python writes an exponent.
const PLAIN_FROM: f64 = 1e-4;
const PLAIN_TO: f64 = 1e16;

/// Appends a finite number as Python's `repr` has it: `1.0`, `0.1`, `1e-05`, `1.5e+16`.
pub(crate) fn append_float(out: &mut Vec<u8>, number: f64) {
    let magnitude = number.abs();
    if magnitude == 0.0 || (PLAIN_FROM..PLAIN_TO).contains(&magnitude) {
        out.extend_from_slice(zmij::Buffer::new().format_finite(number).as_bytes());
    } else {
        out.extend_from_slice(with_exponent(number).as_bytes());
    }
}

fn with_exponent(number: f64) -> String {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    match exponent.strip_prefix('-') {
        Some(exponent) => format!("{digits}e-{exponent:0>2}"),
        None => format!("{digits}e+{exponent:0>2}"),
    }
}

/// A number as Python's `str` has it.
pub(crate) fn python_float(number: f64) -> String {
    if number.is_nan() {
        return "nan".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let mut out = Vec::new();
    append_float(&mut out, number);
    String::from_utf8_lossy(&out).into_owned()
}

/// A number as `%g` has it.
pub(crate) fn general(number: f64) -> String {
    static GENERAL: LazyLock<Option<FloatFormat>> =
        LazyLock::new(|| FloatFormat::parse("%g").map(|(format, _)| format));
    match &*GENERAL {
        Some(format) if number.is_finite() => format.text(number),
        _ => python_float(number),
    }
}

/// A number as `%.2f` has it.
pub(crate) fn two_places(number: f64) -> String {
    match number.is_finite() {
        true => format!("{number:.2}"),
        false => python_float(number),
    }
}

/// A number rounded to decimal places, halves to the even digit.
pub(crate) fn rounded(number: f64, places: i64) -> f64 {
    if !number.is_finite() || places > 300 {
        return number;
    }
    match usize::try_from(places) {
        Ok(places) => {
            let mut text = String::new();
            let _ = write!(text, "{number:.places$}");
            text.parse().unwrap_or(number)
        }
        Err(_) if places < -308 => 0.0,
        Err(_) => {
            let unit = 10_f64.powi(-places as i32);
            (number / unit).round_ties_even() * unit
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_python() {
        for (number, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (100.0, "100.0"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.00012, "0.00012"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.25e100, "1.25e+100"),
            (-123.456, "-123.456"),
            (5e-324, "5e-324"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(python_float(number), text);
        }
    }

    #[test]
    fn numbers_are_rounded_to_even() {
        assert_eq!(rounded(2.5, 0), 2.0);
        assert_eq!(rounded(0.125, 2), 0.12);
        assert_eq!(rounded(2.675, 2), 2.67);
        assert_eq!(rounded(1234.0, -2), 1200.0);
        assert_eq!(rounded(1e300, 2), 1e300);
    }

    #[test]
    fn general_is_that_of_c() {
        assert_eq!((general(2.0).as_str(), general(0.00001).as_str()), ("2", "1e-05"));
        assert_eq!(general(1_234_567.0), "1.23457e+06");
    }
}
