//! Numbers as Perl reads them from text.

/// The number at the beginning of a text, 0 if there is none, and what follows it.
///
/// So Perl reads a text that is calculated with: blanks before the number are skipped.
#[must_use]
pub fn leading_number(text: &str) -> (f64, &str) {
    let trimmed = text.trim_start_matches(|each: char| each.is_ascii_whitespace());
    let bytes = trimmed.as_bytes();
    let digits = |from: usize| {
        bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let at =
        |place: usize, wanted: &[u8]| bytes.get(place).is_some_and(|byte| wanted.contains(byte));
    let sign = usize::from(at(0, b"+-"));
    let whole = digits(sign);
    let mut end = sign + whole;
    if at(end, b".") {
        let decimals = digits(end + 1);
        if whole + decimals == 0 {
            return (0.0, text);
        }
        end += 1 + decimals;
    } else if whole == 0 {
        return (0.0, text);
    }
    if at(end, b"eE") {
        let signed = end + 1 + usize::from(at(end + 1, b"+-"));
        let exponent = digits(signed);
        if exponent > 0 {
            end = signed + exponent;
        }
    }
    let (number, rest) = trimmed.split_at(end);
    (number.parse().unwrap_or_default(), rest)
}

#[cfg(test)]
mod tests {
    use super::leading_number;

    #[test]
    fn the_number_ends_where_perl_ends_it() {
        for (text, number, rest) in [
            ("80%", 80.0, "%"),
            (" 1.5e3x", 1500.0, "x"),
            ("1e", 1.0, "e"),
            ("1e+", 1.0, "e+"),
            ("-.5", -0.5, ""),
            ("5.", 5.0, ""),
            ("+7", 7.0, ""),
            ("12 Mbit", 12.0, " Mbit"),
            (".", 0.0, "."),
            ("", 0.0, ""),
            ("-", 0.0, "-"),
            ("x1", 0.0, "x1"),
            ("1_000", 1.0, "_000"),
            ("0x10", 0.0, "x10"),
        ] {
            assert_eq!(leading_number(text), (number, rest), "{text}");
        }
    }
}
