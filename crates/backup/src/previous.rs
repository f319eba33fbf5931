//! What earlier runs have copied of each file: in the last complete snapshot, and in unfinished
//! indexes of killed runs since.
//!
//! Every index is in the order of the walk, so all of them are read alongside the walk, each from
//! start to end.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

use crate::Error;
use crate::entry::{Entry, compare, is_below};
use crate::index::IndexReader;

/// The earlier entries of a file, newest first.
pub(crate) type Known = Vec<Entry>;

/// Earlier indexes, newest first.
#[derive(Debug, Default)]
pub(crate) struct Previous {
    sources: Vec<Source>,
    /// Indexes that were found damaged: files that only they knew are copied again.
    pub(crate) damaged: Vec<Error>,
}

#[derive(Debug)]
struct Source {
    reader: IndexReader,
    next: Option<Entry>,
}

impl Previous {
    /// Adds an index that is older than those added before.
    pub(crate) fn add(&mut self, reader: IndexReader) {
        self.sources.push(Source { reader, next: None });
        let last = self.sources.len() - 1;
        self.step(last);
    }

    fn step(&mut self, nth: usize) {
        let source = &mut self.sources[nth];
        source.next = source.reader.next_entry().unwrap_or_else(|error| {
            self.damaged.push(error);
            None
        });
    }

    /// The earlier entries of a path. Paths must be asked for in order.
    pub(crate) fn take(&mut self, path: &OsStr) -> Known {
        let mut known = Vec::new();
        for nth in 0..self.sources.len() {
            while let Some(entry) = &self.sources[nth].next
                && compare(&entry.path, path).is_le()
            {
                if entry.path == path {
                    known.extend(self.sources[nth].next.take());
                }
                self.step(nth);
            }
        }
        known
    }

    /// The earlier entries of everything below a directory; call it after the directory itself. The
    /// files of a store are copied in another order, and are few.
    pub(crate) fn take_below(&mut self, directory: &OsStr) -> HashMap<OsString, Known> {
        let mut known: HashMap<OsString, Known> = HashMap::new();
        for nth in 0..self.sources.len() {
            let mut of_source: HashMap<OsString, Known> = HashMap::new();
            while let Some(entry) = &self.sources[nth].next
                && is_below(&entry.path, directory)
            {
                let entry = self.sources[nth].next.take().expect("it was looked at");
                // If one index has several entries for a path, the last is valid.
                of_source.entry(entry.path.clone()).or_default().insert(0, entry);
                self.step(nth);
            }
            of_source.into_iter().for_each(|(path, more)| {
                known.entry(path).or_default().extend(more);
            });
        }
        known
    }
}
