//! New groups: zeros for their tiles, in the background.
//!
//! The disk has promised the room when the group was made. What it promised is not written yet, and
//! a file system notes the first write of each such stretch in its own journal. Tiles that were
//! written with zeros spare it that. Nothing depends on it: zeros and what was never written read
//! alike, and a process that ends before leaves the rest as it is.

use std::path::Path;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use disk::{Medium, MediumFile};
use store::Error;

use super::{Cell, Engine, FileKind};

/// So much is written at once.
const PIECE_BYTES: u64 = 1 << 20;
/// After so much the zeros are synced, so that they do not gather in memory.
const SYNC_BYTES: u64 = 32 << 20;

/// A new group whose tiles are to be written with zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unprepared {
    group: u32,
    /// Zeros are written up to here.
    done_bytes: u64,
}

impl<M: Medium<File: 'static>> Engine<M> {
    /// Notes a new group.
    pub(super) fn prepare_later(&self, group: u32) {
        if !self.options.sparse {
            let mut unprepared = self.unprepared.lock().unwrap_or_else(PoisonError::into_inner);
            unprepared.push_back(Unprepared { group, done_bytes: 0 });
            drop(unprepared);
            self.due.wake();
        }
    }

    /// Whether databases were made since this was asked last. Zeros are for a quieter time: each
    /// create waits for a disk that would be busy with them.
    pub fn take_made_some(&self) -> bool {
        self.made_some.swap(false, Ordering::Relaxed)
    }

    /// Writes zeros into a piece of a new group's tiles. Returns whether there was anything to do.
    ///
    /// A group that cannot be written is left as it is: its next flush tells what is wrong.
    pub fn prepare_tiles(&self) -> bool {
        let mut unprepared = self.unprepared.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut next) = unprepared.pop_front() else { return false };
        drop(unprepared);
        let Some(cell) = self.world().cell(next.group).cloned() else { return true };
        if let Ok(true) = self.prepare_piece(&cell, &mut next) {
            let mut unprepared = self.unprepared.lock().unwrap_or_else(PoisonError::into_inner);
            unprepared.push_front(next);
        }
        true
    }

    /// Returns whether more is to be written.
    fn prepare_piece(&self, cell: &Cell, next: &mut Unprepared) -> Result<bool, Error> {
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
        let tiles = self.open(FileKind::Tiles, cell.id)?;
        let piece = PIECE_BYTES.min(bytes - next.done_bytes);
        let written = tiles.write_zeros_at(piece, next.done_bytes);
        written.map_err(Error::io("writing", Path::new(&name)))?;
        next.done_bytes += piece;
        let is_done = next.done_bytes == bytes;
        if is_done || next.done_bytes.is_multiple_of(SYNC_BYTES) {
            tiles.sync_data().map_err(Error::io("syncing", Path::new(&name)))?;
        }
        Ok(!is_done)
    }
}
