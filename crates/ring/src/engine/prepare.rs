//! New groups: zeros for their tiles, in the background.
//!
//! The disk has promised the room when the group was made. What it promised is not written yet, and
//! a file system notes the first write of each such stretch in its own journal. Tiles that were
//! written with zeros spare it that. Nothing depends on it: zeros and what was never written read
//! alike, and a process that ends before leaves the rest as it is.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::PoisonError;

use disk::{Medium, MediumFile};
use store::Error;
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::due::Due;
use super::group_files::GroupFiles;
use super::registry::Registry;
use super::{Cell, FileKind};

/// So much is written at once.
const PIECE_BYTES: u64 = 1 << 20;
/// After so much the zeros are synced, so that they do not gather in memory.
const SYNC_BYTES: u64 = 32 << 20;

/// A new group whose tiles are to be written with zeros.
#[derive(Clone, Copy, Debug)]
struct Unprepared {
    group: u32,
    /// Zeros are written up to here.
    done_bytes: u64,
}

/// The zeros that are to be written into the tiles of new groups.
pub(super) struct Zeros {
    /// Whether tiles take their disk space as they are written: then there are none.
    sparse: bool,
    unprepared: Mutex<VecDeque<Unprepared>>,
}

impl Zeros {
    pub(super) fn new(sparse: bool) -> Self {
        Self { sparse, unprepared: Mutex::default() }
    }

    /// Notes a new group, whose zeros are written later.
    pub(super) fn put_off(&self, group: u32, due: &Due) {
        if !self.sparse {
            self.unprepared().push_back(Unprepared { group, done_bytes: 0 });
            due.wake();
        }
    }

    /// Writes zeros into a piece of a new group's tiles. Returns whether there was anything to do.
    ///
    /// A group that cannot be written is left as it is: its next flush tells what is wrong.
    pub(super) fn write_piece<M: Medium<File: 'static>>(
        &self,
        files: &GroupFiles<M>,
        registry: &Registry<M>,
    ) -> bool {
        let Some(mut next) = self.unprepared().pop_front() else { return false };
        let Some(cell) = registry.world().cell(next.group).cloned() else { return true };
        if let Ok(true) = next.write_piece(files, &cell) {
            self.unprepared().push_front(next);
        }
        true
    }

    fn unprepared(&self) -> MutexGuard<'_, VecDeque<Unprepared>> {
        self.unprepared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Unprepared {
    /// Returns whether more is to be written.
    fn write_piece<M: Medium<File: 'static>>(
        &mut self,
        files: &GroupFiles<M>,
        cell: &Cell,
    ) -> Result<bool, Error> {
        let bytes = cell.geometry.file_bytes();
        let name = FileKind::Tiles.name(cell.id);
        // A flush writes tiles under this lock, and the zeros must not take one away.
        let _no_flush = cell.flushing();
        let is_untouched = {
            let group = cell.group();
            group.written.is_empty() && !group.unsynced_tiles
        };
        if !is_untouched || cell.is_gone() {
            return Ok(false);
        }
        let tiles = files.open(FileKind::Tiles, cell.id)?;
        let piece = PIECE_BYTES.min(bytes - self.done_bytes);
        let written = tiles.write_zeros_at(piece, self.done_bytes);
        written.map_err(Error::io("writing", Path::new(&name)))?;
        self.done_bytes += piece;
        let is_done = self.done_bytes == bytes;
        if is_done || self.done_bytes.is_multiple_of(SYNC_BYTES) {
            tiles.sync_data().map_err(Error::io("syncing", Path::new(&name)))?;
        }
        Ok(!is_done)
    }
}
