//! A snapshot as XML, byte for byte as rrdtool 1.7 writes it.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use rrd::cformat::FloatFormat;
use rrd::live::{CellState, SourceState};
use rrd::{DataSource, Snapshot};

use crate::Version;

/// What stands before the element `rrd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prologue {
    /// Nothing.
    None,
    /// A document type.
    Dtd,
    /// A schema.
    Xsd,
}

/// rrdtool writes no exponent below this one: smaller values begin with a zero.
const EXPONENT_MIN: f64 = 1e-308;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
const DOCUMENT_TYPE: &str =
    "<!DOCTYPE rrd SYSTEM \"https://oss.oetiker.ch/rrdtool/rrdtool.dtd\">\n";
const COMMENT: &str = "<!-- Round Robin Database Dump -->\n";
const SCHEMA: &str = "<rrd xmlns=\"https://oss.oetiker.ch/rrdtool/rrdtool-dump.xml\" \
    xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n\
    \txsi:schemaLocation=\"https://oss.oetiker.ch/rrdtool/rrdtool-dump.xml \
    https://oss.oetiker.ch/rrdtool/rrdtool-dump.xsd\">\n";

/// The text of a dump; comments tell times in `zone`.
#[must_use]
pub fn dump(snapshot: &Snapshot, version: Version, prologue: Prologue, zone: &TimeZone) -> String {
    let values: usize = snapshot.rows.iter().map(Vec::len).sum();
    let mut out = Dump { text: String::with_capacity(4096 + values * 96), zone };
    match prologue {
        Prologue::None => out.text += &[COMMENT, "<rrd>\n"].concat(),
        Prologue::Dtd => out.text += &[DECLARATION, DOCUMENT_TYPE, COMMENT, "<rrd>\n"].concat(),
        Prologue::Xsd => out.text += &[DECLARATION, COMMENT, SCHEMA].concat(),
    }
    out.head(snapshot, version);
    for (source, live) in snapshot.definition.sources.iter().zip(&snapshot.live.sources) {
        out.source(source, live);
    }
    out.text += "\t<!-- Round Robin Archives -->\n";
    for archive in 0..snapshot.definition.archives.len() {
        out.archive(snapshot, archive);
    }
    out.text += "</rrd>\n";
    out.text
}

struct Dump<'a> {
    text: String,
    zone: &'a TimeZone,
}

// Writing to a String never fails, so that the results of `write!` hold nothing.
#[allow(clippy::let_underscore_must_use)]
impl Dump<'_> {
    fn head(&mut self, snapshot: &Snapshot, version: Version) {
        let last_seconds = snapshot.live.last_update.seconds;
        let step_seconds = snapshot.definition.step_seconds;
        let _ = writeln!(self.text, "\t<version>{version}</version>");
        let _ = writeln!(self.text, "\t<step>{step_seconds}</step> <!-- Seconds -->");
        let _ = write!(self.text, "\t<lastupdate>{last_seconds}</lastupdate> <!-- ");
        self.civil_time(last_seconds);
        self.text += " -->\n\n";
    }

    fn source(&mut self, source: &DataSource, live: &SourceState) {
        let _ = write!(
            self.text,
            "\t<ds>\n\t\t<name> {} </name>\n\t\t<type> {} </type>\n\
             \t\t<minimal_heartbeat>{}</minimal_heartbeat>\n",
            source.name, source.kind, source.heartbeat_seconds
        );
        self.value("\t\t", "min", source.minimum, "\n");
        self.value("\t\t", "max", source.maximum, "\n");
        let last_reading = String::from_utf8_lossy(live.last_reading.text());
        let _ = write!(
            self.text,
            "\n\t\t<!-- PDP Status -->\n\t\t<last_ds>{}</last_ds>\n",
            escaped(&last_reading)
        );
        self.value("\t\t", "value", live.value, "\n");
        let _ = write!(
            self.text,
            "\t\t<unknown_sec> {} </unknown_sec>\n\t</ds>\n\n",
            live.unknown_seconds
        );
    }

    fn archive(&mut self, snapshot: &Snapshot, index: usize) {
        let archive = &snapshot.definition.archives[index];
        let sources = snapshot.definition.sources.len();
        let row_seconds = archive.row_seconds(snapshot.definition.step_seconds);
        let _ = write!(
            self.text,
            "\t<rra>\n\t\t<cf>{}</cf>\n\
             \t\t<pdp_per_row>{}</pdp_per_row> <!-- {row_seconds} seconds -->\n\n\t\t<params>\n",
            archive.cf, archive.pdp_per_row
        );
        self.value("\t\t", "xff", archive.xff, "\n");
        self.text += "\t\t</params>\n\t\t<cdp_prep>\n";
        for cell in &snapshot.live.cells[index * sources..][..sources] {
            self.cell(cell);
        }
        self.text += "\t\t</cdp_prep>\n\t\t<database>\n";
        let rows = snapshot.rows[index].chunks_exact(sources);
        let newest_seconds = snapshot.newest_row_seconds(index);
        for (age, row) in (0..rows.len() as i64).rev().zip(rows) {
            let seconds = newest_seconds - age * row_seconds as i64;
            self.text += "\t\t\t<!-- ";
            self.civil_time(seconds);
            let _ = write!(self.text, " / {seconds} --> <row>");
            for value in row {
                self.value("", "v", *value, "");
            }
            self.text += "</row>\n";
        }
        self.text += "\t\t</database>\n\t</rra>\n";
    }

    fn cell(&mut self, cell: &CellState) {
        self.text += "\t\t\t<ds>\n";
        self.value("\t\t\t", "primary_value", cell.primary, "\n");
        self.value("\t\t\t", "secondary_value", cell.secondary, "\n");
        self.value("\t\t\t", "value", cell.value, "\n");
        let _ = write!(
            self.text,
            "\t\t\t<unknown_datapoints>{}</unknown_datapoints>\n\t\t\t</ds>\n",
            cell.unknown_pdps
        );
    }

    fn value(&mut self, indent: &str, tag: &str, value: f64, end: &str) {
        let _ = write!(self.text, "{indent}<{tag}>");
        if value.is_nan() {
            self.text += "NaN";
        } else if value != 0.0 && value.abs() < EXPONENT_MIN {
            FloatFormat::fixed(10).append(&mut self.text, value / EXPONENT_MIN);
            self.text += "e-308";
        } else {
            FloatFormat::exponent(10).append(&mut self.text, value);
        }
        let _ = write!(self.text, "</{tag}>{end}");
    }

    /// A time a person can read; nothing where it lies beyond the calendar.
    fn civil_time(&mut self, seconds: i64) {
        if let Ok(moment) = jiff::Timestamp::from_second(seconds) {
            let local = moment.to_zoned(self.zone.clone());
            let _ = write!(self.text, "{}", local.strftime("%Y-%m-%d %H:%M:%S %Z"));
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
