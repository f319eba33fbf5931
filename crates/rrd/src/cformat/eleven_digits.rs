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

/// Room for the longest text: a sign, eleven digits and a point, an exponent of three digits.
pub(super) const BYTES_MAX: usize = 18;

/// The text of a finite number, and its length; `None` where only exact arithmetic can tell.
pub(super) fn text(number: f64) -> Option<([u8; BYTES_MAX], usize)> {
    let (digits, exponent) = match number.abs() {
        0.0 => (0, 0),
        magnitude => digits(magnitude)?,
    };
    Some(written(number.is_sign_negative(), digits, exponent))
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

fn written(negative: bool, digits: u64, exponent: i32) -> ([u8; BYTES_MAX], usize) {
    let mut text = [0; BYTES_MAX];
    let mut length = 0;
    let mut put = |bytes: &[u8]| {
        text[length..length + bytes.len()].copy_from_slice(bytes);
        length += bytes.len();
    };
    if negative {
        put(b"-");
    }
    let pair = |number: u64| &PAIRS[(number % 100) as usize];
    put(&[b'0' + (digits / DIGITS_START) as u8, b'.']);
    let (high, low) = (digits / 100_000, digits % 100_000);
    put(pair(high / 1000));
    put(pair(high / 10));
    put(pair(high % 10 * 10 + low / 10_000));
    put(pair(low / 100));
    put(pair(low));
    put(if exponent < 0 { b"e-" } else { b"e+" });
    let exponent = u64::from(exponent.unsigned_abs());
    if exponent >= 100 {
        put(&[b'0' + (exponent / 100) as u8]);
    }
    put(pair(exponent));
    (text, length)
}
