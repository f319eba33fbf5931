//! TUNE and DUMP: commands of later rrdcacheds, on a whole database.

use std::cell::RefCell;

use rrd::Definition;
use rrd::number::integer;
use rrdfile::xml;
use rrdtool::tune::Tuning;

use super::ask::RRD_ERROR;
use super::{Session, Stop, TOO_MANY_LARGE, words};
use crate::backend::Failure;
use crate::connection::Output;

impl Session<'_> {
    pub(super) fn tune(&mut self, written: &[u8], words: &[&[u8]], out: &mut Output<'_>) {
        let Some(path) = self.place(written, out) else { return };
        // rrdtool's client may send the file's name once more among the words.
        let others = words.iter().filter(|word| **word != written);
        let texts: Result<Vec<&str>, _> = others.map(|word| std::str::from_utf8(word)).collect();
        let Ok(texts) = texts else { return self.fail(out, b"Got error expected UTF-8") };
        let name = path.to_string_lossy();
        let backend = &self.service.backend;
        let tuned = backend.header(&path).and_then(|header| {
            check_size(&header.definition, &texts)?;
            backend.tune(&path, &Tuning::read(&name, &texts))
        });
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
        if !share.hold_reply(size_bytes) {
            self.fail(out, &[RRD_ERROR.as_bytes(), TOO_MANY_LARGE].concat());
            return Ok(());
        }
        let mut times = rrdtool::Times::default();
        let texts = RefCell::new(times.clock().dates_and_times());
        let time_text = |seconds: i64, out: &mut String| texts.borrow_mut().append(out, seconds);
        let document = xml::write(&snapshot, header.version, prologue, &time_text);
        drop(snapshot);
        out.send_all(document.as_bytes())?;
        Err(Stop::Quit)
    }
}

/// Refuses what would make more of a database than memory holds: it is made anew in memory.
fn check_size(definition: &Definition, words: &[&str]) -> Result<(), Failure> {
    let added = words.iter().filter(|word| word.starts_with("DS:")).count();
    let sources = definition.sources.len().saturating_add(added).max(1) as u64;
    let mut rows: u64 = definition.archives.iter().map(|archive| archive.rows).sum();
    for word in words.iter().filter(|word| word.starts_with("RRA")) {
        // The rows stand last in a new archive and in a change of one; with a unit they are time.
        let last = word.rsplit([':', '+', '=']).next().unwrap_or_default();
        let number = integer::leading(last, false).map_or(0, |(number, _)| number);
        let plain = last.bytes().all(|byte| byte.is_ascii_digit());
        let unit = if plain { 1 } else { SECONDS_OF_UNITS_MAX / definition.step_seconds.max(1) };
        rows = rows.saturating_add(number.unsigned_abs().saturating_mul(unit));
    }
    if words.iter().any(|word| word.starts_with("-t") || word.starts_with("--step")) {
        rows = rows.saturating_mul(definition.step_seconds); // as if it were divided to a second
    }
    match rows.saturating_mul(sources) > WHOLE_VALUES_MAX {
        true => Err(Failure::Rrd("too many rows for a daemon: use rrdtool tune".into())),
        false => Ok(()),
    }
}

/// Values of a database that is made anew in memory: a gigabyte of them.
pub(super) const WHOLE_VALUES_MAX: u64 = 1 << 27;
/// The longest unit of time that rows may be given in: a year.
const SECONDS_OF_UNITS_MAX: u64 = 366 * 86_400;
/// What a value takes in XML, the date of its row besides.
const XML_BYTES_PER_VALUE: usize = 72;
