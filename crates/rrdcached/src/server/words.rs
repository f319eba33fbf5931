//! Lines to words.

/// The words of a line, in order.
///
/// A blank (or NUL) ends a word, so that two of them have an empty word between. A backslash takes
/// the next byte as it is, whatever it is; at the end of a line it spoils the last word.
#[derive(Debug, Default)]
pub struct Words<'a> {
    /// `None` once the last word is taken: a line that ends in a blank has an empty word behind it.
    rest: Option<&'a mut [u8]>,
}

impl<'a> Words<'a> {
    /// The words of a line without its end.
    #[must_use]
    pub fn of(line: &'a mut [u8]) -> Self {
        Self { rest: Some(line) }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.take()?;
        match rest.iter().position(|byte| matches!(byte, b' ' | b'\\' | 0)) {
            None => Some(rest),
            Some(end) if rest.get(end) == Some(&b'\\') => self.escaped(rest, end),
            Some(end) => self.split(rest, end, end),
        }
    }
}

impl<'a> Words<'a> {
    /// A word with backslashes, of which the first stands at `read`. They are closed up in place.
    fn escaped(&mut self, rest: &'a mut [u8], mut read: usize) -> Option<&'a [u8]> {
        let mut write = read;
        while let Some(byte) = rest.get(read).copied() {
            let taken = match byte {
                b' ' | 0 => return self.split(rest, write, read),
                b'\\' => {
                    read += 1;
                    *rest.get(read)?
                }
                other => other,
            };
            *rest.get_mut(write)? = taken;
            (read, write) = (read + 1, write + 1);
        }
        rest.get(..write)
    }

    /// Ends a word of `length` bytes at the blank at `end`.
    fn split(&mut self, rest: &'a mut [u8], length: usize, end: usize) -> Option<&'a [u8]> {
        let (word, tail) = rest.split_at_mut_checked(end)?;
        self.rest = tail.get_mut(1..);
        word.get(..length)
    }
}

/// The first line of some bytes, without its end (a line feed, and a carriage return before it),
/// and what follows. `None` if no line ends in them.
#[must_use]
pub fn split_line(bytes: &mut [u8]) -> Option<(&mut [u8], &mut [u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (line, tail) = bytes.split_at_mut_checked(end)?;
    let length = line.strip_suffix(b"\r").map_or(end, <[u8]>::len);
    Some((line.get_mut(..length)?, tail.get_mut(1..)?))
}

#[cfg(test)]
mod tests {
    use super::{Words, split_line};

    fn words(line: &str) -> Vec<String> {
        let mut line = line.as_bytes().to_vec();
        Words::of(&mut line).map(|word| String::from_utf8(word.to_vec()).unwrap()).collect()
    }

    #[test]
    fn blanks_part_words_and_backslashes_hold_them() {
        assert_eq!(words("UPDATE a.rrd 5:1"), ["UPDATE", "a.rrd", "5:1"]);
        assert_eq!(words(""), [""]);
        assert_eq!(words(" a  b "), ["", "a", "", "b", ""]);
        assert_eq!(words(r"a\ b\\c \d e"), [r"a b\c", "d", "e"]);
        assert_eq!(words(r"\ "), [" "]);
        assert_eq!(words("a\0b"), ["a", "b"]);
        assert_eq!(words("a\tb"), ["a\tb"]);
    }

    #[test]
    fn a_backslash_at_the_end_spoils_the_last_word() {
        assert_eq!(words(r"FLUSH a\"), ["FLUSH"]);
        assert_eq!(words("\\"), [""; 0]);
    }

    #[test]
    fn lines_end_with_either_end() {
        let mut bytes = b"a\r\nb\r\r\n\nrest".to_vec();
        let (a, tail) = split_line(&mut bytes).unwrap();
        assert_eq!(a, b"a");
        let (b, tail) = split_line(tail).unwrap();
        assert_eq!(b, b"b\r");
        let (empty, tail) = split_line(tail).unwrap();
        assert_eq!(empty, b"");
        assert_eq!(split_line(tail), None);
    }
}
