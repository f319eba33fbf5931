//! A table as XML, as JSON, and as lines of separated values.

use std::fmt::Display;
use std::io::Write as _;

use jiff::tz::TimeZone;

use crate::export::{Export, Note, NoteKind};
use crate::format::strftime;
use crate::table_markup::Markup;
use crate::table_number::append_number;

/// How a table is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableForm {
    /// The language.
    pub markup: Markup,
    /// Whether each row has its time. Separated values have it always.
    pub with_time: bool,
    /// The format of times among separated values; seconds since 1970 where there is none.
    pub time_format: Option<String>,
}

/// What is told what has been written so far, again and again, and may take it away.
type Relieve<'r, E> = &'r mut dyn FnMut(&mut Vec<u8>) -> Result<(), E>;

/// What a list of notes is called.
const LISTS: [(NoteKind, &str); 3] =
    [(NoteKind::Print, "prints"), (NoteKind::Legend, "gprints"), (NoteKind::Rule, "rules")];

impl Export {
    /// Appends the table to `out`, which `relieve` may empty after each row.
    ///
    /// # Errors
    /// What `relieve` fails with.
    pub fn write<E>(
        &self,
        form: &TableForm,
        zone: &TimeZone,
        out: &mut Vec<u8>,
        relieve: Relieve<'_, E>,
    ) -> Result<(), E> {
        let tick = self.tick;
        match form.markup {
            Markup::Xml { numbered } => self.write_xml(form.with_time, numbered, out, relieve),
            Markup::Json => self.write_json(form.with_time, out, relieve),
            Markup::Separated(separator) => {
                let format = form.time_format.as_deref();
                let mut time = |out: &mut Vec<u8>, seconds: i64| match format {
                    Some(format) => out.extend(strftime(format, tick, seconds, zone).into_bytes()),
                    None => write(out, format_args!("{}", tick.told(seconds))),
                };
                self.write_separated(separator, &mut time, out, relieve)
            }
        }
    }

    /// Rows with the moments at which they end.
    fn rows(&self) -> impl ExactSizeIterator<Item = (i64, &[f64])> {
        let step = self.step_seconds as i64;
        let rows = self.values.chunks(self.legends.len().max(1));
        let start_seconds = self.start_seconds;
        rows.enumerate().map(move |(row, values)| (start_seconds + (row as i64 + 1) * step, values))
    }

    fn first_row_seconds(&self) -> i64 {
        self.start_seconds + self.step_seconds as i64
    }

