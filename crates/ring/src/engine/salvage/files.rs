//! Files of a group that are missing or cut short.

use std::io;
use std::path::Path;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use store::Error;

use super::super::verify::places_of;
use super::super::{Cell, FileKind};
use super::Salvaged;
use super::pages::unknown_tile;
use crate::attic::empty_page;

/// Makes the missing files of a group that has a checkpoint. What stood in them is unknown from
/// here on.
pub(super) fn mend_files<M: Medium>(
    medium: &M,
    cell: &Cell,
    salvaged: &mut Salvaged,
) -> Result<(), Error> {
    mend_tiles(medium, cell, salvaged)?;
    mend_attic(medium, cell, salvaged)?;
    for nth in 0..2 {
        let name = FileKind::Checkpoint(nth).name(cell.id);
        if made(medium, &name)?.is_some() {
            salvaged.mend(
                &name,
                None,
                "there is no such file; the other checkpoint has everything",
            );
        }
    }
    medium.sync_directory().map_err(Error::io("syncing", Path::new(".")))
}

fn mend_tiles<M: Medium>(medium: &M, cell: &Cell, salvaged: &mut Salvaged) -> Result<(), Error> {
    let name = FileKind::Tiles.name(cell.id);
    let io = |action| Error::io(action, Path::new(&name));
    let wanted_bytes = cell.geometry.file_bytes();
    let (file, what) = match made(medium, &name)? {
        Some(file) => (file, "there is no such file".to_owned()),
        None => {
            let file = medium.open(&name).map_err(io("opening"))?;
            let bytes = file.len_bytes().map_err(io("measuring"))?;
            (file, format!("expected {wanted_bytes} bytes, found {bytes}"))
        }
    };
    let bytes = file.len_bytes().map_err(io("measuring"))?;
    if bytes == wanted_bytes {
        return Ok(());
    }
    if bytes > wanted_bytes {
        file.truncate(wanted_bytes).map_err(io("truncating"))?;
        salvaged.mend(&name, Some(wanted_bytes), what);
        return Ok(());
    }
    file.reserve(wanted_bytes).map_err(io("reserving"))?;
    let whole_pages = bytes / PAGE_BYTES as u64;
    for (nth, (place, tile)) in places_of(cell).enumerate().skip(whole_pages as usize) {
        if let Some(page) = unknown_tile(cell, place, tile) {
            file.write_at(page.bytes(), (nth * PAGE_BYTES) as u64).map_err(io("writing"))?;
        }
    }
    file.sync_data().map_err(io("syncing"))?;
    let members = cell.group().present().count();
    let what = format!(
        "{what}; rows of {members} databases that stood there read as unknown, those of their last \
         steps and their state are whole"
    );
    salvaged.give_up(&name, Some(whole_pages * PAGE_BYTES as u64), what);
    Ok(())
}

/// Gives the attic of a group its missing pages back, without rows.
pub(super) fn mend_attic<M: Medium>(
    medium: &M,
    cell: &Cell,
    salvaged: &mut Salvaged,
) -> Result<(), Error> {
    let attic = cell.group().attic;
    let name = FileKind::Attic(attic.epoch).name(cell.id);
    if attic.pages == 0 {
        return Ok(());
    }
    let file = medium_file(medium, &name)?;
    let io = |action| Error::io(action, Path::new(&name));
    let pages = file.len_bytes().map_err(io("measuring"))? / PAGE_BYTES as u64;
    if pages >= u64::from(attic.pages) {
        return Ok(());
    }
    for number in pages as u32..attic.pages {
        let offset_bytes = u64::from(number) * PAGE_BYTES as u64;
        file.write_at(&empty_page(cell.id, number), offset_bytes).map_err(io("writing"))?;
    }
    file.sync_data().map_err(io("syncing"))?;
    let what = format!(
        "expected {} pages, found {pages}; old rows of databases out of step read as unknown",
        attic.pages
    );
    salvaged.give_up(&name, Some(pages * PAGE_BYTES as u64), what);
    Ok(())
}

fn medium_file<M: Medium>(medium: &M, name: &str) -> Result<M::File, Error> {
    match made(medium, name)? {
        Some(file) => Ok(file),
        None => medium.open(name).map_err(Error::io("opening", Path::new(name))),
    }
}

/// Makes a file; `None` if there is one.
fn made<M: Medium>(medium: &M, name: &str) -> Result<Option<M::File>, Error> {
    match medium.create(name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        created => created.map(Some).map_err(Error::io("creating", Path::new(name))),
    }
}
