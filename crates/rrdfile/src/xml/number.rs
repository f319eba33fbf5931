//! Numbers as `rrdtool dump` writes them.
//!
//! For dumps rrdtool does not use the C library's `printf`: it scales by repeated multiplication in
//! doubles. So the eleventh digit is sometimes different, and the smallest exponent is -308. Equal
//! output needs the same arithmetic.

/// Ten to the power of the number of digits after the point.
const FRACTION_UNIT: u64 = 10_000_000_000;
const EXPONENT_LIMIT: i32 = 308;

/// The powers of ten from 10^0 to 10^308, as repeated multiplication gives them.
static MULTIPLIED: [f64; EXPONENT_LIMIT as usize + 1] = powers(false);
/// The powers of ten from 10^0 down to 10^-308, as repeated division gives them.
static DIVIDED: [f64; EXPONENT_LIMIT as usize + 1] = powers(true);

#[expect(clippy::indexing_slicing, reason = "a constant, evaluated by the compiler")]
const fn powers(divide: bool) -> [f64; EXPONENT_LIMIT as usize + 1] {
    let mut table = [1.0; EXPONENT_LIMIT as usize + 1];
    let mut at = 1;
    while at < table.len() {
        table[at] = if divide { table[at - 1] / 10.0 } else { table[at - 1] * 10.0 };
        at += 1;
    }
    table
}

#[expect(clippy::indexing_slicing, reason = "cut at the last entry")]
fn power_of_ten(exponent: i32) -> f64 {
    let table = if exponent < 0 { &DIVIDED } else { &MULTIPLIED };
    table[(exponent.unsigned_abs() as usize).min(EXPONENT_LIMIT as usize)]
}

/// Appends a number that is not NaN, formatted like rrdtool's `%0.10e`.
pub(super) fn append(out: &mut Vec<u8>, value: f64) {
    if value < 0.0 {
        out.push(b'-');
    }
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        out.extend_from_slice(b"inf");
        return;
    }
    let (mut exponent, scaled) = scaled(magnitude);
    let mut whole = scaled as u64;
    let mut fraction = round_half_up(FRACTION_UNIT as f64 * (scaled - whole as f64));
    if fraction >= FRACTION_UNIT {
        whole += 1;
        fraction -= FRACTION_UNIT;
    }
    if whole == 10 {
        whole = 1;
        exponent += 1;
    }
    append_text(out, whole, fraction, exponent);
}

/// Appends an integer.
#[expect(clippy::indexing_slicing, reason = "the longest number has 20 letters")]
pub(super) fn append_whole(out: &mut Vec<u8>, number: i64) {
    let mut digits = [b'0'; 20];
    let mut start = digits.len();
    let mut rest = number.unsigned_abs();
    while start > 1 {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        start -= 1;
        digits[start] = b'-';
    }
    out.extend_from_slice(&digits[start..]);
}

/// Two digits of every number below a hundred.
static PAIRS: [[u8; 2]; 100] = pairs();

#[expect(clippy::indexing_slicing, reason = "a constant, evaluated by the compiler")]
const fn pairs() -> [[u8; 2]; 100] {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < pairs.len() {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
}

#[expect(clippy::indexing_slicing, reason = "its parts have fixed places")]
fn append_text(out: &mut Vec<u8>, whole: u64, fraction: u64, exponent: i32) {
    // Room for `d.dddddddddde-ddd`.
    let mut text = *b"0.0000000000e+000";
    text[0] = b'0' + (whole % 10) as u8;
    // Halves of 32 bits, whose divisions take less.
    for (start, half) in [(2, fraction / 100_000), (7, fraction % 100_000)] {
        let half = half as u32;
        text[start] = b'0' + (half / 10_000 % 10) as u8;
        text[start + 1..start + 3].copy_from_slice(&PAIRS[(half / 100 % 100) as usize]);
        text[start + 3..start + 5].copy_from_slice(&PAIRS[(half % 100) as usize]);
    }
    text[13] = if exponent < 0 { b'-' } else { b'+' };
    let digits = exponent.unsigned_abs();
    let length = if digits < 100 {
        text[14..16].copy_from_slice(&PAIRS[digits as usize]);
        16
    } else {
        text[14] = b'0' + (digits / 100 % 10) as u8;
        text[15..17].copy_from_slice(&PAIRS[(digits % 100) as usize]);
        17
    };
    out.extend_from_slice(&text[..length]);
}

/// The exponent that repeated division or multiplication gives, and the number divided by that
/// power of ten. Except near powers of ten it is the true exponent, because rounding errors do not
/// matter there.
fn scaled(magnitude: f64) -> (i32, f64) {
    const SURE: std::ops::Range<f64> = 1.000_000_1..9.999_999;
    if (1e-300..1e300).contains(&magnitude) {
        let binary = (magnitude.to_bits() >> 52) as i32 - 1023;
        // The logarithm of two times the binary exponent: the result, or one less.
        let estimate = (binary * 315_653) >> 20;
        for exponent in [estimate, estimate + 1] {
            let scaled = magnitude / power_of_ten(exponent);
            if SURE.contains(&scaled) {
                return (exponent, scaled);
            }
        }
    }
    let exponent = repeated(magnitude);
    (exponent, magnitude / power_of_ten(exponent))
}

fn repeated(magnitude: f64) -> i32 {
    let (mut value, mut exponent) = (magnitude, 0);
    while value < 1.0 && value > 0.0 {
        exponent -= 1;
        if exponent <= -EXPONENT_LIMIT {
            break;
        }
        value *= 10.0;
    }
    while value >= 10.0 {
        exponent += 1;
        if exponent >= EXPONENT_LIMIT {
            break;
        }
        value /= 10.0;
    }
    exponent
}

fn round_half_up(value: f64) -> u64 {
    let whole = value as u64;
    if value - whole as f64 >= 0.5 { whole + 1 } else { whole }
}

#[cfg(test)]
mod tests {
    /// Texts that rrdtool 1.7.2 wrote.
    #[test]
    fn equals_what_rrdtool_wrote() {
        for (value, text) in [
            (0.0, "0.0000000000e+00"),
            (-0.0, "0.0000000000e+00"),
            (-1.323_208_114_1e-312, "-0.0001323208e-308"),
            (-8.045_381_624_6e-309, "-0.8045381625e-308"),
            (f64::NEG_INFINITY, "-inf"),
            (9.999_999_999_95, "1.0000000000e+01"),
            (1.25e7, "1.2500000000e+07"),
            (1e300, "1.0000000000e+300"),
        ] {
            let mut out = Vec::new();
            super::append(&mut out, value);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }

    #[test]
    fn whole_numbers_are_written_out() {
        for number in [0, 7, 10, -1, 1_000_000_300, i64::MAX, i64::MIN] {
            let mut out = Vec::new();
            super::append_whole(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }

    #[test]
    fn the_shortcut_leads_where_the_loop_does() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..100_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let magnitude = f64::from_bits(bits & !(1 << 63));
            if magnitude.is_finite() {
                assert_eq!(super::scaled(magnitude).0, super::repeated(magnitude), "{bits:x}");
            }
        }
        for exponent in 0..=308_usize {
            for table in [&super::MULTIPLIED, &super::DIVIDED] {
                for offset in 0..5 {
                    let near = f64::from_bits(table[exponent].to_bits().wrapping_add(offset) - 2);
                    assert_eq!(super::scaled(near).0, super::repeated(near), "{near:e}");
                }
            }
        }
    }
}
