//! InfluxDB's line protocol: `gyre,name=…,source=…,function=…,row_seconds=… value=… TIME`.
//!
//! It has neither unknown values nor infinities: such rows have no line.

use std::io::{BufWriter, Write};

use crate::error::Error;
use crate::gathering::{all_of, gathering};
use crate::rows::Rows;

/// The protocol counts nanoseconds.
const NANOS_PER_MICRO: i128 = 1_000;

pub(crate) struct Line<W: Write> {
    out: BufWriter<W>,
}

impl<W: Write> Line<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out: gathering(out) }
    }

    pub(crate) fn put(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        let mut beginning = b"gyre".to_vec();
        let row_seconds = rows.row_seconds_text();
        for (key, value) in [
            ("name", rows.name),
            ("source", rows.source),
            ("function", rows.function),
            ("row_seconds", &row_seconds),
        ] {
            put_tag(&mut beginning, key, value);
        }
        beginning.extend_from_slice(b" value=");
        let mut digits = itoa::Buffer::new();
        for (micros, value) in rows.iter() {
            let Some(value) = value.filter(|value| value.is_finite()) else { continue };
            self.out.write_all(&beginning)?;
            write!(self.out, "{value:?} ")?;
            let nanos = i128::from(micros) * NANOS_PER_MICRO;
            self.out.write_all(digits.format(nanos).as_bytes())?;
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<W, Error> {
        all_of(self.out)
    }
}

/// A tag; the protocol has none without a value.
fn put_tag(out: &mut Vec<u8>, key: &str, value: &str) {
    if value.is_empty() {
        return;
    }
    out.push(b',');
    out.extend_from_slice(key.as_bytes());
    out.push(b'=');
    for byte in value.bytes() {
        match byte {
            b',' | b'=' | b' ' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' | b'\r' => out.extend_from_slice(b"\\ "),
            _ => out.push(byte),
        }
    }
}
