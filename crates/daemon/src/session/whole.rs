//! TUNE and DUMP: commands of later rrdcacheds, on a whole database.

use std::cell::RefCell;

use rrdfile::xml;
use rrdtool::tune::Tuning;

use super::{Session, Stop, words};
use crate::connection::Output;
use crate::limits::LARGE_BYTES;

impl Session<'_> {
    pub(super) fn tune(&mut self, written: &[u8], words: &[&[u8]], out: &mut Output<'_>) {
        let Some(path) = self.place(written, out) else { return };
        // rrdtool's client may send the file's name once more among the words.
        let others = words.iter().filter(|word| **word != written);
        let texts: Result<Vec<&str>, _> = others.map(|word| std::str::from_utf8(word)).collect();
        let Ok(texts) = texts else { return self.fail(out, b"Got error expected UTF-8") };
        let name = path.to_string_lossy();
        let tuned = self.service.backend.tune(&path, &Tuning::read(&name, &texts));
        match tuned {
            Ok(()) => self.succeed(out, b"Success"),
            Err(failure) => {
                self.fail(out, &words::of_library("Got error ", &failure, &self.spelled(written)));
            }
        }
    }

    /// The document comes without a line before it, and the connection's end is its end.
    pub(super) fn dump(
        &mut self,
        written: &[u8],
        words: &[&[u8]],
        out: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let Some(path) = self.place(written, out) else { return Ok(()) };
        let prologue = match words {
            [b"-h" | b"--header", b"none", ..] => xml::Prologue::None,
            [b"-h" | b"--header", b"xsd", ..] => xml::Prologue::Xsd,
            _ => xml::Prologue::Dtd,
        };
        let (header, snapshot) = match self.service.backend.snapshot(&path) {
            Ok(whole) => whole,
            Err(failure) => {
                self.fail_in_library(&failure, written, out);
                return Ok(());
            }
        };
        let values: usize = snapshot.rows.iter().map(Vec::len).sum();
        let mut share = self.service.replies.share();
        let size_bytes = values.saturating_mul(XML_BYTES_PER_VALUE);
        if size_bytes > LARGE_BYTES && !share.resize(size_bytes) {
            self.fail(out, b"RRD Error: too many large replies at once, ask again");
            return Ok(());
        }
        let mut times = rrdtool::Times::default();
        let texts = RefCell::new(times.clock().dates_and_times());
        let time_text = |seconds: i64, out: &mut String| texts.borrow_mut().append(out, seconds);
        let document = xml::write(&snapshot, header.version, prologue, &time_text);
        out.send_all(document.as_bytes())?;
        Err(Stop::Quit)
    }
}

/// What a value takes in XML, the date of its row besides.
const XML_BYTES_PER_VALUE: usize = 72;
