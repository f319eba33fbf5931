//! From XML to a snapshot.

use rrd::live::{CellState, LastReading, SourceState};
use rrd::number::{self, Parsed};
use rrd::{Archive, DataSource, Definition, LiveState, Snapshot, Timestamp, UNKNOWN};

use super::scan::{BreaksOff, Piece, Scanner, unescaped};

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    /// It ends before it should.
    #[error("error reading/parsing XML: line {line}: the document ends within <{element}>")]
    Ends {
        /// The last line.
        line: usize,
        /// The element that was being read.
        element: String,
    },
    /// Something else was expected.
    #[error("line {line}: expected {expected}, found {found}")]
    Unexpected {
        /// The line.
        line: usize,
        /// What was expected.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A tag that does not belong there.
    #[error("line {line}: {parent}: Unknown tag: {found}")]
    UnknownTag {
        /// The line.
        line: usize,
        /// The element around it.
        parent: &'static str,
        /// The tag.
        found: String,
    },
    /// An element's text is not what it should be.
    #[error("line {line}: <{element}>: expected {expected}, found '{found}'")]
    Content {
        /// The line.
        line: usize,
        /// The element.
        element: String,
        /// What was expected.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// Parts that do not fit together.
    #[error("{0}")]
    Misfit(String),
}

/// Reads the XML of a whole database.
///
/// # Errors
/// [`XmlError`]: what is wrong, and where.
pub fn parse(document: &str) -> Result<Snapshot, XmlError> {
    let mut parser = Parser { scanner: Scanner::new(document), element: String::new() };
    match parser.next()? {
        Piece::Start("rrd") => {}
        other => return Err(parser.unexpected("<rrd>", other)),
    }
    let mut parts = Parts::default();
    parser.children("rrd", |parser, name| parser.part(&mut parts, name))?;
    parts.snapshot()
}

/// What was read so far.
#[derive(Default)]
struct Parts {
    version: Option<u64>,
    step_seconds: u64,
    last_update_seconds: i64,
    sources: Vec<(DataSource, SourceState)>,
    archives: Vec<ArchiveParts>,
}

struct ArchiveParts {
    archive: Archive,
    cells: Vec<CellState>,
    values: Vec<f64>,
}

impl Parts {
    fn snapshot(self) -> Result<Snapshot, XmlError> {
        let misfit = |text: &str| Err(XmlError::Misfit(text.into()));
        if !matches!(self.version, Some(1..=5)) {
            return misfit("expected a version from 0001 to 0005");
        }
        if self.step_seconds == 0 {
            return misfit("expected a step of at least a second");
        }
        if self.sources.is_empty() || self.archives.is_empty() {
            return misfit("expected at least one ds and one rra");
        }
        let (sources, states): (Vec<_>, Vec<_>) = self.sources.into_iter().unzip();
        let mut live = LiveState {
            last_update: Timestamp::from_seconds(self.last_update_seconds),
            sources: states,
            cells: Vec::new(),
        };
        let (mut archives, mut rows) = (Vec::new(), Vec::new());
        for mut parts in self.archives {
            let row_seconds = parts.archive.pdp_per_row.checked_mul(self.step_seconds);
            let span_seconds = row_seconds.and_then(|each| each.checked_mul(parts.archive.rows));
            if parts.cells.len() != sources.len() || span_seconds.is_none_or(|span| span >= 1 << 60)
            {
                return misfit("expected as many ds in each cdp_prep as there are sources");
            }
            live.cells.append(&mut parts.cells);
            rows.push(parts.values);
            archives.push(parts.archive);
        }
        let definition = Definition { step_seconds: self.step_seconds, sources, archives };
        Ok(Snapshot { definition, live, rows })
    }
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    /// The element being read.
    element: String,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Result<Piece<'a>, XmlError> {
        match self.scanner.next() {
            Ok(Piece::Nothing) | Err(BreaksOff(_)) => {
                Err(XmlError::Ends { line: self.scanner.line(), element: self.element.clone() })
            }
            Ok(piece) => Ok(piece),
        }
    }

    /// Lets `each` read every child of an element up to its end tag.
    fn children(
        &mut self,
        name: &'static str,
        mut each: impl FnMut(&mut Self, &'a str) -> Result<(), XmlError>,
    ) -> Result<(), XmlError> {
        loop {
            self.element = name.into();
            match self.next()? {
                Piece::Start(child) => each(self, child)?,
                Piece::End(end) if end == name => return Ok(()),
                other => return Err(self.unexpected(&format!("a tag within <{name}>"), other)),
            }
        }
    }

    fn part(&mut self, parts: &mut Parts, name: &'a str) -> Result<(), XmlError> {
        match name {
            "version" => parts.version = Some(self.count(name)?),
            "step" => parts.step_seconds = self.count(name)?,
            "lastupdate" => parts.last_update_seconds = self.seconds(name)?,
            "ds" => {
                let source = self.source()?;
                parts.sources.push(source);
            }
            "rra" => {
                let archive = self.archive(parts.sources.len())?;
                parts.archives.push(archive);
            }
            _ => return Err(self.unknown_tag("rrd", name)),
        }
        Ok(())
    }

    fn source(&mut self) -> Result<(DataSource, SourceState), XmlError> {
        let (mut name, mut kind, mut heartbeat_seconds) = (None, None, 0);
        let (mut minimum, mut maximum) = (UNKNOWN, UNKNOWN);
        let mut state =
            SourceState { last_reading: LastReading::UNKNOWN, unknown_seconds: 0, value: UNKNOWN };
        self.children("ds", |parser, child| {
            match child {
                "name" => name = Some(parser.source_name(child)?),
                "type" => kind = Some(parser.named(child, "a data source type")?),
                "minimal_heartbeat" => heartbeat_seconds = parser.count(child)?,
                "min" => minimum = parser.value(child)?,
                "max" => maximum = parser.value(child)?,
                "last_ds" => state.last_reading = LastReading::new(&parser.text(child)?),
                "value" => state.value = parser.value(child)?,
                "unknown_sec" => state.unknown_seconds = parser.count(child)?,
                _ => return Err(parser.unknown_tag("ds", child)),
            }
            Ok(())
        })?;
        let (Some(name), Some(kind)) = (name, kind) else {
            return Err(XmlError::Misfit("expected a name and a type in each ds".into()));
        };
        Ok((DataSource { name, kind, heartbeat_seconds, minimum, maximum }, state))
    }

    fn source_name(&mut self, element: &'a str) -> Result<String, XmlError> {
        let name = self.text(element)?.trim().to_owned();
        let fits = (1..=rrd::MAX_NAME_BYTES).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(name) } else { Err(self.content(element, "a name of 1 to 19 letters", &name)) }
    }

    fn archive(&mut self, sources: usize) -> Result<ArchiveParts, XmlError> {
        let (mut cf, mut pdp_per_row, mut xff) = (None, 0, UNKNOWN);
        let (mut cells, mut values) = (Vec::new(), Vec::new());
        self.children("rra", |parser, child| {
            match child {
                "cf" => cf = Some(parser.named(child, "a consolidation function")?),
                "pdp_per_row" => pdp_per_row = parser.count(child)?,
                "xff" => xff = parser.value(child)?,
                "params" => parser.children("params", |parser, child| match child {
                    "xff" => {
                        xff = parser.value(child)?;
                        Ok(())
                    }
                    _ => Err(parser.unknown_tag("params", child)),
                })?,
                "cdp_prep" => parser.children("cdp_prep", |parser, child| match child {
                    "ds" => {
                        cells.push(parser.cell()?);
                        Ok(())
                    }
                    _ => Err(parser.unknown_tag("cdp_prep", child)),
                })?,
                "database" => parser.rows(sources, &mut values)?,
                _ => return Err(parser.unknown_tag("rra", child)),
            }
            Ok(())
        })?;
        let misfit = |text: &str| XmlError::Misfit(text.into());
        let cf = cf.ok_or_else(|| misfit("expected a cf in each rra"))?;
        let rows = values.len().checked_div(sources).unwrap_or(0) as u64;
        if rows == 0 || pdp_per_row == 0 {
            return Err(misfit("expected rows and a pdp_per_row of at least 1 in each rra"));
        }
        Ok(ArchiveParts { archive: Archive { cf, rows, pdp_per_row, xff }, cells, values })
    }

    fn cell(&mut self) -> Result<CellState, XmlError> {
        let mut cell = CellState { value: UNKNOWN, unknown_pdps: 0, primary: 0.0, secondary: 0.0 };
        self.children("ds", |parser, child| {
            match child {
                "primary_value" => cell.primary = parser.value(child)?,
                "secondary_value" => cell.secondary = parser.value(child)?,
                "value" => cell.value = parser.value(child)?,
                "unknown_datapoints" => cell.unknown_pdps = parser.count(child)?,
                _ => return Err(parser.unknown_tag("cdp_prep", child)),
            }
            Ok(())
        })?;
        Ok(cell)
    }

    fn rows(&mut self, sources: usize, values: &mut Vec<f64>) -> Result<(), XmlError> {
        self.children("database", |parser, child| {
            if child != "row" {
                return Err(parser.unknown_tag("database", child));
            }
            let before = values.len();
            parser.children("row", |parser, child| match child {
                "v" => {
                    values.push(parser.value(child)?);
                    Ok(())
                }
                _ => Err(parser.unknown_tag("row", child)),
            })?;
            if values.len() - before == sources {
                return Ok(());
            }
            let line = parser.scanner.line();
            let found = values.len() - before;
            Err(XmlError::Unexpected {
                line,
                expected: format!("{sources} values in a row"),
                found: found.to_string(),
            })
        })
    }

    /// The text of an element without children, up to its end tag.
    fn text(&mut self, element: &'a str) -> Result<String, XmlError> {
        self.element = element.into();
        let text = match self.next()? {
            Piece::Text(text) => text,
            Piece::End(end) if end == element => return Ok(String::new()),
            other => return Err(self.unexpected(&format!("the text of <{element}>"), other)),
        };
        match self.next()? {
            Piece::End(end) if end == element => Ok(unescaped(text)),
            other => Err(self.unexpected(&format!("</{element}>"), other)),
        }
    }

    fn named<T: std::str::FromStr>(
        &mut self,
        element: &'a str,
        expected: &'static str,
    ) -> Result<T, XmlError> {
        let text = self.text(element)?;
        text.trim().parse().map_err(|_| self.content(element, expected, &text))
    }

    fn count(&mut self, element: &'a str) -> Result<u64, XmlError> {
        self.named(element, "a count")
    }

    fn seconds(&mut self, element: &'a str) -> Result<i64, XmlError> {
        self.named(element, "seconds since 1970")
    }

    fn value(&mut self, element: &'a str) -> Result<f64, XmlError> {
        let text = self.text(element)?;
        match number::parse(text.trim()) {
            Parsed::Whole(value) => Ok(value),
            _ => Err(self.content(element, "a number", &text)),
        }
    }

    fn content(&self, element: &str, expected: &'static str, found: &str) -> XmlError {
        let (line, element) = (self.scanner.line(), element.into());
        XmlError::Content { line, element, expected, found: found.into() }
    }

    fn unknown_tag(&self, parent: &'static str, found: &str) -> XmlError {
        XmlError::UnknownTag { line: self.scanner.line(), parent, found: found.into() }
    }

    fn unexpected(&self, expected: &str, found: Piece<'_>) -> XmlError {
        let found = match found {
            Piece::Start(name) => format!("<{name}>"),
            Piece::End(name) => format!("</{name}>"),
            Piece::Text(text) => format!("'{}'", text.trim()),
            Piece::Nothing => "the end".into(),
        };
        XmlError::Unexpected { line: self.scanner.line(), expected: expected.into(), found }
    }
}
