//! rrdcached's own journals, taken over once.
//!
//! ```text
//!   update NAME TIME:READING...[ TIME:READING...]     as the client sent it, `\` before a blank
//!   wrote /PATH                                       what came before is in the file
//!   forget /PATH                                      what came before is dropped
//! ```
//!
//! Lines as rrdcached 1.7.2 writes them, in files `rrd.journal.SECONDS.MICROSECONDS`. It writes the
//! paths of `wrote` and `forget` without escapes and reads them with, so that it replays what it
//! had dropped of a file with a blank in its name; here they end with the line. It writes a line
//! before it looks at the values: what it refused stands there too, and is refused again.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use disk::{Medium, MediumFile as _};

/// What every name of them begins with.
const NAME: &str = "rrd.journal";
const OLD_NAME: &str = "rrd.journal.old";
const READ_BYTES: usize = 1 << 20;
/// The longest line.
const LINE_BYTES_MAX: usize = 16 << 20;

/// What such journals hold.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Legacy {
    /// For each file the values that may not be in it, oldest first.
    pub values: BTreeMap<PathBuf, Vec<String>>,
    /// The journals' names.
    pub names: Vec<String>,
}

impl Legacy {
    /// Reads the journals of a directory, in the order in which they were written. Names that are
    /// no absolute paths lead from `base`. Lines that no journal has are told to `note` and
    /// skipped.
    ///
    /// # Errors
    /// A journal cannot be read.
    pub fn read(
        medium: &impl Medium,
        base: &Path,
        note: impl Fn(String),
    ) -> Result<Self, (String, io::Error)> {
        let listed = medium.list().map_err(|error| (NAME.to_owned(), error))?;
        let mut names: Vec<String> = listed.into_iter().filter(|name| is_journal(name)).collect();
        // Those of long ago had two names only.
        names.sort_by_key(|name| (name != OLD_NAME, name != NAME, name.clone()));
        let mut legacy = Self::default();
        for name in &names {
            let read = read_lines(medium, name, |number, line| {
                if let Err(fault) = legacy.take(base, line) {
                    note(format!("{name}: line {number}: {fault}: skipped"));
                }
            });
            if let Some(number) = read.map_err(|error| (name.clone(), error))? {
                note(format!("{name}: line {number}: cut short: skipped"));
            }
        }
        legacy.values.retain(|_, values| !values.is_empty());
        legacy.names = names;
        Ok(legacy)
    }

    fn take(&mut self, base: &Path, line: &[u8]) -> Result<(), &'static str> {
        let end = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
        let (command, rest) = line.split_at(end);
        let rest = rest.trim_ascii_start();
        match &command.to_ascii_lowercase()[..] {
            b"update" => self.update(base, rest),
            b"wrote" | b"forget" if !rest.is_empty() => {
                self.values.remove(&base.join(OsStr::from_bytes(rest)));
                Ok(())
            }
            _ => Err("no command of a journal"),
        }
    }

    fn update(&mut self, base: &Path, rest: &[u8]) -> Result<(), &'static str> {
        let mut words = words(rest).into_iter();
        let name = words.next().ok_or("no name of a file")?;
        let values =
            words.map(|word| String::from_utf8(word).map_err(|_| "a value that is no text"));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let has_time =
            |value: &String| value.split_once(':').is_some_and(|(time, _)| is_time(time));
        if values.is_empty() || !values.iter().all(has_time) {
            return Err("no values with their times");
        }
        let path = base.join(OsStr::from_bytes(&name));
        self.values.entry(path).or_default().extend(values);
        Ok(())
    }
}

/// Whether a file of that name is one of rrdcached's journals.
fn is_journal(name: &str) -> bool {
    let rest = name.strip_prefix(NAME);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn is_time(text: &str) -> bool {
    text.bytes().next().is_some_and(|first| first.is_ascii_digit())
}

/// Words between blanks; what follows a backslash stands for itself.
fn words(line: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut bytes = line.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' | b'\t' => words.extend(word.take()),
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            byte => word.get_or_insert_default().push(*byte),
        }
    }
    words.extend(word);
    words
}

/// Hands each whole line to `take`, with its number from 1. Returns the number of a last one that
/// has no end.
fn read_lines(
    medium: &impl Medium,
    name: &str,
    mut take: impl FnMut(u64, &[u8]),
) -> io::Result<Option<u64>> {
    let file = medium.open(name)?;
    let (mut offset_bytes, mut number) = (0, 0);
    let mut rest: Vec<u8> = Vec::new();
    loop {
        let start = rest.len();
        rest.resize(start + READ_BYTES, 0);
        let read = file.read_at(&mut rest[start..], offset_bytes)?;
        rest.truncate(start + read);
        offset_bytes += read as u64;
        let mut lines = rest.split_inclusive(|byte| *byte == b'\n').peekable();
        let mut left = 0;
        while let Some(line) = lines.next_if(|line| line.ends_with(b"\n")) {
            number += 1;
            left += line.len();
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            take(number, line.strip_suffix(b"\r").unwrap_or(line));
        }
        rest.drain(..left);
        if read == 0 {
            return Ok((!rest.is_empty()).then_some(number + 1));
        }
        if rest.len() > LINE_BYTES_MAX {
            return Err(too_long(number + 1));
        }
    }
}

