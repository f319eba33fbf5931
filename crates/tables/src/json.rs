//! JSON: an object for each row, in one array or each on a line of its own.
//!
//! JSON has no infinities: they are the texts `"inf"` and `"-inf"`.

use std::io::{self, BufWriter, Write};

use crate::error::Error;
use crate::gathering::{all_of, gathering};
use crate::rows::{Rows, time_text};

pub(crate) struct Json<W: Write> {
    out: BufWriter<W>,
    is_array: bool,
    is_first: bool,
}

impl<W: Write> Json<W> {
    pub(crate) fn new(out: W, is_array: bool) -> Self {
        Self { out: gathering(out), is_array, is_first: true }
    }

    pub(crate) fn put(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        let mut beginning = Vec::new();
        for (key, value) in [
            ("{\"name\":", rows.name),
            (",\"source\":", rows.source),
            (",\"function\":", rows.function),
        ] {
            beginning.extend_from_slice(key.as_bytes());
            put_text(&mut beginning, value);
        }
        let row_seconds = rows.row_seconds_text();
        beginning
            .extend_from_slice(format!(",\"row_seconds\":{row_seconds},\"time\":\"").as_bytes());
        for (micros, value) in rows.iter() {
            match (self.is_array, self.is_first) {
                (true, true) => self.out.write_all(b"[\n")?,
                (true, false) => self.out.write_all(b",\n")?,
                (false, _) => {}
            }
            self.is_first = false;
            self.out.write_all(&beginning)?;
            self.out.write_all(time_text(micros).as_bytes())?;
            self.out.write_all(b"\",\"value\":")?;
            put_value(&mut self.out, value)?;
            self.out.write_all(if self.is_array { b"}" } else { b"}\n" })?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<W, Error> {
        match (self.is_array, self.is_first) {
            (true, true) => self.out.write_all(b"[\n]\n")?,
            (true, false) => self.out.write_all(b"\n]\n")?,
            (false, _) => {}
        }
        all_of(self.out)
    }
}

fn put_value(out: &mut impl Write, value: Option<f64>) -> io::Result<()> {
    match value {
        None => write!(out, "null"),
        Some(value) if value.is_infinite() => write!(out, "\"{value}\""),
        Some(value) => write!(out, "{value:?}"),
    }
}

/// A string with its quotes.
fn put_text(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for letter in text.chars() {
        match letter {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\u{0}'..='\u{1f}' => {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(letter)).as_bytes());
            }
            _ => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}
