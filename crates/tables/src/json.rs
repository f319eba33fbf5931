//! JSON: an object for each row, in one array or each on a line of its own.
//!
//! JSON has no infinities: they are the texts `"inf"` and `"-inf"`.

use std::io::Write;

use crate::error::Error;
use crate::rows::{Rows, time_text};

/// Objects that gather before they are written.
const GATHERED_BYTES: usize = 64 << 10;

pub(crate) struct Json<W> {
    out: W,
    is_array: bool,
    is_first: bool,
    gathered: Vec<u8>,
}

impl<W: Write> Json<W> {
    pub(crate) fn new(out: W, is_array: bool) -> Self {
        let gathered = if is_array { b"[".to_vec() } else { Vec::new() };
        Self { out, is_array, is_first: true, gathered }
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
        for (millis, value) in rows.iter() {
            match (self.is_array, self.is_first) {
                (true, true) => self.gathered.push(b'\n'),
                (true, false) => self.gathered.extend_from_slice(b",\n"),
                (false, _) => {}
            }
            self.is_first = false;
            self.gathered.extend_from_slice(&beginning);
            self.gathered.extend_from_slice(time_text(millis).as_bytes());
            self.gathered.extend_from_slice(b"\",\"value\":");
            put_value(&mut self.gathered, value);
            self.gathered.push(b'}');
            if !self.is_array {
                self.gathered.push(b'\n');
            }
            if self.gathered.len() >= GATHERED_BYTES {
                self.out.write_all(&self.gathered)?;
                self.gathered.clear();
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<W, Error> {
        if self.is_array {
            self.gathered.extend_from_slice(b"\n]\n");
        }
        self.out.write_all(&self.gathered)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn put_value(out: &mut Vec<u8>, value: Option<f64>) {
    // A Vec takes all.
    let _ = match value {
        None => write!(out, "null"),
        Some(value) if value.is_infinite() => write!(out, "\"{value}\""),
        Some(value) => write!(out, "{value:?}"),
    };
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
