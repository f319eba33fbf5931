//! A ring: rows of one length, and how many of them.

use std::ops::Range;

/// Slots in a block (`K`): rows of a series that lie side by side.
///
/// With one slot a block, a reader of a series reads a page for each row. With all slots in one
/// block, each row that is written touches a page of its own.
pub const BLOCK_SLOTS: u64 = 12;

/// The rows of one length, in a ring of so many slots.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Ring {
    /// Seconds from one row to the next.
    pub row_seconds: u64,
    /// Rows that the ring holds.
    pub slots: u64,
}

impl Ring {
    /// The slot of the row that ends at a time, in seconds since 1970.
    ///
    /// # Panics
    /// If the ring has no slots, or rows of no length.
    #[must_use]
    pub fn slot_of(&self, row_end_seconds: i64) -> u64 {
        let row = row_end_seconds.div_euclid(self.row_seconds as i64);
        row.rem_euclid(self.slots as i64) as u64
    }

    /// The block of a slot.
    #[must_use]
    pub const fn block_of(&self, slot: u64) -> u64 {
        slot / BLOCK_SLOTS
    }

    /// The slots of a block.
    #[must_use]
    pub fn slots_of(&self, block: u64) -> Range<u64> {
        let first = block * BLOCK_SLOTS;
        first..self.slots.min(first + BLOCK_SLOTS)
    }

    /// How many blocks the ring has.
    #[must_use]
    pub const fn blocks(&self) -> u64 {
        self.slots.div_ceil(BLOCK_SLOTS)
    }

    /// The time from a row to the one that takes its slot, in seconds.
    #[must_use]
    pub const fn round_seconds(&self) -> i64 {
        (self.row_seconds * self.slots) as i64
    }

    /// The name of its table.
    #[must_use]
    pub fn table(&self) -> String {
        format!("gyre_{}s_{}", self.row_seconds, self.slots)
    }

    /// The name of its view.
    #[must_use]
    pub fn view(&self) -> String {
        format!("gyre_rows_{}s_{}", self.row_seconds, self.slots)
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_row_of_a_round_has_a_slot_of_its_own(
            row_seconds in 1_u64..100_000,
            slots in 1_u64..2_000,
            first_row in 0_i64..100_000_000,
        ) {
            let ring = Ring { row_seconds, slots };
            let end = |row: i64| (first_row + row) * row_seconds as i64;
            let mut seen: Vec<u64> = (0..slots as i64).map(|row| ring.slot_of(end(row))).collect();
            prop_assert_eq!(ring.slot_of(end(slots as i64)), seen[0], "the next round begins");
            prop_assert_eq!(end(slots as i64) - end(0), ring.round_seconds());
            seen.sort_unstable();
            prop_assert!(seen.into_iter().eq(0..slots));
        }
    }

    #[test]
    fn blocks_hold_all_slots() {
        for slots in 1..100 {
            let ring = Ring { row_seconds: 300, slots };
            assert_eq!(ring.blocks(), ring.block_of(slots - 1) + 1);
            let all = (0..ring.blocks()).flat_map(|block| ring.slots_of(block));
            assert!(all.eq(0..slots));
        }
    }
}
