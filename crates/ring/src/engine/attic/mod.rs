//! The attic of a group on disk: appended to and cleared out. `engine/attic/read.rs` reads it.

mod needed;
mod read;

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use store::Error;

use super::group_files::GroupFiles;
use super::loss::marks_of_attic_page;
use super::{Cell, FileKind};
use crate::attic::{AtticEntry, AtticGrowth, AtticIndex, AtticPages, PAGES_MAX, pages_of};
use crate::group::{AtticExtent, AtticPage, Captured, Group, Status};

pub(super) use needed::is_needed;
pub(super) use read::{AtticView, FAULT};

/// An attic of fewer pages is not worth clearing out.
const PAGES_MIN: u32 = 64;
/// Pages that are held in memory at once when an attic is cleared out.
const CLEARED_PAGES: u32 = 1024;

/// An attic that grows: its pages are written, and synced by [`AtticWriter::put`].
pub(super) struct Growing<F> {
    extent: AtticExtent,
    /// Whose rows stand on the pages that are new.
    added: AtticIndex,
    /// Open once there is a page to write.
    file: Option<F>,
}

/// Writes the attic of a group.
pub(super) struct AtticWriter<'f, M> {
    pub(super) files: &'f GroupFiles<M>,
    pub(super) cell: &'f Cell,
}

impl<M: Medium<File: 'static>> AtticWriter<'_, M> {
    /// Puts rows into the attic and waits until they are on disk. Once the log counts their pages,
    /// their tiles may be written over.
    pub(super) fn put(&self, entries: &[AtticEntry]) -> Result<Growing<M::File>, Error> {
        let mut growing = growing(self.cell.group().attic);
        self.grow(&mut growing, entries)?;
        self.sync(&growing)?;
        Ok(growing)
    }

    /// Counts the pages that the attic got by a flush. One that has grown much is cleared out.
    /// Returns marks of the rows that are lost by that.
    pub(super) fn count(
        &self,
        captured: &Captured,
        growing: Growing<M::File>,
    ) -> Result<Vec<AtticEntry>, Error> {
        {
            let mut group = self.cell.group();
            group.attic = growing.extent;
            Arc::make_mut(&mut group.attic_index).append(&growing.added);
            for member in growing.added.members().into_keys() {
                group.members[usize::from(member)].status.set(Status::ATTIC, true);
            }
            for (open, flushed) in group.rows.shapes.iter_mut().zip(&captured.flushed) {
                open.settled_block = *flushed;
            }
        }
        let extent = growing.extent;
        let is_long = extent.pages > PAGES_MIN.max(4 * extent.pages_kept);
        if is_long || has_stale_marks(&self.cell.group()) {
            return self.clear_out(extent);
        }
        Ok(Vec::new())
    }

    fn grow(&self, growing: &mut Growing<M::File>, entries: &[AtticEntry]) -> Result<(), Error> {
        if entries.is_empty() {
            return Ok(());
        }
        let extent = &mut growing.extent;
        let name = FileKind::Attic(extent.epoch).name(self.cell.id);
        let file = match &growing.file {
            Some(file) => file,
            None => growing.file.insert(self.file_to_append_to(extent)?),
        };
        let sources = self.cell.geometry.sources();
        let AtticPages { bytes, index } = pages_of(entries, sources, self.cell.id, extent.pages);
        let offset_bytes = u64::from(extent.pages) * PAGE_BYTES as u64;
        file.write_at(&bytes, offset_bytes).map_err(Error::io("writing", Path::new(&name)))?;
        extent.pages += index.pages();
        growing.added.append(&index);
        Ok(())
    }

    fn file_to_append_to(&self, extent: &AtticExtent) -> Result<M::File, Error> {
        let kind = FileKind::Attic(extent.epoch);
        if extent.pages > 0 {
            match self.files.open(kind, self.cell.id) {
                // It is lost with its rows, and reads have said so; new rows are to be kept.
                Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
                opened => return opened,
            }
        }
        let file = self.files.fresh_file(kind, self.cell.id)?;
        self.files.sync_directory()?;
        Ok(file)
    }

    fn sync(&self, growing: &Growing<M::File>) -> Result<(), Error> {
        let Some(file) = &growing.file else { return Ok(()) };
        let name = FileKind::Attic(growing.extent.epoch).name(self.cell.id);
        file.sync_data().map_err(Error::io("writing", Path::new(&name)))
    }

