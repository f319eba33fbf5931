//! Exact arithmetic for targets that calculate.
//!
//! A floating point number cannot represent all 64-bit counters, and the difference of two readings
//! must keep its low digits. MRTG calculates with big decimal numbers. Fractions of two 128-bit
//! integers are at least as exact for real configurations. Numbers beyond their range are floating
//! point.

use std::fmt;

/// A number: a fraction if it fits, else floating point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(Form);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Numerator and denominator, in lowest terms, with a positive denominator.
    Fraction(i128, i128),
    /// A finite floating point number.
    Float(f64),
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(Form::Fraction(i128::from(value), 1))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Form::Fraction(i128::from(value), 1))
    }
}

impl Number {
    /// A floating point reading; `None` if it is not finite.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(Form::Float(value)))
    }

    /// Parses a constant: digits with an optional fraction and exponent.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::parse_exactly(text).or_else(|| Self::from_f64(text.parse().ok()?))
    }

    fn parse_exactly(text: &str) -> Option<Self> {
        let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else {
            return Self::parse_decimal(text);
        };
        let exponent: i32 = exponent.parse().ok()?;
        let power = Self::fraction(10_i128.checked_pow(exponent.unsigned_abs())?, 1)?;
        let mantissa = Self::parse_decimal(mantissa)?;
        if exponent < 0 { mantissa.over(power) } else { mantissa.times(power) }
    }

    /// Parses digits with at most one point, exactly.
    fn parse_decimal(text: &str) -> Option<Self> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let mut numerator: i128 = 0;
        for digit in whole.chars().chain(decimals.chars()) {
            let digit = i128::from(digit.to_digit(10)?);
            numerator = numerator.checked_mul(10)?.checked_add(digit)?;
        }
        let denominator = 10_i128.checked_pow(u32::try_from(decimals.len()).ok()?)?;
        Self::fraction(numerator, denominator)
    }

    /// In lowest terms; `None` for a zero denominator or beyond 128 bits.
    fn fraction(numerator: i128, denominator: i128) -> Option<Self> {
        let common = greatest_common_divisor(numerator, denominator)?;
        let sign = denominator.signum();
        let numerator = numerator.checked_div(common)?.checked_mul(sign)?;
        let denominator = denominator.checked_div(common)?.checked_mul(sign)?;
        (denominator > 0).then_some(Self(Form::Fraction(numerator, denominator)))
    }

    /// The nearest floating point number.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        match self.0 {
            Form::Fraction(numerator, denominator) => numerator as f64 / denominator as f64,
            Form::Float(value) => value,
        }
    }

    /// The integer, if the number is one.
    #[must_use]
    pub const fn as_integer(self) -> Option<i128> {
        match self.0 {
            Form::Fraction(numerator, 1) => Some(numerator),
            _ => None,
        }
    }

    /// Rounds to an integer, halves to even. A number beyond 128 bits has no fraction to round.
    #[must_use]
    pub fn rounded(self) -> Self {
        let integer = match self.0 {
            Form::Fraction(numerator, denominator) => round_half_even(numerator, denominator),
            Form::Float(value) => float_to_integer(value.round_ties_even()),
        };
        integer.map_or(self, |integer| Self(Form::Fraction(integer, 1)))
    }

    pub(crate) fn negate(self) -> Option<Self> {
        Self::from(0_i64).minus(self)
    }

    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        self.exactly(other, |(a, b), (c, d)| {
            Some((a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?, b.checked_mul(d)?))
        })
        .or_else(|| Self::from_f64(self.to_f64() + other.to_f64()))
    }

    pub(crate) fn minus(self, other: Self) -> Option<Self> {
        self.exactly(other, |(a, b), (c, d)| {
            Some((a.checked_mul(d)?.checked_sub(c.checked_mul(b)?)?, b.checked_mul(d)?))
        })
        .or_else(|| Self::from_f64(self.to_f64() - other.to_f64()))
    }

    pub(crate) fn times(self, other: Self) -> Option<Self> {
        self.exactly(other, |(a, b), (c, d)| Some((a.checked_mul(c)?, b.checked_mul(d)?)))
            .or_else(|| Self::from_f64(self.to_f64() * other.to_f64()))
    }

    /// `None` when dividing by zero.
    pub(crate) fn over(self, other: Self) -> Option<Self> {
        self.exactly(other, |(a, b), (c, d)| Some((a.checked_mul(d)?, b.checked_mul(c)?)))
            .or_else(|| Self::from_f64(self.to_f64() / other.to_f64()))
    }

    fn exactly(
        self,
        other: Self,
        operate: impl Fn((i128, i128), (i128, i128)) -> Option<(i128, i128)>,
    ) -> Option<Self> {
        let (Form::Fraction(a, b), Form::Fraction(c, d)) = (self.0, other.0) else {
            return None;
        };
        let (numerator, denominator) = operate((a, b), (c, d))?;
        Self::fraction(numerator, denominator)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_integer() {
            Some(integer) => integer.fmt(f),
            None => self.to_f64().fmt(f),
        }
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> Option<i128> {
    let (mut a, mut b) = (a.checked_abs()?, b.checked_abs()?);
    while b != 0 {
        (a, b) = (b, a.checked_rem(b)?);
    }
    Some(a)
}

fn round_half_even(numerator: i128, denominator: i128) -> Option<i128> {
    let floor = numerator.checked_div_euclid(denominator)?;
    let rest = numerator.checked_rem_euclid(denominator)?;
    // Compares the remainder with the rest of the denominator: doubling the remainder might
    // overflow.
    let up = match rest.cmp(&denominator.checked_sub(rest)?) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => floor.rem_euclid(2) == 1,
        std::cmp::Ordering::Greater => true,
    };
    floor.checked_add(i128::from(up))
}

