//! While another process copies the store.
//!
//! The process that copies holds a shared lock on the catalogue. Two things change meanwhile, so
//! that a store that is written faster than it can be copied is copied all the same: the log is not
//! freed (up to a bound), and the catalogue is not committed more often than every
//! [`RingOptions::copy_pause`].
//!
//! No thread sleeps under the catalogue's lock. What needs no commit goes on: creates in groups
//! that have room, renames, deletes, lists of names, updates, flushes. What needs one (a new group,
//! an import, a flush of members with a new definition) gives the lock up and waits for its turn.
//!
//! [`RingOptions::copy_pause`]: super::RingOptions::copy_pause

use std::path::Path;

use disk::{Medium, MediumFile};
use store::Error;

use crate::catalogue::FILE;

/// The lock on the catalogue that a process holds while it copies the store.
pub(super) struct CopyLock<F>(F);

impl<F: MediumFile> CopyLock<F> {
    pub(super) fn in_store<M: Medium<File = F>>(medium: &M) -> Result<Self, Error> {
        medium.open(FILE).map(Self).map_err(Error::io("opening", Path::new(FILE)))
    }

    /// Whether a process copies the store.
    pub(super) fn is_held(&self) -> bool {
        // A medium that cannot tell has no other process that could hold it.
        self.0.is_held().unwrap_or(false)
    }
}
