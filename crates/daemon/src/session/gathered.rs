//! Updates and creates on their way to the backend: what came together is handed on together.
//!
//! All creates go before all updates. That changes nothing for any database: a CREATE of one that
//! an UPDATE before it is about is not gathered with that UPDATE ([`Gathered::updates_of`]).

use std::collections::HashSet;
use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rrd::{Definition, Timestamp};
use rrdcached::server::{Words, answer};
use store::{Existing, GoesOn, Making, NewDatabase, Update};

use super::words::{CREATED, cut};
use crate::paths::{Denied, Paths};
use crate::shelf::{Failure, Shelf, TakenAtOnce};

/// Updates and creates of one stretch of lines.
#[derive(Debug, Default)]
pub(super) struct Gathered<'c> {
    /// Their paths, one behind the other.
    paths: Vec<u8>,
    values: Vec<&'c str>,
    entries: Vec<Entry<'c>>,
    /// Databases that updates are about, as far as a CREATE needed to know.
    updated: HashSet<PathBuf>,
    /// Entries before this one are in `updated`, if they are updates.
    looked_at: usize,
}

/// One UPDATE or CREATE.
#[derive(Debug)]
pub(super) struct Entry<'c> {
    /// Its path as it was written.
    pub(super) written: &'c [u8],
    path: Range<usize>,
    /// Its number in the batch.
    pub(super) number: u64,
    pub(super) order: Order,
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Order {
    Update { values: Range<usize> },
    Create { definition: Arc<Definition>, start: Timestamp, existing: Existing },
}

impl Entry<'_> {
    /// Appends the reply that it was done.
    fn succeeded(&self, replies: &mut Vec<u8>) {
        match &self.order {
            Order::Update { values } => {
                let words = format!("errors, enqueued {} value(s).", values.len());
                answer::status(replies, 0, words.as_bytes());
            }
            Order::Create { .. } => answer::status(replies, 0, CREATED),
        }
    }
}

/// Stands for a value that is no text, and so is no value.
const NO_TEXT: &str = "\u{fffd}";

impl<'c> Gathered<'c> {
    /// Adds an UPDATE; false if it has no values.
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
        Ok(self.add_values(written, path, values, number))
    }

    /// Adds an UPDATE whose path is known, and gives its position; `None` if it is not, or the
    /// UPDATE has no values.
    pub(super) fn add_at_once(
        &mut self,
        paths: &Paths,
        written: &'c [u8],
        values: Words<'c>,
    ) -> Option<usize> {
        let path = paths.resolve_known_into(written, &mut self.paths)?;
        self.add_values(written, path, values, 0).then(|| self.entries.len() - 1)
    }

    /// Adds an UPDATE; false if it has no values.
    fn add_values(
        &mut self,
        written: &'c [u8],
        path: Range<usize>,
        values: Words<'c>,
        number: u64,
    ) -> bool {
        let start = self.values.len();
        self.values.extend(values.map(|value| std::str::from_utf8(value).unwrap_or(NO_TEXT)));
        if self.values.len() == start {
            return false;
        }
        let order = Order::Update { values: start..self.values.len() };
        self.entries.push(Entry { written, path, number, order });
        true
    }

    /// Adds a CREATE.
    pub(super) fn add_create(&mut self, path: &Path, written: &'c [u8], order: Order, number: u64) {
        let start = self.paths.len();
        self.paths.extend_from_slice(path.as_os_str().as_bytes());
        self.entries.push(Entry { written, path: start..self.paths.len(), number, order });
    }

    /// Whether an update of a database was gathered.
    pub(super) fn updates_of(&mut self, path: &Path) -> bool {
        for entry in &self.entries[self.looked_at..] {
            if matches!(entry.order, Order::Update { .. }) {
                self.updated.insert(self.path(entry).into());
            }
        }
        self.looked_at = self.entries.len();
        self.updated.contains(path)
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

    /// Has the store do all of it: updates in any case, creates as long as `goes_on` says so. Gives
    /// the entries that failed, in order.
    pub(super) fn perform(&self, shelf: &Shelf, goes_on: GoesOn<'_>) -> Vec<(usize, Failure)> {
        let (mut created, mut new) = (Vec::new(), Vec::new());
        let (mut updated, mut updates) = (Vec::new(), Vec::with_capacity(self.entries.len()));
        for (nth, entry) in self.entries.iter().enumerate() {
            let path = self.path(entry);
            match &entry.order {
                Order::Update { values } => {
                    updates.push(Update::numbered(path, &self.values[values.clone()]));
                    updated.push(nth);
                }
                Order::Create { definition, start, existing } => {
                    let (start, existing) = (*start, *existing);
                    let making = NewDatabase { name: path, definition, start };
                    new.push(Making { existing, ..Making::new(making) });
                    created.push(nth);
                }
            }
        }
        let mut failures = Vec::new();
        if !new.is_empty() {
            let failed = shelf.make(&new, goes_on).into_iter();
            failures.extend(failed.map(|(at, failure)| (created[at], failure)));
        }
        if !updates.is_empty() {
            let failed = shelf.update(&updates).into_iter();
            failures.extend(failed.map(|(at, failure)| (updated[at], failure)));
        }
        failures.sort_by_key(|(nth, _)| *nth);
        failures
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
            let failure = failures.next_if(|(position, _)| *position == nth);
            match failure {
                Some((_, failure)) => answer::error(&mut replies, cut(&words(failure, entry))),
                None => entry.succeeded(&mut replies),
            }
        }
        replies
    }

    /// Has the store take the updates, of which there is nothing else here, as far as they wait for
    /// nothing but the log. Gives the reply to each; `None` where nothing was taken.
    pub(super) fn update_at_once(
        &self,
        shelf: &Shelf,
        words: impl Fn(&Failure, &[u8]) -> Vec<u8>,
    ) -> Vec<Option<Vec<u8>>> {
        let updates = self.entries.iter().filter_map(|entry| match &entry.order {
            Order::Update { values } => {
                Some(Update::numbered(self.path(entry), &self.values[values.clone()]))
            }
            Order::Create { .. } => None,
        });
        let TakenAtOnce { refused, left } = shelf.update_at_once(&updates.collect::<Vec<_>>());
        let (mut refused, mut left) = (refused.iter().peekable(), left.iter().peekable());
        let entries = self.entries.iter().enumerate();
        let replies = entries.map(|(nth, entry)| {
            if left.next_if(|position| **position == nth).is_some() {
                return None;
            }
            let mut reply = Vec::new();
            match refused.next_if(|(position, _)| *position == nth) {
                Some((_, failure)) => {
                    answer::error(&mut reply, cut(&words(failure, entry.written)))
                }
                None => entry.succeeded(&mut reply),
            }
            Some(reply)
        });
        replies.collect()
    }

    fn path(&self, entry: &Entry<'c>) -> &Path {
        Path::new(OsStr::from_bytes(&self.paths[entry.path.clone()]))
    }

    /// Forgets them, and keeps no memory of which many clients would take much.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
