//! The words of a tag, taken apart as rrdcgi does.

/// What stands behind a tag's name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) words: Vec<Vec<u8>>,
    /// Bytes up to the end of the tag, with the `>`.
    pub(crate) bytes: usize,
    /// Bytes up to the end of the first word.
    pub(crate) first_bytes: usize,
    /// A quote is never closed.
    pub(crate) is_open: bool,
}

/// Reads words up to the `>` of the tag, or to the end of the text.
///
/// Blanks stand between words, but in quotes of either kind and within other tags. Quotes are taken
/// away, wherever they stand; no character escapes another. In quotes a `>` ends other tags alone.
/// Line ends and tabs within a word become blanks.
pub(crate) fn read(text: impl Iterator<Item = u8>) -> Words {
    let mut reader = Reader::default();
    let mut bytes = 0;
    let mut first_bytes = 0;
    for byte in text {
        bytes += 1;
        let is_end = reader.take(byte);
        if reader.words.is_empty() && reader.word.is_some() {
            first_bytes = bytes;
        }
        if is_end {
            break;
        }
    }
    reader.end_word();
    Words { words: reader.words, bytes, first_bytes, is_open: reader.quote.is_some() }
}

#[derive(Default)]
struct Reader {
    words: Vec<Vec<u8>>,
    word: Option<Vec<u8>>,
    quote: Option<u8>,
    /// Tags within this one that are open.
    depth: usize,
}

impl Reader {
    /// Takes a byte; whether it ends the tag.
    fn take(&mut self, byte: u8) -> bool {
        if self.quote == Some(byte) {
            self.quote = None;
            return false;
        }
        match byte {
            b'"' | b'\'' if self.quote.is_none() => {
                self.quote = Some(byte);
                self.word.get_or_insert_default();
            }
            b'>' if self.depth == 0 && self.quote.is_none() => return true,
            _ if is_blank(byte) && self.quote.is_none() && self.depth == 0 => self.end_word(),
            _ => {
                match byte {
                    b'<' => self.depth += 1,
                    b'>' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                let kept = if is_blank(byte) { b' ' } else { byte };
                self.word.get_or_insert_default().push(kept);
            }
        }
        false
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }
}

/// As C's `isspace`.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::read;

    /// The words, and what is left over.
    fn split(text: &str) -> (Vec<String>, &str) {
        let found = read(text.bytes());
        assert!(!found.is_open, "{text}");
        let words = found.words.into_iter().map(|word| String::from_utf8(word).unwrap());
        (words.collect(), &text[found.bytes..])
    }

    #[test]
    fn words_are_told_apart() {
        let cases: [(&str, &[&str], &str); 12] = [
            (" x y>.", &["x", "y"], "."),
            (" >.", &[], "."),
            ("\n x\ty", &["x", "y"], ""),
            (" a\"b c\"d 'e\"f' \"\">", &["ab cd", "e\"f", ""], ""),
            (" \"a>b\">.", &["a>b"], "."),
            (" a\\ b>", &["a\\", "b"], ""),
            (" x y <b>z</b>>.", &["x", "y", "<b>z</b>"], "."),
            (" <RRD::CV a b>.png>", &["<RRD::CV a b>.png"], ""),
            (" p<b \"c>d\">q>", &["p<b c>d"], "q>"),
            (" \"<\"b> c", &["<b>", "c"], ""),
            (" \"a\n\tb\">", &["a  b"], ""),
            (" 'a<RRD::TIME::NOW \"Y b\">c'>", &["a<RRD::TIME::NOW \"Y b\">c"], ""),
        ];
        for (text, words, rest) in cases {
            assert_eq!(split(text), (words.iter().map(|w| (*w).to_owned()).collect(), rest));
        }
    }

    #[test]
    fn an_open_quote_is_told() {
        let found = read(" x y \"z> and on".bytes());
        assert!(found.is_open);
        assert_eq!((found.bytes, found.first_bytes), (15, 2));
    }
}
