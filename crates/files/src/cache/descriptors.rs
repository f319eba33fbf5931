//! Files kept open between their write-backs.

use std::collections::HashMap;
use std::sync::PoisonError;

use disk::{File, Mode};
use store::{Error, Locking};
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::entry::Entry;
use crate::rrd_file::FIRST_READ_BYTES;
use crate::{Access, RrdFile};

/// Files kept open between their write-backs, none of them locked. Nothing of their heads is kept:
/// the page cache has more use for the memory.
#[derive(Debug)]
pub(super) struct Descriptors {
    files: Mutex<HashMap<u32, File>>,
    limit: usize,
}

impl Descriptors {
    pub(super) fn new(limit: usize) -> Self {
        Self { files: Mutex::default(), limit }
    }

    /// The file of an entry, with the head that it has now and not locked: the one kept open, if
    /// the name still leads to it.
    pub(super) fn acquire(&self, entry: &Entry) -> Result<RrdFile, Error> {
        let kept = self.files().remove(&entry.id);
        if let Some(file) = kept
            && let (Ok(named), Ok(open)) = (File::stamp_of(&entry.path), file.identity())
            && named.identity == open
        {
            return RrdFile::over(file, &entry.path, Access::Update, Locking::None);
        }
        RrdFile::open_locking(&entry.path, Access::Update, Locking::None)
    }

    /// Begins to read the head of an entry's file.
    pub(super) fn prefetch_head(&self, entry: &Entry) {
        // Opened by its name again when its turn comes: it may lead elsewhere by then. A
        // file that cannot be read is told of then, too.
        let prefetch = |file: &File| file.prefetch(0, FIRST_READ_BYTES as u64);
        let kept = self.files().get(&entry.id).map(prefetch);
        let open = || File::open(&entry.path, Mode::Read).and_then(|file| prefetch(&file));
        // Only haste is lost where this fails.
        let _ = kept.unwrap_or_else(open);
    }

    /// Gives the lock back, and keeps the file open if there is room.
    pub(super) fn release(&self, entry: &Entry, file: RrdFile) {
        if self.limit == 0 || file.release().is_err() {
            return; // closing gives the lock back
        }
        let file = file.into_file();
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

    fn files(&self) -> MutexGuard<'_, HashMap<u32, File>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
