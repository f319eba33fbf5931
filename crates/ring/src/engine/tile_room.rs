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
/// So much is written with zeros in one step.
const WRITTEN_BYTES: u64 = 16 << 20;
/// After so many bytes of zeros they are synced, so that the sync at the end takes no longer.
const SYNC_BYTES: u64 = 1 << 30;

/// How a group's tiles take their space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TileRoom {
    /// The file system promises it; zeros are written later.
    Promised,
    /// Zeros are written at once, so that later writes change no metadata.
    Written,
}

impl<M: Medium<File: 'static>> GroupFiles<M> {
    /// The file of a group's tiles, with its space. The caller syncs it: where tiles follow at once
    /// the disk then writes them, and not zeros first.
    pub(super) fn lay_tiles(
        &self,
        group: &Group,
        room: TileRoom,
        goes_on: GoesOn<'_>,
    ) -> Result<M::File, Error> {
        let tiles = self.fresh_file(FileKind::Tiles, group.id)?;
        let bytes = group.geometry.file_bytes();
        // With either kind of room, a later write of a tile never finds the disk full.
        let sized = match room {
            _ if self.sparse => tiles.truncate(bytes),
            room => take_room(&tiles, bytes, room, goes_on),
        };
        let name = FileKind::Tiles.name(group.id);
        sized.map_err(Error::io("reserving", Path::new(&name)))?;
        Ok(tiles)
    }
}

fn take_room(
    tiles: &impl MediumFile,
    bytes: u64,
    room: TileRoom,
    goes_on: GoesOn<'_>,
) -> std::io::Result<()> {
    // All of it is asked for first: a disk that is too small shall not be filled to find out.
    tiles.check_room(bytes)?;
    let step_bytes = match room {
        TileRoom::Promised => PROMISED_BYTES,
        TileRoom::Written => WRITTEN_BYTES,
    };
    let mut taken_bytes = 0;
    while taken_bytes < bytes {
        if taken_bytes > 0 {
            disk::expect_wanted(goes_on)?;
        }
        taken_bytes = bytes.min(taken_bytes + step_bytes);
        match room {
            TileRoom::Promised => tiles.reserve(taken_bytes)?,
            TileRoom::Written => tiles.allocate(taken_bytes)?,
        }
        if room == TileRoom::Written && taken_bytes.is_multiple_of(SYNC_BYTES) {
            tiles.sync_data()?;
        }
    }
    Ok(())
}
