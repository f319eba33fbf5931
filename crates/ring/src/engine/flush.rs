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
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use journal::LogPosition;
use store::Error;

use super::{Cell, Engine, FileKind};
use crate::checkpoint::{self, Stamp};
use crate::group::{AtticExtent, Captured, ClosedPage, FlushKind, Place, TileKey};
use crate::plan;
use crate::tile::TilePlace;

impl<M: Medium<File: 'static>> Engine<M> {
    /// Flushes a group that is due, as it asks.
    pub(super) fn flush_due(&self, group: u32) -> Result<(), Error> {
        let Some(cell) = self.world().cell(group).cloned() else { return Ok(()) };
        let (kind, pin) = {
            let group = cell.group();
            let late = group.patches.len() >= self.options.late_rows_max;
            // A tile that rots before the torn ones are mended would pass for one of them.
            let mending = group.shapes.iter().any(|shape| !shape.doubtful.is_empty());
            let kind = if late || mending { FlushKind::Checkpoint } else { group.due_kind() };
            (kind, group.pin())
        };
        // It looks at the world, which comes before the group in the order of locks.
        let kind = if self.pins_too_much(pin) { FlushKind::Checkpoint } else { kind };
        self.flush(&cell, kind)
    }

    /// Writes whatever a group has to a checkpoint.
    pub(super) fn flush_fully(&self, cell: &Arc<Cell>) -> Result<(), Error> {
        self.flush(cell, FlushKind::Checkpoint)
    }

    fn flush(&self, cell: &Cell, kind: FlushKind) -> Result<(), Error> {
        let one_at_a_time = cell.flushing();
        if cell.is_gone() {
            return Ok(());
        }
        let done = self.flush_alone(cell, kind);
        drop(one_at_a_time);
        match &done {
            Ok(()) => self.queue_pinning(),
            // What failed is not tried again at once: the disk may be full for long.
            Err(error) => self.note_trouble(error),
        }
        done
    }

    fn flush_alone(&self, cell: &Cell, kind: FlushKind) -> Result<(), Error> {
        // After a sync that failed a later one proves nothing, and the log is the only copy.
        self.check_sound()?;
        let mut captured = {
            let mut group = cell.group();
            // Every record of the group lies before, and has been taken.
            let position = self.journal.next();
            group.capture(kind, position)
        };
        match kind {
            FlushKind::Tiles => self.flush_tiles(cell, &captured),
            FlushKind::Checkpoint => {
                self.commit_for_checkpoint()?;
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
        self.journal.commit_up_to(captured.position)?;
        let tiles = self.open(FileKind::Tiles, cell.id)?;
        self.write_tiles(cell, &tiles, &captured.pages)?;
        cell.group().wrote_tiles(&keys_of(&captured.pages));
        let nothing = self.put_into_attic(cell, &[])?;
        self.count_growth(cell, captured, nothing)
    }

    fn flush_checkpoint(&self, cell: &Cell, captured: &mut Captured) -> Result<(), Error> {
        let tiles = self.open(FileKind::Tiles, cell.id)?;
        let images = self.settle(cell, &tiles, captured)?;
        let mended = self.mend_torn(cell, &tiles, captured, &images)?;
        // Should a write fail half done, the page is whole in memory and is written again.
        cell.group().closing.extend_from_slice(&images);
        captured.pages.extend(images.into_iter().chain(mended));
        self.write_tiles(cell, &tiles, &captured.pages)?;
        // Pages that were written before are gone from memory.
        let is_only_copy = cell.group().unsynced_tiles;
        let synced = if is_only_copy { tiles.sync_data_or_keep() } else { tiles.sync_data() };
        if let Err(source) = synced {
            if is_only_copy {
                // The kernel has forgotten to write them: the log has what they hold, and the next
                // opening takes it from there.
                self.broken.store(true, Ordering::Release);
            }
            let numbers = numbers_of(cell, &captured.pages);
            cell.group().failed_pages.extend(numbers);
            let name = FileKind::Tiles.name(cell.id);
            return Err(Error::io("syncing", Path::new(&name))(source));
        }
        let mut group = cell.group();
        group.synced_tiles(&keys_of(&captured.pages));
        for number in numbers_of(cell, &captured.pages) {
            group.failed_pages.remove(&number);
        }
        drop(group);
        self.write_checkpoint(cell, captured)?;
        self.remove_old_attics(cell);
        Ok(())
    }

    fn write_tiles(&self, cell: &Cell, tiles: &M::File, pages: &[ClosedPage]) -> Result<(), Error> {
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
        let log_start = self.unless_held(self.oldest_pin(Some((cell.id, newer))).0);
        let (position, attic_epoch) = (captured.position, attic.epoch);
        let written = Place { sequence, position, log_start, attic_epoch };
        if cell.group().fresh {
            self.write_place_again(cell.id, 1 - nth)?;
        }
        self.put_checkpoint(cell.id, nth, &mut captured.checkpoint, written, attic)?;
        self.memory_gaps.note_flush();
        let mut group = cell.group();
        if group.fresh {
            self.memory_gaps.leave();
        }
        group.checkpointed(nth, written, captured.vacating);
        drop(group);
        self.free_log(log_start);
        Ok(())
    }

    fn put_checkpoint(
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
    fn write_place_again(&self, group: u32, nth: usize) -> Result<(), Error> {
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

    /// Both places of a group that nobody has updated yet.
    pub(super) fn write_checkpoints(&self, cell: &Cell, attic: AtticExtent) -> Result<(), Error> {
        let position = self.journal.next();
        let log_start = LogPosition(self.log_start.load(Ordering::Acquire));
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

    pub(super) fn open(&self, kind: FileKind, group: u32) -> Result<M::File, Error> {
        let name = kind.name(group);
        let file = self.medium.open(&name).map_err(Error::io("opening", Path::new(&name)))?;
        if kind == FileKind::Tiles {
            // A read takes the tiles of one column; those beside them are of other databases.
            file.advise_random().map_err(Error::io("advising", Path::new(&name)))?;
        }
        Ok(file)
    }

    /// Frees the log. `log_start` stands in the checkpoint just written, the one before in another:
    /// only what both allow is freed, so that one of them may rot.
    fn free_log(&self, log_start: LogPosition) {
        let before = self.log_start.fetch_max(log_start.0, Ordering::AcqRel).min(log_start.0);
        let mut freed = self.freed.lock().unwrap_or_else(PoisonError::into_inner);
        if LogPosition(before) > *freed {
            *freed = LogPosition(before);
            self.journal.free_before(*freed);
        }
    }

    /// The oldest record that anybody may ask for, and the group that may. Of the group in
    /// `instead` the position given counts.
    fn oldest_pin(&self, instead: Option<(u32, LogPosition)>) -> (LogPosition, Option<u32>) {
        let durable = self.journal.durable();
        let pending = self.catalogue_writer().pending_from;
        let catalogue = (pending.unwrap_or(durable).min(durable), None);
        let world = self.world();
        let pins = world.cells().filter_map(|cell| match instead {
            Some((id, pin)) if id == cell.id => Some((pin, Some(cell.id))),
            _ => Some((cell.group().pin()?, Some(cell.id))),
        });
        // Of equal ones the catalogue's, and then the first group's.
        let (position, group) =
            pins.fold(
                catalogue,
                |(oldest, whose), (pin, group)| {
                    if pin < oldest { (pin, group) } else { (oldest, whose) }
                },
            );
        (self.not_before_log_start(position), group)
    }

    /// A group that nobody updated for long has old checkpoints, and its first record since does
    /// not bring back what came between.
    fn not_before_log_start(&self, position: LogPosition) -> LogPosition {
        position.max(LogPosition(self.log_start.load(Ordering::Acquire)))
    }

    fn pins_too_much(&self, pin: Option<LogPosition>) -> bool {
        let next = self.journal.next().0;
        let held = |pin| next.saturating_sub(self.not_before_log_start(pin).0);
        pin.is_some_and(|pin| held(pin) > self.log_bytes_max())
    }

    /// Groups that keep too much of the log from being freed are due, whatever their clock says.
    pub(super) fn queue_pinning(&self) {
        let (pin, group) = self.oldest_pin(None);
        let Some(group) = group.filter(|_| self.pins_too_much(Some(pin))) else { return };
        let Some(cell) = self.world().cell(group).cloned() else { return };
        let was_queued = std::mem::replace(&mut cell.group().queued, true);
        if !was_queued {
            self.due.push(group);
        }
    }

    pub(super) fn log_bytes_max(&self) -> u64 {
        let usual = || {
            let world = self.world();
            let sources = world.cells().map(|cell| cell.geometry.sources()).max();
            let databases = world.databases() as u64;
            plan::log_bytes_max(databases, sources.unwrap_or(1), self.options.pace)
        };
        self.options.log_bytes_max.unwrap_or_else(usual)
    }

    /// Where the log has grown too long, the groups that keep it from being freed are due.
    pub(super) fn bound_log(&self) {
        let log_start = self.log_start.load(Ordering::Acquire);
        if self.journal.next().0 - log_start > self.log_bytes_max() {
            self.queue_pinning();
        }
    }
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
