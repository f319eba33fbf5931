//! Numbers as `rrdtool dump` writes them.
//!
//! For dumps rrdtool does not use the C library's `printf`: it scales by repeated multiplication
//! in doubles, so that now and then the eleventh digit is another one, and the exponent ends at
//! -308. Bit for bit equality asks for the same arithmetic.

use std::fmt::Write as _;

/// Digits after the point.
const PRECISION: i32 = 10;
const EXPONENT_LIMIT: i32 = 308;

/// Appends a number that is not NaN, as `%0.10e` does it there.
pub(super) fn append(out: &mut String, value: f64) {
    if value < 0.0 {
        out.push('-');
    }
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        out.push_str("inf");
        return;
    }
    let mut exponent = exponent_of(magnitude);
    let scaled = magnitude / power_of_ten(exponent);
    let fraction_unit = power_of_ten(PRECISION) as u64;
    let mut whole = scaled as u64;
    let mut fraction = round_half_up(fraction_unit as f64 * (scaled - whole as f64));
    if fraction >= fraction_unit {
        whole += 1;
        fraction -= fraction_unit;
    }
    if whole == 10 {
        whole = 1;
        exponent += 1;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "{whole}.{fraction:010}e{sign}{:02}", exponent.abs()); // a String takes all
}

fn exponent_of(magnitude: f64) -> i32 {
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

fn power_of_ten(exponent: i32) -> f64 {
    let mut power = 1.0;
    for _ in 0..exponent.abs() {
        if exponent > 0 {
            power *= 10.0;
        } else {
            power /= 10.0;
        }
    }
    power
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
        ] {
            let mut out = String::new();
            super::append(&mut out, value);
            assert_eq!(out, text);
        }
    }
}
