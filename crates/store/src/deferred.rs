//! What a store has besides whose updates are taken first and written later.

use std::path::{Path, PathBuf};

use crate::Error;

/// What waits to be written. Every read shows it all the same.
pub trait Deferred {
    /// Writes what waits for a database.
    ///
    /// # Errors
    /// It cannot be written, or there is no such database.
    fn flush(&self, name: &Path) -> Result<Flushed, Error>;

    /// Begins to write everything, and does not wait.
    fn flush_all(&self);

    /// The samples that wait for a database, as they came; none where nothing is known of it.
    fn pending(&self, name: &Path) -> Vec<String>;

    /// Drops what waits for a database.
    ///
    /// # Errors
    /// Nothing is known of it; it cannot be dropped now.
    fn forget(&self, name: &Path) -> Result<(), Error>;

    /// The databases that wait, each with its number of samples, the next first.
    fn queue(&self) -> Vec<(u64, PathBuf)>;

    /// Keeps a database from being written until it is resumed; false if it was before.
    ///
    /// # Errors
    /// Nothing is known of it.
    fn suspend(&self, name: &Path) -> Result<bool, Error>;

    /// Lets a database be written again; false if it was not suspended.
    ///
    /// # Errors
    /// Nothing is known of it.
    fn resume(&self, name: &Path) -> Result<bool, Error>;

    /// Suspends every database that is known. Returns how many were not before.
    fn suspend_all(&self) -> u64;

    /// Resumes every database that is suspended. Returns how many.
    fn resume_all(&self) -> u64;
}

/// What a flush found to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flushed {
    /// It was written, or had been since it was first heard of.
    Written,
    /// Nothing is known of it.
    Nothing,
}
