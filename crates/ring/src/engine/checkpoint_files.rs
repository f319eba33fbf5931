//! The two places of a group's checkpoint, written.

use std::path::Path;

use disk::{Medium, MediumFile};
use journal::LogPosition;
use store::Error;

use super::group_files::GroupFiles;
use super::{Cell, FileKind};
use crate::checkpoint::{self, Stamp};
use crate::group::{AtticExtent, Place};

impl<M: Medium<File: 'static>> GroupFiles<M> {
    /// Writes a checkpoint to one of the places and waits for the disk.
    pub(super) fn put_checkpoint(
        &self,
        group: u32,
        nth: usize,
        bytes: &mut Vec<u8>,
        written: Place,
        attic: AtticExtent,
    ) -> Result<(), Error> {
        let Place { sequence, position, log_start, .. } = written;
        checkpoint::seal(bytes, &Stamp { sequence, position, log_start, attic });
        let kind = FileKind::Checkpoint(nth);
        let name = kind.name(group);
        let file = self.open(kind, group)?;
        let put = file
            .allocate(bytes.len() as u64)
            .and_then(|()| file.write_at(bytes, 0))
            .and_then(|()| file.sync_data());
        put.map_err(Error::io("writing", Path::new(&name)))
    }

    /// Makes durable what was read from a place at opening: a sync of it may have failed in an
    /// earlier life, and what can be read is then on no disk. It must be before the other place is
    /// written over. The same bytes in place harm nothing, wherever a crash stops them.
    pub(super) fn write_place_again(&self, group: u32, nth: usize) -> Result<(), Error> {
        let kind = FileKind::Checkpoint(nth);
        let name = kind.name(group);
        let file = self.open(kind, group)?;
        let put = || {
            let mut bytes = vec![0; file.len_bytes()? as usize];
            let read = file.read_at(&mut bytes, 0)?;
            file.write_at(&bytes[..read], 0)?;
            file.sync_data()
        };
        put().map_err(Error::io("writing", Path::new(&name)))
    }

    /// Writes both places of a group that was not updated yet. Records from `position` on may be
    /// of its members.
    pub(super) fn put_first_checkpoints(
        &self,
        cell: &Cell,
        position: LogPosition,
        log_start: LogPosition,
    ) -> Result<(), Error> {
        let attic = cell.group().attic;
        for nth in 0..2 {
            let mut bytes = checkpoint::encode(&cell.group());
            checkpoint::put_files(&mut bytes, &cell.group());
            let (sequence, attic_epoch) = (nth as u64 + 1, attic.epoch);
            let written = Place { sequence, position, log_start, attic_epoch };
            self.put_checkpoint(cell.id, nth, &mut bytes, written, attic)?;
            cell.group().places[nth] = written;
        }
        Ok(())
    }
}
