//! Which sync learns that the kernel could not write a page.
//!
//! Linux tells it once: of a file to the first thread that syncs the file, of a file system to the
//! first that syncs that. The page counts as clean from then on, and a later sync succeeds without
//! it. Files are synced here for two reasons, to acknowledge updates of a file that may not be on
//! disk, and to make write-backs durable. What the one hears the other has to know.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use tracing_mutex::stdsync::{Mutex, RwLock, RwLockReadGuard};

/// What was heard of lost pages.
#[derive(Debug, Default)]
pub(super) struct LostPages {
    /// Files of which a sync failed that was not made for write-backs. The outer lock is held,
    /// shared, from the sync to the note of its failure.
    files: RwLock<Mutex<HashSet<PathBuf>>>,
    /// Held, shared, from the write to a file to the note of it in the list of write-backs.
    writing: RwLock<()>,
}

impl LostPages {
    /// Syncs a file, not for its write-backs: they hear it if that fails.
    ///
    /// # Errors
    /// Those of `sync`.
    pub(super) fn note_failure(
        &self,
        path: &Path,
        sync: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        sync().inspect_err(|_| {
            files.lock().unwrap_or_else(PoisonError::into_inner).insert(path.into());
        })
    }

    /// To be held from the write to a file on until the write-back is in the list of those that
    /// wait for a sync.
    pub(super) fn write(&self) -> RwLockReadGuard<'_, ()> {
        self.writing.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until every write to a file so far is in that list.
    pub(super) fn wait_for_writes(&self) {
        drop(self.writing.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// The files of which a sync failed since this was asked last. None is being synced meanwhile.
    pub(super) fn take(&self) -> HashSet<PathBuf> {
        let files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *files.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
