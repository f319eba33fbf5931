//! The rows of one block in the making: row by row, all databases of a group side by side.
//!
//! ```text
//!   row slot 0   | piece: columns 0 .. p | piece: columns p .. 2p | ...
//!   row slot 1   | ...
//! ```
//!
//! Updates that come in the order of their databases write one row from its begin to its end; tiles
//! ([`OpenBlock::page`]) are made of it column by column, once. A piece takes memory when the first
//! value for it comes; what is not there is unknown.

use geometry::{PAGE_BYTES, Shape, TILE_HEADER_BYTES};
use rrd::UNKNOWN;

use crate::tile::{Page, values_at};

/// A piece has about so many bytes of one row.
const PIECE_BYTES: usize = PAGE_BYTES - TILE_HEADER_BYTES;

/// The rows of one block that have a value.
#[derive(Clone, Debug)]
pub(crate) struct OpenBlock {
    pub(crate) block: i64,
    /// Bytes of one row of one database, and of all databases of a column.
    value_bytes: usize,
    slot_bytes: usize,
    /// Bytes of a whole row, and of its pieces but for the last.
    row_bytes: usize,
    piece_bytes: usize,
    databases_a_column: u32,
    /// One bit a column: whether a database of it has a value.
    filled: Box<[u64]>,
    /// The pieces of each row slot, as far as there are such slots.
    pieces: Vec<Option<Box<[u8]>>>,
}

impl OpenBlock {
    /// A block without a row.
    pub(crate) fn empty(block: i64, shape: &Shape, sources: usize) -> Self {
        let value_bytes = sources * size_of::<f64>();
        let slot_bytes = shape.slot_bytes(sources);
        let row_bytes = shape.columns as usize * slot_bytes;
        let piece_bytes = (PIECE_BYTES / slot_bytes).max(1) * slot_bytes;
        let filled = vec![0; (shape.columns as usize).div_ceil(64)].into();
        let databases_a_column = shape.tile_databases as u32;
        let pieces = Vec::new();
        Self {
            block,
            value_bytes,
            slot_bytes,
            row_bytes,
            piece_bytes,
            databases_a_column,
            filled,
            pieces,
        }
    }

    /// Writes the values of one row of one database.
    #[inline]
    pub(crate) fn put(&mut self, slot: usize, member: u16, values: &[f64]) {
        assert!(size_of_val(values) == self.value_bytes);
        let column = u32::from(member) / self.databases_a_column;
        self.filled[column as usize / 64] |= 1 << (column % 64);
        let at = usize::from(member) * self.value_bytes;
        let (piece, at) = (at / self.piece_bytes, at % self.piece_bytes);
        let value_bytes = self.value_bytes;
        let room = &mut self.piece_mut(slot, piece)[at..][..value_bytes];
        for (room, value) in room.as_chunks_mut().0.iter_mut().zip(values) {
            *room = value.to_bits().to_le_bytes();
        }
    }

    /// Writes a row of all databases of a column.
    pub(crate) fn put_slot(&mut self, slot: usize, column: u32, bytes: &[u8]) {
        let at = column as usize * self.slot_bytes;
        let (piece, at) = (at / self.piece_bytes, at % self.piece_bytes);
        let slot_bytes = self.slot_bytes;
        self.piece_mut(slot, piece)[at..][..slot_bytes].copy_from_slice(bytes);
    }

    /// Has a column count as one with values.
    pub(crate) fn fill(&mut self, column: u32) {
        self.filled[column as usize / 64] |= 1 << (column % 64);
    }

    /// Whether a database of a column has a value.
    pub(crate) fn has(&self, column: u32) -> bool {
        self.filled[column as usize / 64] & 1 << (column % 64) != 0
    }

    /// The columns that have a value.
    pub(crate) fn columns(&self) -> impl Iterator<Item = u32> {
        (0..self.filled.len() as u32 * 64).filter(|column| self.has(*column))
    }

    /// The row slots of a column up to the last one that may be known; `None` is unknown.
    pub(crate) fn slots(&self, column: u32) -> impl Iterator<Item = Option<&[u8]>> {
        let at = column as usize * self.slot_bytes;
        let (piece, at) = (at / self.piece_bytes, at % self.piece_bytes);
        let rows = self.pieces.chunks_exact(self.pieces_a_row());
        rows.map(move |row| Some(&row[piece].as_ref()?[at..][..self.slot_bytes]))
    }

