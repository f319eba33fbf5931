//! A command as one line.

use super::{Error, LINE_BYTES_MAX};

/// A command in the making: words with a blank between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    bytes: Vec<u8>,
}

impl Line {
    /// A line of one word.
    #[must_use]
    pub fn new(command: &'static str) -> Self {
        Self { bytes: command.into() }
    }

    /// Adds a word.
    ///
    /// # Errors
    /// Where it cannot be sent: it is empty, has a line's end in it or does not fit. The line is
    /// then as before.
    pub fn push(&mut self, word: &str) -> Result<(), Error> {
        if word.is_empty() || word.contains(['\n', '\r', '\0']) {
            return Err(Error::Word(word.escape_debug().to_string()));
        }
        let before_bytes = self.bytes.len();
        self.bytes.push(b' ');
        for byte in word.bytes() {
            if matches!(byte, b' ' | b'\\') {
                self.bytes.push(b'\\');
            }
            self.bytes.push(byte);
        }
        let needed_bytes = self.bytes.len() + 1;
        if needed_bytes > LINE_BYTES_MAX {
            self.bytes.truncate(before_bytes);
            return Err(Error::TooLong { command: self.command(), needed_bytes });
        }
        Ok(())
    }

    /// [`push`](Self::push), to be chained.
    ///
    /// # Errors
    /// As those of `push`.
    pub fn with(mut self, word: &str) -> Result<Self, Error> {
        self.push(word).map(|()| self)
    }

    /// The line as it is sent.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.push(b'\n');
        assert!(self.bytes.len() <= LINE_BYTES_MAX);
        self.bytes
    }

    fn command(&self) -> String {
        let word = self.bytes.split(|byte| *byte == b' ').next().unwrap_or_default();
        String::from_utf8_lossy(word).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES_MAX, Line};
    use crate::Error;

    #[test]
    fn escapes_blanks_and_backslashes() {
        let line = Line::new("update").with(r"/a b\c").unwrap().with("5:1").unwrap();
        assert_eq!(line.into_bytes(), b"update /a\\ b\\\\c 5:1\n");
    }

    #[test]
    fn ends_at_the_limit() {
        let room_bytes = LINE_BYTES_MAX - "flush \n".len();
        let fits = Line::new("flush").with(&"a".repeat(room_bytes)).unwrap();
        assert_eq!(fits.into_bytes().len(), LINE_BYTES_MAX);
        let mut line = Line::new("flush");
        let refused = line.push(&"a".repeat(room_bytes + 1));
        assert!(matches!(refused, Err(Error::TooLong { needed_bytes: 4097, .. })));
        assert_eq!(line, Line::new("flush"));
    }

    #[test]
    fn refuses_words_that_would_be_another_command() {
        for word in ["", "a\nQUIT", "a\r", "a\0"] {
            assert!(matches!(Line::new("flush").with(word), Err(Error::Word(_))), "{word:?}");
        }
    }
}
