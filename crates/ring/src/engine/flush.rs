//! The flush of a group: tiles, then a checkpoint, then the log is freed.
//!
//! The order is what keeps the promise. Late rows are settled: what silent members still show goes
//! to the attic, which is synced. Then one commit makes durable the records up to the capture, the
//! count of the attic's new pages, and whole those pages that are to be written over in place. Then
//! tiles; a sync; the checkpoint to the place that holds the older one; a sync. Cut short anywhere,
//! the checkpoint before still stands, and the log since has everything: new pages of the attic
//! that no durable record counts are no part of it.

use std::collections::BTreeSet;
use std::path::Path;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use journal::LogPosition;
use store::Error;

use super::attic::{AtticWriter, Growing};
use super::committer::Committer;
use super::due::Due;
use super::group_files::GroupFiles;
use super::health::Health;
use super::log::Log;
use super::log_bound::LogBound;
use super::loss::note_loss;
use super::notes::Notes;
use super::old_pages::OldPages;
use super::registry::Registry;
use super::{Cell, FileKind};
use crate::checkpoint;
use crate::group::{Captured, ClosedPage, FlushKind, Place, TileKey};
use crate::tile::TilePlace;

/// Writes what groups have in memory to their files.
pub(super) struct Flusher<'e, M: Medium> {
    pub(super) files: &'e GroupFiles<M>,
    pub(super) log: &'e Log<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) committer: Committer<'e, M>,
    pub(super) bound: LogBound<'e, M>,
    pub(super) due: &'e Due,
    pub(super) health: &'e Health,
    pub(super) notes: &'e Notes,
    pub(super) late_rows_max: usize,
}

impl<M: Medium<File: 'static>> Flusher<'_, M> {
    /// Flushes all groups that are due. Returns whether there was one.
    ///
    /// # Errors
    /// What failed first; it is tried again with the group's next flush.
    pub(super) fn flush_all_due(&self) -> Result<bool, Error> {
        let mut any = false;
        let mut failed = Ok(());
        while let Some(done) = self.flush_next() {
            any = true;
            failed = failed.and(done);
        }
        failed.map(|()| any)
    }

    /// Flushes the group that has waited longest; `None` if none is due.
    pub(super) fn flush_next(&self) -> Option<Result<(), Error>> {
        let group = self.due.pop()?;
        Some(self.flush_due(group))
    }

    /// Writes a checkpoint of every group, and what the catalogue is to learn.
    ///
    /// # Errors
    /// What failed first.
    pub(super) fn checkpoint(&self) -> Result<(), Error> {
        self.registry.cells().iter().try_for_each(|cell| self.flush_fully(cell))?;
        self.committer.commit_in_turn()
    }

    /// Flushes a group that is due, as it asks.
    fn flush_due(&self, group: u32) -> Result<(), Error> {
        let Some(cell) = self.registry.world().cell(group).cloned() else { return Ok(()) };
        let (kind, pin) = {
            let group = cell.group();
            let late = group.rows.patches.len() >= self.late_rows_max;
            // A tile that rots before the torn ones are mended would pass for one of them.
            let mending = group.rows.shapes.iter().any(|shape| !shape.doubtful.is_empty());
            let kind = if late || mending { FlushKind::Checkpoint } else { group.due_kind() };
            (kind, group.pin())
        };
        // It looks at the world, which comes before the group in the order of locks.
        let kind = if self.bound.pins_too_much(pin) { FlushKind::Checkpoint } else { kind };
        self.flush(&cell, kind)
    }

    /// Writes whatever a group has to a checkpoint.
    pub(super) fn flush_fully(&self, cell: &Cell) -> Result<(), Error> {
        self.flush(cell, FlushKind::Checkpoint)
    }

