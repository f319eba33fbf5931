//! Integers at the start of a text, as C's `strtol` reads them.

/// An integer and what follows it: blanks before it do not count, nor does what follows; beyond 64
/// bits it is the nearest that fits. `None` if there is no digit.
///
/// With `any_base`, `0x` announces a hexadecimal and `0` an octal integer.
#[must_use]
pub fn leading(text: &str, any_base: bool) -> Option<(i64, &str)> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = if any_base { radix(digits) } else { (10, digits) };
    let end = digits.find(|letter: char| !letter.is_digit(radix)).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    if digits.is_empty() {
        return None;
    }
    let magnitude = digits.bytes().fold(0_i128, |number, digit| {
        let value = char::from(digit).to_digit(radix).unwrap_or_default();
        number.saturating_mul(i128::from(radix)).saturating_add(i128::from(value))
    });
    let number = if negative { -magnitude } else { magnitude };
    Some((number.clamp(i64::MIN.into(), i64::MAX.into()) as i64, rest))
}

fn radix(digits: &str) -> (u32, &str) {
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    match hexadecimal {
        Some(rest) if rest.starts_with(|letter: char| letter.is_ascii_hexdigit()) => (16, rest),
        _ if digits.starts_with('0') => (8, digits),
        _ => (10, digits),
    }
}

#[cfg(test)]
mod tests {
    use super::leading;

    #[test]
    fn reads_as_c_does() {
        assert_eq!(leading(" \t-12:x", false), Some((-12, ":x")));
        assert_eq!(leading("+7", false), Some((7, "")));
        assert_eq!(leading("- 7", false), None);
        assert_eq!(leading("x7", false), None);
        assert_eq!(leading("0x1fg", true), Some((31, "g")));
        assert_eq!(leading("0x", true), Some((0, "x")));
        assert_eq!(leading("0779", true), Some((0o77, "9")));
        assert_eq!(leading("0x10", false), Some((0, "x10")));
        assert_eq!(leading(&"9".repeat(99), false), Some((i64::MAX, "")));
        assert_eq!(leading(&format!("-{}", "9".repeat(99)), false), Some((i64::MIN, "")));
    }
}
