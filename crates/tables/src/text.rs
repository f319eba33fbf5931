//! CSV and TSV: a line of names, then a line for each row; an unknown value is an empty field.

use std::io::{BufWriter, Write};

use crate::error::Error;
use crate::gathering::{all_of, gathering};
use crate::rows::{Rows, time_text};

pub(crate) struct Text<W: Write> {
    out: BufWriter<W>,
    separator: u8,
}

impl<W: Write> Text<W> {
    pub(crate) fn new(out: W, separator: u8) -> Result<Self, Error> {
        let mut text = Self { out: gathering(out), separator };
        for name in ["name", "source", "function", "row_seconds", "time"] {
            text.out.write_all(name.as_bytes())?;
            text.out.write_all(&[separator])?;
        }
        text.out.write_all(b"value\n")?;
        Ok(text)
    }

    pub(crate) fn put(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        let mut beginning = Vec::new();
        for field in [rows.name, rows.source, rows.function, &rows.row_seconds_text()] {
            put_field(&mut beginning, field, self.separator);
            beginning.push(self.separator);
        }
        for (micros, value) in rows.iter() {
            self.out.write_all(&beginning)?;
            self.out.write_all(time_text(micros).as_bytes())?;
            self.out.write_all(&[self.separator])?;
            if let Some(value) = value {
                write!(self.out, "{value:?}")?;
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<W, Error> {
        all_of(self.out)
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
