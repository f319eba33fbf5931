//! Changes of a database that are no updates, as values.

use std::path::Path;

use rrd::Snapshot;
use rrd::refill::{self, ChangeError, RowChange};
use rrd::tune::{Edited, TuneError, Tuning};
use rrdfile::layout::RowIndex;
use rrdfile::{Header, Version};

use crate::journal::record::Tuning as SourceTuning;
use crate::permissions::Before;
use crate::{Error, Existing, RrdFile, memory, write_file};

/// What becomes of a database.
#[derive(Clone, Copy, Debug)]
pub enum Edit<'a> {
    /// What `rrdtool tune` says of it. What an option before a wrong one said has happened.
    Tune(&'a Tuning<'a>),
    /// Heartbeat and limits of a data source are these.
    Source(&'a SourceTuning),
    /// An archive gets more or fewer rows. Of a file, the result is another one, and the file stays as
    /// it is; any other database is changed itself.
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

/// Changes heartbeat and limits of a source of a file that is held.
pub(crate) fn tune_source(file: &mut RrdFile, tuning: &SourceTuning) -> Result<(), Error> {
    let nth = tuning.source as usize;
    if nth >= file.header().definition.sources.len() {
        let source = Box::new(TuneError::UnknownSource(nth.to_string()));
        return Err(Error::Edit { path: file.path().into(), source });
    }
    file.edit(|header| {
        let source = &mut header.definition.sources[nth];
        source.heartbeat_seconds = tuning.heartbeat_seconds;
        (source.minimum, source.maximum) = (tuning.minimum, tuning.maximum);
    })
}

/// Tunes a file that is held.
pub(crate) fn tune_file(file: &mut RrdFile, tuning: &Tuning<'_>) -> Result<(), Error> {
    let path = file.path().to_path_buf();
    let mut edited = Edited::new(&file.header().definition, &file.header().live);
    let done = tuning.edit(&mut edited);
    // Rows first, and last the state that tells of it.
    for &(archive, source) in &edited.forgotten {
        file.forget(archive, source)?;
    }
    file.edit(|header| {
        // Below 0003 a higher version would move everything.
        if header.version.has_micros() {
            header.version = header.version.max(Version::of(&edited.definition));
        }
        (header.definition, header.live) = (edited.definition, edited.live);
    })?;
    done.map_err(Error::edit(&path))?;
    let change = tuning.change(&path.to_string_lossy()).map_err(Error::edit(&path))?;
    let Some(change) = change else { return Ok(()) };
    let old = file.snapshot()?;
    let new = change.apply(&old, &mut memory::room()).map_err(Error::edit(&path))?;
    file.replace_with(&new)
}

/// Writes what becomes of a file to another. Rows keep their slots.
pub(crate) fn resize_file(
    file: &RrdFile,
    archive: usize,
    change: RowChange,
    result: &Path,
) -> Result<(), Error> {
    let new = resized(file.snapshot()?, archive, change).map_err(Error::edit(file.path()))?;
    let rows = new.definition.archives.iter().map(|archive| archive.rows);
    let slots = file.header().newest_rows.iter().zip(rows);
    let newest_rows = slots.map(|(slot, rows)| RowIndex(slot.0.min(rows - 1))).collect();
    let header = Header::new(new.definition, new.live, newest_rows);
    let mut header = header.ok_or_else(|| Error::TooLarge(result.into()))?;
    header.version = header.version.max(file.header().version);
    let before = Before::of(result);
    write_file(result, &header, &new.rows)?;
    before.after_restore(result).map_err(Error::io("chmod", result))
}

pub(crate) fn resized(
    old: Snapshot,
    archive: usize,
    change: RowChange,
) -> Result<Snapshot, ChangeError> {
    refill::resize(old, archive, change, &mut memory::room())
}

/// The whole database, tuned in place: what the options did counts, and what was wrong with one of
/// them was told before.
pub(crate) fn edited_whole(old: &Snapshot, tuning: &Tuning<'_>) -> Snapshot {
    let mut edited = Edited::new(&old.definition, &old.live);
    let _ = tuning.edit(&mut edited);
    edited.whole(old)
}

/// A change that was refused, or could not be made.
pub(crate) enum Unmade {
    Refused(TuneError),
    Failed(Error),
}

impl From<Error> for Unmade {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Unmade {
    pub(crate) fn told(self, name: &Path) -> Error {
        match self {
            Self::Refused(source) => Error::edit(name)(source),
            Self::Failed(error) => error,
        }
    }
}
