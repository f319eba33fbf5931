//! Changes of a database that are no updates, as values.

use std::path::Path;

use rrd::Snapshot;
use rrd::refill::{self, ChangeError, RowChange};
use rrd::tune::{Edited, TuneError, Tuning};

use crate::{Error, Existing, memory};

/// What a tuned data source has from now on.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SourceTuning {
    /// Which source, in the order of the definition.
    pub source: u32,
    /// The longest silence, in seconds, before the value becomes unknown.
    pub heartbeat_seconds: u64,
    /// The lowest rate believed, NaN for no limit.
    pub minimum: f64,
    /// The highest rate believed, NaN for no limit.
    pub maximum: f64,
}

/// What becomes of a database.
#[derive(Clone, Copy, Debug)]
pub enum Edit<'a> {
    /// What `rrdtool tune` says of it. What an option before a wrong one said has happened.
    Tune(&'a Tuning<'a>),
    /// Heartbeat and limits of a data source are these.
    Source(&'a SourceTuning),
    /// An archive gets more or fewer rows. Of a file, the result is another one, and the file stays
    /// as it is; any other database is changed itself.
    Resize {
        /// The archive's position.
        archive: usize,
        /// What becomes of its rows.
        change: RowChange,
        /// Where the result is to be, of a file.
        result: &'a Path,
    },
    /// It gets another name, which no other has.
    Rename(&'a Path),
    /// It goes.
    Delete,
    /// A whole database takes its place, or the free name.
    Restore {
        /// The new one.
        whole: &'a Snapshot,
        /// What is to become of one that is there.
        existing: Existing,
    },
}

/// The whole database with more or fewer rows in an archive.
///
/// # Errors
/// There is no such archive, or no room for the result.
pub fn resized(old: Snapshot, archive: usize, change: RowChange) -> Result<Snapshot, ChangeError> {
    refill::resize(old, archive, change, &mut memory::room())
}

/// The whole database, tuned in place: what the options did counts, and what was wrong with one of
/// them was told before.
#[must_use]
pub fn edited_whole(old: &Snapshot, tuning: &Tuning<'_>) -> Snapshot {
    let mut edited = Edited::new(&old.definition, &old.live);
    let _ = tuning.edit(&mut edited);
    edited.whole(old)
}

/// A change that was refused, or could not be made.
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
    /// The error of a database.
    #[must_use]
    pub fn told(self, name: &Path) -> Error {
        match self {
            Self::Refused(source) => Error::edit(name)(source),
            Self::Failed(error) => error,
        }
    }
}
