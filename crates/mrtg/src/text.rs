//! Decoding of bytes, and byte patterns of the language.

/// Decodes bytes of unknown encoding: as UTF-8 if they are valid, else as Latin-1, in which every
/// byte is a character.
///
/// Each value is decoded separately, so a file whose lines differ in encoding is read correctly.
/// Interface descriptions and communities are kept and compared as bytes.
#[must_use]
pub fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

/// Whether Perl's `\s` matches the byte.
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// Removes the spaces at both ends.
pub(crate) fn trim(bytes: &[u8]) -> &[u8] {
    trim_start(trim_end(bytes))
}

/// Removes the spaces at the beginning.
pub(crate) fn trim_start(bytes: &[u8]) -> &[u8] {
    let spaces = bytes.iter().take_while(|byte| is_space(**byte)).count();
    bytes.get(spaces..).unwrap_or_default()
}

/// Removes the spaces at the end.
pub(crate) fn trim_end(bytes: &[u8]) -> &[u8] {
    let kept = bytes.iter().rposition(|byte| !is_space(*byte));
    kept.and_then(|last| bytes.get(..=last)).unwrap_or_default()
}

/// The words between spaces and commas, lower-cased.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    bytes
        .split(|byte| is_space(*byte) || *byte == b',')
        .filter(|word| !word.is_empty())
        .map(<[u8]>::to_ascii_lowercase)
}

/// A value for an error message: printable, and shortened to fit in a line.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let text = decode(bytes);
    let mut shown: String = text
        .chars()
        .take(60)
        .map(|each| if each.is_control() { '\u{fffd}' } else { each })
        .collect();
    if text.chars().count() > 60 {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_1_and_utf_8_are_both_read() {
        assert_eq!(decode("Zürich".as_bytes()), "Zürich");
        assert_eq!(decode(b"Z\xfcrich"), "Zürich");
    }

    #[test]
    fn spaces_are_trimmed_as_perl_does() {
        assert_eq!(trim(b" \t a b \r\n"), b"a b");
        assert_eq!(trim(b"   "), b"");
        assert_eq!(trim_end(b" a "), b" a");
    }

    #[test]
    fn words_are_split_at_commas_and_spaces() {
        let all: Vec<_> = words(b" Bits,  growright ,").collect();
        assert_eq!(all, [b"bits".to_vec(), b"growright".to_vec()]);
    }

    #[test]
    fn an_excerpt_is_short_and_printable() {
        assert_eq!(excerpt(b"a\x07b"), "a\u{fffd}b");
        assert_eq!(excerpt(&[b'x'; 100]).chars().count(), 61);
    }
}
