//! InfluxDB's line protocol: `gyre,name=…,source=…,function=…,row_seconds=… value=… TIME`.
//!
//! It has neither unknown values nor infinities: such rows have no line.

use std::io::Write;

use crate::error::Error;
use crate::rows::Rows;

/// Lines that gather before they are written.
const GATHERED_BYTES: usize = 64 << 10;
/// The protocol counts nanoseconds.
const NANOS_PER_MILLI: i128 = 1_000_000;

pub(crate) struct Line<W> {
    out: W,
    gathered: Vec<u8>,
}

impl<W: Write> Line<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, gathered: Vec::new() }
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
        for (millis, value) in rows.iter() {
            let Some(value) = value.filter(|value| value.is_finite()) else { continue };
            self.gathered.extend_from_slice(&beginning);
            // A Vec takes all.
            let _ = write!(self.gathered, "{value:?} ");
            let nanos = i128::from(millis) * NANOS_PER_MILLI;
            self.gathered.extend_from_slice(digits.format(nanos).as_bytes());
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
