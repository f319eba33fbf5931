//! The table of `xport` as XML and as JSON.

use std::io::Write as _;

use graph::{Export, Note, NoteKind};

use crate::failure::Failure;
use crate::number::{append as append_number, append_known};
use crate::session::Session;

/// How a table is printed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Form {
    /// JSON, not XML.
    pub(crate) json: bool,
    /// Each row has its time.
    pub(crate) with_time: bool,
    /// The tags of values are numbered, in XML.
    pub(crate) numbered: bool,
}

pub(crate) fn print(session: &mut Session, export: &Export, form: Form) -> Result<(), Failure> {
    if form.json { print_json(session, export, form) } else { print_xml(session, export, form) }
}

/// Rows with the moments at which they end.
fn rows(export: &Export) -> impl ExactSizeIterator<Item = (i64, &[f64])> {
    let step = export.step_seconds as i64;
    let rows = export.values.chunks(export.legends.len().max(1));
    let start_seconds = export.start_seconds;
    rows.enumerate().map(move |(row, values)| (start_seconds + (row as i64 + 1) * step, values))
}

/// What a list of notes is called.
const LISTS: [(NoteKind, &str); 3] =
    [(NoteKind::Print, "prints"), (NoteKind::Legend, "gprints"), (NoteKind::Rule, "rules")];

/// Texts stand in it as they were given: rrdtool escapes none, so callers do.
fn print_xml(session: &mut Session, export: &Export, form: Form) -> Result<(), Failure> {
    append_xml_head(&mut session.out, export);
    for (seconds, values) in rows(export) {
        append_xml_row(&mut session.out, seconds, values, form);
        session.relieve()?;
    }
    session.out.extend_from_slice(b"  </data>\n</xport>\n");
    Ok(())
}

fn append_xml_head(out: &mut Vec<u8>, export: &Export) {
    let first_seconds = export.start_seconds + export.step_seconds as i64;
    // A Vec takes everything, here and below.
    let _ = write!(
        out,
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n\n<xport>\n  <meta>\n    \
         <start>{first_seconds}</start>\n    <end>{}</end>\n    <step>{}</step>\n    \
         <rows>{}</rows>\n    <columns>{}</columns>\n    <legend>\n",
        export.end_seconds,
        export.step_seconds,
        rows(export).len(),
        export.legends.len()
    );
    for legend in &export.legends {
        let _ = writeln!(out, "      <entry>{}</entry>", legend.trim_start());
    }
    out.extend_from_slice(b"    </legend>\n");
    for (kind, list) in LISTS {
        let mut notes = notes_of(export, kind).peekable();
        if notes.peek().is_some() {
            let _ = writeln!(out, "    <{list}>");
            for Note { tag, text, .. } in notes {
                let _ = writeln!(out, "        <{tag}>{text}</{tag}>");
            }
            let _ = writeln!(out, "    </{list}>");
        }
    }
    out.extend_from_slice(b"  </meta>\n  <data>\n");
}

fn append_xml_row(out: &mut Vec<u8>, seconds: i64, values: &[f64], form: Form) {
    out.extend_from_slice(b"    <row>");
    if form.with_time {
        let _ = write!(out, "<t>{seconds}</t>");
    }
    for (column, value) in values.iter().enumerate() {
        append_cell(out, *value, form.numbered.then_some(column));
    }
    out.extend_from_slice(b"</row>\n");
}

fn append_cell(out: &mut Vec<u8>, value: f64, column: Option<usize>) {
    let tag = |open: &[u8], out: &mut Vec<u8>| {
        out.extend_from_slice(open);
        if let Some(column) = column {
            let _ = write!(out, "{column}");
        }
        out.push(b'>');
    };
    tag(b"<v", out);
    append_known(out, value);
    tag(b"</v", out);
}

fn print_json(session: &mut Session, export: &Export, form: Form) -> Result<(), Failure> {
    append_json_head(&mut session.out, export);
    let mut rows = rows(export).peekable();
    while let Some((seconds, values)) = rows.next() {
        append_json_row(&mut session.out, seconds, values, form);
        session.out.extend_from_slice(if rows.peek().is_some() { b" ],\n" } else { b" ]\n" });
        session.relieve()?;
    }
    session.out.extend_from_slice(b"  ]\n}\n");
    Ok(())
}

fn append_json_head(out: &mut Vec<u8>, export: &Export) {
    let first_seconds = export.start_seconds + export.step_seconds as i64;
    let _ = write!(
        out,
        "{{ \"about\": \"RRDtool graph JSON output\",\n  \"meta\": {{\n    \
         \"start\": {first_seconds},\n    \"end\": {},\n    \"step\": {},\n    \"legend\": [\n",
        export.end_seconds, export.step_seconds
    );
    for (nth, legend) in export.legends.iter().enumerate() {
        let comma = if nth + 1 < export.legends.len() { "," } else { "" };
        let _ = writeln!(out, "      \"{}\"{comma}", legend.trim_start());
    }
    out.extend_from_slice(b"          ]");
    for (kind, list) in LISTS {
        let mut notes = notes_of(export, kind).peekable();
        if notes.peek().is_none() {
            continue;
        }
        let _ = write!(out, ",\n    \"{list}\": [");
        while let Some(note) = notes.next() {
            let text = json_text(note);
            let comma = if notes.peek().is_some() { "," } else { "" };
            let _ = write!(out, "\n        {{ \"{}\": \"{text}\" }}{comma}", note.tag);
        }
        out.extend_from_slice(b"\n        ]");
    }
    out.extend_from_slice(b"\n     },\n  \"data\": [\n");
}

fn append_json_row(out: &mut Vec<u8>, seconds: i64, values: &[f64], form: Form) {
    out.extend_from_slice(b"    [ ");
    if form.with_time {
        let _ = write!(out, "\"{seconds}\",");
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

fn notes_of(export: &Export, kind: NoteKind) -> impl Iterator<Item = &Note> {
    export.notes.iter().filter(move |note| note.kind == kind)
}
