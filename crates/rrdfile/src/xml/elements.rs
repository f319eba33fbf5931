//! XML as a stream of elements, with a line number for every error.

use std::io::BufRead as _;

use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};

/// An error in a dump.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found}")]
pub struct XmlError {
    /// The line, counted from 1.
    pub line: usize,
    /// What was expected there.
    pub expected: String,
    /// What was found there.
    pub found: String,
}

/// The elements of a document, in order; comments, declarations and blanks are skipped.
pub(super) struct Elements<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
}

/// The next item of a document.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    Open(String),
    Close(String),
    Text(String),
    End,
}

impl Step {
    /// A short description for an error message.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Open(tag) => format!("<{tag}>"),
            Self::Close(tag) => format!("</{tag}>"),
            Self::Text(text) => beginning(text),
            Self::End => "the end of the document".into(),
        }
    }
}

/// The most characters of a text in an error message.
const FOUND_LETTERS_MAX: usize = 80;

/// The beginning of a text in quotes: a file that is not a dump may be one line of gigabytes.
fn beginning(text: &str) -> String {
    const SHOWN_LETTERS: usize = 40;
    let shown: String = text.chars().take(SHOWN_LETTERS).collect();
    let dots = if shown.len() < text.len() { "…" } else { "" };
    format!("{shown:?}{dots}")
}

impl<'a> Elements<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().trim_text(true);
        reader.config_mut().expand_empty_elements = true;
        Self { text, reader }
    }

    pub(super) fn error(&self, expected: impl Into<String>, found: impl Into<String>) -> XmlError {
        let position = (self.reader.buffer_position() as usize).min(self.text.len());
        let line = 1 + self.text.bytes().take(position).filter(|byte| *byte == b'\n').count();
        let mut found = found.into();
        if let Some((end, _)) = found.char_indices().nth(FOUND_LETTERS_MAX) {
            found.truncate(end);
            found.push('…');
        }
        XmlError { line, expected: expected.into(), found }
    }

    pub(super) fn step(&mut self) -> Result<Step, XmlError> {
        loop {
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.error("well-formed XML", error.to_string())),
            };
            match event {
                Event::Start(tag) => return Ok(Step::Open(tag.local_name().as_ref().to_owned())),
                Event::End(tag) => return Ok(Step::Close(tag.local_name().as_ref().to_owned())),
                Event::Text(text) => {
                    let text = text.xml_content(XmlVersion::Implicit1_0);
                    return Ok(Step::Text(text.into_owned()));
                }
                Event::GeneralRef(reference) => {
                    let character = match reference.as_ref() {
                        "amp" => "&",
                        "lt" => "<",
                        "gt" => ">",
                        other => return Err(self.error("a known entity", format!("&{other};"))),
                    };
                    return Ok(Step::Text(character.into()));
                }
                Event::Eof => return Ok(Step::End),
                _ => {}
            }
        }
    }

    /// Passes the text after the element that was just opened to `take`, which returns how many
    /// bytes of it are handled.
    pub(super) fn take_plain(&mut self, take: impl FnOnce(&str) -> usize) {
        let position = self.reader.buffer_position() as usize;
        let before = self.text.get(..position).unwrap_or_default();
        // The end of `<tag/>` is still to be returned.
        if before.ends_with("/>") {
            return;
        }
        let taken = take(self.text.get(position..).unwrap_or_default());
        self.reader.stream().consume(taken);
    }

    /// Opens the next child of `parent`; `None` at its end.
    pub(super) fn child_of(&mut self, parent: &str) -> Result<Option<String>, XmlError> {
        match self.step()? {
            Step::Open(tag) => Ok(Some(tag)),
            Step::Close(_) => Ok(None),
            Step::Text(text) => {
                Err(self.error(format!("an element in <{parent}>"), beginning(&text)))
            }
            Step::End => Err(self.error(format!("</{parent}>"), "the end of the document")),
        }
    }

    /// The text of the element `tag`, just opened.
    pub(super) fn text_of(&mut self, tag: &str) -> Result<String, XmlError> {
        let mut gathered = String::new();
        loop {
            match self.step()? {
                Step::Text(text) => gathered += &text,
                Step::Close(_) => return Ok(gathered.trim().to_owned()),
                Step::Open(inner) => {
                    return Err(self.error(format!("text in <{tag}>"), format!("<{inner}>")));
                }
                Step::End => {
                    return Err(self.error(format!("</{tag}>"), "the end of the document"));
                }
            }
        }
    }

    pub(super) fn count_of(&mut self, tag: &str) -> Result<u64, XmlError> {
        let text = self.text_of(tag)?;
        text.parse().map_err(|_| self.error(format!("a whole number in <{tag}>"), text))
    }

    pub(super) fn value_of(&mut self, tag: &str) -> Result<f64, XmlError> {
        let text = self.text_of(tag)?;
        match rrd::number::parse(&text) {
            rrd::number::Parsed::Whole(value) => Ok(value),
            _ => Err(self.error(format!("a number in <{tag}>"), text)),
        }
    }
}
