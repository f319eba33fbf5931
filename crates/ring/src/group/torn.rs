//! Whether a page that is no whole tile was torn by a flush that was cut short, or has rotted.
//!
//! A power cut in the middle of a flush leaves each sector of a page as it was or as it was to be.
//! What was to be is in memory again once the log was replayed: open rows and late rows, of which
//! some came after the flush. So a torn page has one of
//!
//! * the head of the new page,
//! * the head of the old page, and a sector that can be one of the new page.
//!
//! Anything else has rotted. Where members have no rows in a sector of the old page, it looks like
//! one of a new page that has none there either. So an old page with rows that a member still shows
//! counts as torn only if these very rows were saved: a flush puts them into the attic, and has the
//! log count its pages, before it writes over any tile.
//!
//! Of a torn page nothing is needed: rows of the old one that a member still shows went to the
//! attic before, and those of the new one are in memory.

use std::collections::BTreeMap;
use std::ops::Range;

use geometry::{PAGE_BYTES, Shape, TILE_HEADER_BYTES};
use rrd::UNKNOWN;

use super::{Group, OpenShape, TileKey};
use crate::attic::AtticEntry;
use crate::tile::{Page, TilePlace, block_of_head, checksum_in, values_at};

/// What a disk writes whole or not at all, in bytes.
const SECTOR_BYTES: usize = 512;
const _: () = assert!(PAGE_BYTES.is_multiple_of(SECTOR_BYTES));

/// Rows of a member on a page of the attic.
#[derive(Clone, Debug)]
pub(crate) struct SavedRows {
    member: u16,
    /// The shape that they are of, and which; all of the member where the page cannot be read.
    rows: Option<(u32, Range<i64>)>,
}

impl SavedRows {
    pub(crate) fn of(entry: &AtticEntry, sources: usize) -> Self {
        Self { member: entry.member, rows: Some((u32::from(entry.shape), entry.rows(sources))) }
    }

    /// Some rows of a member; it is not known which.
    pub(crate) fn unreadable(member: u16) -> Self {
        Self { member, rows: None }
    }

    pub(crate) fn member(&self) -> u16 {
        self.member
    }

    fn has(&self, shape: u32, member: u16, row: i64) -> bool {
        let has = |(of, rows): &(u32, Range<i64>)| *of == shape && rows.contains(&row);
        self.member == member && self.rows.as_ref().is_none_or(has)
    }
}

impl Group {
    /// Whether a page where a block belongs, which is no whole tile, may have been torn: by a flush
    /// that was cut short before the store was opened, or by a write that failed since.
    pub(crate) fn may_be_torn(&self, place: TilePlace, block: i64, page: &[u8]) -> bool {
        let TilePlace { shape, column, .. } = place;
        let geometry = &self.geometry.shapes()[shape as usize];
        self.failed_pages.contains(&geometry.page_of(column, block))
            && self.rows.awaits_newer(geometry, TileKey { shape, column, block })
            || Suspect::of(self, place, block).is_torn(page)
    }

    /// Whether a flush that was cut short may have been writing the tile where a block belongs.
    pub(crate) fn is_doubtful(&self, nth: usize, block: i64) -> bool {
        let ring_tiles = self.geometry.shapes()[nth].ring_tiles as i64;
        let doubtful = &self.rows.shapes[nth].doubtful;
        (block - doubtful.start).rem_euclid(ring_tiles) < doubtful.end - doubtful.start
    }

    /// The page that mends a torn one where a block belongs: the newest that the flush may have
    /// been writing, so that a mending which is itself cut short looks like it.
    pub(crate) fn mending_page(&self, place: TilePlace, block: i64) -> (i64, Page) {
        let newest = Suspect::of(self, place, block).new_pages().pop_last();
        newest.unwrap_or_else(|| (block, Page::unknown()))
    }
}

/// A tile that a flush may have torn which was cut short before the store was opened.
struct Suspect<'g> {
    group: &'g Group,
    place: TilePlace,
    shape: &'g Shape,
    open: &'g OpenShape,
    /// The newest block that belongs there.
    block: i64,
}

impl<'g> Suspect<'g> {
    fn of(group: &'g Group, place: TilePlace, block: i64) -> Self {
        let nth = place.shape as usize;
        let (shape, open) = (&group.geometry.shapes()[nth], &group.rows.shapes[nth]);
        Self { group, place, shape, open, block }
    }

    fn is_torn(&self, page: &[u8]) -> bool {
        let Self { group, place, shape, block, .. } = *self;
        if !group.is_doubtful(place.shape as usize, block) {
            return false;
        }
        if !group.written.has(shape.page_of(place.column, block)) {
            return true; // the flush was the first one to write there: no row of another is lost
        }
        let Some(found) = block_of_head(page, place) else { return false };
        let is_here = (found - block) % shape.ring_tiles as i64 == 0;
        let is_new = self.open.doubtful.contains(&found);
        let is_untouched = || is_here && self.is_shown_and_not_saved(found, page);
        (is_here && is_new) || (!is_untouched() && self.is_mixed(page, is_here))
    }

