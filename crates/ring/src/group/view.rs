//! What memory knows of the rows of one member.

use std::ops::Range;

use geometry::Shape;
use rrd::UNKNOWN;

use super::{Group, Status};
use crate::attic::AtticEntry;
use crate::group::TileKey;
use crate::tile::values_at;

/// Rows of one member and shape as memory knows them; the rest stands on disk.
#[derive(Clone, Debug)]
pub(crate) struct MemoryView {
    pub(crate) shape: usize,
    pub(crate) member: u16,
    pub(crate) generation: u32,
    pub(crate) first_row: i64,
    pub(crate) sources: usize,
    /// Row-major; unknown where another place has the row.
    pub(crate) values: Vec<f64>,
    /// Blocks, ascending, that are to be read from their tiles; rows of them in `values` are still
    /// unknown.
    pub(crate) blocks: Vec<i64>,
    /// Rows that stand in no tile yet, whatever is read.
    pub(crate) late: Vec<(i64, Vec<f64>)>,
    /// Whether the attic may have rows of the member.
    pub(crate) in_attic: bool,
    /// Rows up to this one were never written by the member.
    pub(crate) unborn_row: i64,
}

impl MemoryView {
    /// Copies the member's rows of one block from its page.
    pub(crate) fn take_block(&mut self, shape: &Shape, phase_pdps: u32, block: i64, page: &[u8]) {
        let sources = self.sources;
        let rows = shape.rows_of_block(block, phase_pdps);
        let end = self.first_row + (self.values.len() / sources) as i64;
        let start = self.first_row.max(self.unborn_row + 1);
        for row in rows.start.max(start)..rows.end.min(end) {
            let offset_bytes = shape.offset_bytes(shape.slot_of(row), self.member, sources);
            self.put(row, values_at(page, offset_bytes, sources));
        }
    }

    /// Puts one row, if it is one of those wanted.
    pub(crate) fn put(&mut self, row: i64, values: impl Iterator<Item = f64>) {
        let end = self.first_row + (self.values.len() / self.sources) as i64;
        if (self.first_row.max(self.unborn_row + 1)..end).contains(&row) {
            let at = (row - self.first_row) as usize * self.sources;
            let room = &mut self.values[at..at + self.sources];
            room.iter_mut().zip(values).for_each(|(room, value)| *room = value);
        }
    }

    /// Takes the rows of an entry of the attic that are wanted, if it is one of the view's own. An
    /// entry is a whole block as its tile was: rows in it that are unknown say nothing, since they
    /// may stand in another entry.
    pub(crate) fn take_entry(&mut self, entry: &AtticEntry) {
        let ours = (self.member, self.generation, self.shape);
        if (entry.member, entry.generation, usize::from(entry.shape)) != ours {
            return;
        }
        let rows = entry.values.chunks(self.sources).zip(entry.first_row..);
        let is_known = |value: &f64| value.to_bits() != UNKNOWN.to_bits();
        for (values, row) in rows.filter(|(values, _)| values.iter().any(is_known)) {
            self.put(row, values.iter().copied());
        }
    }

    /// Whether an entry of the attic marks a row of the member as lost that is wanted, and is not
    /// known from elsewhere.
    pub(crate) fn lacks(&self, entry: &AtticEntry) -> bool {
        let ours = (self.member, self.generation, self.shape);
        if entry.lost.is_none()
            || (entry.member, entry.generation, usize::from(entry.shape)) != ours
        {
            return false;
        }
        let rows = entry.rows(self.sources);
        let first = rows.start.max(self.unborn_row + 1);
        let is_unknown = |value: &f64| value.to_bits() == UNKNOWN.to_bits();
        let is_late = |row: i64| self.late.iter().any(|(late, _)| *late == row);
        let wanted = self.values.chunks(self.sources).zip(self.first_row..);
        wanted
            .filter(|(_, row)| (first..rows.end).contains(row))
            .any(|(values, row)| values.iter().all(is_unknown) && !is_late(row))
    }

    /// Whether a row is still unknown that the attic may have.
    pub(crate) fn asks_the_attic(&self) -> bool {
        let never_written = (self.unborn_row + 1 - self.first_row).max(0) as usize;
        let rows = self.values.chunks(self.sources).skip(never_written);
        let is_unknown = |value: &f64| value.to_bits() == UNKNOWN.to_bits();
        self.in_attic && rows.into_iter().any(|values| values.iter().all(is_unknown))
    }

