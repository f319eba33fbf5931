//! The extra interface of stores that accept updates first and write them later.

use std::path::{Path, PathBuf};

use crate::Error;

/// Updates that wait to be written. Reads include them.
pub trait Deferred {
    /// Writes the updates that wait for a database.
    ///
    /// # Errors
    ///
    /// They cannot be written, or there is no such database.
    fn flush(&self, name: &Path) -> Result<Flushed, Error>;

    /// Begins to write all waiting updates, without waiting.
    fn flush_all(&self);

    /// The samples that wait for a database, in the order of their arrival; none if the database is
    /// not known.
    fn pending(&self, name: &Path) -> Vec<String>;

    /// Drops the updates that wait for a database.
    ///
    /// # Errors
    ///
    /// The database is not known, or they cannot be dropped now.
    fn forget(&self, name: &Path) -> Result<(), Error>;

    /// The databases with waiting samples, and how many each has; the next to be written first.
    fn queue(&self) -> Vec<(u64, PathBuf)>;

    /// Keeps a database from being written until it is resumed; false if it was suspended already.
    ///
    /// # Errors
    ///
    /// The database is not known.
    fn suspend(&self, name: &Path) -> Result<bool, Error>;

    /// Lets a database be written again; false if it was not suspended.
    ///
    /// # Errors
    ///
    /// The database is not known.
    fn resume(&self, name: &Path) -> Result<bool, Error>;

    /// Suspends every known database. Returns how many were not suspended before.
    fn suspend_all(&self) -> u64;

    /// Resumes every suspended database. Returns how many.
    fn resume_all(&self) -> u64;
}

/// The result of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flushed {
    /// The updates were written, now or earlier.
    Written,
    /// The database is not known.
    Nothing,
}