    fn notes_of(&self, kind: NoteKind) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(move |note| note.kind == kind)
    }

    /// Texts stand in it as they were given: rrdtool escapes none, so callers do.
    fn write_xml<E>(
        &self,
        with_time: bool,
        numbered: bool,
        out: &mut Vec<u8>,
        relieve: Relieve<'_, E>,
    ) -> Result<(), E> {
        self.append_xml_head(out);
        for (seconds, values) in self.rows() {
            out.extend_from_slice(b"    <row>");
            if with_time {
                write(out, format_args!("<t>{}</t>", self.tick.told(seconds)));
            }
            for (column, value) in values.iter().enumerate() {
                append_cell(out, *value, numbered.then_some(column));
            }
            out.extend_from_slice(b"</row>\n");
            relieve(out)?;
        }
        out.extend_from_slice(b"  </data>\n</xport>\n");
        Ok(())
    }

    fn append_xml_head(&self, out: &mut Vec<u8>) {
        write(
            out,
            format_args!(
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n\n<xport>\n  <meta>\n    \
                 <start>{}</start>\n    <end>{}</end>\n    <step>{}</step>\n    \
                 <rows>{}</rows>\n    <columns>{}</columns>\n    <legend>\n",
                self.tick.told(self.first_row_seconds()),
                self.tick.told(self.end_seconds),
                self.tick.told(self.step_seconds as i64),
                self.rows().len(),
                self.legends.len()
            ),
        );
        for legend in &self.legends {
            write(out, format_args!("      <entry>{}</entry>\n", legend.trim_start()));
        }
        out.extend_from_slice(b"    </legend>\n");
        for (kind, list) in LISTS {
            let mut notes = self.notes_of(kind).peekable();
            if notes.peek().is_some() {
                write(out, format_args!("    <{list}>\n"));
                for Note { tag, text, .. } in notes {
                    write(out, format_args!("        <{tag}>{text}</{tag}>\n"));
                }
                write(out, format_args!("    </{list}>\n"));
            }
        }
        out.extend_from_slice(b"  </meta>\n  <data>\n");
    }

    fn write_json<E>(
        &self,
        with_time: bool,
        out: &mut Vec<u8>,
        relieve: Relieve<'_, E>,
    ) -> Result<(), E> {
        self.append_json_head(out);
        let mut rows = self.rows().peekable();
        while let Some((seconds, values)) = rows.next() {
            append_json_row(out, with_time.then(|| self.tick.told(seconds)), values);
            out.extend_from_slice(if rows.peek().is_some() { b" ],\n" } else { b" ]\n" });
            relieve(out)?;
        }
        out.extend_from_slice(b"  ]\n}\n");
        Ok(())
    }

    fn append_json_head(&self, out: &mut Vec<u8>) {
        write(
            out,
            format_args!(
                "{{ \"about\": \"RRDtool graph JSON output\",\n  \"meta\": {{\n    \
                 \"start\": {},\n    \"end\": {},\n    \"step\": {},\n    \"legend\": [\n",
                self.tick.told(self.first_row_seconds()),
                self.tick.told(self.end_seconds),
                self.tick.told(self.step_seconds as i64)
            ),
        );
        for (nth, legend) in self.legends.iter().enumerate() {
            let comma = if nth + 1 < self.legends.len() { "," } else { "" };
            write(out, format_args!("      \"{}\"{comma}\n", legend.trim_start()));
        }
        out.extend_from_slice(b"          ]");
        for (kind, list) in LISTS {
            let mut notes = self.notes_of(kind).peekable();
            if notes.peek().is_none() {
                continue;
            }
            write(out, format_args!(",\n    \"{list}\": ["));
            while let Some(note) = notes.next() {
                let text = json_text(note);
                let comma = if notes.peek().is_some() { "," } else { "" };
                write(out, format_args!("\n        {{ \"{}\": \"{text}\" }}{comma}", note.tag));
            }
            out.extend_from_slice(b"\n        ]");
        }
        out.extend_from_slice(b"\n     },\n  \"data\": [\n");
    }

    fn write_separated<E>(
        &self,
        separator: u8,
        append_time: &mut dyn FnMut(&mut Vec<u8>, i64),
        out: &mut Vec<u8>,
        relieve: Relieve<'_, E>,
    ) -> Result<(), E> {
        out.extend_from_slice(b"\"time\"");
        for legend in &self.legends {
            out.push(separator);
            write(out, format_args!("\"{}\"", legend.trim_start()));
        }
        out.extend_from_slice(b"\r\n");
        for (seconds, values) in self.rows() {
            append_time(out, seconds);
            for value in values {
                out.extend_from_slice(&[separator, b'"']);
                append_known(out, *value);
                out.push(b'"');
            }
            out.extend_from_slice(b"\r\n");
            relieve(out)?;
        }
        Ok(())
    }
}

/// A Vec takes everything.
fn write(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// A value; one that is unknown has no sign here.
fn append_known(out: &mut Vec<u8>, value: f64) {
    if value.is_nan() {
        out.extend_from_slice(b"NaN");
    } else {
        append_number(out, value);
    }
}

fn append_cell(out: &mut Vec<u8>, value: f64, column: Option<usize>) {
    let tag = |open: &[u8], out: &mut Vec<u8>| {
        out.extend_from_slice(open);
        if let Some(column) = column {
            write(out, format_args!("{column}"));
        }
        out.push(b'>');
    };
    tag(b"<v", out);
    append_known(out, value);
    tag(b"</v", out);
}

fn append_json_row(out: &mut Vec<u8>, time: Option<impl Display>, values: &[f64]) {
    out.extend_from_slice(b"    [ ");
    if let Some(time) = time {
        write(out, format_args!("\"{time}\","));
    }
    for (nth, value) in values.iter().enumerate() {
        out.extend_from_slice(if nth > 0 { b", " } else { b"" });
        match value.is_finite() {
            true => append_number(out, *value),
            false => out.extend_from_slice(b"null"),
        }
    }
}

/// Legends stand as they were given, as in XML; what is printed or told is escaped.
fn json_text(note: &Note) -> String {
    match note.tag {
        "line" | "area" => note.text.clone(),
        _ => note.text.replace('\\', "\\\\").replace('"', "\\\""),
    }
}
