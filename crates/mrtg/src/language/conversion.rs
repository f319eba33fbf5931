//! `|name` behind an agent: how a value becomes a number.
//!
//! MRTG calls a function of that name in the Perl file of `ConversionCode`. gyre runs no Perl; it
//! has a few conversions of its own, for values that are text.

use super::number::Number;

/// A conversion that gyre has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// `first_number`: the first number in a text, with its sign and decimals.
    FirstNumber,
    /// `hexadecimal`: digits to the base 16, with or without `0x` and blanks.
    Hexadecimal,
    /// `octets`: up to eight octets as one number, the first octet the highest.
    Octets,
}

impl Conversion {
    /// Every conversion with its name.
    pub const ALL: [(&'static str, Self); 3] = [
        ("first_number", Self::FirstNumber),
        ("hexadecimal", Self::Hexadecimal),
        ("octets", Self::Octets),
    ];

    /// The conversion of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, conversion)| *conversion)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| *name)
    }

    /// The number that the text is; `None` if it is none.
    #[must_use]
    pub fn number(self, text: &[u8]) -> Option<Number> {
        match self {
            Self::FirstNumber => first_number(text),
            Self::Hexadecimal => {
                let digits: Vec<u8> =
                    text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
                let digits = std::str::from_utf8(&digits).ok()?;
                let digits = digits.trim_end_matches('\0').to_ascii_lowercase();
                let digits = digits.strip_prefix("0x").unwrap_or(&digits);
                u64::from_str_radix(digits, 16).ok().map(Number::from)
            }
            Self::Octets => {
                let is_number = (1..=8).contains(&text.len());
                let sum = text.iter().fold(0_u64, |sum, octet| sum << 8 | u64::from(*octet));
                is_number.then(|| Number::from(sum))
            }
        }
    }
}

fn first_number(text: &[u8]) -> Option<Number> {
    let start = text.iter().position(u8::is_ascii_digit)?;
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = start + digits(start);
    if text.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    let number = Number::parse(std::str::from_utf8(text.get(start..end)?).ok()?)?;
    let is_negative = start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'-');
    if is_negative { number.negate() } else { Some(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_conversion_reads_its_texts_and_no_others() {
        let read =
            |name, text: &[u8]| Conversion::find(name).unwrap().number(text).map(Number::to_f64);
        assert_eq!(read("first_number", b"temp -12.5 C of 70"), Some(-12.5));
        assert_eq!(read("first_number", b"7."), Some(7.0));
        assert_eq!(read("first_number", b"none"), None);
        assert_eq!(read("hexadecimal", b"0x1F\n"), Some(31.0));
        assert_eq!(read("hexadecimal", b"00 1f"), Some(31.0));
        assert_eq!(read("hexadecimal", b"xyz"), None);
        assert_eq!(read("octets", &[1, 0, 2]), Some(65_538.0));
        assert_eq!(read("octets", &[0; 9]), None);
        assert_eq!(read("octets", b""), None);
        for (name, conversion) in Conversion::ALL {
            assert_eq!(conversion.name(), name);
        }
    }
}
