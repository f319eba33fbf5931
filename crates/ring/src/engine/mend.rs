//! Tiles that a flush tore before the store was opened.
//!
//! The log brings the rows of a flush that was cut short back, and the next flush writes their
//! tiles again. Not all: a database that was deleted since takes its late rows along, rows that are
//! far ahead may go to the attic, and the next flush may reach less far. What such a tile holds is
//! needed by nobody, but it would pass for rotten once nobody knows any more that it was torn.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use store::Error;

use super::{Cell, Engine, FileKind};
use crate::group::{Captured, ClosedPage, TileKey};
use crate::tile::{Page, TilePlace};

impl<M: Medium<File: 'static>> Engine<M> {
    /// Pages for such tiles that the first checkpoint after an opening does not write anyway, where
    /// they are torn. One that has rotted stays as it is.
    pub(super) fn mend_torn(
        &self,
        cell: &Cell,
        tiles: &M::File,
        captured: &Captured,
        images: &[ClosedPage],
    ) -> Result<Vec<ClosedPage>, Error> {
        let page_of = |shape: u32, column, block| {
            cell.geometry.shapes()[shape as usize].page_of(column, block)
        };
        let written: BTreeSet<u64> = captured
            .pages
            .iter()
            .chain(images)
            .map(|page| page_of(page.shape, page.column, page.block))
            .collect();
        let mut mended = Vec::new();
        for TileKey { shape, column, block } in doubtful_tiles(cell) {
            let page = page_of(shape, column, block);
            if !written.contains(&page) {
                let place = TilePlace { group: cell.id, shape, column };
                let found = self.mend_tile(cell, tiles, (page, place), block)?;
                mended.extend(found.map(|(block, page)| ClosedPage { shape, column, block, page }));
            }
        }
        Ok(mended)
    }

    /// What is to be written to a tile. One that the flush wrote looks whole, and yet is on no disk
    /// if the sync failed: it is written again.
    fn mend_tile(
        &self,
        cell: &Cell,
        tiles: &M::File,
        (page, place): (u64, TilePlace),
        block: i64,
    ) -> Result<Option<(i64, Arc<Page>)>, Error> {
        let name = FileKind::Tiles.name(cell.id);
        let mut bytes = vec![0; PAGE_BYTES];
        let read = tiles.read_at(&mut bytes, page * PAGE_BYTES as u64);
        let read = read.map_err(Error::io("reading", Path::new(&name)))?;
        bytes[read..].fill(0); // a sparse file ends where nothing was written
        let first_doubtful = cell.group().shapes[place.shape as usize].doubtful.start;
        Ok(match cell.block_in(&bytes, place, page) {
            Err(_) if cell.group().may_be_torn(place, block, &bytes) => {
                let (block, mending) = cell.group().mending_page(place, block);
                Some((block, Arc::new(mending)))
            }
            // It has rotted, and is known to have, whatever is written there later.
            Err(_) => {
                cell.group().damaged_pages.insert(page);
                None
            }
            Ok(Some(found)) if found >= first_doubtful => {
                Page::of(&bytes).map(|page| (found, Arc::new(page)))
            }
            Ok(_) => None,
        })
    }
}

/// The tiles that may be torn, each with its newest block.
fn doubtful_tiles(cell: &Cell) -> Vec<TileKey> {
    let group = cell.group();
    let Some(last_member) = group.members.len().checked_sub(1) else { return Vec::new() };
    let mut doubtful = Vec::new();
    for (nth, shape) in cell.geometry.shapes().iter().enumerate() {
        let blocks = &group.shapes[nth].doubtful;
        let blocks = blocks.start.max(blocks.end - shape.ring_tiles as i64)..blocks.end;
        for column in 0..=shape.column_of(last_member as u16) {
            doubtful.extend(blocks.clone().map(|block| TileKey {
                shape: nth as u32,
                column,
                block,
            }));
        }
    }
    doubtful
}
