//! Which slots a row reserves: those of the block that it begins.
//!
//! ```text
//!  block  | skipped | row | to come in this visit | reserved |
//!           looked_at.start ..................... end
//! ```
//!
//! No slot is written twice by a visit: a database may refuse that. Where a block stays unreserved,
//! its rows are inserted one by one, which is right all the same.

use std::ops::RangeInclusive;

use sqlring::Ring;

/// The blocks of a ring that a visit finds begun, or begins.
#[derive(Clone)]
pub(crate) struct Openings {
    ring: Ring,
    /// The ends of the first and last row that the visit looks at.
    looked_at: RangeInclusive<i64>,
    /// The block that was begun last.
    block: Option<u64>,
    /// The one that this visit began first: where it looks at a whole round, it ends there.
    first: Option<u64>,
}

impl Openings {
    /// `fed_seconds` is the end of a row that was fed before, whose block is begun.
    pub(crate) fn new(
        ring: Ring,
        looked_at: RangeInclusive<i64>,
        fed_seconds: Option<i64>,
    ) -> Self {
        let block = fed_seconds.map(|seconds| ring.block_of(ring.slot_of(seconds)));
        Self { ring, looked_at, block, first: None }
    }

    /// Whether the block of a row that is passed over is begun, so that its slot has to be reserved.
    pub(crate) fn is_open(&self, time_seconds: i64) -> bool {
        self.block == Some(self.ring.block_of(self.ring.slot_of(time_seconds)))
    }

    /// The slots that a row reserves; rows come in the order of time.
    pub(crate) fn begin(&mut self, time_seconds: i64) -> Vec<u64> {
        let slot = self.ring.slot_of(time_seconds);
        let block = self.ring.block_of(slot);
        let was_begun = self.block == Some(block) || self.first == Some(block);
        self.block = Some(block);
        if was_begun {
            return Vec::new();
        }
        self.first.get_or_insert(block);
        let is_free = |other: &u64| {
            let rows = *other as i64 - slot as i64;
            let seconds = time_seconds + rows * self.ring.row_seconds as i64;
            let round_seconds = self.ring.round_seconds();
            // Rows before this one in the block were passed over.
            let is_taken = rows >= 0 && self.looked_at.contains(&seconds);
            let other_rounds = [seconds - round_seconds, seconds + round_seconds];
            !is_taken && !other_rounds.iter().any(|seconds| self.looked_at.contains(seconds))
        };
        self.ring.slots_of(block).filter(is_free).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Openings;
    use proptest::prelude::*;
    use sqlring::Ring;
    use std::collections::HashSet;

    const RING: Ring = Ring { row_seconds: 300, slots: 30 };

    proptest! {
        #[test]
        fn no_slot_is_written_twice(
            first in 100_i64..200,
            known in prop::collection::vec(any::<bool>(), 1..=30),
            fed in any::<bool>(),
        ) {
            let end = |nth: usize| (first + nth as i64) * 300;
            let looked_at = end(0)..=end(known.len() - 1);
            let mut openings = Openings::new(RING, looked_at, fed.then(|| end(0) - 300));
            let mut written = HashSet::new();
            for (nth, known) in known.iter().enumerate() {
                let slot = RING.slot_of(end(nth));
                if *known {
                    prop_assert!(written.insert(slot));
                    for slot in openings.begin(end(nth)) {
                        prop_assert!(written.insert(slot));
                    }
                } else if openings.is_open(end(nth)) {
                    prop_assert!(written.insert(slot));
                }
            }
            // A block in which a row was written is whole, unless it was begun before.
            let old = fed.then(|| RING.block_of(RING.slot_of(end(0) - 300)));
            for block in written.iter().map(|slot| RING.block_of(*slot)) {
                let whole = RING.slots_of(block).all(|slot| written.contains(&slot));
                prop_assert!(whole || Some(block) == old || known.len() as u64 + 11 > RING.slots);
            }
        }
    }

    #[test]
    fn the_first_row_of_a_block_reserves_the_others() {
        let mut openings = Openings::new(RING, 3600..=3600, Some(3300));
        assert_eq!(openings.begin(3600), (13..24).collect::<Vec<_>>());
        assert!(openings.begin(3600).is_empty(), "once");
    }
}
