//! Writes a snapshot as XML, byte for byte like rrdtool.

use std::convert::Infallible;
use std::fmt::Write as _;

use rrd::live::{CellState, SourceState};
use rrd::{Archive, DataSource, Definition, ForecastWords, Snapshot, SourceKind};

use super::number;
use crate::Version;

mod forecast;

/// The text before the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prologue {
    /// Nothing.
    None,
    /// An XML declaration and the document type.
    Dtd,
    /// An XML declaration and a schema on the root element.
    Xsd,
}

/// The document of a snapshot. `local_time` appends a time as text, for the comments.
///
/// # Panics
///
/// If an archive has another number of rows than its definition.
#[must_use]
pub fn write(
    snapshot: &Snapshot,
    version: Version,
    prologue: Prologue,
    local_time: &dyn Fn(i64, &mut String),
) -> String {
    let mut document = String::new();
    let gather = |text: &str| {
        document.push_str(text);
        Ok::<(), Infallible>(())
    };
    let Ok(()) = write_by(snapshot, version, prologue, local_time, gather);
    document
}

/// The same in pieces, which are passed to `take` as soon as they are made.
///
/// # Errors
///
/// The error of `take`, which ends the writing.
///
/// # Panics
///
/// As [`write()`].
pub fn write_by<E>(
    snapshot: &Snapshot,
    version: Version,
    prologue: Prologue,
    local_time: &dyn Fn(i64, &mut String),
    take: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let out = String::with_capacity(PIECE_BYTES + PIECE_BYTES / 4);
    let mut writer = Writer { out, letters: Vec::new(), local_time, take };
    writer.root(snapshot, version, prologue)?;
    (writer.take)(&writer.out)
}

/// The size of a piece.
const PIECE_BYTES: usize = 64 * 1024;

struct Writer<'a, T> {
    out: String,
    /// Letters on their way to [`Writer::out`]: many are checked together.
    letters: Vec<u8>,
    local_time: &'a dyn Fn(i64, &mut String),
    take: T,
}

/// Appends a line; writing to a String cannot fail.
macro_rules! line {
    ($self:ident, $($text:tt)*) => { let _ = writeln!($self.out, $($text)*); };
}

