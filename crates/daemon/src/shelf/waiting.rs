//! What waits to be written. A store that holds nothing back answers as one does that has written
//! all.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};

use store::{Error, Flushed};

use super::{Failure, Shelf, bytes_of};

impl Shelf {
    /// Brings a database up to date on disk.
    ///
    /// # Errors
    /// There is none, or it cannot be written.
    pub(crate) fn flush(&self, path: &Path) -> Result<Flushed, Failure> {
        self.at(path, |name| match self.store().deferred() {
            Some(deferred) => deferred.flush(name),
            None => {
                self.known(name)?;
                self.store().sync()?;
                Ok(Flushed::Written)
            }
        })
    }

    /// Begins to bring everything up to date, and does not wait.
    pub(crate) fn flush_all(&self) {
        match self.store().deferred() {
            Some(deferred) => deferred.flush_all(),
            // A client that has to know that a database is on disk asks FLUSH of it. The next
            // update is told of a failure.
            None => drop(self.store().sync()),
        }
    }

    /// The updates that wait, as they came; none of a database that nothing is known of.
    pub(crate) fn pending(&self, path: &Path) -> Vec<String> {
        let pending = self.at(path, |name| {
            let deferred = self.store().deferred();
            Ok(deferred.map(|deferred| deferred.pending(name)).unwrap_or_default())
        });
        pending.unwrap_or_default()
    }

    /// Drops the updates that wait.
    ///
    /// # Errors
    /// [`Failure::Missing`]: nothing is known of the database.
    pub(crate) fn forget(&self, path: &Path) -> Result<(), Failure> {
        self.at(path, |name| match self.store().deferred() {
            Some(deferred) => deferred.forget(name),
            None => self.known(name),
        })
    }

    /// The databases that wait to be written, each with its number of updates.
    pub(crate) fn queue(&self) -> Vec<(u64, Vec<u8>)> {
        let queue = self.store().deferred().map(|deferred| deferred.queue()).unwrap_or_default();
        queue.into_iter().map(|(values, path)| (values, bytes_of(path))).collect()
    }

    /// Keeps a database from being written until it is resumed; false if it was before.
    ///
    /// # Errors
    /// [`Failure::Missing`]: nothing is known of it.
    pub(crate) fn suspend(&self, path: &Path) -> Result<bool, Failure> {
        self.at(path, |name| match self.store().deferred() {
            Some(deferred) => deferred.suspend(name),
            None => self.known(name).map(|()| self.suspended().insert(name.into())),
        })
    }

    /// Lets a database be written again; false if it was not suspended.
    ///
    /// # Errors
    /// [`Failure::Missing`]: nothing is known of it.
    pub(crate) fn resume(&self, path: &Path) -> Result<bool, Failure> {
        self.at(path, |name| match self.store().deferred() {
            Some(deferred) => deferred.resume(name),
            None => self.known(name).map(|()| self.suspended().remove(name)),
        })
    }

    /// Suspends every database that is known. Returns how many were not before.
    pub(crate) fn suspend_all(&self) -> u64 {
        if let Some(deferred) = self.store().deferred() {
            return deferred.suspend_all();
        }
        let names = self.store().names("").unwrap_or_default();
        let mut suspended = self.suspended();
        names.into_iter().map(|name| u64::from(suspended.insert(name.into()))).sum()
    }

    /// Resumes every database that is suspended. Returns how many.
    pub(crate) fn resume_all(&self) -> u64 {
        match self.store().deferred() {
            Some(deferred) => deferred.resume_all(),
            None => std::mem::take(&mut *self.suspended()).len() as u64,
        }
    }

    fn known(&self, name: &Path) -> Result<(), Error> {
        match self.store().has(name) {
            true => Ok(()),
            false => Err(Error::NoSuchDatabase { name: name.into() }),
        }
    }

    fn suspended(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.suspended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
