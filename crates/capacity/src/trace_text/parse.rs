//! Parses traces.

use std::fmt;

use super::{FIRST_LINE, FileGroup, Files, Line, PAGES_MAX, Run};
use crate::trace::Access;

/// The longest line.
pub const LINE_BYTES_MAX: usize = 1 << 20;
/// The most bytes of a line or word that an error shows.
const SHOWN_BYTES: usize = 40;

/// An error in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line number, from 1.
    pub line: u64,
    /// What was expected there.
    pub expected: String,
    /// The text that was found.
    pub found: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "line {}: expected {}, found {}", self.line, self.expected, self.found)
    }
}

impl std::error::Error for Mistake {}

/// Parses a trace line by line.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    line: u64,
    files: Files,
    is_behind_files: bool,
    runs: Vec<Run>,
}

/// A [`Line`] whose runs are in the parser.
enum Event {
    Nothing,
    Cycle(u64),
    Count,
    Update(u32),
}

impl Parser {
    /// The files of the trace so far; complete once a line is an event.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Parses the next line, given without its newline.
    ///
    /// # Errors
    ///
    /// The error in the line; the next line may still be parsed.
    pub fn line(&mut self, text: &[u8]) -> Result<Line<'_>, Mistake> {
        Ok(self.line_and_files(text)?.0)
    }

    /// Parses the next line, and returns the files with it.
    ///
    /// # Errors
    ///
    /// As [`Parser::line`].
    pub fn line_and_files(&mut self, text: &[u8]) -> Result<(Line<'_>, &Files), Mistake> {
        let line = match self.understand(text)? {
            Event::Nothing => Line::Nothing,
            Event::Cycle(at_seconds) => Line::Cycle(at_seconds),
            Event::Count => Line::Count,
            Event::Update(file) => Line::Update { file, runs: &self.runs },
        };
        Ok((line, &self.files))
    }

    fn understand(&mut self, text: &[u8]) -> Result<Event, Mistake> {
        self.line += 1;
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.len() > LINE_BYTES_MAX {
            return Err(self.mistake(format!("at most {LINE_BYTES_MAX} bytes"), text));
        }
        if self.line == 1 {
            let is_trace = text == FIRST_LINE.as_bytes();
            let expected = || self.mistake(format!("\"{FIRST_LINE}\""), text);
            return is_trace.then_some(Event::Nothing).ok_or_else(expected);
        }
        let mut words = text.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        match words.next() {
            None | Some([b'#', ..]) => Ok(Event::Nothing),
            Some(b"files") => self.group(text, words),
            Some(b"at") => self.cycle(text, words),
            Some(b"count") if words.next().is_none() => self.event(text).map(|()| Event::Count),
            Some(word) => self.update(text, word, words),
        }
    }

    /// Call this after the last line.
    ///
    /// # Errors
    ///
    /// If the trace ended before its files were described.
    pub fn end(&mut self) -> Result<(), Mistake> {
        self.line += 1;
        match self.line {
            1 => Err(self.mistake(format!("\"{FIRST_LINE}\""), b"")),
            _ => self.event(b""),
        }
    }

    fn group<'a>(
        &mut self,
        text: &[u8],
        words: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Event, Mistake> {
        let words: Vec<&[u8]> = words.take(6).collect();
        let group = match words[..] {
            [files, b"data", data, b"metadata", metadata] => [files, data, metadata].map(number),
            _ => [None; 3],
        };
        let [Some(files), Some(data_pages), Some(metadata_pages)] = group else {
            return Err(self.mistake("files N data PAGES metadata PAGES".into(), text));
        };
        if self.is_behind_files {
            return Err(self.mistake("all files before the first event".into(), text));
        }
        if !self.files.add(FileGroup { files, data_pages, metadata_pages }) {
            let expected = format!("files with pages, all together fewer than {PAGES_MAX}");
            return Err(self.mistake(expected, text));
        }
        Ok(Event::Nothing)
    }

    fn cycle<'a>(
        &mut self,
        text: &[u8],
        mut words: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Event, Mistake> {
        self.event(text)?;
        let at_seconds = words.next().and_then(number).filter(|_| words.next().is_none());
        let expected = || self.mistake("at SECONDS".into(), text);
        at_seconds.map(Event::Cycle).ok_or_else(expected)
    }

    fn update<'a>(
        &mut self,
        text: &[u8],
        word: &[u8],
        words: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Event, Mistake> {
        let expected = || "files, at, count or the number of a file".to_owned();
        let file = number::<u32>(word).ok_or_else(|| self.mistake(expected(), word))?;
        self.event(text)?;
        let files = self.files.files();
        let place = self.files.place(file);
        let expected = || format!("a file from 0 to {}", files - 1);
        let place = place.ok_or_else(|| self.mistake(expected(), word))?;
        self.runs.clear();
        for word in words {
            let run = run(word).filter(|run| run.last_page < place.pages);
            let expected = || format!("r or w and pages from 0 to {}", place.pages - 1);
            let run = run.ok_or_else(|| self.mistake(expected(), word))?;
            self.runs.push(run);
        }
        Ok(Event::Update(file))
    }

    /// Parses an event, which must come after the files.
    fn event(&mut self, text: &[u8]) -> Result<(), Mistake> {
        self.is_behind_files = self.files.files() > 0;
        let expected = || self.mistake("files N data PAGES metadata PAGES".into(), text);
        if self.is_behind_files { Ok(()) } else { Err(expected()) }
    }

    fn mistake(&self, expected: String, found: &[u8]) -> Mistake {
        let shown = &found[..found.len().min(SHOWN_BYTES)];
        let more = if shown.len() < found.len() { "..." } else { "" };
        let found = match found {
            b"" => "nothing".into(),
            _ => format!("\"{}\"{more}", shown.escape_ascii()),
        };
        Mistake { line: self.line, expected, found }
    }
}

/// `w5` or `r5-7`.
fn run(word: &[u8]) -> Option<Run> {
    let (letter, pages) = word.split_first()?;
    let access = match letter {
        b'r' => Access::Read,
        b'w' => Access::Write,
        _ => return None,
    };
    let mut ends = pages.splitn(2, |byte| *byte == b'-');
    let first_page = ends.next().and_then(number)?;
    let last_page = ends.next().map_or(Some(first_page), number)?;
    (first_page <= last_page).then_some(Run { access, first_page, last_page })
}

/// Parses a word of digits only.
fn number<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    let digits = Some(word).filter(|word| word.iter().all(u8::is_ascii_digit))?;
    str::from_utf8(digits).ok()?.parse().ok()
}
