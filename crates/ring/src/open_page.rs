//! A page in the making: it takes memory for the rows that it has.

use geometry::{Shape, TILE_HEADER_BYTES};
use rrd::UNKNOWN;

use crate::tile::Page;

/// Memory is taken for about so much at a time.
const GROWTH_BYTES: usize = 512;

/// The rows of one block and column, of which the last are not there yet.
#[derive(Clone, Debug)]
pub(crate) struct OpenPage {
    /// Whole row slots, as they stand behind the head of a tile; those behind them are unknown.
    slots: Vec<u8>,
    slot_bytes: usize,
}

/// Bytes of a row slot of a shape: one row of all databases of a column.
pub(crate) fn slot_bytes(shape: &Shape, sources: usize) -> usize {
    shape.tile_databases as usize * sources * 8
}

impl OpenPage {
    /// A page without a row.
    pub(crate) fn empty(shape: &Shape, sources: usize) -> Self {
        Self { slots: Vec::new(), slot_bytes: slot_bytes(shape, sources) }
    }

    /// Writes the values of one row of one database, whose place is that in the page.
    pub(crate) fn put(&mut self, offset_bytes: usize, values: &[f64]) {
        let at = offset_bytes - TILE_HEADER_BYTES;
        self.reach(at / self.slot_bytes);
        let room = &mut self.slots[at..][..values.len() * 8];
        for (room, value) in room.as_chunks_mut().0.iter_mut().zip(values) {
            *room = value.to_bits().to_le_bytes();
        }
    }

    /// Writes a whole row slot.
    pub(crate) fn put_slot(&mut self, slot: usize, bytes: &[u8]) {
        self.reach(slot);
        self.slots[slot * self.slot_bytes..][..self.slot_bytes].copy_from_slice(bytes);
    }

    /// The row slots, but for unknown ones at the end.
    pub(crate) fn slots(&self) -> std::slice::ChunksExact<'_, u8> {
        self.slots.chunks_exact(self.slot_bytes)
    }

    /// The bytes of [`OpenPage::slots`].
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.slots
    }

    /// The whole page, without its head.
    pub(crate) fn to_page(&self) -> Page {
        Page::of_slots(&self.slots)
    }

    /// Bytes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.slots.capacity()
    }

    /// Makes room for a row slot.
    fn reach(&mut self, slot: usize) {
        let needed = (slot + 1) * self.slot_bytes;
        if let Some(missing) = needed.checked_sub(self.slots.len()).filter(|missing| *missing > 0) {
            if needed > self.slots.capacity() {
                self.slots.reserve_exact(missing.next_multiple_of(GROWTH_BYTES));
            }
            let unknown = UNKNOWN.to_bits().to_le_bytes();
            self.slots.extend(std::iter::repeat_n(unknown, missing / 8).flatten());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::PAGE_BYTES;

    /// Of a layout with two sources, 14 databases and 18 rows a page.
    fn page() -> OpenPage {
        OpenPage { slots: Vec::new(), slot_bytes: 14 * 2 * 8 }
    }

    #[test]
    fn a_page_is_what_a_whole_one_would_be() {
        let (mut open, mut whole) = (page(), Page::unknown());
        for (slot, place) in [(0, 3), (5, 0), (17, 13)] {
            let offset_bytes = TILE_HEADER_BYTES + (slot * 14 + place) * 16;
            open.put(offset_bytes, &[1.5, slot as f64]);
            whole.put(offset_bytes, &[1.5, slot as f64]);
            assert_eq!(open.bytes().len(), (slot + 1) * 224);
            assert!(open.to_page() == whole);
        }
        let mut read = page();
        open.slots().enumerate().for_each(|(slot, bytes)| read.put_slot(slot, bytes));
        assert!(read.to_page() == whole);
    }

    #[test]
    fn it_takes_memory_for_the_rows_that_it_has() {
        let mut open = page();
        for slot in 0..18 {
            open.put(TILE_HEADER_BYTES + slot * 224, &[1.0, 2.0]);
            assert!(open.memory_bytes() < (slot + 1) * 224 + GROWTH_BYTES);
        }
        assert!(open.memory_bytes() <= PAGE_BYTES + GROWTH_BYTES);
    }
}
