//! The words of a time.

/// One word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Nothing more, or a character that no word begins with.
    End,
    Number,
    Plus,
    Minus,
    Colon,
    Dot,
    Slash,
    /// Letters.
    Word,
}

/// Takes a text apart into words; blanks, `_` and `,` stand between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    /// Where the word begins that was read last.
    start: usize,
    /// Where the next one is looked for.
    at: usize,
    token: Token,
}

impl<'a> Scanner<'a> {
    /// Reads the first word.
    pub(super) fn new(text: &'a str) -> Self {
        let mut scanner = Self { text, start: 0, at: 0, token: Token::End };
        scanner.advance();
        scanner
    }

    /// The word read last.
    pub(super) fn token(&self) -> Token {
        self.token
    }

    /// Its text. A character that no word begins with is given, but not passed.
    pub(super) fn text(&self) -> &'a str {
        let end =
            if self.token == Token::End { self.start + self.first_char_bytes() } else { self.at };
        self.text.get(self.start..end).unwrap_or_default()
    }

    /// Its text and all that follows, with rrdtool's doubling of a character that no word begins
    /// with.
    pub(super) fn text_and_rest(&self) -> String {
        let rest = self.text.get(self.at..).unwrap_or_default();
        format!("{}{rest}", self.text())
    }

    /// Reads the next word.
    pub(super) fn advance(&mut self) -> Token {
        let bytes = self.text.as_bytes();
        let from = |start: usize, like: fn(&u8) -> bool| {
            let rest = bytes.get(start..).unwrap_or_default();
            start + rest.iter().take_while(|byte| like(byte)).count()
        };
        self.start = from(self.at, is_blank);
        self.at = self.start + 1;
        self.token = match bytes.get(self.start) {
            Some(byte) if byte.is_ascii_digit() => {
                self.at = from(self.start, u8::is_ascii_digit);
                Token::Number
            }
            Some(byte) if byte.is_ascii_alphabetic() => {
                self.at = from(self.start, u8::is_ascii_alphabetic);
                Token::Word
            }
            Some(b':') => Token::Colon,
            Some(b'.') => Token::Dot,
            Some(b'+') => Token::Plus,
            Some(b'-') => Token::Minus,
            Some(b'/') => Token::Slash,
            _ => {
                self.at = self.start;
                Token::End
            }
        };
        self.token
    }

    /// The word as `atol` reads it: 0 where it is no number, the largest where it is too long.
    pub(super) fn number(&self) -> i64 {
        match self.token {
            Token::Number => self.text().parse().unwrap_or(i64::MAX),
            _ => 0,
        }
    }

    /// Whether the word is `name`, in any case.
    pub(super) fn is(&self, name: &str) -> bool {
        self.token == Token::Word && self.text().eq_ignore_ascii_case(name)
    }

    /// The position in `names` of the one that the word is.
    pub(super) fn position_in(&self, names: &[&str]) -> Option<i32> {
        let position = names.iter().position(|name| self.is(name))?;
        i32::try_from(position).ok()
    }

    fn first_char_bytes(&self) -> usize {
        let rest = self.text.get(self.start..).unwrap_or_default();
        rest.chars().next().map_or(0, char::len_utf8)
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b'_' | b',')
}
