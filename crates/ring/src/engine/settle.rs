//! Late rows and old rows: what a flush does besides writing complete tiles.

use std::ops::Range;

use disk::Medium;
use geometry::PAGE_BYTES;
use journal::Generation;
use store::Error;

use super::Cell;
use super::attic::{AtticWriter, Growing};
use super::flush::Flusher;
use super::loss::note_loss;
use super::old_pages::OldPages;
use super::world::rrd_id;
use crate::group::{Captured, ClosedPage};
use crate::record::{self, Event};

impl<M: Medium<File: 'static>> Flusher<'_, M> {
    /// Saves the rows that members out of step would lose, and finds late rows their place: in the
    /// pages of this flush, in pages that are to be written over, or in the attic. On return the
    /// attic is synced, and the log counts its new pages, has the others, and is durable up to the
    /// capture.
    pub(super) fn settle(
        &self,
        cell: &Cell,
        tiles: &M::File,
        captured: &mut Captured,
    ) -> Result<Vec<ClosedPage>, Error> {
        let pages = OldPages { cell, tiles };
        let mut saved = pages.save_old_rows(captured)?;
        // Late rows stand in the log until a checkpoint has them, or counts their pages.
        let tiles_lose_rows = !saved.is_empty();
        let images = pages.place_late_rows(captured, &mut saved)?;
        let growing = AtticWriter { files: self.files, cell }.put(&saved)?;
        self.log_growth(cell, captured, &growing)?;
        self.log_images(cell, &images)?;
        // Rows of records that a power cut may take back shall replace nothing.
        let logged = if tiles_lose_rows || !images.is_empty() {
            self.log.journal.next()
        } else {
            captured.position
        };
        self.log.journal.commit_up_to(logged)?;
        self.count_growth(cell, captured, growing)?;
        saved.retain(|entry| entry.lost.is_some());
        if !saved.is_empty() {
            note_loss(self.registry, self.notes, cell, saved);
        }
        Ok(images)
    }

    /// Logs which pages the attic got, so that they are missed where they are lost before a
    /// checkpoint counts them.
    fn log_growth(
        &self,
        cell: &Cell,
        captured: &Captured,
        growing: &Growing<M::File>,
    ) -> Result<(), Error> {
        let blocks = captured.settled.iter().zip(&captured.flushed);
        let blocks: Vec<Range<i64>> =
            blocks.map(|(settled, flushed)| settled + 1..(flushed + 1).max(settled + 1)).collect();
        for growth in growing.growth(&blocks) {
            let mut bytes = Vec::new();
            growth.encode(&mut bytes);
            self.log_of_group(cell, &Event::Attic { growth: &bytes })?;
        }
        Ok(())
    }

    /// Logs pages whole before they are written over: a page that a power cut tears would take
    /// rows with it that the log no longer has.
    fn log_images(&self, cell: &Cell, images: &[ClosedPage]) -> Result<(), Error> {
        for image in images {
            let number = cell.page_of(image.key());
            let (offset_bytes, page) = (number * PAGE_BYTES as u64, image.page.bytes());
            self.log_of_group(cell, &Event::Tile { offset_bytes, page: &page[..] })?;
        }
        Ok(())
    }

    fn log_of_group(&self, cell: &Cell, event: &Event<'_>) -> Result<(), Error> {
        let mut group = cell.group();
        let owner = rrd_id(cell.id, 0);
        let position = record::append(&self.log.journal, owner, Generation(0), event)?;
        group.last_record = group.last_record.max(position);
        Ok(())
    }
}