    /// Writes what is still needed into the attic of the next epoch, member after member. The
    /// checkpoint that follows names it; until both do, the old one stays. Rows on a damaged page
    /// are lost, and marked so. Returns these marks.
    fn clear_out(&self, extent: AtticExtent) -> Result<Vec<AtticEntry>, Error> {
        let cell = self.cell;
        let before = AtticView::of(&cell.group());
        let mut next = growing(AtticExtent { epoch: extent.epoch + 1, pages: 0, pages_kept: 0 });
        let mut damaged = BTreeSet::new();
        for members in parts_of(before.index()) {
            let read = self.files.read_attic(cell, &before, &members)?;
            let mut entries = read.entries;
            {
                let group = cell.group();
                entries.retain(|entry| is_needed(&group, entry));
            }
            self.grow(&mut next, &entries)?;
            damaged.extend(read.damaged);
        }
        let lost = marks_of(&cell.group(), extent.epoch, before.index(), &damaged);
        self.grow(&mut next, &lost)?;
        self.sync(&next)?;
        next.extent.pages_kept = next.extent.pages;
        let mut group = cell.group();
        group.attic = next.extent;
        let kept = next.added.members();
        group.attic_index = Arc::new(next.added);
        for (nth, member) in group.members.iter_mut().enumerate() {
            member.status.set(Status::ATTIC, kept.contains_key(&(nth as u16)));
        }
        let marks = std::mem::take(&mut group.lost_rows);
        group.lost_rows = marks.into_iter().filter(|mark| is_needed(&group, mark)).collect();
        // Marks tell of them from here on.
        group.damaged_attic.retain(|page| page.epoch > extent.epoch);
        Ok(lost)
    }

    /// Removes attics that no checkpoint names any more.
    pub(super) fn remove_old(&self) {
        let cell = self.cell;
        let (from, to) = {
            let mut group = cell.group();
            let oldest = group.places[0].attic_epoch.min(group.places[1].attic_epoch);
            (std::mem::replace(&mut group.attic_oldest, oldest), oldest)
        };
        if from < to {
            let _nobody_reads = cell.writing_tiles();
            for epoch in from..to {
                // It may never have been made; and what stays is removed at the next opening.
                let _ = self.files.remove(&FileKind::Attic(epoch).name(cell.id));
            }
        }
    }
}

impl<F> Growing<F> {
    /// What the log is to say of the new pages, which a flush adds that then writes these blocks: a
    /// record for some of them each.
    pub(super) fn growth(&self, blocks: &[Range<i64>]) -> Vec<AtticGrowth> {
        let pages = self.added.pages();
        let first_page = self.extent.pages - pages;
        let of_pages = |first: u32| {
            let mut index = AtticIndex::default();
            let end = pages.min(first + PAGES_MAX);
            (first..end).for_each(|page| index.push(self.added.on_page(page).iter().copied()));
            let (epoch, first_page) = (self.extent.epoch, first_page + first);
            AtticGrowth { epoch, first_page, blocks: blocks.to_vec(), index }
        };
        (0..pages).step_by(PAGES_MAX as usize).map(of_pages).collect()
    }
}

fn growing<F>(extent: AtticExtent) -> Growing<F> {
    Growing { extent, added: AtticIndex::default(), file: None }
}

/// The members of an attic, cut into parts that are read at once.
fn parts_of(index: &AtticIndex) -> Vec<Vec<u16>> {
    let mut parts: Vec<Vec<u16>> = Vec::new();
    let mut left = 0;
    for (member, pages) in index.members() {
        match parts.last_mut().filter(|_| pages <= left) {
            Some(part) => part.push(member),
            None => {
                parts.push(vec![member]);
                left = CLEARED_PAGES;
            }
        }
        left = left.saturating_sub(pages);
    }
    parts
}

/// Marks for the rows that stood on damaged pages of an attic.
fn marks_of(
    group: &Group,
    epoch: u32,
    index: &AtticIndex,
    damaged: &BTreeSet<u32>,
) -> Vec<AtticEntry> {
    let marks = |page: &u32| {
        let (page, had_rows) = (*page, |member| index.may_have(*page, member));
        marks_of_attic_page(group, AtticPage { epoch, page }, had_rows)
    };
    damaged.iter().flat_map(marks).collect()
}

/// Whether all rows that the attic marks as lost have passed out of what is shown. Without the
/// marks a copy of its pages tells of no damage.
fn has_stale_marks(group: &Group) -> bool {
    !group.lost_rows.is_empty() && !group.lost_rows.iter().any(|mark| is_needed(group, mark))
}