    /// One row of one database, if it may be known.
    pub(crate) fn values(&self, slot: usize, member: u16) -> Option<impl Iterator<Item = f64>> {
        let at = usize::from(member) * self.value_bytes;
        let (piece, at) = (at / self.piece_bytes, at % self.piece_bytes);
        let piece = self.pieces.get(slot * self.pieces_a_row() + piece)?.as_ref()?;
        Some(values_at(piece, at, self.value_bytes / size_of::<f64>()))
    }

    /// The tile of a column, without its head.
    pub(crate) fn page(&self, column: u32) -> Page {
        Page::of_slots(self.slots(column), self.slot_bytes)
    }

    /// Bytes of memory beside the block itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        let values: usize = self.pieces.iter().flatten().map(|piece| piece.len()).sum();
        let pieces = self.pieces.capacity() * size_of::<Option<Box<[u8]>>>();
        values + pieces + size_of_val(&*self.filled)
    }

    /// Bytes of a row of all databases of a column.
    pub(crate) fn slot_bytes(&self) -> usize {
        self.slot_bytes
    }

    fn pieces_a_row(&self) -> usize {
        self.row_bytes.div_ceil(self.piece_bytes)
    }

    #[inline]
    fn piece_mut(&mut self, slot: usize, piece: usize) -> &mut [u8] {
        let at = slot * self.pieces_a_row() + piece;
        if self.pieces.get(at).is_none_or(Option::is_none) {
            self.take_room(slot, piece);
        }
        self.pieces[at].as_mut().expect("there is room now")
    }

    #[cold]
    fn take_room(&mut self, slot: usize, piece: usize) {
        let in_row = self.pieces_a_row();
        let slots_end = (slot + 1) * in_row;
        if self.pieces.len() < slots_end {
            self.pieces.reserve_exact(slots_end - self.pieces.len());
            self.pieces.resize(slots_end, None);
        }
        let bytes = self.piece_bytes.min(self.row_bytes - piece * self.piece_bytes);
        let unknown = UNKNOWN.to_bits().to_le_bytes();
        self.pieces[slot * in_row + piece] = Some(unknown.repeat(bytes / 8).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Geometry, Pace};

    /// MRTG's layout: 14 databases and 18 rows a page of its first shape.
    fn geometry() -> Geometry {
        let archives =
            [(1, 600), (6, 700)].map(|(pdps, rows)| format!("RRA:AVERAGE:0.5:{pdps}:{rows}"));
        let sources = ["a", "b"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
        let specs: Vec<String> = sources.into_iter().chain(archives).collect();
        let definition = rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap();
        Geometry::new(&definition, Pace::default(), 4032, true).unwrap()
    }

    #[test]
    fn a_column_is_the_page_that_it_would_be_alone() {
        let geometry = geometry();
        let shape = &geometry.shapes()[0];
        let mut open = OpenBlock::empty(0, shape, 2);
        let mut whole = Page::unknown();
        let column = 20;
        assert!(!open.has(column));
        for (slot, place) in [(0, 3), (5, 0), (17, 13)] {
            let member = (column * shape.tile_databases as u32 + place) as u16;
            open.put(slot, member, &[1.5, slot as f64]);
            whole.put(shape.offset_bytes(slot, member, 2), &[1.5, slot as f64]);
            assert!(open.page(column) == whole);
            let values: Vec<f64> = open.values(slot, member).unwrap().collect();
            assert_eq!(values, [1.5, slot as f64]);
        }
        assert_eq!(open.columns().collect::<Vec<_>>(), [column]);
        let mut read = OpenBlock::empty(0, shape, 2);
        for (slot, bytes) in open.slots(column).enumerate() {
            bytes.iter().for_each(|bytes| read.put_slot(slot, column, bytes));
        }
        assert!(read.page(column) == whole);
    }

    #[test]
    fn it_takes_memory_for_the_rows_that_it_has() {
        let geometry = geometry();
        let shape = &geometry.shapes()[0];
        let mut open = OpenBlock::empty(0, shape, 2);
        let members = 0..geometry.capacity() as u16;
        for slot in 0..shape.tile_rows as usize {
            members.clone().for_each(|member| open.put(slot, member, &[1.0, 2.0]));
            let rows_bytes = (slot + 1) * members.len() * 16;
            assert!(open.memory_bytes() >= rows_bytes);
            assert!(open.memory_bytes() < rows_bytes + rows_bytes / 50 + PAGE_BYTES);
        }
    }
}
