//! Request ids for many sessions that share one socket.
//!
//! An id has 31 bits: a slot (the session) and a sequence number, shuffled by a keyed permutation.
//! The event loop maps an id back to its slot without a table. An attacker who does not know the
//! key cannot guess the next id.
//!
//! ```text
//!   slot (20 bits) | sequence (11 bits)  ── keyed permutation ──▶  request id, 0 to 2^31 - 1
//! ```

use sha2::{Digest, Sha256};
use std::time::Duration;

const SEQUENCE_BITS: u32 = 11;
const SEQUENCE_MASK: u32 = (1 << SEQUENCE_BITS) - 1;
/// The most sessions that can share one key.
pub const SLOTS_MAX: u32 = 1 << (31 - SEQUENCE_BITS);
const LOW_BITS: u32 = 15;
const LOW_MASK: u32 = (1 << LOW_BITS) - 1;
const HIGH_MASK: u32 = 0xffff;
const ROUNDS: u64 = 4;

/// The secret key of the permutation. Seed it from the operating system's randomness, or with a
/// constant in tests.
#[derive(Clone, Copy)]
pub struct RequestIdKey(u64);

/// The request ids of one session; they repeat after 2048.
#[derive(Debug, Clone)]
pub struct RequestIds {
    key: RequestIdKey,
    slot: u32,
    sequence: u32,
}

impl RequestIdKey {
    /// A key from a seed.
    pub fn new(seed: u64) -> RequestIdKey {
        RequestIdKey(seed)
    }

    /// The ids of the session in `slot`.
    ///
    /// # Panics
    /// If `slot` is not below [`SLOTS_MAX`]; the event loop counts its sessions itself.
    pub fn ids(self, slot: u32) -> RequestIds {
        assert!(slot < SLOTS_MAX, "{slot} sessions cannot share one request id key");
        RequestIds { key: self, slot, sequence: 0 }
    }

    /// The slot of an id; `None` if it cannot be one of ours.
    pub fn slot(self, request_id: i32) -> Option<u32> {
        let id = u32::try_from(request_id).ok()?;
        Some(self.unshuffle(id) >> SEQUENCE_BITS)
    }

    fn shuffle(self, number: u32) -> u32 {
        let (mut high, mut low) = halves(number);
        for round in 0..ROUNDS {
            low ^= self.scramble(high, round * 2) & LOW_MASK;
            high ^= self.scramble(low, round * 2 + 1) & HIGH_MASK;
        }
        high << LOW_BITS | low
    }

    fn unshuffle(self, number: u32) -> u32 {
        let (mut high, mut low) = halves(number);
        for round in (0..ROUNDS).rev() {
            high ^= self.scramble(low, round * 2 + 1) & HIGH_MASK;
            low ^= self.scramble(high, round * 2) & LOW_MASK;
        }
        high << LOW_BITS | low
    }

    /// A round function of a Feistel network: any function works, and a well-mixed one hides the
    /// key.
    fn scramble(self, half: u32, round: u64) -> u32 {
        (chance::mix(self.0 ^ chance::first(u64::from(half) << 8 | round)) >> 32) as u32
    }
}

impl RequestIds {
    /// A number to count salts from. It is unique as long as the key is secret and `now` never comes
    /// twice, and it does not lead back to the key, which is why it is a true hash.
    pub(crate) fn salt(&self, now: Duration) -> u64 {
        let RequestIdKey(key) = self.key;
        let mut hash = Sha256::new();
        hash.update(key.to_le_bytes());
        hash.update(self.slot.to_le_bytes());
        hash.update(now.as_nanos().to_le_bytes());
        let first = hash.finalize().first_chunk().copied();
        first.map_or(0, u64::from_le_bytes)
    }

    /// The next id, 0 to 2^31 - 1: some agents mishandle negative ones.
    pub fn next_id(&mut self) -> i32 {
        let number = self.slot << SEQUENCE_BITS | self.sequence;
        self.sequence = (self.sequence + 1) & SEQUENCE_MASK;
        self.key.shuffle(number) as i32
    }
}

impl std::fmt::Debug for RequestIdKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RequestIdKey(..)")
    }
}

fn halves(number: u32) -> (u32, u32) {
    (number >> LOW_BITS & HIGH_MASK, number & LOW_MASK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_lead_back_to_their_slot_and_never_repeat_within_a_round() {
        let key = RequestIdKey::new(7);
        let mut seen = HashSet::new();
        for slot in [0, 1, 2, 77, 4095, SLOTS_MAX - 1] {
            let mut ids = key.ids(slot);
            for _ in 0..=SEQUENCE_MASK {
                let id = ids.next_id();
                assert!(id >= 0);
                assert_eq!(key.slot(id), Some(slot));
                assert!(seen.insert(id), "id {id} twice");
            }
            assert!(seen.contains(&ids.next_id()), "the sequence starts again");
        }
    }

    #[test]
    fn another_seed_gives_other_ids_and_a_strangers_id_is_no_slot_by_luck() {
        let first = RequestIdKey::new(1).ids(5).next_id();
        assert_ne!(first, RequestIdKey::new(2).ids(5).next_id());
        assert_eq!(first, RequestIdKey::new(1).ids(5).next_id());
        assert_eq!(RequestIdKey::new(1).slot(-1), None);
    }
}