    /// The rows, once everything was read.
    pub(crate) fn into_values(mut self) -> Vec<f64> {
        for (row, values) in std::mem::take(&mut self.late) {
            self.put(row, values.into_iter());
        }
        self.values
    }
}

impl Group {
    /// `count` rows of a shape from `first_row` on, as far as memory knows them.
    pub(crate) fn view(&self, member: u16, nth: usize, first_row: i64, count: usize) -> MemoryView {
        let shape = &self.geometry.shapes()[nth];
        let holder = &self.members[usize::from(member)];
        let sources = self.geometry.sources();
        let born_pdp = i64::from(holder.born_pdp);
        let mut view = MemoryView {
            shape: nth,
            member,
            generation: holder.generation.0,
            first_row,
            sources,
            values: vec![UNKNOWN; count * sources],
            blocks: Vec::new(),
            late: Vec::new(),
            in_attic: holder.status.has(Status::ATTIC),
            unborn_row: born_pdp.div_euclid(shape.pdp_per_row as i64),
        };
        let rows = first_row.max(view.unborn_row + 1)..first_row + count as i64;
        if !rows.is_empty() {
            let last_block = shape.block_of(rows.end - 1, self.phase_pdps);
            for block in shape.block_of(rows.start, self.phase_pdps)..=last_block {
                self.view_block(&mut view, block);
            }
            self.view_patches(&mut view, rows);
        }
        view
    }

    /// Takes a block from memory, or notes that it is to be read.
    fn view_block(&self, view: &mut MemoryView, block: i64) {
        let shape = &self.geometry.shapes()[view.shape];
        let column = shape.column_of(view.member);
        let open = &self.shapes[view.shape];
        if block > open.flushed_block {
            let found = open.blocks.iter().find(|open| open.block == block);
            if let Some(page) = found.and_then(|open| open.columns[column as usize].as_ref()) {
                view.take_block(shape, self.phase_pdps, block, page.bytes());
            }
            return;
        }
        let closing = self.closing.iter().rev();
        let mut same = closing.filter(|page| (page.block, page.column) == (block, column));
        match same.find(|page| page.shape as usize == view.shape) {
            Some(closed) => {
                view.take_block(shape, self.phase_pdps, block, closed.page.bytes());
            }
            // Of older blocks the tiles are written over.
            None if self.awaits_older(TileKey { shape: view.shape as u32, column, block }) => {}
            None if block > open.settled_block - shape.ring_tiles as i64 => view.blocks.push(block),
            None => {}
        }
    }

    /// Whether a newer page is on its way to the tile of a block.
    pub(super) fn awaits_newer(&self, nth: usize, column: u32, block: i64) -> bool {
        let ring_tiles = self.geometry.shapes()[nth].ring_tiles as i64;
        let mut closing = self.closing.iter();
        closing.any(|page| {
            (page.shape as usize, page.column) == (nth, column)
                && page.block > block
                && (page.block - block) % ring_tiles == 0
        })
    }

    /// Whether an older page is still on its way to the tile of a block. Then nobody had a value
    /// for the block, and a write that failed may have left anything there.
    pub(crate) fn awaits_older(&self, TileKey { shape, column, block }: TileKey) -> bool {
        let ring_tiles = self.geometry.shapes()[shape as usize].ring_tiles as i64;
        let mut waiting = self.closing.iter();
        waiting.any(|page| {
            (page.shape, page.column) == (shape, column)
                && page.block < block
                && (block - page.block) % ring_tiles == 0
        })
    }

    fn view_patches(&self, view: &mut MemoryView, rows: Range<i64>) {
        let sources = self.geometry.sources();
        for patches in [&self.settling, &self.patches] {
            let of_member = patches
                .rows()
                .iter()
                .filter(|patch| (patch.shape as usize, patch.member) == (view.shape, view.member));
            for patch in of_member.filter(|patch| rows.contains(&patch.row)) {
                view.late.push((patch.row, patches.values(patch, sources).to_vec()));
            }
        }
    }
}
