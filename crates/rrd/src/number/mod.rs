//! Numbers as rrdtool reads them.
//!
//! rrdtool does not use the C library's `strtod`: it accumulates digits in a double and scales by
//! powers of ten, so its results differ from the correctly rounded ones in the last bits. Bit for
//! bit equality asks for the same arithmetic.

pub mod digits;
pub mod integer;

/// The unknown value as rrdtool stores it: a quiet NaN with the sign bit set.
///
/// Files are compared bit for bit, so every unknown that gyre makes is this one.
pub const UNKNOWN: f64 = f64::from_bits(0xfff8_0000_0000_0000);

/// Decimal exponents outside this range are refused, as in rrdtool (`DBL_MIN_EXP`, `DBL_MAX_EXP`).
const EXPONENT_RANGE: std::ops::RangeInclusive<i32> = -1021..=1024;

/// What reading a number from the start of a text gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parsed<'a> {
    /// The whole text is the number.
    Whole(f64),
    /// A number, then a tail that is none.
    Partial(f64, &'a str),
    /// No number.
    Nothing,
}

/// Reads a floating point number with rrdtool's arithmetic.
///
/// Texts that begin with `nan`, `-nan`, `inf` or `-inf`, in any case, are taken whole whatever
/// follows; leading blanks are skipped before digits only.
#[must_use]
pub fn parse(text: &str) -> Parsed<'_> {
    if let Some(special) = special(text.as_bytes()) {
        return Parsed::Whole(special);
    }
    match decimal(text.as_bytes()) {
        None => Parsed::Nothing,
        Some((number, used)) => match text.get(used..) {
            Some("") | None => Parsed::Whole(number),
            Some(tail) => Parsed::Partial(number, tail),
        },
    }
}

fn special(bytes: &[u8]) -> Option<f64> {
    let (negative, word) = match bytes.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, bytes),
    };
    let word = word.get(..3)?;
    if word.eq_ignore_ascii_case(b"nan") {
        Some(UNKNOWN)
    } else if word.eq_ignore_ascii_case(b"inf") {
        Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY })
    } else {
        None
    }
}

/// The number at the start of `bytes` and how many bytes it takes.
fn decimal(bytes: &[u8]) -> Option<(f64, usize)> {
    let mut cursor = Cursor { bytes, at: 0 };
    while cursor.peek().is_some_and(is_c_space) {
        cursor.at += 1;
    }
    let negative = cursor.sign();
    let mut number = 0.0;
    let whole_digits = cursor.accumulate(&mut number);
    let mut decimals = 0;
    if cursor.peek() == Some(b'.') {
        cursor.at += 1;
        decimals = cursor.accumulate(&mut number);
    }
    if whole_digits + decimals == 0 {
        return None;
    }
    if negative {
        number = -number;
    }
    let exponent = cursor.exponent().wrapping_sub(decimals as i32);
    EXPONENT_RANGE.contains(&exponent).then(|| (scale(number, exponent), cursor.at))
}

/// Multiplies or divides by a power of ten, squaring step by step.
fn scale(mut number: f64, exponent: i32) -> f64 {
    let mut remaining = exponent.unsigned_abs();
    let mut power = 10.0_f64;
    while remaining != 0 {
        if remaining & 1 == 1 {
            if exponent < 0 {
                number /= power;
            } else {
                number *= power;
            }
        }
        remaining >>= 1;
        power *= power;
    }
    number
}

/// `isspace` of the C locale.
fn is_c_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn digit(&mut self) -> Option<u8> {
        let digit = self.peek().filter(u8::is_ascii_digit)? - b'0';
        self.at += 1;
        Some(digit)
    }

    /// Skips one sign; true if it is a minus.
    fn sign(&mut self) -> bool {
        let negative = self.peek() == Some(b'-');
        if negative || self.peek() == Some(b'+') {
            self.at += 1;
        }
        negative
    }

    /// Takes digits into `number`; returns how many.
    fn accumulate(&mut self, number: &mut f64) -> usize {
        let start = self.at;
        while let Some(digit) = self.digit() {
            *number = *number * 10.0 + f64::from(digit);
        }
        self.at - start
    }

    /// The exponent, zero if there is none; wraps as a 32-bit integer does.
    fn exponent(&mut self) -> i32 {
        if !matches!(self.peek(), Some(b'e' | b'E')) {
            return 0;
        }
        self.at += 1;
        let negative = self.sign();
        let mut exponent = 0_i32;
        while let Some(digit) = self.digit() {
            exponent = exponent.wrapping_mul(10).wrapping_add(i32::from(digit));
        }
        if negative { exponent.wrapping_neg() } else { exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::{Parsed, parse};

    /// Bit patterns read from files that rrdtool 1.7.2 wrote.
    #[test]
    fn equals_what_rrdtool_stored() {
        for (text, bits) in [
            ("1e308", 0x7fe1_ccf3_85eb_c8a3_u64),
            ("99999999999999999999999", 0x44b5_2d02_c7e1_4af8),
            ("1e-320", 0x7e8),
            ("1e-5", 0x3ee4_f8b5_88e3_68f1),
            ("1e400", 0x7ff0_0000_0000_0000),
            ("1e4294967297", 0x4024_0000_0000_0000),
            ("nanx", 0xfff8_0000_0000_0000),
            ("-INFINITY", 0xfff0_0000_0000_0000),
            ("\t.5", 0x3fe0_0000_0000_0000),
        ] {
            let Parsed::Whole(number) = parse(text) else { panic!("{text} was not taken whole") };
            assert_eq!(number.to_bits(), bits, "{text}");
        }
    }

    #[test]
    fn tails_and_refusals() {
        assert_eq!(parse("0x10"), Parsed::Partial(0.0, "x10"));
        assert_eq!(parse("1e+-5"), Parsed::Partial(1.0, "-5"));
        assert_eq!(parse("7 "), Parsed::Partial(7.0, " "));
        for text in ["", ".", "-", "e5", "+inf", " nan", "--5", "1e1025", "1e-1022", "0e2000", "na"]
        {
            assert_eq!(parse(text), Parsed::Nothing, "{text:?}");
        }
    }
}
