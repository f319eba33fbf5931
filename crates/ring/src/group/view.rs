//! What memory knows of the rows of one member.

use std::ops::Range;

use geometry::{Shape, TILE_HEADER_BYTES};
use rrd::UNKNOWN;

use super::{Group, Status};
use crate::attic::AtticEntry;
use crate::group::TileKey;
use crate::open_block::OpenBlock;
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
    /// `count` rows of a shape of a member from `first_row` on, as far as memory knows them.
    pub(crate) fn of(group: &Group, member: u16, nth: usize, first_row: i64, count: usize) -> Self {
        let shape = &group.geometry.shapes()[nth];
        let holder = &group.members[usize::from(member)];
        let sources = group.geometry.sources();
        let born_pdp = holder.born.pdp();
        let mut view = Self {
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
            let last_block = shape.block_of(rows.end - 1, group.phase_pdps);
            for block in shape.block_of(rows.start, group.phase_pdps)..=last_block {
                view.look_at_block(group, block);
            }
            view.look_at_patches(group, rows);
        }
        view
    }

    /// Takes a block from memory, or notes that it is to be read.
    fn look_at_block(&mut self, group: &Group, block: i64) {
        let shape = &group.geometry.shapes()[self.shape];
        let column = shape.column_of(self.member);
        let open = &group.rows.shapes[self.shape];
        if block > open.flushed_block {
            let found = open.blocks.iter().find(|open| open.block == block);
            if let Some(open) = found {
                self.take_open(shape, group.phase_pdps, open);
            }
            return;
        }
        let key = TileKey { shape: self.shape as u32, column, block };
        match group.rows.closing.iter().rev().find(|page| page.key() == key) {
            Some(closed) => self.take_block(shape, group.phase_pdps, block, closed.page.slots()),
            // Of older blocks the tiles are written over.
            None if group.awaits_older(key) => {}
            None if block > open.settled_block - shape.ring_tiles as i64 => self.blocks.push(block),
            None => {}
        }
    }

    /// Takes the member's rows of a block whose tile is in the making.
    fn take_open(&mut self, shape: &Shape, phase_pdps: u32, open: &OpenBlock) {
        for row in self.wanted_of(shape.rows_of_block(open.block, phase_pdps)) {
            if let Some(values) = open.values(shape.slot_of(row), self.member) {
                self.put(row, values);
            }
        }
    }

    /// Those of some rows that are wanted.
    fn wanted_of(&self, rows: Range<i64>) -> Range<i64> {
        let end = self.first_row + (self.values.len() / self.sources) as i64;
        let start = self.first_row.max(self.unborn_row + 1);
        rows.start.max(start)..rows.end.min(end)
    }

    /// Takes late rows.
    fn look_at_patches(&mut self, group: &Group, rows: Range<i64>) {
        for patches in [&group.rows.settling, &group.rows.patches] {
            let begin = self.late.len();
            let of_member = patches.of_member(self.member);
            let of_shape = of_member.filter(|patch| patch.shape as usize == self.shape);
            for patch in of_shape.filter(|patch| rows.contains(&patch.row)) {
                self.late.push((patch.row, patches.values(patch, self.sources).to_vec()));
            }
            // The later one of a row counts.
            self.late[begin..].reverse();
        }
    }

    /// Copies the member's rows of one block from the row slots of its page.
    pub(crate) fn take_block(&mut self, shape: &Shape, phase_pdps: u32, block: i64, slots: &[u8]) {
        let sources = self.sources;
        let rows = self.wanted_of(shape.rows_of_block(block, phase_pdps));
        if rows.is_empty() {
            return;
        }
        let first = (rows.start - self.first_row) as usize * sources;
        let count = (rows.end - rows.start) as usize * sources;
        let at_slot = |slot| shape.offset_bytes(slot, self.member, sources) - TILE_HEADER_BYTES;
        let (start, slot_bytes) = (at_slot(0), shape.slot_bytes(sources));
        let mut slot = shape.slot_of(rows.start);
        for room in self.values[first..first + count].chunks_exact_mut(sources) {
            let values = values_at(slots, start + slot * slot_bytes, sources);
            room.iter_mut().zip(values).for_each(|(room, value)| *room = value);
            slot = if slot + 1 == shape.tile_rows as usize { 0 } else { slot + 1 };
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
    /// Whether an older page is still on its way to the tile of a block. Then no member had a value
    /// for the block, and a write that failed may have left anything there.
    pub(crate) fn awaits_older(&self, key: TileKey) -> bool {
        self.rows.awaits_older(&self.geometry.shapes()[key.shape as usize], key)
    }
}
