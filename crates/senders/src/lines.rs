//! Protocols of lines.

/// What became of some lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Samples that were handed out.
    pub samples: u64,
    /// Values that are texts, and are kept by nobody.
    pub texts: u64,
    /// Lines that are wrong.
    pub wrong: u64,
    /// The first of them.
    pub first: Option<WrongLine>,
}

/// A line that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, byte {byte}: expected {expected}")]
pub struct WrongLine {
    /// Counted from 1.
    pub line: u64,
    /// Where in the line, from 1.
    pub byte: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl WrongLine {
    /// The same, behind so many other lines.
    #[must_use]
    pub fn moved_by(self, lines: u64) -> Self {
        Self { line: self.line + lines, ..self }
    }
}

/// What was expected at a place of a line, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrong {
    pub(crate) at: usize,
    pub(crate) expected: &'static str,
}

/// The place at which a part of a line begins.
pub(crate) fn place(line: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize)
}

/// Where the first line ends.
pub(crate) fn newline(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', bytes).unwrap_or(bytes.len())
}

/// Reads each line, and goes on behind one that is wrong. Empty lines say nothing.
pub(crate) fn each<'a>(
    bytes: &'a [u8],
    line_end: fn(&[u8]) -> usize,
    mut read: impl FnMut(&'a str, &mut Lines) -> Result<(), Wrong>,
) -> Lines {
    let mut lines = Lines::default();
    // Almost always all of them are texts: then none is looked at by itself.
    let text = std::str::from_utf8(bytes).ok();
    let (mut begin, mut number) = (0, 0);
    while begin < bytes.len() {
        let end = begin + line_end(&bytes[begin..]);
        let line = match text {
            Some(text) => Ok(&text[begin..end]),
            None => std::str::from_utf8(&bytes[begin..end]),
        };
        let first = number + 1;
        number = first + memchr::memchr_iter(b'\n', &bytes[begin..end]).count() as u64;
        begin = end + 1;
        let done = match line.map(|line| line.strip_suffix('\r').unwrap_or(line)) {
            Ok("") => continue,
            Ok(line) => read(line, &mut lines),
            Err(error) => Err(Wrong { at: error.valid_up_to(), expected: "a text in UTF-8" }),
        };
        if let Err(Wrong { at, expected }) = done {
            lines.wrong += 1;
            lines.first.get_or_insert(WrongLine { line: first, byte: at + 1, expected });
        }
    }
    lines
}

/// How many of the bytes are whole lines.
#[must_use]
pub fn whole_lines(bytes: &[u8]) -> usize {
    memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1)
}
