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

/// A whole number.
pub(crate) fn append_whole(out: &mut Vec<u8>, number: i64) {
    append_padded(out, number, 0);
}

/// `%*ld`: a whole number behind blanks, `width` characters in all at least.
pub(crate) fn append_padded(out: &mut Vec<u8>, number: i64, width: usize) {
    if number < 0 {
        out.extend_from_slice(format!("{number:>width$}").as_bytes());
    } else {
        append_count(out, number as u64, width);
    }
}

/// `%*lu`.
pub(crate) fn append_count(out: &mut Vec<u8>, count: u64, width: usize) {
    const BLANKS: [u8; 20] = [b' '; 20];
    let mut digits = BLANKS; // as many as a count can have
    let mut start = digits.len();
    let mut rest = count;
    while start > 0 {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start.min(digits.len().saturating_sub(width))..]);
}

/// A number as `atol` reads it: 0 where there is none, whatever follows.
pub(crate) fn c_integer(text: &str) -> i64 {
    let text = text.trim_start();
    let digits = text.trim_start_matches(['-', '+']);
    let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    let magnitude: i64 = digits.get(..end).and_then(|text| text.parse().ok()).unwrap_or(0);
    if text.starts_with('-') { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::{append_padded, c_integer};

    #[test]
    fn whole_numbers_are_as_printf_writes_them() {
        for number in [0, 1, 9, 10, 99, 1_000_000_000, i64::MAX, -1, -1234, i64::MIN] {
            for width in [0, 1, 10, 20] {
                let mut out = Vec::new();
                append_padded(&mut out, number, width);
                assert_eq!(String::from_utf8(out).unwrap(), format!("{number:>width$}"));
            }
        }
        assert_eq!(c_integer(" +12x"), 12);
        assert_eq!(c_integer("-7"), -7);
        assert_eq!(c_integer("x"), 0);
    }
}
