//! The pieces of an XML document: as much of XML as a dump needs. Namespaces, document types and
//! attributes are passed over; nothing is ever fetched.

/// One piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// `<name …>`; of `<name/>` too, an [`Piece::End`] follows.
    Start(&'a str),
    /// `</name>`.
    End(&'a str),
    /// Text between two tags, as it stands.
    Text(&'a str),
    /// Nothing more.
    Nothing,
}

/// Goes through a document.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    document: &'a str,
    at: usize,
    /// The name of an empty element whose end is still to be told.
    empty: Option<&'a str>,
}

/// The document breaks off within a tag or comment, at this byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BreaksOff(pub(super) usize);

impl<'a> Scanner<'a> {
    pub(super) fn new(document: &'a str) -> Self {
        let at = if document.starts_with('\u{feff}') { 3 } else { 0 };
        Self { document, at, empty: None }
    }

    /// The line that the scanner has come to, counted from 1.
    pub(super) fn line(&self) -> usize {
        let before = self.document.get(..self.at).unwrap_or(self.document);
        1 + before.bytes().filter(|byte| *byte == b'\n').count()
    }

    /// The next piece; comments, declarations and blank text are passed over.
    pub(super) fn next(&mut self) -> Result<Piece<'a>, BreaksOff> {
        if let Some(name) = self.empty.take() {
            return Ok(Piece::End(name));
        }
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Ok(Piece::Nothing);
            }
            if !rest.starts_with('<') {
                let text = self.up_to_or_all('<');
                if text.trim().is_empty() {
                    continue;
                }
                return Ok(Piece::Text(text));
            }
            if rest.starts_with("<!--") {
                self.past("-->")?;
            } else if rest.starts_with("<?") {
                self.past("?>")?;
            } else if rest.starts_with("<!") {
                self.past(">")?;
            } else {
                return self.tag();
            }
        }
    }

    fn rest(&self) -> &'a str {
        self.document.get(self.at..).unwrap_or_default()
    }

    fn up_to_or_all(&mut self, end: char) -> &'a str {
        let rest = self.rest();
        let length = rest.find(end).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Moves past `end`; gives what stands before it.
    fn past(&mut self, end: &str) -> Result<&'a str, BreaksOff> {
        let rest = self.rest();
        let length = rest.find(end).ok_or(BreaksOff(self.at))?;
        self.at += length + end.len();
        Ok(rest.get(..length).unwrap_or_default())
    }

    fn tag(&mut self) -> Result<Piece<'a>, BreaksOff> {
        let inside = self.past(">")?.get(1..).unwrap_or_default();
        if let Some(name) = inside.strip_prefix('/') {
            return Ok(Piece::End(name.trim_end()));
        }
        let (inside, is_empty) = match inside.strip_suffix('/') {
            Some(inside) => (inside, true),
            None => (inside, false),
        };
        let name = inside.split(|letter: char| letter.is_ascii_whitespace()).next();
        let name = name.unwrap_or_default();
        if is_empty {
            self.empty = Some(name);
        }
        Ok(Piece::Start(name))
    }
}

/// The text that an element's content stands for: the five entities of XML replaced.
pub(super) fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (entity, letter)| text.replace(entity, letter))
}