fn float_to_integer(value: f64) -> Option<i128> {
    // 2^127 is the first integer that does not fit; the bounds are exact in floating point.
    let limit = 2_f64.powi(127);
    (-limit < value && value < limit).then_some(value as i128)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn counters_keep_their_low_digits() {
        let wide = Number::from(u64::MAX);
        let eight = Number::from(8_u64);
        let product = wide.times(eight).unwrap();
        assert_eq!(product.as_integer(), Some(i128::from(u64::MAX) * 8));
        assert_eq!(product.over(eight).unwrap(), wide);
    }

    #[test]
    fn decimals_are_exact() {
        let tenth = number("0.1");
        let sum = tenth.plus(number(".2")).unwrap();
        assert_eq!(sum, number("0.3"));
        assert_eq!(number("10.").as_integer(), Some(10));
        assert_eq!(number("1.5e3").as_integer(), Some(1500));
        assert_eq!(number("25E-2"), number(".25"));
        assert_eq!(number("1e300").to_f64(), 1e300);
    }

    #[test]
    fn halves_round_to_even() {
        let rounded = |text: &str| number(text).rounded().as_integer().unwrap();
        assert_eq!(rounded("0.5"), 0);
        assert_eq!(rounded("1.5"), 2);
        assert_eq!(rounded("2.5"), 2);
        assert_eq!(rounded("2.51"), 3);
        let minus = number("1.5").negate().unwrap().rounded();
        assert_eq!(minus.as_integer(), Some(-2));
    }

    #[test]
    fn division_by_zero_is_unknown() {
        assert_eq!(number("1").over(number("0")), None);
        assert_eq!(number("0").over(number("0")), None);
    }

    #[test]
    fn beyond_128_bits_it_goes_on_in_floating_point() {
        let huge = number(&"9".repeat(38));
        let product = huge.times(huge).unwrap();
        assert!((product.to_f64() / 1e76 - 1.0).abs() < 1e-15);
        assert_eq!(product.rounded(), product);
    }
}
