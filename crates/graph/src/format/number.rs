//! A format such as `Max %6.2lf %sb/s`, read once and printed with a number.

use rrd::cformat::FloatFormat;

use super::scale::Scale;

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
    Number(FloatFormat),
    Unit,
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
                    let (conversion, after) =
                        FloatFormat::parse(&format[format.len() - rest.len() - 1..])?;
                    let specification =
                        &format[format.len() - rest.len() - 1..format.len() - after.len()];
                    if !is_plain(specification) {
                        return None;
                    }
                    parts.push(Part::Text(std::mem::take(&mut text)));
                    parts.push(Part::Number(conversion));
                    rest = after;
                }
            }
        }
        text.push_str(rest);
        parts.push(Part::Text(text));
        seen_number.then_some(Self { parts, shared_unit })
    }

    /// Whether an SI unit stands behind the number.
    pub(crate) fn has_unit(&self) -> bool {
        self.shared_unit.is_some()
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
                Part::Number(conversion) => printed.push_str(&conversion.text(number)),
                Part::Unit => printed.push_str(unit),
            }
        }
        printed
    }
}

/// The conversions that rrdtool lets through: at most one flag, an `l`, no star.
fn is_plain(specification: &str) -> bool {
    let body = specification.strip_prefix('%').unwrap_or("");
    let body = body.strip_prefix(['-', '+', ' ', '0', '#']).unwrap_or(body);
    let (_, rest) = split_digits(body);
    let rest = match rest.strip_prefix('.') {
        None => rest,
        Some(tail) => match split_digits(tail) {
            ("", _) => return false,
            (_, rest) => rest,
        },
    };
    let mut letters = rest.chars();
    let long = letters.next() == Some('l');
    let style = letters.next().is_some_and(|letter| "eEfFgG".contains(letter));
    long && style && letters.next().is_none()
}

fn split_digits(text: &str) -> (&str, &str) {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at(length)
}