/// rrdcached's lines fit its buffer of 4 KiB; this is no journal.
fn too_long(number: u64) -> io::Error {
    let words = format!(
        "line {number}: expected a line of a journal, found more than {LINE_BYTES_MAX} bytes"
    );
    io::Error::new(io::ErrorKind::InvalidData, words)
}

/// Takes the journals away, durably.
///
/// # Errors
/// One cannot be removed.
pub(super) fn remove(medium: &impl Medium, names: &[String]) -> io::Result<()> {
    for name in names {
        match medium.remove(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    medium.sync_directory()
}

#[cfg(test)]
mod tests {
    use disk::MemoryMedium;

    use super::*;

    fn journal(files: &[(&str, &str)]) -> (Legacy, Vec<String>) {
        let medium = MemoryMedium::default();
        for (name, text) in files {
            let file = medium.create(name).unwrap();
            if !text.is_empty() {
                file.write_at(text.as_bytes(), 0).unwrap();
            }
        }
        let notes = std::cell::RefCell::new(Vec::new());
        let note = |text| notes.borrow_mut().push(text);
        let legacy = Legacy::read(&medium, Path::new("/base"), note).unwrap();
        (legacy, notes.into_inner())
    }

    fn values(legacy: &Legacy, path: &str) -> Vec<String> {
        legacy.values.get(Path::new(path)).cloned().unwrap_or_default()
    }

    #[test]
    fn lines_mean_what_they_mean_to_rrdcached() {
        let text = "update a.rrd 300:1 600:2\nupdate b\\ c.rrd 300:1\nupdate /x/d.rrd 300:1:2\n\
                    wrote /base/a.rrd\nUPDATE a.rrd 900.5:3\nforget /base/b c.rrd\n\
                    update a.rrd 1200:4\n";
        let (legacy, notes) = journal(&[("rrd.journal.1700000000.000001", text)]);
        assert_eq!(notes, Vec::<String>::new());
        assert_eq!(values(&legacy, "/base/a.rrd"), ["900.5:3", "1200:4"]);
        assert_eq!(values(&legacy, "/x/d.rrd"), ["300:1:2"]);
        assert_eq!(legacy.values.len(), 2);
    }

    #[test]
    fn bad_lines_are_named_and_a_torn_end_is_skipped() {
        let text =
            "update a 300:1\nnonsense\nupdate a\nupdate a 5\nupdate a N:1\nupdate a 600:2\nupda";
        let (legacy, notes) = journal(&[("rrd.journal.1.1", text)]);
        assert_eq!(values(&legacy, "/base/a"), ["300:1", "600:2"]);
        let lines: Vec<&str> = notes.iter().map(|note| &note[..23]).collect();
        let expected = [2, 3, 4, 5, 7].map(|line| format!("rrd.journal.1.1: line {line}"));
        assert_eq!(lines, expected.each_ref().map(|text| &text[..23]));
        assert!(notes[4].ends_with("cut short: skipped"), "{}", notes[4]);
    }

    #[test]
    fn journals_are_read_in_the_order_in_which_they_were_written() {
        let (legacy, _) = journal(&[
            ("rrd.journal.1700000300.000000", "update a 5:5\n"),
            ("rrd.journal.1700000000.999999", "update a 4:4\n"),
            ("rrd.journal.1700000000.000009", "update a 3:3\n"),
            ("rrd.journal", "update a 2:2\n"),
            ("rrd.journal.old", "update a 1:1\n"),
            ("rrd.journals", "update a 0:0\n"),
            ("journal-000000", "update a 9:9\n"),
        ]);
        assert_eq!(values(&legacy, "/base/a"), ["1:1", "2:2", "3:3", "4:4", "5:5"]);
        assert_eq!(legacy.names.len(), 5);
    }

    #[test]
    fn lines_may_be_of_any_length() {
        let long: String = (1..400_000).map(|nth| format!(" {nth}:1")).collect();
        let (legacy, notes) = journal(&[("rrd.journal.1.1", &format!("update a{long}\n"))]);
        assert_eq!((values(&legacy, "/base/a").len(), notes.len()), (399_999, 0));
    }
}
