//! Everything in the store against its checksums: what is damaged, and where.

use std::io::ErrorKind;
use std::path::Path;

use disk::{Medium, MediumFile};
use geometry::{PAGE_BYTES, Shape};
use journal::JournalError;
use pagecache::reader::{Long, Options};
use store::{Damage, Error, Verified};

use super::attic::FAULT;
use super::found::Found;
use super::group_files::GroupFiles;
use super::log::Log;
use super::loss::{Ends, damage_of_marks, ends_of};
use super::registry::Registry;
use super::replay::Replayer;
use super::{Cell, FileKind};
use crate::attic::{AtticEntry, entries_of};
use crate::catalogue::CatalogueError;
use crate::checkpoint;
use crate::group::{AtticPage, Group};
use crate::tile::TilePlace;

/// Bytes that are read at once.
const READ_BYTES: usize = 1 << 20;
const _: () = assert!(READ_BYTES.is_multiple_of(PAGE_BYTES));

/// A look at everything must not drive out of memory what others need.
const LEAVING_THE_CACHE: Options = Options { leave_cached: true, ..Options::DEFAULT };

/// Checks everything in a store.
pub(super) struct Verifier<'e, M: Medium> {
    pub(super) files: &'e GroupFiles<M>,
    pub(super) log: &'e Log<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) found: &'e Found,
    pub(super) replayer: &'e Replayer<M>,
}

impl<M: Medium<File: 'static>> Verifier<'_, M> {
    /// Checks everything: catalogue, journal, and of every group both checkpoints, the attic and
    /// each tile. A megabyte at a time; the store serves on, but for the group that is looked at,
    /// which is not flushed meanwhile. `progress` is told bytes done and bytes in all.
    ///
    /// # Errors
    /// Those of the machine. Damage is no error, but what is told.
    pub(super) fn verify(&self, mut progress: impl FnMut(u64, u64)) -> Result<Verified, Error> {
        self.registry.replay_all();
        let cells = self.registry.cells();
        let total_bytes = cells.iter().map(|cell| cell.geometry.file_bytes()).sum();
        let mut verified = Verified::default();
        for lost in self.found.damaged.iter().chain(&self.replayer.lost(&self.registry.world())) {
            let (file, what) = (format!("group {:06}", lost.group), lost.what.clone());
            verified.damage.push(Damage { file, offset_bytes: None, what });
        }
        self.verify_catalogue(&mut verified)?;
        self.verify_journal(&mut verified)?;
        let mut done_bytes = 0;
        for cell in cells {
            let _nobody_flushes = cell.flushing();
            if cell.is_gone() {
                continue;
            }
            self.verify_checkpoints(&cell, &mut verified)?;
            let marks = self.verify_attic(&cell, &mut verified)?;
            self.verify_tiles(&cell, &mut verified, |bytes| {
                done_bytes += bytes;
                progress(done_bytes, total_bytes);
            })?;
            self.tell_marks(&cell, &marks, &mut verified);
        }
        Ok(verified)
    }

    fn verify_catalogue(&self, verified: &mut Verified) -> Result<(), Error> {
        match self.registry.catalogue_writer().check(self.registry.medium()) {
            Err(CatalogueError::Damaged { what, .. }) => {
                verified.damage.push(Damage { file: "catalogue".into(), offset_bytes: None, what });
                Ok(())
            }
            checked => Ok(checked?),
        }
    }

