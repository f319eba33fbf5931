//! From pages on disk to rows: what every reader of a database shares, be it a fetch, a copy of the
//! whole database or an export of many.

use super::{Cell, FileKind};
use crate::Error;
use crate::ring::attic::AtticEntry;
use crate::ring::geometry::PAGE_BYTES;
use crate::ring::group::MemoryView;
use crate::ring::tile::{TileFault, TilePlace, block_in};

/// A page of a group's tiles, after its checksum was looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadPage<'a> {
    pub(super) bytes: &'a [u8],
    /// The block that stands there; `None` if none was ever written.
    pub(super) found: &'a Result<Option<i64>, TileFault>,
}

impl Cell {
    /// The block of the tile that stands in a page of the group's file; `None` if none was ever written
    /// there.
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
        match page.found {
            Ok(found) if *found == Some(block) => {
                view.take_block(shape, self.phase_pdps, block, page.bytes);
                Ok(())
            }
            Ok(_) => Ok(()), // no member had a value
            Err(_) if self.group().may_be_torn(view.shape, column, block) => Ok(()),
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

/// Takes what the attic has of a view's rows. Entries are given in the order in which they were
/// appended.
pub(super) fn take_from_attic<'a>(
    view: &mut MemoryView,
    generation: u32,
    entries: impl IntoIterator<Item = &'a AtticEntry>,
) {
    let key = (view.member, generation, view.shape);
    let of_view =
        |entry: &&AtticEntry| (entry.member, entry.generation, usize::from(entry.shape)) == key;
    entries.into_iter().filter(of_view).for_each(|entry| view.take_entry(entry));
}
