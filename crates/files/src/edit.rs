//! Changes of a file that are no updates.

use std::path::Path;

use rrd::refill::{CellChange, RowChange};
use rrd::tune::{Edited, TuneError, Tuning};
use rrdfile::layout::RowIndex;
use rrdfile::{Header, Version};
use store::{Edit, Error, Follower, SourceTuning, memory_room, resized, with_cells};

use crate::permissions::Before;
use crate::{RrdFile, write_file};

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
    let new = change.apply(&old, &mut memory_room()).map_err(Error::edit(&path))?;
    file.replace_with(&new)
}

/// Gives single cells of a file that is held other values.
pub(crate) fn change_cells_of_file(file: &mut RrdFile, cells: &[CellChange]) -> Result<(), Error> {
    let new = with_cells(&file.snapshot()?, cells).map_err(Error::edit(file.path()))?;
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

/// Tells the one who follows the store. The result of a resize is another file.
pub(crate) fn tell_of_edit(
    follower: &Follower,
    name: &Path,
    edit: &Edit<'_>,
    done: &Result<(), Error>,
) {
    match edit {
        Edit::Resize { result, .. } if done.is_ok() => follower.replaced(result),
        edit => follower.edited(name, edit, done),
    }
}