    fn verify_journal(&self, verified: &mut Verified) -> Result<(), Error> {
        let met = self.log.journal.damage().iter().map(|each| Damage {
            file: each.segment.clone(),
            offset_bytes: Some(each.offset_bytes),
            what: format!("{}; nothing of it is needed", each.what),
        });
        verified.damage.extend(met);
        match self.log.journal.verify() {
            Ok(bytes) => verified.bytes += bytes,
            Err(JournalError::Damaged { segment, offset_bytes, expected, found }) => {
                let what = format!("expected {expected}, found {found}");
                let offset_bytes = Some(offset_bytes);
                let is_same =
                    |each: &Damage| each.file == segment && each.offset_bytes == offset_bytes;
                if !verified.damage.iter().any(is_same) {
                    verified.damage.push(Damage { file: segment, offset_bytes, what });
                }
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Both places. One that an interrupted flush left half written looks damaged too: as long as
    /// the other is whole nothing is lost, and the next flush writes it anew.
    fn verify_checkpoints(&self, cell: &Cell, verified: &mut Verified) -> Result<(), Error> {
        for nth in 0..2 {
            let name = FileKind::Checkpoint(nth).name(cell.id);
            let bytes = match self.files.read_whole(&name) {
                Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                    Vec::new()
                }
                read => read?,
            };
            verified.bytes += bytes.len() as u64;
            let header = &bytes[..bytes.len().min(checkpoint::HEADER_BYTES)];
            let checked = checkpoint::stamp_of(header, cell.id).and_then(|(_, length_bytes)| {
                // What is too short is noticed by its checksum.
                checkpoint::check_body(&bytes[..bytes.len().min(length_bytes as usize)])
            });
            let Err(fault) = checked else { continue };
            let what = format!("{fault}; the group's other checkpoint serves");
            verified.damage.push(Damage { file: name, offset_bytes: None, what });
        }
        Ok(())
    }

    /// What was lost when damaged pages were written over, as far as members still show it. A page
    /// that is damaged still was told already.
    fn tell_marks(&self, cell: &Cell, marks: &[AtticEntry], verified: &mut Verified) {
        for lost in damage_of_marks(self.registry, cell, marks) {
            let is_same =
                |each: &Damage| (&each.file, each.offset_bytes) == (&lost.file, lost.offset_bytes);
            if !verified.damage.iter().any(is_same) {
                verified.damage.push(lost);
            }
        }
    }

    /// Checks the attic of a group. Returns its marks of lost rows.
    fn verify_attic(&self, cell: &Cell, verified: &mut Verified) -> Result<Vec<AtticEntry>, Error> {
        let mut marks = Vec::new();
        let extent = cell.group().attic;
        if extent.pages == 0 {
            return Ok(marks);
        }
        let name = FileKind::Attic(extent.epoch).name(cell.id);
        let file = match self.files.open(FileKind::Attic(extent.epoch), cell.id) {
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                let what = "there is no such file; it had rows of databases out of step".into();
                verified.damage.push(Damage { file: name, offset_bytes: None, what });
                let epoch = extent.epoch;
                let pages = (0..extent.pages).map(|page| AtticPage { epoch, page });
                cell.group().damaged_attic.extend(pages);
                return Ok(marks);
            }
            opened => opened?,
        };
        let reading = Long::new(&file, LEAVING_THE_CACHE);
        let mut page = vec![0; PAGE_BYTES];
        for number in 0..extent.pages {
            let offset_bytes = u64::from(number) * PAGE_BYTES as u64;
            let read = reading.read_at(&mut page, offset_bytes);
            let read = read.map_err(Error::io("reading", Path::new(&name)))?;
            verified.bytes += read as u64;
            match entries_of(&page[..read], cell.geometry.sources(), cell.id, number) {
                Some(entries) => {
                    marks.extend(entries.into_iter().filter(|entry| entry.lost.is_some()));
                }
                None => {
                    let page = AtticPage { epoch: extent.epoch, page: number };
                    cell.group().damaged_attic.insert(page);
                    verified.damage.push(damaged_attic(cell.id, page));
                }
            }
        }
        cell.group().lost_rows.clone_from(&marks);
        Ok(marks)
    }

    /// Reads all attics, so that a report names what is damaged there: they are small
    /// where databases keep step.
    ///
    /// # Errors
    /// Those of the machine.
    pub(super) fn check_attics(&self) -> Result<(), Error> {
        self.registry.replay_all();
        let cells = self.registry.cells();
        for cell in cells {
            let _nobody_flushes = cell.flushing();
            if !cell.is_gone() {
                self.verify_attic(&cell, &mut Verified::default())?;
            }
        }
        Ok(())
    }

    fn verify_tiles(
        &self,
        cell: &Cell,
        verified: &mut Verified,
        mut read: impl FnMut(u64),
    ) -> Result<(), Error> {
        let name = FileKind::Tiles.name(cell.id);
        let io = || Error::io("reading", Path::new(&name));
        let tiles = self.files.open(FileKind::Tiles, cell.id)?;
        let file_bytes = tiles.len_bytes().map_err(io())?;
        let reading = Long::new(&tiles, LEAVING_THE_CACHE);
        if file_bytes > cell.geometry.file_bytes() || file_bytes < cell.geometry.file_bytes() {
            let what = format!("expected {} bytes, found {file_bytes}", cell.geometry.file_bytes());
            verified.damage.push(Damage { file: name.clone(), offset_bytes: None, what });
        }
        let mut buffer = vec![0; READ_BYTES];
        let mut places = places_of(cell);
        let mut offset_bytes = 0;
        while offset_bytes < cell.geometry.file_bytes() {
            let count = reading.read_at(&mut buffer, offset_bytes).map_err(io())?;
            let wanted =
                (cell.geometry.file_bytes() - offset_bytes).min(READ_BYTES as u64) as usize;
            buffer[count.min(wanted)..wanted].fill(0); // a sparse file may end before
            for (nth, page) in buffer[..wanted].chunks(PAGE_BYTES).enumerate() {
                let (place, tile) = places.next().expect("a file has the pages of its shapes");
                let at = offset_bytes + (nth * PAGE_BYTES) as u64;
                // That the file ends too early was told once.
                if at < file_bytes {
                    verify_tile(cell, (place, tile, at), page, verified);
                }
            }
            offset_bytes += wanted as u64;
            verified.bytes += count as u64;
            read(wanted as u64);
        }
        Ok(())
    }
}

/// A damaged page of an attic, in words.
pub(super) fn damaged_attic(group: u32, AtticPage { epoch, page }: AtticPage) -> Damage {
    let what = format!("{FAULT}; its rows, of databases out of step, read as unknown");
    let offset_bytes = Some(u64::from(page) * PAGE_BYTES as u64);
    Damage { file: FileKind::Attic(epoch).name(group), offset_bytes, what }
}

/// The place of every page of a group's file, in order, with its number in the ring.
pub(super) fn places_of(cell: &Cell) -> impl Iterator<Item = (TilePlace, u64)> {
    let shapes = cell.geometry.shapes().iter().enumerate();
    shapes.flat_map(move |(nth, shape)| {
        let columns = 0..shape.columns as u32;
        columns.flat_map(move |column| {
            let place = TilePlace { group: cell.id, shape: nth as u32, column };
            (0..shape.ring_tiles).map(move |tile| (place, tile))
        })
    })
}

/// Checks one page: its checksum, its place, and that its block can be.
fn verify_tile(
    cell: &Cell,
    (place, tile, offset_bytes): (TilePlace, u64, u64),
    page: &[u8],
    verified: &mut Verified,
) {
    let number = offset_bytes / PAGE_BYTES as u64;
    let what = match cell.block_in(page, place, number) {
        Ok(None) => return,
        Ok(Some(block)) => {
            verified.tiles += 1;
            let shape = &cell.geometry.shapes()[place.shape as usize];
            if block.rem_euclid(shape.ring_tiles as i64) == tile as i64 {
                cell.note_seen(place, tile, number);
                return;
            }
            format!("block {block} belongs elsewhere")
        }
        Err(fault) => fault.to_string(),
    };
    let mut group = cell.group();
    let block = group.block_of_tile(place, tile);
    if group.is_awaited(place, tile) || group.may_be_torn(place, block, page) {
        return;
    }
    group.damaged_pages.insert(number);
    let ends = ends_of_lost(&group, place.shape as usize, tile);
    let first = place.column as usize
        * group.geometry.shapes()[place.shape as usize].tile_databases as usize;
    let what = match ends {
        Some(ends) => format!(
            "{what}; the rows that end from {} to {} of members {first} and on read as unknown",
            ends.first, ends.last
        ),
        None => format!("{what}; its rows read as unknown"),
    };
    drop(group);
    let file = FileKind::Tiles.name(cell.id);
    verified.damage.push(Damage { file, offset_bytes: Some(offset_bytes), what });
}

/// When the rows end that a tile should have.
fn ends_of_lost(group: &Group, nth: usize, tile: u64) -> Option<Ends> {
    let shape: &Shape = &group.geometry.shapes()[nth];
    let newest = group.rows.shapes[nth].flushed_block;
    let back = (newest - tile as i64).rem_euclid(shape.ring_tiles as i64);
    let rows = shape.rows_of_block(newest.checked_sub(back)?, group.phase_pdps);
    ends_of(group, nth, &rows)
}

impl Cell {
    /// Notes that a tile was written, which an earlier version did not: from the next checkpoint on
    /// its loss is known. One that may be on its way to the disk still is not noted.
    fn note_seen(&self, place: TilePlace, tile: u64, number: u64) {
        let mut group = self.group();
        let nth = place.shape as usize;
        let in_doubt = group.is_doubtful(nth, group.block_of_tile(place, tile));
        if !group.written.has(number) && !in_doubt && !group.is_awaited(place, tile) {
            group.written.note(number);
        }
    }
}

impl Group {
    /// Whether a page is on its way to a tile: what stands there is not needed, and may be
    /// anything.
    fn is_awaited(&self, place: TilePlace, tile: u64) -> bool {
        let ring_tiles = self.geometry.shapes()[place.shape as usize].ring_tiles as i64;
        self.rows.closing.iter().any(|page| {
            (page.shape, page.column) == (place.shape, place.column)
                && page.block.rem_euclid(ring_tiles) == tile as i64
        })
    }

    /// The block that a tile should have; a flush that was cut short wrote one of a ring later.
    fn block_of_tile(&self, place: TilePlace, tile: u64) -> i64 {
        let nth = place.shape as usize;
        let ring_tiles = self.geometry.shapes()[nth].ring_tiles as i64;
        let flushed = self.rows.shapes[nth].flushed_block;
        flushed - (flushed - tile as i64).rem_euclid(ring_tiles)
    }
}
