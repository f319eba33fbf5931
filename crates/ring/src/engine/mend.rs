//! Tiles that a flush tore before the store was opened.
//!
//! The log brings the rows of a flush that was cut short back, and the next flush writes their
//! tiles again. Not all: a database that was deleted since takes its late rows along, rows that are
//! far ahead may go to the attic, and the next flush may reach less far. What such a tile holds is
//! not needed, but the tile would pass for rotten once it is no longer known that it was torn.

use std::collections::BTreeSet;
use std::sync::Arc;

use disk::MediumFile;
use store::Error;

use super::Cell;
use super::old_pages::OldPages;
use crate::group::{Captured, ClosedPage, TileKey};
use crate::tile::{Page, TilePlace};

impl<F: MediumFile> OldPages<'_, F> {
    /// Pages for such tiles that the first checkpoint after an opening does not write anyway, where
    /// they are torn. One that has rotted stays as it is.
    pub(super) fn mend_torn(
        &self,
        captured: &Captured,
        images: &[ClosedPage],
    ) -> Result<Vec<ClosedPage>, Error> {
        let pages = captured.pages.iter().chain(images);
        let written: BTreeSet<u64> = pages.map(|page| self.cell.page_of(page.key())).collect();
        let mut mended = Vec::new();
        for key in doubtful_tiles(self.cell) {
            if !written.contains(&self.cell.page_of(key)) {
                mended.extend(self.mend_tile(key)?);
            }
        }
        Ok(mended)
    }

    /// What is to be written to a tile. One that the flush wrote looks whole, and yet is on no disk
    /// if the sync failed: it is written again.
    fn mend_tile(&self, key: TileKey) -> Result<Option<ClosedPage>, Error> {
        let TileKey { shape, column, block } = key;
        let cell = self.cell;
        let place = TilePlace { group: cell.id, shape, column };
        let number = cell.page_of(key);
        let bytes = self.read(number)?;
        let first_doubtful = cell.group().rows.shapes[shape as usize].doubtful.start;
        let (block, page) = match cell.block_in(&bytes, place, number) {
            Err(_) if cell.group().may_be_torn(place, block, &bytes) => {
                cell.group().mending_page(place, block)
            }
            // It has rotted, and is known to have, whatever is written there later.
            Err(_) => {
                cell.group().damaged_pages.insert(number);
                return Ok(None);
            }
            Ok(Some(found)) if found >= first_doubtful => match Page::of(&bytes) {
                Some(page) => (found, page),
                None => return Ok(None),
            },
            Ok(_) => return Ok(None),
        };
        Ok(Some(ClosedPage { shape, column, block, page: Arc::new(page) }))
    }
}

/// The tiles that may be torn, each with its newest block.
fn doubtful_tiles(cell: &Cell) -> Vec<TileKey> {
    let group = cell.group();
    let Some(last_member) = group.members.len().checked_sub(1) else { return Vec::new() };
    let mut doubtful = Vec::new();
    for (nth, shape) in cell.geometry.shapes().iter().enumerate() {
        let blocks = &group.rows.shapes[nth].doubtful;
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