    fn flush(&self, cell: &Cell, kind: FlushKind) -> Result<(), Error> {
        let one_at_a_time = cell.flushing();
        // What is left of a group that is lost is not written over with nothing.
        if cell.is_gone() || cell.why_lost().is_some() {
            return Ok(());
        }
        let done = self.flush_alone(cell, kind);
        drop(one_at_a_time);
        match &done {
            Ok(()) => self.bound.queue_pinning(),
            // What failed is not tried again at once: the disk may be full for long.
            Err(error) => self.health.note(error),
        }
        done
    }

    fn flush_alone(&self, cell: &Cell, kind: FlushKind) -> Result<(), Error> {
        // After a sync that failed a later one proves nothing, and the log is the only copy.
        self.health.check()?;
        let mut captured = {
            let mut group = cell.group();
            // Every record of the group lies before, and has been taken.
            let position = self.log.journal.next();
            group.capture(kind, position, checkpoint::encode)
        };
        match kind {
            FlushKind::Tiles => self.flush_tiles(cell, &captured),
            FlushKind::Checkpoint => {
                self.committer.commit_for_checkpoint()?;
                self.flush_checkpoint(cell, &mut captured)
            }
        }
    }

    /// Writes complete tiles for which nothing has to be saved, and does not wait for them.
    fn flush_tiles(&self, cell: &Cell, captured: &Captured) -> Result<(), Error> {
        if captured.pages.is_empty() || !captured.laggards.is_empty() {
            return Ok(()); // the next checkpoint writes them
        }
        // Rows of records that a power cut may take back shall replace nothing.
        self.log.journal.commit_up_to(captured.position)?;
        let tiles = self.files.open(FileKind::Tiles, cell.id)?;
        write_tiles(cell, &tiles, &captured.pages)?;
        cell.group().wrote_tiles(&keys_of(&captured.pages));
        let nothing = AtticWriter { files: self.files, cell }.put(&[])?;
        self.count_growth(cell, captured, nothing)
    }

    fn flush_checkpoint(&self, cell: &Cell, captured: &mut Captured) -> Result<(), Error> {
        let tiles = self.files.open(FileKind::Tiles, cell.id)?;
        let images = self.settle(cell, &tiles, captured)?;
        let mended = OldPages { cell, tiles: &tiles }.mend_torn(captured, &images)?;
        // Should a write fail half done, the page is whole in memory and is written again.
        cell.group().rows.closing.extend_from_slice(&images);
        captured.pages.extend(images.into_iter().chain(mended));
        write_tiles(cell, &tiles, &captured.pages)?;
        self.sync_tiles(cell, &tiles, &captured.pages)?;
        self.write_checkpoint(cell, captured)?;
        AtticWriter { files: self.files, cell }.remove_old();
        Ok(())
    }

    /// Waits until pages that were written are on disk, and with them every tile that was written
    /// before.
    fn sync_tiles(&self, cell: &Cell, tiles: &M::File, pages: &[ClosedPage]) -> Result<(), Error> {
        // Pages that were written before are gone from memory.
        let is_only_copy = cell.group().unsynced_tiles;
        let synced = if is_only_copy { tiles.sync_data_or_keep() } else { tiles.sync_data() };
        if let Err(source) = synced {
            if is_only_copy {
                // The kernel has forgotten to write them: the log has what they hold, and the next
                // opening takes it from there.
                self.health.stop();
            }
            cell.group().failed_pages.extend(numbers_of(cell, pages));
            let name = FileKind::Tiles.name(cell.id);
            return Err(Error::io("syncing", Path::new(&name))(source));
        }
        let mut group = cell.group();
        group.synced_tiles(&keys_of(pages));
        for number in numbers_of(cell, pages) {
            group.failed_pages.remove(&number);
        }
        Ok(())
    }

