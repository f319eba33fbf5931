//! What can go wrong in the catalogue.

use std::io;

use journal::{Generation, RrdId};
use varint::RecordError;

use super::{DefinitionId, FILE};

/// What can go wrong in the catalogue.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// A system call failed. After one in a commit the catalogue is of no more use: drop it and
    /// open it again, which finds the last commit that succeeded, or the one that failed.
    #[error("{FILE}: {action}: {}", disk::system_words(source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// There is a store already.
    #[error("{}: exists already", FILE)]
    Exists,
    /// The directory is no store, or the file is something else.
    #[error("{}: no catalogue of a ring store: expected {expected}, found {found}", FILE)]
    NotAStore {
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A store that another version of gyre made.
    #[error(
        "{FILE}: format {found}; this program knows format {expected}: use the version of gyre that \
         made the store, or a newer one"
    )]
    Version {
        /// The version that this program knows.
        expected: u64,
        /// The version of the store.
        found: u64,
    },
    /// The file is damaged.
    #[error("{}: {action}: damaged: {what}", FILE)]
    Damaged {
        /// What was tried.
        action: &'static str,
        /// What is wrong.
        what: String,
    },
    /// Something failed before: the catalogue must be opened again.
    #[error("{}: {action}: not usable after an earlier failure; open it again", FILE)]
    Unusable {
        /// What was tried.
        action: &'static str,
    },
    /// Another RRD has the name.
    #[error("{}: the name {name:?} is that of RRD {} already", FILE, .holder.0)]
    NameTaken {
        /// The name.
        name: String,
        /// The database that has it.
        holder: RrdId,
    },
    /// The place of an RRD is not free: its earlier holder was not removed.
    #[error("{}: RRD {} is of generation {}, expected none before {}", FILE, .rrd.0, .found.0, .wanted.0)]
    SlotTaken {
        /// The place.
        rrd: RrdId,
        /// The database that has it.
        found: Generation,
        /// The database that was to have it.
        wanted: Generation,
    },
    /// Definitions are only appended: this one exists with other content, or comes too early.
    #[error("{}: definition {}: {what}", FILE, .definition.0)]
    Definition {
        /// Which one.
        definition: DefinitionId,
        /// What is wrong.
        what: &'static str,
    },
}

impl CatalogueError {
    /// Whether it says that the file is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::NotAStore { .. })
    }
}

impl From<CatalogueError> for store::Error {
    fn from(error: CatalogueError) -> Self {
        Self::Catalogue { is_damage: error.is_damage(), source: Box::new(error) }
    }
}

/// What ends a call into redb.
#[derive(Debug)]
pub(super) enum Failure {
    /// redb's own error.
    Redb(redb::Error),
    /// Ours.
    Own(CatalogueError),
    /// A value that gyre does not write.
    Value(String),
}

impl Failure {
    pub(super) fn into_error(self, action: &'static str) -> CatalogueError {
        use redb::Error as Redb;
        match self {
            Self::Own(error) => error,
            Self::Value(what) => CatalogueError::Damaged { action, what },
            // What the backend says of a page that rotted.
            Self::Redb(Redb::Io(source)) if source.kind() == io::ErrorKind::InvalidData => {
                CatalogueError::Damaged { action, what: disk::system_words(&source) }
            }
            Self::Redb(Redb::Io(source)) => CatalogueError::Io { action, source },
            Self::Redb(
                Redb::PreviousIo
                | Redb::DatabaseClosed
                | Redb::LockPoisoned(_)
                | Redb::TransactionPoisoned,
            ) => CatalogueError::Unusable { action },
            Self::Redb(other) => CatalogueError::Damaged { action, what: other.to_string() },
        }
    }

    /// A value that cannot be read.
    pub(super) fn value(
        table: &'static str,
        key: impl std::fmt::Display,
    ) -> impl FnOnce(RecordError) -> Self {
        move |error| Self::Value(format!("{table} {key}: {error}"))
    }
}

impl From<CatalogueError> for Failure {
    fn from(error: CatalogueError) -> Self {
        Self::Own(error)
    }
}

macro_rules! from_redb {
    ($($error:ty),+) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Redb(error.into())
            }
        })+
    };
}

from_redb!(
    redb::DatabaseError,
    redb::TransactionError,
    redb::TableError,
    redb::StorageError,
    redb::CommitError
);
