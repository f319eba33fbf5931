//! `%.10e`, fast: the form of nearly every number that rrdtool prints.
//!
//! The binary number is multiplied by a power of ten of 64 bits, so that eleven digits stand before
//! the point. The power may be too small by one in its last place: what lies so near to the middle
//! between two results that this could matter, the caller must do exactly.

/// Digits in all.
const DIGITS_END: u64 = 100_000_000_000;
const DIGITS_START: u64 = DIGITS_END / 10;

/// The exponents of the powers of ten: what brings the largest and the smallest number to eleven
/// digits.
const POWER_FIRST: i32 = -300;
const POWERS: usize = 640;

/// The first 64 bits of powers of ten, from 10^[`POWER_FIRST`] on, the highest one set.
static MANTISSAS: [u64; POWERS] = mantissas();

const fn mantissas() -> [u64; POWERS] {
    let mut table = [0; POWERS];
    let one = -POWER_FIRST as usize;
    // 128 bits: what hundreds of steps round off stays far below the last place kept.
    let mut mantissa: u128 = 1 << 127;
    let mut at = one;
    while at < POWERS {
        table[at] = (mantissa >> 64) as u64;
        mantissa = (mantissa >> 4) * 10;
        mantissa <<= mantissa.leading_zeros();
        at += 1;
    }
    mantissa = 1 << 127;
    at = one;
    while at > 0 {
        mantissa /= 10;
        mantissa <<= mantissa.leading_zeros();
        at -= 1;
        table[at] = (mantissa >> 64) as u64;
    }
    table
}

/// `00` to `99`.
static PAIRS: [[u8; 2]; 100] = pairs();

const fn pairs() -> [[u8; 2]; 100] {
    let mut table = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        table[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    table
}

/// The eleven digits of a number that is not negative, as a whole number, and the exponent of the
/// first; `None` where only exact arithmetic can tell.
pub(super) fn of(magnitude: f64) -> Option<(u64, i32)> {
    match magnitude {
        0.0 => Some((0, 0)),
        magnitude => digits(magnitude),
    }
}

/// The digits as a whole number, and the exponent of the first.
fn digits(magnitude: f64) -> Option<(u64, i32)> {
    let bits = magnitude.to_bits();
    let (mantissa, exponent) = match (bits & ((1 << 52) - 1), (bits >> 52) as i32) {
        (fraction, 0) => (fraction, -1074),
        (fraction, biased) => (fraction | 1 << 52, biased - 1075),
    };
    let shift = mantissa.leading_zeros();
    let (mantissa, exponent) = (mantissa << shift, exponent - shift as i32);
    // The logarithm of two, near enough for all exponents that there are.
    let estimate = ((exponent + 63) * 315_653) >> 20;
    // It is the exponent that is wanted, or one less.
    scaled(mantissa, exponent, estimate).or_else(|| scaled(mantissa, exponent, estimate + 1))
}

/// The same if `power` is the exponent of the first digit.
fn scaled(mantissa: u64, exponent: i32, power: i32) -> Option<(u64, i32)> {
    let scale = 10 - power;
    let scale_mantissa = *MANTISSAS.get(usize::try_from(scale - POWER_FIRST).ok()?)?;
    let scale_exponent = ((scale * 217_706) >> 16) - 63;
    let product = u128::from(mantissa) * u128::from(scale_mantissa);
    let point =
        u32::try_from(-(exponent + scale_exponent)).ok().filter(|bit| (70..128).contains(bit))?;
    let whole = (product >> point) as u64;
    let fraction = product & ((1 << point) - 1);
    let half = 1u128 << (point - 1);
    // The true product is at most this much larger.
    const ERROR: u128 = 1 << 66;
    if !(DIGITS_START..DIGITS_END).contains(&whole) || fraction.abs_diff(half) <= ERROR {
        return None;
    }
    match whole + u64::from(fraction > half) {
        DIGITS_END => Some((DIGITS_START, power + 1)),
        digits => Some((digits, power)),
    }
}

/// Appends digits, the first of which stands for `10^exponent`.
pub(super) fn append(out: &mut Vec<u8>, is_negative: bool, digits: u64, exponent: i32) {
    assert!(digits == 0 || (DIGITS_START..DIGITS_END).contains(&digits));
    let [a, b, c, d, e, f, g, h, i, j, k] = characters(digits);
    let direction = if exponent < 0 { b'-' } else { b'+' };
    let power = exponent.unsigned_abs();
    if is_negative {
        out.push(b'-');
    }
    // Each in one piece: a copy of a known length calls nothing.
    out.extend_from_slice(&[a, b'.', b, c, d, e, f, g, h, i, j, k, b'e', direction]);
    if power >= 100 {
        out.push(b'0' + (power / 100) as u8);
    }
    out.extend_from_slice(&PAIRS[(power % 100) as usize]);
}

/// Eleven digits as text.
fn characters(digits: u64) -> [u8; 11] {
    const EIGHT: u64 = 100_000_000;
    let first = digits / EIGHT;
    let [a, b] = PAIRS[(first % 100) as usize];
    let [c, d, e, f, g, h, i, j] = eight_characters(digits % EIGHT);
    [b'0' + (first / 100) as u8, a, b, c, d, e, f, g, h, i, j]
}

/// Eight digits as text: halves, then quarters, then digits side by side in one word, the first in
/// the lowest byte.
fn eight_characters(digits: u64) -> [u8; 8] {
    let halves = (digits / 10_000) | ((digits % 10_000) << 32);
    // Of numbers below 10,000, and below 100, these products are exact quotients.
    let hundreds = ((halves * 5243) >> 19) & 0x0000_007f_0000_007f;
    let quarters = hundreds | ((halves - hundreds * 100) << 16);
    let tens = ((quarters * 103) >> 10) & 0x000f_000f_000f_000f;
    let digits = tens | ((quarters - tens * 10) << 8);
    (digits | u64::from_ne_bytes([b'0'; 8])).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::eight_characters;

    #[test]
    fn digits_side_by_side_are_those_of_the_number() {
        for half in 0..10_000_u64 {
            let number = half * 10_000 + (half * 7919) % 10_000;
            assert_eq!(eight_characters(number), *format!("{number:08}").as_bytes());
        }
    }
}
