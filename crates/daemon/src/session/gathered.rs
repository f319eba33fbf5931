//! Updates on their way to the backend: what came together is handed on together.

use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rrdcached::server::Words;

use crate::backend::Update;
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

    pub(super) fn entries(&self) -> &[Entry<'c>] {
        &self.entries
    }

    /// As the backend takes them.
    pub(super) fn updates(&self) -> Vec<Update<'_>> {
        let update = |entry: &Entry<'c>| Update {
            path: Path::new(OsStr::from_bytes(&self.paths[entry.path.clone()])),
            values: &self.values[entry.values.clone()],
        };
        self.entries.iter().map(update).collect()
    }

    pub(super) fn clear(&mut self) {
        self.paths.clear();
        self.values.clear();
        self.entries.clear();
    }
}
