//! Files kept open between their write-backs.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use disk::File;

use super::entry::Entry;
use crate::{Access, Error, Locking, RrdFile};

/// Files kept open between their write-backs, none of them locked.
#[derive(Debug)]
pub(super) struct Descriptors {
    files: Mutex<HashMap<u32, RrdFile>>,
    limit: usize,
}

impl Descriptors {
    pub(super) fn new(limit: usize) -> Self {
        Self { files: Mutex::default(), limit }
    }

    /// The file of an entry, locked and with the head that it has now: the one kept open, if the
    /// name still leads to it.
    pub(super) fn acquire(&self, entry: &Entry) -> Result<RrdFile, Error> {
        let kept = self.files().remove(&entry.id);
        if let Some(mut file) = kept
            && let Ok(stamp) = File::stamp_of(&entry.path)
            && stamp.identity == file.stamp()?.identity
        {
            file.reacquire(stamp.bytes, Locking::Try)?;
            return Ok(file);
        }
        RrdFile::open(&entry.path, Access::Update)
    }

    /// Gives the lock back, and keeps the file open if there is room.
    pub(super) fn release(&self, entry: &Entry, file: RrdFile) {
        if self.limit == 0 || file.release().is_err() {
            return; // closing gives the lock back
        }
        let mut files = self.files();
        if files.len() >= self.limit {
            // Any one will do: with more files than the limit, one taken at random loses least.
            let victim = files.keys().next().copied();
            victim.and_then(|victim| files.remove(&victim));
        }
        files.insert(entry.id, file);
    }

    /// Closes the file of an entry.
    pub(super) fn close(&self, entry: &Entry) {
        self.files().remove(&entry.id);
    }

    fn files(&self) -> MutexGuard<'_, HashMap<u32, RrdFile>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
