//! The attic of a group on disk: appended to, read, cleared out.

use std::collections::BTreeSet;
use std::path::Path;

use disk::{Medium, MediumFile};

use super::{Cell, Engine, FileKind};
use crate::Error;
use crate::ring::attic::{AtticEntry, entries_of, pages_of};
use crate::ring::geometry::PAGE_BYTES;
use crate::ring::group::{AtticExtent, Captured, Group, Status};

/// An attic of fewer pages is not worth clearing out.
const PAGES_MIN: u32 = 64;

impl<M: Medium<File: 'static>> Engine<M> {
    /// Puts rows into the attic and waits until they are on disk; from then on their tiles may be
    /// written over.
    pub(super) fn extend_attic(
        &self,
        cell: &Cell,
        captured: &Captured,
        entries: &[AtticEntry],
    ) -> Result<(), Error> {
        let mut extent = cell.group().attic;
        if !entries.is_empty() {
            extent = self.append_to_attic(cell, extent, entries)?;
        }
        let members: BTreeSet<u16> = entries.iter().map(|entry| entry.member).collect();
        {
            let mut group = cell.group();
            group.attic = extent;
            for member in members {
                group.members[usize::from(member)].status.set(Status::ATTIC, true);
            }
            for (open, flushed) in group.shapes.iter_mut().zip(&captured.flushed) {
                open.settled_block = *flushed;
            }
        }
        if extent.pages > PAGES_MIN.max(4 * extent.pages_kept) {
            self.clear_out_attic(cell, extent)?;
        }
        Ok(())
    }

    fn append_to_attic(
        &self,
        cell: &Cell,
        mut extent: AtticExtent,
        entries: &[AtticEntry],
    ) -> Result<AtticExtent, Error> {
        let kind = FileKind::Attic(extent.epoch);
        let name = kind.name(cell.id);
        let file = match extent.pages {
            0 => {
                let file = self.fresh_file(kind, cell.id)?;
                self.medium.sync_directory().map_err(Error::io("syncing", Path::new(".")))?;
                file
            }
            _ => self.open(kind, cell.id)?,
        };
        let bytes = pages_of(entries, cell.geometry.sources(), cell.id, extent.pages);
        let offset_bytes = u64::from(extent.pages) * PAGE_BYTES as u64;
        let put = file.write_at(&bytes, offset_bytes).and_then(|()| file.sync_data());
        put.map_err(Error::io("writing", Path::new(&name)))?;
        extent.pages += (bytes.len() / PAGE_BYTES) as u32;
        Ok(extent)
    }

    /// Writes what is still needed into the attic of the next epoch. The checkpoint that follows
    /// names it; until both do, the old one stays.
    fn clear_out_attic(&self, cell: &Cell, extent: AtticExtent) -> Result<(), Error> {
        let mut entries = self.read_attic(cell, extent)?;
        {
            let group = cell.group();
            entries.retain(|entry| is_needed(&group, entry));
        }
        let next = AtticExtent { epoch: extent.epoch + 1, pages: 0, pages_kept: 0 };
        let mut cleared = match entries.is_empty() {
            true => next,
            false => self.append_to_attic(cell, next, &entries)?,
        };
        cleared.pages_kept = cleared.pages;
        let members: BTreeSet<u16> = entries.iter().map(|entry| entry.member).collect();
        let mut group = cell.group();
        group.attic = cleared;
        for (nth, member) in group.members.iter_mut().enumerate() {
            member.status.set(Status::ATTIC, members.contains(&(nth as u16)));
        }
        Ok(())
    }

    /// Every entry of an attic, oldest first.
    pub(super) fn read_attic(
        &self,
        cell: &Cell,
        extent: AtticExtent,
    ) -> Result<Vec<AtticEntry>, Error> {
        if extent.pages == 0 {
            return Ok(Vec::new());
        }
        let kind = FileKind::Attic(extent.epoch);
        let name = kind.name(cell.id);
        let file = self.open(kind, cell.id)?;
        let mut bytes = vec![0; extent.pages as usize * PAGE_BYTES];
        file.read_at(&mut bytes, 0).map_err(Error::io("reading", Path::new(&name)))?;
        let mut entries = Vec::new();
        for (nth, page) in bytes.chunks(PAGE_BYTES).enumerate() {
            match entries_of(page, cell.geometry.sources(), cell.id, nth as u32) {
                Some(found) => entries.extend(found),
                None => {
                    return Err(Error::Damaged {
                        file: name,
                        offset_bytes: (nth * PAGE_BYTES) as u64,
                        what: "expected a page of the attic".into(),
                    });
                }
            }
        }
        Ok(entries)
    }

    /// Removes attics that no checkpoint names any more.
    pub(super) fn remove_old_attics(&self, cell: &Cell) {
        let (from, to) = {
            let mut group = cell.group();
            let oldest = group.places[0].attic_epoch.min(group.places[1].attic_epoch);
            (std::mem::replace(&mut group.attic_oldest, oldest), oldest)
        };
        if from < to {
            let _nobody_reads = cell.writing_tiles();
            for epoch in from..to {
                // It may never have been made; and what stays is removed at the next opening.
                let _ = self.medium.remove(&FileKind::Attic(epoch).name(cell.id));
            }
        }
    }
}

/// Whether an entry has a row that its member may still show.
fn is_needed(group: &Group, entry: &AtticEntry) -> bool {
    let nth = usize::from(entry.member);
    let Some(member) = group.members.get(nth) else { return false };
    let Some(shape) = group.geometry.shapes().get(usize::from(entry.shape)) else { return false };
    let ours = member.status.has(Status::PRESENT) && member.generation.0 == entry.generation;
    let newest = group.newest_row(usize::from(entry.shape), group.last_pdp(entry.member));
    ours && entry.rows(group.geometry.sources()).end > newest - shape.rows as i64 + 1
}