impl<T: FnMut(&str) -> Result<(), E>, E> Writer<'_, T> {
    fn root(&mut self, snapshot: &Snapshot, version: Version, prologue: Prologue) -> Result<(), E> {
        let definition = &snapshot.definition;
        self.prologue(prologue);
        line!(self, "\t<version>{}</version>", version.in_dump());
        line!(self, "\t<step>{}</step> <!-- Seconds -->", definition.step_seconds);
        let seconds = snapshot.live.last_update.seconds;
        let _ = write!(self.out, "\t<lastupdate>{seconds}</lastupdate> <!-- ");
        (self.local_time)(seconds, &mut self.out);
        self.out.push_str(" -->\n\n");
        for (source, state) in definition.sources.iter().zip(&snapshot.live.sources) {
            self.source(definition, source, state);
        }
        line!(self, "\t<!-- Round Robin Archives -->");
        let cells = snapshot.live.cells.chunks(definition.sources.len().max(1));
        for (index, (archive, cells)) in definition.archives.iter().zip(cells).enumerate() {
            self.archive(snapshot, index, archive, cells)?;
        }
        line!(self, "</rrd>");
        Ok(())
    }

    /// Passes the text on once there is enough for a piece.
    fn relieve(&mut self) -> Result<(), E> {
        if self.out.len() >= PIECE_BYTES {
            (self.take)(&self.out)?;
            self.out.clear();
        }
        Ok(())
    }

    fn prologue(&mut self, prologue: Prologue) {
        const NAMESPACE: &str = "https://oss.oetiker.ch/rrdtool/rrdtool-dump.xml";
        if prologue != Prologue::None {
            line!(self, "<?xml version=\"1.0\" encoding=\"utf-8\"?>");
        }
        if prologue == Prologue::Dtd {
            line!(self, "<!DOCTYPE rrd SYSTEM \"https://oss.oetiker.ch/rrdtool/rrdtool.dtd\">");
        }
        line!(self, "<!-- Round Robin Database Dump -->");
        if prologue == Prologue::Xsd {
            line!(
                self,
                "<rrd xmlns=\"{NAMESPACE}\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
            );
            let schema = "https://oss.oetiker.ch/rrdtool/rrdtool-dump.xsd";
            line!(self, "\txsi:schemaLocation=\"{NAMESPACE} {schema}\">");
        } else {
            line!(self, "<rrd>");
        }
    }

    fn source(&mut self, definition: &Definition, source: &DataSource, state: &SourceState) {
        line!(self, "\t<ds>");
        line!(self, "\t\t<name> {} </name>", source.name);
        line!(self, "\t\t<type> {} </type>", source.kind);
        if let SourceKind::Compute(expression) = source.kind {
            let names: Vec<&str> = definition.sources.iter().map(|it| it.name.as_str()).collect();
            line!(self, "\t\t<cdef> {} </cdef>", expression.text(&names));
        } else {
            self.count("\t\t", "minimal_heartbeat", source.heartbeat_seconds);
            self.value("\t\t", "min", source.minimum);
            self.value("\t\t", "max", source.maximum);
        }
        line!(self, "\n\t\t<!-- PDP Status -->");
        let text = state.last_reading.text();
        let reading = String::from_utf8_lossy(&text);
        self.text("\t\t", "last_ds", &escaped(&reading));
        self.value("\t\t", "value", state.value);
        line!(self, "\t\t<unknown_sec> {} </unknown_sec>", state.unknown_seconds);
        line!(self, "\t</ds>\n");
    }

    fn archive(
        &mut self,
        snapshot: &Snapshot,
        index: usize,
        archive: &Archive,
        cells: &[CellState],
    ) -> Result<(), E> {
        let row_seconds = archive.row_seconds(snapshot.definition.step_seconds);
        line!(self, "\t<rra>");
        line!(self, "\t\t<cf>{}</cf>", archive.cf);
        let pdps = archive.pdp_per_row;
        line!(self, "\t\t<pdp_per_row>{pdps}</pdp_per_row> <!-- {row_seconds} seconds -->\n");
        line!(self, "\t\t<params>");
        self.parameters(&snapshot.definition, archive);
        line!(self, "\t\t</params>\n\t\t<cdp_prep>");
        let words = snapshot.live.forecast.words.chunks(cells.len().max(1)).nth(index);
        for (nth, cell) in cells.iter().enumerate() {
            self.cell(archive, cell, words.and_then(|words| words.get(nth)));
        }
        line!(self, "\t\t</cdp_prep>\n\t\t<database>");
        self.rows(snapshot, index, row_seconds as i64)?;
        line!(self, "\t\t</database>\n\t</rra>");
        Ok(())
    }

    fn cell(&mut self, archive: &Archive, cell: &CellState, words: Option<&ForecastWords>) {
        line!(self, "\t\t\t<ds>");
        self.value("\t\t\t", "primary_value", cell.primary);
        self.value("\t\t\t", "secondary_value", cell.secondary);
        self.remembered(archive, cell, words);
        line!(self, "\t\t\t</ds>");
    }

    #[expect(clippy::indexing_slicing, reason = "the index is that of an archive of the snapshot")]
    fn rows(&mut self, snapshot: &Snapshot, index: usize, row_seconds: i64) -> Result<(), E> {
        let values = &snapshot.rows[index];
        let sources = snapshot.definition.sources.len().max(1);
        assert!(values.len() as u64 == snapshot.definition.archives[index].rows * sources as u64);
        let later_rows = (values.len() / sources) as i64 - 1;
        let oldest_seconds = snapshot.newest_row_seconds(index) - later_rows * row_seconds;
        for (row, values) in values.chunks_exact(sources).enumerate() {
            let seconds = oldest_seconds + row as i64 * row_seconds;
            self.out.push_str("\t\t\t<!-- ");
            (self.local_time)(seconds, &mut self.out);
            let letters = &mut self.letters;
            letters.extend_from_slice(b" / ");
            number::append_whole(letters, seconds);
            letters.extend_from_slice(b" --> <row>");
            for value in values {
                letters.extend_from_slice(b"<v>");
                append_number(letters, *value);
                letters.extend_from_slice(b"</v>");
            }
            letters.extend_from_slice(b"</row>\n");
            self.pass_letters();
            self.relieve()?;
        }
        Ok(())
    }
}

impl<T> Writer<'_, T> {
    fn value(&mut self, indent: &str, name: &str, value: f64) {
        let _ = write!(self.out, "{indent}<{name}>");
        self.number(value);
        line!(self, "</{name}>");
    }

    fn count(&mut self, indent: &str, name: &str, count: u64) {
        line!(self, "{indent}<{name}>{count}</{name}>");
    }

    fn text(&mut self, indent: &str, name: &str, text: &str) {
        line!(self, "{indent}<{name}>{text}</{name}>");
    }

    fn number(&mut self, value: f64) {
        append_number(&mut self.letters, value);
        self.pass_letters();
    }

    fn pass_letters(&mut self) {
        self.out.push_str(str::from_utf8(&self.letters).unwrap_or_default());
        self.letters.clear();
    }
}

fn append_number(letters: &mut Vec<u8>, value: f64) {
    if value.is_nan() {
        letters.extend_from_slice(b"NaN");
    } else {
        number::append(letters, value);
    }
}

/// Escapes a text for the content of an element.
fn escaped(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains(['&', '<', '>']) {
        return text.into();
    }
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").into()
}
