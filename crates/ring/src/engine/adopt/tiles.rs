//! The rows of all members at once: from databases to tiles, column by column.

use std::path::Path;

use disk::{GoesOn, Medium, MediumFile};
use geometry::{PAGE_BYTES, Shape};
use rrd::UNKNOWN;
use store::Adoptee;
use store::Error;

use crate::attic::AtticEntry;
use crate::engine::FileKind;
use crate::engine::group_files::GroupFiles;
use crate::group::Group;
use crate::tile::{Page, TilePlace};

/// Pages that one write takes at most.
const WRITE_PAGES: usize = 256;

/// The tiles of one column; those that have a value, with their block.
type Ring = Vec<Option<(i64, Page)>>;

impl<M: Medium<File: 'static>> GroupFiles<M> {
    /// Writes every tile that has a value. Returns the rows that belong into the attic.
    pub(super) fn write_all_tiles(
        &self,
        group: &mut Group,
        adoptees: &[Adoptee],
        goes_on: GoesOn<'_>,
    ) -> Result<Vec<AtticEntry>, Error> {
        let name = FileKind::Tiles.name(group.id);
        let tiles = self.open(FileKind::Tiles, group.id)?;
        let mut private = Vec::new();
        for nth in 0..group.geometry.shapes().len() {
            let shape = group.geometry.shapes()[nth];
            let archive = group.geometry.first_archive_of(nth);
            if adoptees[0].snapshot.definition.archives[archive].cf.is_seasonal() {
                continue; // its rows are part of the live state
            }
            let databases = shape.tile_databases as usize;
            for (column, members) in adoptees.chunks(databases).enumerate() {
                let mut ring: Ring = vec![None; shape.ring_tiles as usize];
                for (member, adoptee) in (column * databases..).zip(members) {
                    place_rows(group, nth, member as u16, adoptee, &mut ring, &mut private);
                }
                let first_page = shape.page_of(column as u32, 0);
                let written = ring.iter().zip(first_page..).filter(|(page, _)| page.is_some());
                written.for_each(|(_, number)| group.written.note(number));
                let place = TilePlace { group: group.id, shape: nth as u32, column: column as u32 };
                write_ring(&tiles, &shape, place, &mut ring, goes_on)
                    .map_err(Error::io("writing", Path::new(&name)))?;
            }
        }
        tiles.sync_data().map_err(Error::io("syncing", Path::new(&name)))?;
        Ok(private)
    }
}

/// Writes the tiles of a column, neighbours together.
fn write_ring(
    tiles: &impl MediumFile,
    shape: &Shape,
    place: TilePlace,
    ring: &mut Ring,
    goes_on: GoesOn<'_>,
) -> std::io::Result<()> {
    let first_page = shape.page_of(place.column, 0);
    let mut bytes = Vec::with_capacity(WRITE_PAGES.min(ring.len()) * PAGE_BYTES);
    let mut start = 0;
    for nth in 0..=ring.len() {
        let page = ring.get_mut(nth).and_then(Option::take);
        if page.is_none() || bytes.len() == WRITE_PAGES * PAGE_BYTES {
            let offset_bytes = (first_page + start as u64) * PAGE_BYTES as u64;
            if !bytes.is_empty() {
                disk::expect_wanted(goes_on)?;
                tiles.write_at(&bytes, offset_bytes)?;
            }
            bytes.clear();
        }
        if let Some((block, mut page)) = page {
            if bytes.is_empty() {
                start = nth;
            }
            page.seal(place, block);
            bytes.extend_from_slice(page.bytes());
        }
    }
    Ok(())
}

/// Puts the rows of one member and shape into the pages of its column; those that no tile on disk
/// has room for, into open pages or among the private ones.
fn place_rows(
    group: &mut Group,
    nth: usize,
    member: u16,
    adoptee: &Adoptee,
    ring: &mut Ring,
    private: &mut Vec<AtticEntry>,
) {
    let shape = group.geometry.shapes()[nth];
    let sources = group.geometry.sources();
    let (phase_pdps, flushed) = (group.phase_pdps, group.rows.shapes[nth].flushed_block);
    let rows = &adoptee.snapshot.rows[group.geometry.first_archive_of(nth)];
    let newest = group.newest_row(nth, group.last_pdp(member));
    let first_row = newest - (rows.len() / sources) as i64 + 1;
    let oldest_block = flushed - shape.ring_tiles as i64 + 1;
    let end = newest + 1;
    let start = shape.rows_of_block(oldest_block, phase_pdps).start.clamp(first_row, end);
    let stop = shape.rows_of_block(flushed, phase_pdps).end.clamp(start, end);
    let split = |row: i64| (row - first_row) as usize * sources;
    fill(&shape, phase_pdps, (member, sources), (start, &rows[split(start)..split(stop)]), ring);
    let older = rows[..split(start)].chunks_exact(sources).zip(first_row..);
    let newer = rows[split(stop)..].chunks_exact(sources).zip(stop..);
    for (values, row) in older.chain(newer).filter(|(values, _)| !is_unknown(values)) {
        if shape.block_of(row, phase_pdps) > flushed && group.is_near(nth, row) {
            group.take_row(member, nth, row, values);
        } else {
            let generation = group.members[usize::from(member)].generation.0;
            let values = values.to_vec();
            let shape = nth as u16;
            let entry =
                AtticEntry { generation, member, shape, first_row: row, values, lost: None };
            extend(private, entry, sources);
        }
    }
}

/// Puts consecutive rows into the tiles of a ring. Divides once, not for each row.
fn fill(
    shape: &Shape,
    phase_pdps: u32,
    (member, sources): (u16, usize),
    (first_row, rows): (i64, &[f64]),
    ring: &mut Ring,
) {
    if rows.is_empty() {
        return;
    }
    let tile_rows = shape.tile_rows as usize;
    let slot_bytes = shape.tile_databases as usize * sources * size_of::<f64>();
    let offset_bytes = shape.offset_bytes(0, member, sources);
    let mut block = shape.block_of(first_row, phase_pdps);
    let mut left = (shape.rows_of_block(block, phase_pdps).end - first_row) as usize;
    let mut slot = shape.slot_of(first_row);
    let mut tile = block.rem_euclid(shape.ring_tiles as i64) as usize;
    for values in rows.chunks_exact(sources) {
        if !is_unknown(values) {
            let (found, page) = ring[tile].get_or_insert_with(|| (block, Page::unknown()));
            assert!(*found == block, "a ring has room for all its blocks");
            page.put(offset_bytes + slot * slot_bytes, values);
        }
        slot = if slot + 1 == tile_rows { 0 } else { slot + 1 };
        left -= 1;
        if left == 0 {
            block += 1;
            left = tile_rows;
            tile = if tile + 1 == ring.len() { 0 } else { tile + 1 };
        }
    }
}

fn is_unknown(values: &[f64]) -> bool {
    values.iter().all(|value| value.to_bits() == UNKNOWN.to_bits())
}

/// Adds a row, to the entry before it if it follows.
fn extend(private: &mut Vec<AtticEntry>, entry: AtticEntry, sources: usize) {
    match private.last_mut() {
        Some(last)
            if (last.member, last.shape, last.rows(sources).end)
                == (entry.member, entry.shape, entry.first_row) =>
        {
            last.values.extend(entry.values);
        }
        _ => private.push(entry),
    }
}
