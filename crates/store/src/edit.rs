//! Changes to a database other than updates, as values.

use std::path::Path;

use rrd::Snapshot;
use rrd::refill::{self, CellChange, ChangeError, RowChange};
use rrd::tune::{Edited, TuneError, Tuning};

use crate::{Error, Existing, memory};

/// New settings of a data source.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SourceTuning {
    /// The position of the source in the definition.
    pub source: u32,
    /// The longest silence, in seconds, before the value becomes unknown.
    pub heartbeat_seconds: u64,
    /// The lowest rate believed, NaN for no limit.
    pub minimum: f64,
    /// The highest rate believed, NaN for no limit.
    pub maximum: f64,
}

/// A change to a database.
#[derive(Clone, Copy, Debug)]
pub enum Edit<'a> {
    /// The options of `rrdtool tune`. Options before a wrong one take effect.
    Tune(&'a Tuning<'a>),
    /// Sets heartbeat and limits of a data source.
    Source(&'a SourceTuning),
    /// Adds or removes rows of an archive. For a file, the result is a new file, and the old one is
    /// unchanged; any other database is changed itself.
    Resize {
        /// The archive's position.
        archive: usize,
        /// The rows to add or remove.
        change: RowChange,
        /// The path of the result, for a file.
        result: &'a Path,
    },
    /// Gives single cells other values, all of them or none: each must still hold what it is said
    /// to hold. Rows that have left their ring are passed over.
    Cells(&'a [CellChange]),
    /// Renames it; the new name must be free.
    Rename(&'a Path),
    /// Deletes it.
    Delete,
    /// Replaces the database by a whole one, or puts the whole one under a free name.
    Restore {
        /// The new one.
        whole: &'a Snapshot,
        /// What happens to an existing database.
        existing: Existing,
    },
}

/// The whole database with more or fewer rows in an archive.
///
/// # Errors
///
/// There is no such archive, or the result does not fit in memory.
pub fn resized(old: Snapshot, archive: usize, change: RowChange) -> Result<Snapshot, ChangeError> {
    refill::resize(old, archive, change, &mut memory::room())
}

/// The whole database with other values in single cells.
///
/// # Errors
///
/// A cell is not there, or holds something else than was said.
pub fn with_cells(old: &Snapshot, cells: &[CellChange]) -> Result<Snapshot, TuneError> {
    refill::change_cells(old, cells).map_err(TuneError::Structure)
}

/// The whole database, tuned. Errors in the options have been reported before, so here only the
/// effect of the valid ones counts.
#[must_use]
pub fn edited_whole(old: &Snapshot, tuning: &Tuning<'_>) -> Snapshot {
    let mut edited = Edited::new(&old.definition, &old.live);
    let _ = tuning.edit(&mut edited);
    edited.whole(old)
}

/// Why a change was not made.
pub enum Unmade {
    /// It is refused.
    Refused(TuneError),
    /// The store failed.
    Failed(Error),
}

impl From<Error> for Unmade {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Unmade {
    /// The error for a database of this name.
    #[must_use]
    pub fn told(self, name: &Path) -> Error {
        match self {
            Self::Refused(source) => Error::edit(name)(source),
            Self::Failed(error) => error,
        }
    }
}
