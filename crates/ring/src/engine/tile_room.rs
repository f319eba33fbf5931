//! The disk space of a new group's tiles. A large group takes it in steps: the client that waits
//! for it may leave meanwhile, and the thread that does it may have other duties.

use std::path::Path;

use disk::{GoesOn, Medium, MediumFile};
use store::Error;

use super::FileKind;
use super::group_files::GroupFiles;
use crate::group::Group;

/// So much is promised by the file system in one step.
const PROMISED_BYTES: u64 = 1 << 30;

impl<M: Medium<File: 'static>> GroupFiles<M> {
    /// The file of a group's tiles, with its space, which the file system promises. The caller
    /// syncs it, and writes tiles or zeros there, so that later writes change no metadata.
    pub(super) fn lay_tiles(&self, group: &Group, goes_on: GoesOn<'_>) -> Result<M::File, Error> {
        let tiles = self.fresh_file(FileKind::Tiles, group.id)?;
        let bytes = group.geometry.file_bytes();
        let sized = match self.sparse {
            true => tiles.truncate(bytes),
            // A later write of a tile never finds the disk full.
            false => take_room(&tiles, bytes, goes_on),
        };
        let name = FileKind::Tiles.name(group.id);
        sized.map_err(Error::io("reserving", Path::new(&name)))?;
        Ok(tiles)
    }
}

fn take_room(tiles: &impl MediumFile, bytes: u64, goes_on: GoesOn<'_>) -> std::io::Result<()> {
    // All of it is asked for first: a disk that is too small shall not be filled to find out.
    tiles.check_room(bytes)?;
    let mut taken_bytes = 0;
    while taken_bytes < bytes {
        if taken_bytes > 0 {
            disk::expect_wanted(goes_on)?;
        }
        taken_bytes = bytes.min(taken_bytes + PROMISED_BYTES);
        tiles.reserve(taken_bytes)?;
    }
    Ok(())
}