    /// Whether some member still shows a row that is known of the block in a page, and that no
    /// flush saved when it came to write over tiles.
    fn is_shown_and_not_saved(&self, block: i64, page: &[u8]) -> bool {
        let Self { group, place, shape, .. } = *self;
        let nth = place.shape as usize;
        let rows = shape.rows_of_block(block, group.phase_pdps);
        let sources = group.geometry.sources();
        let is_known = |value: f64| value.to_bits() != UNKNOWN.to_bits();
        let here = group.present().filter(|(member, _)| shape.column_of(*member) == place.column);
        here.into_iter().any(|(member, holder)| {
            let newest = group.newest_row(nth, group.last_pdp(member));
            let unborn = holder.born.pdp().div_euclid(shape.pdp_per_row as i64);
            let first = rows.start.max(newest - shape.rows as i64 + 1).max(unborn + 1);
            (first..rows.end.min(newest + 1)).any(|row| {
                let at = shape.offset_bytes(shape.slot_of(row), member, sources);
                let has = |saved: &SavedRows| saved.has(place.shape, member, row);
                let is_saved = || group.saved_uncounted.iter().any(has);
                values_at(page, at, sources).any(is_known) && !is_saved()
            })
        })
    }

    /// Whether a page that has the head of an old one goes on with sectors of a new page; or has
    /// its checksum, where a write was cut short within the head. The head `is_here` if its block
    /// belongs to this page.
    fn is_mixed(&self, page: &[u8], is_here: bool) -> bool {
        let gone = self.gone();
        let mut new_pages = self.new_pages();
        if !gone.is_empty() {
            new_pages.entry(self.block).or_insert_with(Page::unknown);
        }
        new_pages.into_iter().any(|(block, mut new)| {
            let mut sectors = (SECTOR_BYTES..PAGE_BYTES).step_by(SECTOR_BYTES);
            let mixed = is_here && sectors.any(|at| self.can_be_new(at, page, new.bytes(), &gone));
            new.seal(self.place, block);
            mixed || checksum_in(page)[0] == checksum_in(new.bytes())[0]
        })
    }

    /// Whether a sector can be that of a new page, and members have places there. Rows may be
    /// missing that came after the flush; those of members who are gone may be any.
    fn can_be_new(&self, start: usize, page: &[u8], new: &[u8], gone: &[u64]) -> bool {
        let Self { group, place, shape, .. } = *self;
        let value_bytes = 8 * group.geometry.sources();
        let first_member = u64::from(place.column) * shape.tile_databases;
        let mut has_places = false;
        for at in (start..start + SECTOR_BYTES).step_by(8) {
            let nth = ((at - TILE_HEADER_BYTES) / value_bytes) as u64;
            let database = nth % shape.tile_databases;
            let is_place = nth < shape.tile_rows * shape.tile_databases
                && first_member + database < group.members.len() as u64;
            let found = value_at(page, at);
            let of_gone = is_place && gone.contains(&database);
            if found != UNKNOWN.to_bits() && found != value_at(new, at) && !of_gone {
                return false;
            }
            has_places |= is_place;
        }
        has_places
    }

    /// The places, within the tile, of members who are gone since the last checkpoint: their late
    /// rows went with them.
    fn gone(&self) -> Vec<u64> {
        let here = |member: &&u16| self.shape.column_of(**member) == self.place.column;
        let gone = self.group.gone.iter().filter(here);
        gone.map(|member| u64::from(*member) % self.shape.tile_databases).collect()
    }

    /// What a flush may have been writing to the tile, by block.
    fn new_pages(&self) -> BTreeMap<i64, Page> {
        let Self { group, place, shape, open, block } = *self;
        let is_new = |found: i64| {
            open.doubtful.contains(&found) && (found - block) % shape.ring_tiles as i64 == 0
        };
        let mut pages = BTreeMap::new();
        for each in open.blocks.iter().filter(|each| is_new(each.block)) {
            let page = each.has(place.column).then(|| each.page(place.column));
            pages.extend(page.map(|page| (each.block, page)));
        }
        for each in group.rows.closing.iter().filter(|each| is_new(each.block)) {
            if (each.shape, each.column) == (place.shape, place.column) {
                pages.insert(each.block, (*each.page).clone());
            }
        }
        let sources = group.geometry.sources();
        for patches in [&group.rows.settling, &group.rows.patches] {
            for patch in patches.rows().iter().filter(|patch| patch.shape == place.shape) {
                let block = shape.block_of(patch.row, group.phase_pdps);
                if is_new(block) && shape.column_of(patch.member) == place.column {
                    let at = shape.offset_bytes(shape.slot_of(patch.row), patch.member, sources);
                    let page = pages.entry(block).or_insert_with(Page::unknown);
                    page.put(at, patches.values(patch, sources));
                }
            }
        }
        pages
    }
}

/// The bits of the value at an offset of a page.
fn value_at(page: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(page[at..at + 8].as_chunks().0[0])
}