    /// Writes the checkpoint to the place that holds the older one.
    fn write_checkpoint(&self, cell: &Cell, captured: &mut Captured) -> Result<(), Error> {
        let (places, attic) = {
            let group = cell.group();
            checkpoint::note_attic(&mut captured.checkpoint, &group);
            checkpoint::put_files(&mut captured.checkpoint, &group);
            (group.places, group.attic)
        };
        let nth = usize::from(places[1].sequence < places[0].sequence);
        let sequence = places[0].sequence.max(places[1].sequence) + 1;
        // Once it is written, the place that is the newer one now is the older one.
        let newer = places[1 - nth].position;
        let log_start = self.bound.log_start_to_name(cell.id, newer);
        // A group whose replay failed meanwhile asks for its records no more, and needs them.
        self.health.check()?;
        let (position, attic_epoch) = (captured.position, attic.epoch);
        let written = Place { sequence, position, log_start, attic_epoch };
        if cell.group().fresh {
            self.files.write_place_again(cell.id, 1 - nth)?;
        }
        self.files.put_checkpoint(cell.id, nth, &mut captured.checkpoint, written, attic)?;
        let mut group = cell.group();
        group.checkpointed(nth, written, captured.vacating);
        drop(group);
        self.log.free(log_start);
        Ok(())
    }

    /// Counts the pages that the attic got by this flush. What is lost as the attic is cleared out
    /// is noted.
    pub(super) fn count_growth(
        &self,
        cell: &Cell,
        captured: &Captured,
        growing: Growing<M::File>,
    ) -> Result<(), Error> {
        let lost = AtticWriter { files: self.files, cell }.count(captured, growing)?;
        if !lost.is_empty() {
            note_loss(self.registry, self.notes, cell, lost);
        }
        Ok(())
    }

    /// Has both places of some group, or of two, name a log start that is no older. Returns whether
    /// they do: where there is no group none can.
    pub(super) fn name_log_start(&self, wanted: LogPosition) -> Result<bool, Error> {
        for _ in 0..2 {
            if self.is_named(wanted) {
                break;
            }
            let world = self.registry.world();
            let smallest = world.cells().min_by_key(|cell| (cell.group().members.len(), cell.id));
            let Some(smallest) = smallest.cloned() else { break };
            drop(world);
            self.flush_fully(&smallest)?;
        }
        Ok(self.is_named(wanted))
    }

    fn is_named(&self, log_start: LogPosition) -> bool {
        let world = self.registry.world();
        let places = world.cells().flat_map(|cell| cell.known_places());
        log_start == LogPosition(0)
            || places.filter(|place| place.log_start >= log_start).count() >= 2
    }
}

fn write_tiles<F: MediumFile>(cell: &Cell, tiles: &F, pages: &[ClosedPage]) -> Result<(), Error> {
    let _nobody_reads = cell.writing_tiles();
    let name = FileKind::Tiles.name(cell.id);
    let mut written = Vec::with_capacity(pages.len());
    let done = pages.iter().try_for_each(|page| {
        let place = TilePlace { group: cell.id, shape: page.shape, column: page.column };
        let mut sealed = (*page.page).clone();
        sealed.seal(place, page.block);
        let shape = &cell.geometry.shapes()[page.shape as usize];
        let number = shape.page_of(page.column, page.block);
        tiles.write_at(sealed.bytes(), number * PAGE_BYTES as u64)?;
        written.push(number);
        Ok(())
    });
    let mut group = cell.group();
    if done.is_err() {
        // Those behind the one that failed were not touched.
        group.failed_pages.extend(numbers_of(cell, pages).nth(written.len()));
    }
    written.into_iter().for_each(|page| group.written.note(page));
    done.map_err(Error::io("writing", Path::new(&name)))
}

/// Where pages stand in the file of tiles.
fn numbers_of(cell: &Cell, pages: &[ClosedPage]) -> impl Iterator<Item = u64> {
    let number = |page: &ClosedPage| {
        cell.geometry.shapes()[page.shape as usize].page_of(page.column, page.block)
    };
    pages.iter().map(number)
}

fn keys_of(pages: &[ClosedPage]) -> BTreeSet<TileKey> {
    pages.iter().map(ClosedPage::key).collect()
}
