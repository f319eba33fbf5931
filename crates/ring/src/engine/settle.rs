//! Late rows and old rows: what a flush does besides writing complete tiles.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use journal::Generation;
use rrd::UNKNOWN;
use store::Error;

use super::attic::Growing;
use super::loss::mark_of_tile;
use super::world::rrd_id;
use super::{Cell, Engine, FileKind};
use crate::attic::AtticEntry;
use crate::group::{Captured, ClosedPage, Laggard, TileKey};
use crate::patch::Patch;
use crate::record::{self, Event};
use crate::tile::{Page, TilePlace, values_at};

/// Rows of a member that are to be saved.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) member: u16,
    pub(super) generation: u32,
    /// The oldest row that the member shows.
    pub(super) oldest_row: i64,
}

/// What a page of a file of tiles holds.
enum Found {
    Block(i64, Page),
    Nothing,
    /// The number of the page.
    Damaged(u64),
}

impl<M: Medium<File: 'static>> Engine<M> {
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
        let mut saved = self.save_old_rows(cell, tiles, captured)?;
        // Late rows stand in the log until a checkpoint has them, or counts their pages.
        let tiles_lose_rows = !saved.is_empty();
        let images = self.place_late_rows(cell, tiles, captured, &mut saved)?;
        let growing = self.put_into_attic(cell, &saved)?;
        self.log_growth(cell, captured, &growing)?;
        self.log_images(cell, &images)?;
        // Rows of records that a power cut may take back shall replace nothing.
        let logged = if tiles_lose_rows || !images.is_empty() {
            self.journal.next()
        } else {
            captured.position
        };
        self.journal.commit_up_to(logged)?;
        self.count_growth(cell, captured, growing)?;
        saved.retain(|entry| entry.lost.is_some());
        if !saved.is_empty() {
            self.note_loss(cell, saved);
        }
        Ok(images)
    }

    /// The rows that laggards still need of blocks that leave the ring. Those on damaged pages are
    /// marked as lost.
    fn save_old_rows(
        &self,
        cell: &Cell,
        tiles: &M::File,
        captured: &Captured,
    ) -> Result<Vec<AtticEntry>, Error> {
        let mut wanted: BTreeMap<TileKey, Vec<Wanted>> = BTreeMap::new();
        for (nth, shape) in cell.geometry.shapes().iter().enumerate() {
            let ring_tiles = shape.ring_tiles as i64;
            let leaving =
                captured.settled[nth] - ring_tiles + 1..=captured.flushed[nth] - ring_tiles;
            for laggard in &captured.laggards {
                let newest = laggard.last_pdp.div_euclid(shape.pdp_per_row as i64);
                let oldest = newest - shape.rows as i64 + 1;
                let blocks = shape.block_of(oldest, cell.phase_pdps)
                    ..=shape.block_of(newest, cell.phase_pdps);
                let first = *leaving.start().max(blocks.start());
                for block in first..=*leaving.end().min(blocks.end()) {
                    let Laggard { member, generation, .. } = *laggard;
                    let column = shape.column_of(member);
                    let key = TileKey { shape: nth as u32, column, block };
                    let rows = Wanted { member, generation, oldest_row: oldest };
                    wanted.entry(key).or_default().push(rows);
                }
            }
        }
        let mut saved = Vec::new();
        for (key, members) in wanted {
            // The group may leap by more than a ring: the block is then still on its way.
            let closing = captured.pages.iter().find(|page| page.key() == key);
            let found = match closing {
                Some(closed) => Found::Block(closed.block, (*closed.page).clone()),
                None => self.look(cell, tiles, key)?,
            };
            for wanted in members {
                saved.extend(match &found {
                    Found::Block(block, page) if *block == key.block => {
                        rows_of(cell, key, page, wanted)
                    }
                    Found::Block(..) | Found::Nothing => None,
                    Found::Damaged(page) => mark_of_tile(cell, key, *page, wanted),
                });
            }
        }
        Ok(saved)
    }

    /// Puts late rows into their pages, or into the attic.
    fn place_late_rows(
        &self,
        cell: &Cell,
        tiles: &M::File,
        captured: &mut Captured,
        saved: &mut Vec<AtticEntry>,
    ) -> Result<Vec<ClosedPage>, Error> {
        let sources = cell.geometry.sources();
        let late = late_by_tile(cell, captured);
        let patches = std::mem::take(&mut captured.patches);
        let mut images = Vec::new();
        for (key, rows) in late {
            let put = |page: &mut Page| {
                let shape = &cell.geometry.shapes()[key.shape as usize];
                for patch in &rows {
                    let slot = shape.slot_of(patch.row);
                    let offset_bytes = shape.offset_bytes(slot, patch.member, sources);
                    page.put(offset_bytes, patches.values(patch, sources));
                }
            };
            match self.home_of(cell, tiles, captured, key)? {
                Home::Closing(nth) => {
                    let mut page = (*captured.pages[nth].page).clone();
                    put(&mut page);
                    captured.pages[nth].page = Arc::new(page);
                }
                Home::Page(mut page) => {
                    put(&mut page);
                    page.seal(place_of(cell, key), key.block);
                    let TileKey { shape, column, block } = key;
                    images.push(ClosedPage { shape, column, block, page: Arc::new(page) });
                }
                Home::Attic => saved.extend(rows.iter().map(|patch| AtticEntry {
                    generation: cell.group().members[usize::from(patch.member)].generation.0,
                    member: patch.member,
                    shape: patch.shape as u16,
                    first_row: patch.row,
                    values: patches.values(patch, sources).to_vec(),
                    lost: None,
                })),
            }
        }
        Ok(images)
    }

    /// Where the late rows of a block belong.
    fn home_of(
        &self,
        cell: &Cell,
        tiles: &M::File,
        captured: &Captured,
        key: TileKey,
    ) -> Result<Home, Error> {
        let shape = &cell.geometry.shapes()[key.shape as usize];
        let flushed = captured.flushed[key.shape as usize];
        if key.block > flushed || key.block <= flushed - shape.ring_tiles as i64 {
            return Ok(Home::Attic);
        }
        if let Some(nth) = captured.pages.iter().position(|page| page.key() == key) {
            return Ok(Home::Closing(nth));
        }
        Ok(match self.look(cell, tiles, key)? {
            Found::Block(block, page) if block == key.block => Home::Page(page),
            Found::Block(..) | Found::Nothing => Home::Page(Page::unknown()),
            // Its other rows are lost; these are not.
            Found::Damaged(_) => Home::Attic,
        })
    }

    /// Reads the page where a block belongs.
    fn look(&self, cell: &Cell, tiles: &M::File, key: TileKey) -> Result<Found, Error> {
        if cell.group().awaits_older(key) {
            return Ok(Found::Nothing);
        }
        let name = FileKind::Tiles.name(cell.id);
        let mut bytes = vec![0; PAGE_BYTES];
        let offset_bytes = offset_of(cell, key);
        let read = tiles.read_at(&mut bytes, offset_bytes);
        let read = read.map_err(Error::io("reading", Path::new(&name)))?;
        bytes[read..].fill(0); // a sparse file ends where nothing was written
        let number = offset_bytes / PAGE_BYTES as u64;
        Ok(match cell.block_in(&bytes, place_of(cell, key), number) {
            Ok(Some(block)) => {
                Page::of(&bytes).map_or(Found::Damaged(number), |page| Found::Block(block, page))
            }
            Ok(None) => Found::Nothing,
            Err(_) if cell.group().may_be_torn(place_of(cell, key), key.block, &bytes) => {
                Found::Nothing
            }
            Err(_) => {
                cell.group().damaged_pages.insert(number);
                Found::Damaged(number)
            }
        })
    }

    /// Logs pages whole before they are written over: a page that a power cut tears would take
    /// rows with it that the log no longer has.
    fn log_images(&self, cell: &Cell, images: &[ClosedPage]) -> Result<(), Error> {
        for image in images {
            let (offset_bytes, page) = (offset_of(cell, image.key()), image.page.bytes());
            self.log_of_group(cell, &Event::Tile { offset_bytes, page: &page[..] })?;
        }
        Ok(())
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

    fn log_of_group(&self, cell: &Cell, event: &Event<'_>) -> Result<(), Error> {
        let mut group = cell.group();
        let owner = rrd_id(cell.id, 0);
        let position = record::append(&self.journal, owner, Generation(0), event)?;
        group.last_record = group.last_record.max(position);
        Ok(())
    }
}

