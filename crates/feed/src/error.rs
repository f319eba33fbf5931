//! What can go wrong between a store and a database.

use std::io;
use std::path::PathBuf;

/// Why rows cannot be fed or compared.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database refuses, or cannot be reached.
    #[error(transparent)]
    Client(#[from] sqlclient::Error),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The database has no tables of gyre's.
    #[error("there are no tables of gyre; `gyre sql create` makes them")]
    NotCreated,
    /// The tables are there already.
    #[error("the tables of gyre are there already; `gyre sql drop` removes them")]
    Exists,
    /// The tables are of another version.
    #[error("the tables have version {found}, expected {expected}")]
    Version {
        /// The version that they say.
        found: i64,
        /// The version of this program.
        expected: i64,
    },
    /// What a table of gyre's has is not what gyre writes.
    #[error("{table}: expected {expected}")]
    Foreign {
        /// The table.
        table: &'static str,
        /// What should be there.
        expected: String,
    },
    /// The tables are those of another store.
    #[error(
        "these tables are fed from {there}, not from {here}; `gyre sql create` can say otherwise"
    )]
    OtherStore {
        /// The place that the tables name.
        there: String,
        /// The store that was to be fed.
        here: String,
    },
    /// Another process feeds these tables.
    #[error("{feeder} feeds these tables already")]
    Taken {
        /// Who says so.
        feeder: String,
    },
    /// The lock beside SQLite's file cannot be had.
    #[error("{}: {}", path.display(), disk::system_words(error))]
    Lock {
        /// The file.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// Another process took the feeding over.
    #[error("another process feeds these tables now")]
    Superseded,
    /// Nothing is selected.
    #[error("no archive of any database is selected")]
    Nothing,
    /// There are too many databases or series.
    #[error("expected at most 2147483647 series")]
    TooMany,
    /// The work was stopped.
    #[error("stopped")]
    Stopped,
}

impl Error {
    /// Whether the connection can be used on: the failure was of a statement or of the store.
    #[must_use]
    pub fn is_of_store(&self) -> bool {
        matches!(self, Self::Store(_))
    }
}
