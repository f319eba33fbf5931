//! The numbers of tables: ten digits behind the point, as rrdtool's own arithmetic finds them.

use rrd::cformat::{append_digits, append_eleven_digits};

use crate::rounding::rounded;

/// Ten digits stand behind the point.
const UNIT: f64 = 1e10;

/// Numbers between the first and the last power of [`POWERS`] find their exponent there.
const POWER_FIRST: i32 = -30;
const POWERS_COUNT: usize = 61;

/// Powers of ten, from 10^[`POWER_FIRST`] on, each found as rrdtool finds it: from 1 by as many
/// multiplications or divisions, which round.
static POWERS: [f64; POWERS_COUNT] = powers();

const fn powers() -> [f64; POWERS_COUNT] {
    let one = POWER_FIRST.unsigned_abs() as usize;
    let mut powers = [1.0; POWERS_COUNT];
    let mut at = one;
    while at > 0 {
        powers[at - 1] = powers[at] / 10.0;
        at -= 1;
    }
    at = one;
    while at + 1 < POWERS_COUNT {
        powers[at + 1] = powers[at] * 10.0;
        at += 1;
    }
    powers
}

/// So near to a power of ten, as a share of it, only rrdtool's own steps tell the exponent. Each
/// of at most thirty steps rounds off less than 2^-52.
const NEARNESS: f64 = 1e-13;

/// Appends a number. What lies near the middle between two numbers of ten digits may become the
/// farther one, as it does in rrdtool; PRINT and `fetch` show the nearer.
pub(crate) fn append_number(out: &mut Vec<u8>, value: f64) {
    let size = value.abs();
    if size == 0.0 || !size.is_finite() {
        return append_eleven_digits(out, value);
    }
    let (power, mut exponent) = known_power(size).unwrap_or_else(|| power_in_steps(size));
    let mantissa = size / power;
    // A mantissa is small: a cast cuts it off without a call.
    let whole = f64::from(mantissa as i32);
    let mut digits = whole * UNIT + rounded((mantissa - whole) * UNIT);
    if digits >= 10.0 * UNIT {
        (digits, exponent) = (UNIT, exponent + 1);
    }
    append_digits(out, value < 0.0, digits as i64 as u64, exponent);
}

/// The power of ten of the first digit, and its exponent, where it is beyond doubt.
fn known_power(size: f64) -> Option<(f64, i32)> {
    let exponent_of_two = (size.to_bits() >> 52) as i32 - 1023;
    // The logarithm of two, near enough: the exponent is this or one more.
    let estimate = (exponent_of_two * 1233) >> 12;
    let at = usize::try_from(estimate - POWER_FIRST).ok()?;
    let [low, middle, high] = POWERS.get(at..at + 3)?.first_chunk().copied()?;
    let is_within =
        |from: f64, to: f64| size > from * (1.0 + NEARNESS) && size < to * (1.0 - NEARNESS);
    match () {
        () if is_within(low, middle) => Some((low, estimate)),
        () if is_within(middle, high) => Some((middle, estimate + 1)),
        () => None,
    }
}

/// The same in rrdtool's steps.
fn power_in_steps(size: f64) -> (f64, i32) {
    let (mut exponent, mut rest) = (0_i32, size);
    while rest >= 10.0 {
        (rest, exponent) = (rest / 10.0, exponent + 1);
    }
    while rest < 1.0 {
        (rest, exponent) = (rest * 10.0, exponent - 1);
    }
    let step = |power: f64, _| if exponent > 0 { power * 10.0 } else { power / 10.0 };
    ((0..exponent.unsigned_abs()).fold(1.0, step), exponent)
}

#[cfg(test)]
mod tests {
    use super::{known_power, power_in_steps};

    #[test]
    fn powers_of_the_table_are_those_of_the_steps() {
        let mut chance: u64 = 1;
        for nth in 0..200_000_u64 {
            chance = chance.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(nth);
            let exponent = (chance >> 32) % 80;
            let size =
                (1.0 + (chance % 9_000_001) as f64 * 1e-6) * 10_f64.powi(exponent as i32 - 40);
            for size in [size, size.next_down(), 10_f64.powi(exponent as i32 - 40).next_down()] {
                if let Some(known) = known_power(size) {
                    assert_eq!(known, power_in_steps(size), "{size:e}");
                }
            }
        }
        assert_eq!(known_power(123.0), Some((100.0, 2)));
        assert_eq!(known_power(1e31), None);
    }
}
