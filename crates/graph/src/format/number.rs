//! A format such as `Max %6.2lf %sb/s`, read once and printed with a number.

use super::scale::Scale;

/// The most characters that a width or precision may ask for.
const WIDTH_MAX: usize = 300;

/// A checked format.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumberFormat {
    parts: Vec<Part>,
    /// `Some(true)` for `%S`, `Some(false)` for `%s`.
    shared_unit: Option<bool>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Number(Conversion),
    Unit,
}

/// A conversion of C's printf: `%[flag][width][.precision]l[eEfFgG]`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Conversion {
    flag: Option<u8>,
    width: usize,
    precision: Option<usize>,
    letter: u8,
}

impl NumberFormat {
    /// Reads a format: text, one number, text, at most one unit behind it, text.
    pub(crate) fn parse(format: &str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut shared_unit = None;
        let mut seen_number = false;
        let mut rest = format;
        while let Some(at) = rest.find('%') {
            text.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            match rest.bytes().next()? {
                b'%' => {
                    text.push('%');
                    rest = &rest[1..];
                    continue;
                }
                letter @ (b's' | b'S') => {
                    if !seen_number || shared_unit.is_some() {
                        return None;
                    }
                    shared_unit = Some(letter == b'S');
                    parts.push(Part::Text(std::mem::take(&mut text)));
                    parts.push(Part::Unit);
                    rest = &rest[1..];
                }
                _ => {
                    if seen_number {
                        return None;
                    }
                    seen_number = true;
                    let (conversion, used) = Conversion::parse(rest.as_bytes())?;
                    parts.push(Part::Text(std::mem::take(&mut text)));
                    parts.push(Part::Number(conversion));
                    rest = &rest[used..];
                }
            }
        }
        text.push_str(rest);
        parts.push(Part::Text(text));
        seen_number.then_some(Self { parts, shared_unit })
    }

    /// Prints a number; `scale` is the unit that `%S` shares with the formats before it.
    pub(crate) fn print(&self, mut number: f64, base: f64, scale: &mut Scale) -> String {
        let unit = match self.shared_unit {
            Some(true) => scale.share(&mut number, base),
            Some(false) => scale.choose(&mut number, base),
            None => "",
        };
        let mut printed = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => printed.push_str(text),
                Part::Number(conversion) => printed.push_str(&conversion.print(number)),
                Part::Unit => printed.push_str(unit),
            }
        }
        printed
    }
}

impl Conversion {
    /// Reads what follows `%`; returns also how many bytes it took.
    fn parse(bytes: &[u8]) -> Option<(Self, usize)> {
        let mut at = 0;
        let mut flag = None;
        if let Some(first @ (b'-' | b'+' | b' ' | b'0' | b'#')) = bytes.first() {
            flag = Some(*first);
            at += 1;
        }
        let width = digits(bytes, &mut at)?.unwrap_or(0);
        let mut precision = None;
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            precision = Some(digits(bytes, &mut at)??);
        }
        if bytes.get(at) != Some(&b'l') {
            return None;
        }
        let letter = *bytes.get(at + 1)?;
        if !b"eEfFgG".contains(&letter) {
            return None;
        }
        let conversion = Self { flag, width, precision, letter };
        Some((conversion, at + 2))
    }

    fn print(&self, number: f64) -> String {
        let digits = self.digits(number.abs());
        let sign = match self.flag {
            _ if number.is_sign_negative() => "-",
            Some(b'+') => "+",
            Some(b' ') => " ",
            _ => "",
        };
        let fill = self.width.saturating_sub(digits.chars().count() + sign.len());
        match self.flag {
            Some(b'-') => format!("{sign}{digits}{}", " ".repeat(fill)),
            Some(b'0') if number.is_finite() => format!("{sign}{}{digits}", "0".repeat(fill)),
            _ => format!("{}{sign}{digits}", " ".repeat(fill)),
        }
    }

    /// The number without its sign.
    fn digits(&self, number: f64) -> String {
        let text = if number.is_nan() {
            "nan".to_owned()
        } else if number.is_infinite() {
            "inf".to_owned()
        } else {
            let precision = self.precision.unwrap_or(6);
            match self.letter.to_ascii_lowercase() {
                b'f' => self.with_point(format!("{number:.precision$}")),
                b'e' => self.exponential(number, precision),
                _ => self.general(number, precision.max(1)),
            }
        };
        if self.letter.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text }
    }

    /// `#` keeps the point that a precision of 0 would drop.
    fn with_point(&self, text: String) -> String {
        if self.flag == Some(b'#') && !text.contains('.') {
            return text + ".";
        }
        text
    }

    fn exponential(&self, number: f64, precision: usize) -> String {
        let text = format!("{number:.precision$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        let mantissa = self.with_point(mantissa.to_owned());
        format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
    }

    /// The shorter of the two other forms, without trailing zeros.
    fn general(&self, number: f64, precision: usize) -> String {
        let probe = format!("{number:.*e}", precision - 1);
        let exponent: i32 =
            probe.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
        if exponent < -4 || exponent >= precision as i32 {
            let text = self.exponential(number, precision - 1);
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, ""));
            return format!("{}e{exponent}", self.without_zeros(mantissa));
        }
        let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
        let text = self.with_point(format!("{number:.decimals$}"));
        self.without_zeros(&text).to_owned()
    }

    fn without_zeros<'a>(&self, text: &'a str) -> &'a str {
        if self.flag == Some(b'#') || !text.contains('.') {
            return text;
        }
        text.trim_end_matches('0').trim_end_matches('.')
    }
}

/// Digits at `at`: `Some(None)` if there are none, `None` if they ask for too much.
fn digits(bytes: &[u8], at: &mut usize) -> Option<Option<usize>> {
    let mut number: Option<usize> = None;
    while let Some(digit) = bytes.get(*at).filter(|byte| byte.is_ascii_digit()) {
        let next = number.unwrap_or(0) * 10 + usize::from(digit - b'0');
        if next > WIDTH_MAX {
            return None;
        }
        number = Some(next);
        *at += 1;
    }
    Some(number)
}
