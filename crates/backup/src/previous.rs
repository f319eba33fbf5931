//! What earlier runs have of each file: the last whole snapshot, and what killed runs left since.
//!
//! Every index lies in the order in which a tree is walked, so that all of them are read beside the
//! walk, each from front to end.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

use crate::Error;
use crate::entry::{Entry, compare, is_below};
use crate::index::IndexReader;

/// What is known of a file, newest first.
pub(crate) type Known = Vec<Entry>;

/// Earlier indexes, newest first.
#[derive(Debug, Default)]
pub(crate) struct Previous {
    sources: Vec<Source>,
    /// Indexes that turned out to be damaged: what they know is copied anew.
    pub(crate) damaged: Vec<Error>,
}

#[derive(Debug)]
struct Source {
    reader: IndexReader,
    next: Option<Entry>,
}

impl Previous {
    /// Adds an index that is older than those before.
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

    /// What is known of a path. Paths are asked for in order.
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

    /// What is known of everything below a directory, which is asked for after the directory
    /// itself. The files of a store are in no order, and there are few of them.
    pub(crate) fn take_below(&mut self, directory: &OsStr) -> HashMap<OsString, Known> {
        let mut known: HashMap<OsString, Known> = HashMap::new();
        for nth in 0..self.sources.len() {
            let mut of_source: HashMap<OsString, Known> = HashMap::new();
            while let Some(entry) = &self.sources[nth].next
                && is_below(&entry.path, directory)
            {
                let entry = self.sources[nth].next.take().expect("it was looked at");
                // Of several in one index the last counts.
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