/// Where late rows belong.
enum Home {
    /// A page of this very flush.
    Closing(usize),
    /// A page that is written over.
    Page(Page),
    Attic,
}

fn place_of(cell: &Cell, TileKey { shape, column, .. }: TileKey) -> TilePlace {
    TilePlace { group: cell.id, shape, column }
}

fn offset_of(cell: &Cell, TileKey { shape, column, block }: TileKey) -> u64 {
    cell.geometry.shapes()[shape as usize].page_of(column, block) * PAGE_BYTES as u64
}

/// The rows of one member in a page that it shows.
fn rows_of(
    cell: &Cell,
    TileKey { shape, block, .. }: TileKey,
    page: &Page,
    Wanted { member, generation, oldest_row }: Wanted,
) -> Option<AtticEntry> {
    let geometry = &cell.geometry.shapes()[shape as usize];
    let sources = cell.geometry.sources();
    let rows = geometry.rows_of_block(block, cell.phase_pdps);
    let first_row = rows.start.max(oldest_row);
    let mut values = Vec::new();
    for row in first_row..rows.end {
        let offset_bytes = geometry.offset_bytes(geometry.slot_of(row), member, sources);
        values.extend(values_at(page.bytes(), offset_bytes, sources));
    }
    let known = values.iter().any(|value| value.to_bits() != UNKNOWN.to_bits());
    let shape = shape as u16;
    known.then_some(AtticEntry { generation, member, shape, first_row, values, lost: None })
}

/// The late rows of a flush by the tiles that they belong to.
fn late_by_tile(cell: &Cell, captured: &Captured) -> BTreeMap<TileKey, Vec<Patch>> {
    let mut late: BTreeMap<TileKey, Vec<Patch>> = BTreeMap::new();
    for patch in captured.patches.rows() {
        let shape = &cell.geometry.shapes()[patch.shape as usize];
        let block = shape.block_of(patch.row, cell.phase_pdps);
        let column = shape.column_of(patch.member);
        late.entry(TileKey { shape: patch.shape, column, block }).or_default().push(*patch);
    }
    late
}
