//! What a flush does with pages that were written before: it saves the rows of them that members
//! still show, and finds the pages where late rows belong.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use disk::MediumFile;
use geometry::PAGE_BYTES;
use rrd::UNKNOWN;
use store::Error;

use super::loss::mark_of_tile;
use super::rows_to_save::RowsToSave;
use super::{Cell, FileKind};
use crate::attic::AtticEntry;
use crate::group::{Captured, ClosedPage, Laggard, TileKey};
use crate::patch::{Patch, Patches};
use crate::tile::{Page, TilePlace, values_at};

/// The pages of a group's tiles as they are before a flush writes them.
pub(super) struct OldPages<'f, F> {
    pub(super) cell: &'f Cell,
    pub(super) tiles: &'f F,
}

/// What a page of a file of tiles holds.
enum Found {
    Block(i64, Page),
    Nothing,
    /// The number of the page.
    Damaged(u64),
}

/// Where late rows belong.
enum Home {
    /// A page of this very flush.
    Closing(usize),
    /// A page that is written over.
    Page(Page),
    Attic,
}

impl<F: MediumFile> OldPages<'_, F> {
    /// The rows that laggards still need of blocks that leave the ring. Those on damaged pages are
    /// marked as lost.
    pub(super) fn save_old_rows(&self, captured: &Captured) -> Result<Vec<AtticEntry>, Error> {
        let cell = self.cell;
        let mut saved = Vec::new();
        for (key, members) in rows_leaving(cell, captured) {
            // The group may leap by more than a ring: the block is then still on its way.
            let closing = captured.pages.iter().find(|page| page.key() == key);
            let found = match closing {
                Some(closed) => Found::Block(closed.block, (*closed.page).clone()),
                None => self.look(key)?,
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

    /// Puts late rows into the pages of this flush, or with `saved` into the attic. Returns the
    /// pages that are to be written over.
    pub(super) fn place_late_rows(
        &self,
        captured: &mut Captured,
        saved: &mut Vec<AtticEntry>,
    ) -> Result<Vec<ClosedPage>, Error> {
        let late = late_by_tile(self.cell, captured);
        let patches = std::mem::take(&mut captured.patches);
        let mut images = Vec::new();
        for (key, rows) in late {
            match self.home_of(captured, key)? {
                Home::Closing(nth) => {
                    let mut page = (*captured.pages[nth].page).clone();
                    put_rows(self.cell, key, &mut page, &patches, &rows);
                    captured.pages[nth].page = Arc::new(page);
                }
                Home::Page(mut page) => {
                    put_rows(self.cell, key, &mut page, &patches, &rows);
                    page.seal(place_of(self.cell, key), key.block);
                    let TileKey { shape, column, block } = key;
                    images.push(ClosedPage { shape, column, block, page: Arc::new(page) });
                }
                Home::Attic => {
                    saved.extend(rows.iter().map(|row| entry_of(self.cell, &patches, row)))
                }
            }
        }
        Ok(images)
    }

    /// Where the late rows of a block belong.
    fn home_of(&self, captured: &Captured, key: TileKey) -> Result<Home, Error> {
        let shape = &self.cell.geometry.shapes()[key.shape as usize];
        let flushed = captured.flushed[key.shape as usize];
        if key.block > flushed || key.block <= flushed - shape.ring_tiles as i64 {
            return Ok(Home::Attic);
        }
        if let Some(nth) = captured.pages.iter().position(|page| page.key() == key) {
            return Ok(Home::Closing(nth));
        }
        Ok(match self.look(key)? {
            Found::Block(block, page) if block == key.block => Home::Page(page),
            Found::Block(..) | Found::Nothing => Home::Page(Page::unknown()),
            // Its other rows are lost; these are not.
            Found::Damaged(_) => Home::Attic,
        })
    }

    /// Looks at the page where a block belongs.
    fn look(&self, key: TileKey) -> Result<Found, Error> {
        let cell = self.cell;
        if cell.group().awaits_older(key) {
            return Ok(Found::Nothing);
        }
        let number = cell.page_of(key);
        let bytes = self.read(number)?;
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

    /// Reads a page.
    pub(super) fn read(&self, number: u64) -> Result<Vec<u8>, Error> {
        let name = FileKind::Tiles.name(self.cell.id);
        let mut bytes = vec![0; PAGE_BYTES];
        let read = self.tiles.read_at(&mut bytes, number * PAGE_BYTES as u64);
        let read = read.map_err(Error::io("reading", Path::new(&name)))?;
        bytes[read..].fill(0); // a sparse file ends where nothing was written
        Ok(bytes)
    }
}

fn place_of(cell: &Cell, TileKey { shape, column, .. }: TileKey) -> TilePlace {
    TilePlace { group: cell.id, shape, column }
}

/// The rows that laggards still need of blocks that leave the ring, by the tiles where they stand.
fn rows_leaving(cell: &Cell, captured: &Captured) -> BTreeMap<TileKey, Vec<RowsToSave>> {
    let mut wanted: BTreeMap<TileKey, Vec<RowsToSave>> = BTreeMap::new();
    for (nth, shape) in cell.geometry.shapes().iter().enumerate() {
        let ring_tiles = shape.ring_tiles as i64;
        let leaving = captured.settled[nth] - ring_tiles + 1..=captured.flushed[nth] - ring_tiles;
        for laggard in &captured.laggards {
            let newest = laggard.last_pdp.div_euclid(shape.pdp_per_row as i64);
            let oldest = newest - shape.rows as i64 + 1;
            let blocks =
                shape.block_of(oldest, cell.phase_pdps)..=shape.block_of(newest, cell.phase_pdps);
            let first = *leaving.start().max(blocks.start());
            for block in first..=*leaving.end().min(blocks.end()) {
                let Laggard { member, generation, .. } = *laggard;
                let column = shape.column_of(member);
                let key = TileKey { shape: nth as u32, column, block };
                let rows = RowsToSave { member, generation, oldest_row: oldest };
                wanted.entry(key).or_default().push(rows);
            }
        }
    }
    wanted
}

/// The rows of one member in a page that it shows.
fn rows_of(
    cell: &Cell,
    TileKey { shape, block, .. }: TileKey,
    page: &Page,
    RowsToSave { member, generation, oldest_row }: RowsToSave,
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

/// Puts late rows into the page where they belong.
fn put_rows(cell: &Cell, key: TileKey, page: &mut Page, patches: &Patches, rows: &[Patch]) {
    let shape = &cell.geometry.shapes()[key.shape as usize];
    let sources = cell.geometry.sources();
    for patch in rows {
        let slot = shape.slot_of(patch.row);
        let offset_bytes = shape.offset_bytes(slot, patch.member, sources);
        page.put(offset_bytes, patches.values(patch, sources));
    }
}

/// A late row as the attic has it.
fn entry_of(cell: &Cell, patches: &Patches, patch: &Patch) -> AtticEntry {
    AtticEntry {
        generation: cell.group().members[usize::from(patch.member)].generation.0,
        member: patch.member,
        shape: patch.shape as u16,
        first_row: patch.row,
        values: patches.values(patch, cell.geometry.sources()).to_vec(),
        lost: None,
    }
}
