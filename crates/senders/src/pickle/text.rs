//! Texts as the oldest protocol writes them.

/// A text of Python 3, or of `u'...'` in Python 2: letters to U+00FF are bytes, others `\uXXXX` or
/// `\UXXXXXXXX`.
pub(super) fn of_unicode(line: &[u8]) -> Option<String> {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        let digits = match (byte, rest.first()) {
            (b'\\', Some(b'u')) => 4,
            (b'\\', Some(b'U')) => 8,
            _ => {
                out.push(char::from(*byte));
                continue;
            }
        };
        let (letter, behind) = escaped(&rest[1..], digits)?;
        out.push(letter);
        rest = behind;
    }
    Some(out)
}

/// A text of Python 2: its bytes between quotation marks, with the escapes of its `repr`.
pub(super) fn of_quoted(line: &[u8]) -> Option<String> {
    let (mark, inner) = line.split_first()?;
    if !matches!(mark, b'\'' | b'"') {
        return None;
    }
    let mut rest = inner.strip_suffix(&[*mark])?;
    let mut out = Vec::with_capacity(rest.len());
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let (escape, behind) = rest.split_first()?;
        rest = behind;
        match escape {
            b'\\' | b'\'' | b'"' => out.push(*escape),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'x' => {
                let (letter, behind) = escaped(rest, 2)?;
                out.push(u8::try_from(u32::from(letter)).ok()?);
                rest = behind;
            }
            _ => return None,
        }
    }
    String::from_utf8(out).ok()
}

/// The letter of so many hexadecimal digits, and the bytes behind them.
fn escaped(bytes: &[u8], digits: usize) -> Option<(char, &[u8])> {
    let (digits, behind) = bytes.split_at_checked(digits)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((char::from_u32(code)?, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        let unicode = |text: &[u8]| of_unicode(text);
        assert_eq!(unicode(b"a\\u005cb\\u20ac\xe9\\x").as_deref(), Some("a\\b\u{20ac}\u{e9}\\x"));
        assert_eq!(unicode(b"\\U0001f600").as_deref(), Some("\u{1f600}"));
        for wrong in [&b"\\u12"[..], b"\\ud800", b"\\u+123", b"\\Uffffffff"] {
            assert_eq!(unicode(wrong), None);
        }
        assert_eq!(of_quoted(br"'a\'\\\x41\t'").as_deref(), Some("a'\\A\t"));
        assert_eq!(of_quoted(br#""it's""#).as_deref(), Some("it's"));
        for wrong in [&b"a"[..], b"'", b"'a\"", br"'\'", br"'\q'", br"'\xff'", br"'\x1'", b""] {
            assert_eq!(of_quoted(wrong), None, "{wrong:?}");
        }
    }
}
