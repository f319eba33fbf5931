//! The rows of all members at once: from databases to tiles, column by column.

use std::io;
use std::path::Path;

use disk::{GoesOn, Medium, MediumFile};
use geometry::Shape;
use rrd::UNKNOWN;
use store::Adoptee;
use store::Error;

use super::stretch::{Stretch, WRITE_PAGES, Writer, write_behind};
use crate::attic::AtticEntry;
use crate::engine::FileKind;
use crate::engine::group_files::GroupFiles;
use crate::group::Group;
use crate::tile::{self, TilePlace};

impl<M: Medium<File: 'static>> GroupFiles<M> {
    /// Writes every tile that has a value, and zeros in place of the others, unless the store is
    /// sparse. Returns the rows that belong into the attic.
    pub(super) fn write_all_tiles(
        &self,
        group: &mut Group,
        adoptees: &[Adoptee],
        goes_on: GoesOn<'_>,
    ) -> Result<Vec<AtticEntry>, Error> {
        let name = FileKind::Tiles.name(group.id);
        let tiles = self.open(FileKind::Tiles, group.id)?;
        let mut private = Vec::new();
        let definition = &adoptees[0].snapshot.definition;
        // The rows of seasons are part of the live state.
        let is_in_tiles = |group: &Group, nth: usize| {
            !definition.archives[group.geometry.first_archive_of(nth)].cf.is_seasonal()
        };
        let shapes = 0..group.geometry.shapes().len();
        let shapes: Vec<usize> = shapes.filter(|nth| is_in_tiles(group, *nth)).collect();
        let room = shapes.iter().map(|nth| {
            let shape = &group.geometry.shapes()[*nth];
            columns_together(shape, adoptees.len()) * shape.ring_tiles as usize
        });
        let written = write_behind(&tiles, room.max().unwrap_or_default(), |writer| {
            let mut filling = Filling { adoptees, zeros: !self.sparse, private: &mut private };
            shapes.into_iter().try_for_each(|nth| filling.shape(group, nth, writer, goes_on))
        });
        written.map_err(Error::io("writing", Path::new(&name)))?;
        tiles.sync_data().map_err(Error::io("syncing", Path::new(&name)))?;
        Ok(private)
    }
}

/// How many columns of a shape are written together.
fn columns_together(shape: &Shape, members: usize) -> usize {
    let columns = members.div_ceil(shape.tile_databases as usize);
    (WRITE_PAGES / shape.ring_tiles as usize).clamp(1, columns)
}

/// What all shapes are filled with.
struct Filling<'a> {
    adoptees: &'a [Adoptee],
    /// Whether tiles without a value are written, too.
    zeros: bool,
    private: &'a mut Vec<AtticEntry>,
}

impl Filling<'_> {
    /// Fills the tiles of a shape and has them written, in the order in which they stand in the
    /// file.
    fn shape(
        &mut self,
        group: &mut Group,
        nth: usize,
        writer: &Writer<'_, impl MediumFile>,
        goes_on: GoesOn<'_>,
    ) -> io::Result<()> {
        let shape = group.geometry.shapes()[nth];
        let (databases, tiles) = (shape.tile_databases as usize, shape.ring_tiles as usize);
        let together = columns_together(&shape, self.adoptees.len());
        for (number, members) in self.adoptees.chunks(together * databases).enumerate() {
            disk::expect_wanted(goes_on)?;
            let Some(mut stretch) = writer.empty() else { return Ok(()) };
            let first_page = shape.page_of((number * together) as u32, 0);
            stretch.begin(first_page, members.len().div_ceil(databases) * tiles);
            let first_member = number * together * databases;
            for (member, adoptee) in (first_member..).zip(members) {
                let first_tile = (member - first_member) / databases * tiles;
                let mut ring = Ring { stretch: &mut stretch, first_tile, tiles };
                place_rows(group, nth, member as u16, adoptee, &mut ring, self.private);
            }
            for (page, block, bytes) in stretch.filled() {
                group.written.note(page);
                let (column, _) = shape.place_of(page).expect("the stretch is one of this shape");
                tile::seal(bytes, TilePlace { group: group.id, shape: nth as u32, column }, block);
            }
            if self.zeros {
                stretch.fill_with_zeros();
            }
            // A column of many pages takes long: it is asked for meanwhile whether it is still
            // wanted.
            match tiles > WRITE_PAGES {
                true => writer.write_here(stretch, goes_on)?,
                false => writer.write(stretch),
            }
        }
        Ok(())
    }
}

/// The tiles of one column.
struct Ring<'a> {
    stretch: &'a mut Stretch,
    first_tile: usize,
    tiles: usize,
}

/// Puts the rows of one member and shape into the pages of its column; those that no tile on disk
/// has room for, into open rows or among the private ones.
fn place_rows(
    group: &mut Group,
    nth: usize,
    member: u16,
    adoptee: &Adoptee,
    ring: &mut Ring<'_>,
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

/// Puts consecutive rows into the tiles of a ring, block by block. Divides once, not for each row.
fn fill(
    shape: &Shape,
    phase_pdps: u32,
    (member, sources): (u16, usize),
    (first_row, mut rows): (i64, &[f64]),
    ring: &mut Ring<'_>,
) {
    if rows.is_empty() {
        return;
    }
    let tile_rows = shape.tile_rows as usize;
    let slot_bytes = shape.slot_bytes(sources);
    let offset_bytes = shape.offset_bytes(0, member, sources);
    let mut block = shape.block_of(first_row, phase_pdps);
    let mut left = (shape.rows_of_block(block, phase_pdps).end - first_row) as usize;
    let mut slot = shape.slot_of(first_row);
    let mut nth = block.rem_euclid(shape.ring_tiles as i64) as usize;
    while !rows.is_empty() {
        let (of_block, later) = rows.split_at(rows.len().min(left * sources));
        // What a page begins with is unknown: only a row that is not makes a tile.
        if !is_unknown(of_block) {
            let page = ring.stretch.page(ring.first_tile + nth, block);
            for values in of_block.chunks_exact(sources) {
                tile::put(page, offset_bytes + slot * slot_bytes, values);
                slot = if slot + 1 == tile_rows { 0 } else { slot + 1 };
            }
        } else {
            slot = (slot + of_block.len() / sources) % tile_rows;
        }
        rows = later;
        block += 1;
        left = tile_rows;
        nth = if nth + 1 == ring.tiles { 0 } else { nth + 1 };
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
