//! Updates on their way to the backend: what came together is handed on together.

use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rrdcached::server::{Words, answer};

use super::words::cut;
use crate::backend::{Failure, Update};
use crate::paths::{Denied, Paths};

/// Updates of one stretch of lines.
#[derive(Debug, Default)]
pub(super) struct Gathered<'c> {
    /// Their paths, one behind the other.
    paths: Vec<u8>,
    values: Vec<&'c str>,
    entries: Vec<Entry<'c>>,
}

/// One UPDATE.
#[derive(Debug)]
pub(super) struct Entry<'c> {
    /// Its path as it was written.
    pub(super) written: &'c [u8],
    path: Range<usize>,
    pub(super) values: Range<usize>,
    /// Its number in the batch.
    pub(super) number: u64,
}

/// Stands for a value that is no text, and so is no value.
const NO_TEXT: &str = "\u{fffd}";

impl<'c> Gathered<'c> {
    /// Adds one; false if it has no values.
    ///
    /// # Errors
    /// Its path is forbidden.
    pub(super) fn add(
        &mut self,
        paths: &Paths,
        written: &'c [u8],
        values: Words<'c>,
        number: u64,
    ) -> Result<bool, Denied> {
        let path = paths.resolve_into(written, &mut self.paths)?;
        let start = self.values.len();
        self.values.extend(values.map(|value| std::str::from_utf8(value).unwrap_or(NO_TEXT)));
        if self.values.len() == start {
            return Ok(false);
        }
        self.entries.push(Entry { written, path, values: start..self.values.len(), number });
        Ok(true)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entries(&self) -> &[Entry<'c>] {
        &self.entries
    }

    /// The reply to each, in order: an error for those that failed, with these words.
    pub(super) fn replies(
        &self,
        failures: &[(usize, Failure)],
        words: impl Fn(&Failure, &Entry<'c>) -> Vec<u8>,
    ) -> Vec<u8> {
        let mut failures = failures.iter().peekable();
        let mut replies = Vec::new();
        for (nth, entry) in self.entries.iter().enumerate() {
            match failures.next_if(|(position, _)| *position == nth) {
                Some((_, failure)) => answer::error(&mut replies, cut(&words(failure, entry))),
                None => {
                    let words = format!("errors, enqueued {} value(s).", entry.values.len());
                    answer::status(&mut replies, 0, words.as_bytes());
                }
            }
        }
        replies
    }

    /// As the backend takes them.
    pub(super) fn updates(&self) -> Vec<Update<'_>> {
        let update = |entry: &Entry<'c>| Update {
            path: Path::new(OsStr::from_bytes(&self.paths[entry.path.clone()])),
            values: &self.values[entry.values.clone()],
        };
        self.entries.iter().map(update).collect()
    }

    /// Forgets them, and keeps no memory of which many clients would take much.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
