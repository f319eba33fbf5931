//! CSV and TSV: a line of names, then a line for each row; an unknown value is an empty field.

use std::io::Write;

use crate::error::Error;
use crate::rows::{Rows, time_text};

/// Lines that gather before they are written.
const GATHERED_BYTES: usize = 64 << 10;

pub(crate) struct Text<W> {
    out: W,
    separator: u8,
    gathered: Vec<u8>,
}

impl<W: Write> Text<W> {
    pub(crate) fn new(out: W, separator: u8) -> Result<Self, Error> {
        let mut text = Self { out, separator, gathered: Vec::new() };
        for name in ["name", "source", "function", "row_seconds", "time"] {
            text.gathered.extend_from_slice(name.as_bytes());
            text.gathered.push(separator);
        }
        text.gathered.extend_from_slice(b"value\n");
        Ok(text)
    }

    pub(crate) fn put(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        let mut beginning = Vec::new();
        for field in [rows.name, rows.source, rows.function, &rows.row_seconds_text()] {
            put_field(&mut beginning, field, self.separator);
            beginning.push(self.separator);
        }
        for (millis, value) in rows.iter() {
            self.gathered.extend_from_slice(&beginning);
            self.gathered.extend_from_slice(time_text(millis).as_bytes());
            self.gathered.push(self.separator);
            if let Some(value) = value {
                // A Vec takes all.
                let _ = write!(self.gathered, "{value:?}");
            }
            self.gathered.push(b'\n');
            if self.gathered.len() >= GATHERED_BYTES {
                self.out.write_all(&self.gathered)?;
                self.gathered.clear();
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<W, Error> {
        self.out.write_all(&self.gathered)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A field, in quotes where it would else be read as something else.
fn put_field(out: &mut Vec<u8>, field: &str, separator: u8) {
    let is_plain = |byte: u8| byte != separator && !b"\"\r\n".contains(&byte);
    if field.bytes().all(is_plain) {
        out.extend_from_slice(field.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(field.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}
