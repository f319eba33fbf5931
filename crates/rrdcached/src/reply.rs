//! What a daemon answers: a line that begins with a number, and as many further lines.

use std::io::{self, BufRead, Read as _};

use crate::system_words::system_words;

/// Bytes of one line. The longest that a daemon writes tell of one row of a wide file.
const LINE_BYTES_MAX: u64 = 4 << 20;
/// Lines that room is made for before they come.
const LINES_EXPECTED_MAX: usize = 4096;
/// Lines of a reply to anything but a fetch: the files of a large installation, many times over.
const LINES_MAX: usize = 50_000_000;

/// The first line of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Lines that follow; negative where the daemon refused.
    pub code: i64,
    /// The text after the number.
    pub message: String,
}

/// A whole reply of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The text of the first line.
    pub message: String,
    /// Those that follow, without their ends.
    pub lines: Vec<String>,
}

/// Why what came is no reply.
#[derive(Debug, thiserror::Error)]
pub enum ReplyError {
    /// It could not be read to its end.
    #[error("reading the reply: {}", system_words(.0))]
    Read(#[from] io::Error),
    /// It says something else than it should.
    #[error("expected {expected}, found '{found}'")]
    Unexpected {
        /// What should stand there.
        expected: &'static str,
        /// What does, cut to some length.
        found: String,
    },
    /// It is longer than any reply is.
    #[error("a reply of more than {0}")]
    TooLong(&'static str),
}

/// Characters of a reply that an error quotes.
const QUOTED_CHARACTERS_MAX: usize = 80;

impl ReplyError {
    pub(crate) fn unexpected(expected: &'static str, found: &str) -> Self {
        let found = found.chars().take(QUOTED_CHARACTERS_MAX).collect();
        Self::Unexpected { expected, found }
    }
}

impl Status {
    /// Reads the first line of a reply.
    ///
    /// # Errors
    /// Where it does not begin with a number, or does not come.
    pub fn read(input: &mut impl BufRead) -> Result<Self, ReplyError> {
        let line = read_line(input)?;
        let digits_start = usize::from(line.starts_with(['-', '+']));
        let tail = line.get(digits_start..).unwrap_or_default();
        let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
        let (number, message) = line.split_at(digits_start + digits);
        let wrong = || ReplyError::unexpected("a number and a text", &line);
        let code = number.parse().map_err(|_| wrong())?;
        Ok(Self { code, message: message.trim_start_matches([' ', '\t']).to_owned() })
    }

    /// Lines that follow.
    #[must_use]
    pub fn lines(&self) -> usize {
        usize::try_from(self.code).unwrap_or(0)
    }
}

impl Reply {
    /// Reads the lines that belong to a first line.
    ///
    /// # Errors
    /// Where they do not come, or are too many.
    pub fn read(status: Status, input: &mut impl BufRead) -> Result<Self, ReplyError> {
        let count = status.lines();
        if count > LINES_MAX {
            return Err(ReplyError::TooLong("50 million lines"));
        }
        let mut lines = Vec::with_capacity(count.min(LINES_EXPECTED_MAX));
        for _ in 0..count {
            lines.push(read_line(input)?);
        }
        Ok(Self { message: status.message, lines })
    }
}

/// A line without its end. What is no UTF-8 (rrdcached 1.7.2 quotes memory that is gone) is
/// replaced.
pub(crate) fn read_line(input: &mut impl BufRead) -> Result<String, ReplyError> {
    let mut bytes = Vec::new();
    input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes)?;
    if bytes.pop() != Some(b'\n') {
        return Err(match bytes.len() as u64 + 1 < LINE_BYTES_MAX {
            true => ReplyError::Read(io::ErrorKind::UnexpectedEof.into()),
            false => ReplyError::TooLong("4 MiB in a line"),
        });
    }
    while bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    Ok(match String::from_utf8(bytes) {
        Ok(line) => line,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Reply, ReplyError, Status};

    fn read(mut bytes: &[u8]) -> Result<(i64, Reply), ReplyError> {
        let status = Status::read(&mut bytes)?;
        let code = status.code;
        Reply::read(status, &mut bytes).map(|reply| (code, reply))
    }

    #[test]
    fn takes_as_many_lines_as_are_told() {
        let (code, reply) = read(b"2 Two  lines\r\na b\n\nmore").unwrap();
        assert_eq!((code, reply.message.as_str()), (2, "Two  lines"));
        assert_eq!(reply.lines, ["a b", ""]);
        let (code, reply) = read(b"-1 no\n").unwrap();
        assert_eq!((code, reply.message.as_str(), reply.lines.len()), (-1, "no", 0));
        assert_eq!(read(b"0\n").unwrap().1.message, "");
    }

    #[test]
    fn refuses_what_is_no_reply() {
        for bytes in [&b""[..], b"1 x\n", b"1 x\ny", b"hello\n", b"- 1\n", b"\n", b"0 x"] {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
        assert!(read(b"9223372036854775807 x\n").is_err());
        assert!(read(b"99999999999999999999 x\n").is_err());
        assert!(read(b"40000000 x\n").is_err(), "no room is made for lines that never come");
    }

    #[test]
    fn replaces_what_is_no_text() {
        assert_eq!(read(b"-1 in \xa5\n").unwrap().1.message, "in \u{fffd}");
    }
}
