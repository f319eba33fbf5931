//! The two ways in which values are printed, and how C reads a number.

use rrd::cformat::append_eleven_digits;

/// `%0.10e`, with the C library's `nan`, `-nan`, `inf`.
pub(crate) fn append(out: &mut Vec<u8>, value: f64) {
    append_eleven_digits(out, value);
}

/// `%0.10e`, with `NaN` for every unknown value.
pub(crate) fn append_known(out: &mut Vec<u8>, value: f64) {
    if value.is_nan() {
        out.extend_from_slice(b"NaN");
    } else {
        append(out, value);
    }
}

/// A number as `atol` reads it: 0 where there is none, whatever follows.
pub(crate) fn c_integer(text: &str) -> i64 {
    let text = text.trim_start();
    let digits = text.trim_start_matches(['-', '+']);
    let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    let magnitude: i64 = digits.get(..end).and_then(|text| text.parse().ok()).unwrap_or(0);
    if text.starts_with('-') { -magnitude } else { magnitude }
}
