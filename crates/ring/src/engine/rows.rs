//! From pages on disk to rows: what every reader of a database shares, be it a fetch, a copy of the
//! whole database or an export of many.

use std::collections::{BTreeMap, BTreeSet};

use disk::Medium;
use geometry::{PAGE_BYTES, TILE_HEADER_BYTES};
use store::Error;

use super::attic::AtticView;
use super::group_files::GroupFiles;
use super::loss::fault_of;
use super::{Cell, FileKind};
use crate::attic::AtticEntry;
use crate::group::MemoryView;
use crate::tile::{TileFault, TilePlace, block_in};

/// A page of a group's tiles, after its checksum was looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadPage<'a> {
    pub(super) bytes: &'a [u8],
    /// The block that stands there; `None` if none was ever written.
    pub(super) found: &'a Result<Option<i64>, TileFault>,
}

impl Cell {
    /// The block of the tile that stands in a page of the group's file; `None` if none was ever
    /// written there.
    ///
    /// # Errors
    /// [`TileFault`].
    pub(super) fn block_in(
        &self,
        page: &[u8],
        place: TilePlace,
        number: u64,
    ) -> Result<Option<i64>, TileFault> {
        match block_in(page, place) {
            Ok(None) if self.group().written.has(number) => Err(TileFault::Zeros),
            found => found,
        }
    }

    /// Takes the rows of a block from the page where it belongs.
    ///
    /// # Errors
    /// [`Error::Damaged`]; the page is noted as damaged, and the rows stay unknown.
    pub(super) fn take_tile(
        &self,
        view: &mut MemoryView,
        block: i64,
        page: ReadPage<'_>,
    ) -> Result<(), Error> {
        let shape = &self.geometry.shapes()[view.shape];
        let column = shape.column_of(view.member);
        let place = TilePlace { group: self.id, shape: view.shape as u32, column };
        match page.found {
            Ok(found) if *found == Some(block) => {
                view.take_block(shape, self.phase_pdps, block, &page.bytes[TILE_HEADER_BYTES..]);
                Ok(())
            }
            Ok(_) => Ok(()), // no member had a value
            Err(_) if self.group().may_be_torn(place, block, page.bytes) => Ok(()),
            Err(fault) => {
                let page = shape.page_of(column, block);
                self.group().damaged_pages.insert(page);
                Err(Error::Damaged {
                    file: FileKind::Tiles.name(self.id),
                    offset_bytes: page * PAGE_BYTES as u64,
                    what: fault.to_string(),
                })
            }
        }
    }
}

impl<M: Medium<File: 'static>> GroupFiles<M> {
    /// Takes from the attic the rows that views lack, after their tiles were read. Returns the
    /// members whose rows stood on a damaged page or were lost before, with what is wrong; they
    /// stay unknown.
    pub(super) fn take_from_attic(
        &self,
        cell: &Cell,
        attic: &AtticView,
        views: &mut [&mut MemoryView],
    ) -> Result<BTreeMap<u16, Error>, Error> {
        let asking = views.iter().filter(|view| view.asks_the_attic());
        let members: BTreeSet<u16> = asking.map(|view| view.member).collect();
        let members: Vec<u16> = members.into_iter().collect();
        let read = self.read_attic(cell, attic, &members)?;
        let mut of_member: BTreeMap<u16, Vec<&AtticEntry>> = BTreeMap::new();
        for entry in &read.entries {
            of_member.entry(entry.member).or_default().push(entry);
        }
        let mut lost: BTreeMap<u16, Error> = BTreeMap::new();
        for view in views {
            let entries = of_member.get(&view.member).map_or(&[][..], Vec::as_slice);
            entries.iter().for_each(|entry| view.take_entry(entry));
            let marks = entries.iter().filter(|entry| view.lacks(entry));
            if let Some(rows) = marks.filter_map(|mark| mark.lost).next() {
                lost.entry(view.member).or_insert_with(|| fault_of(cell, rows));
            }
        }
        let fault = |member: &u16| {
            let fault = read.fault(cell, attic, *member).or_else(|| lost.remove(member))?;
            Some((*member, fault))
        };
        Ok(members.iter().filter_map(fault).collect())
    }
}
