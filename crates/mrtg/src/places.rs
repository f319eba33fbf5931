//! Finds the places of members of a list by their hashes.

use std::hash::{BuildHasher as _, Hash, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// The places of a list's members. Each member's hash is kept beside its place, so that the table
/// grows without visiting the members.
pub(crate) struct Places {
    table: HashTable<Place>,
    hasher: RandomState,
}

struct Place {
    hash: u32,
    place: u32,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self { table: HashTable::new(), hasher: RandomState::new() }
    }

    /// The place of the member with this key, of which `is_it` tells; `Err` if there is none. Then
    /// `next` is from now on its place.
    pub(crate) fn find_or_add<K: Hash + ?Sized>(
        &mut self,
        key: &K,
        next: u32,
        is_it: impl Fn(u32) -> bool,
    ) -> Result<u32, Added> {
        let hash = self.hasher.hash_one(key) as u32;
        let is_it = |known: &Place| known.hash == hash && is_it(known.place);
        match self.table.entry(spread(hash), is_it, |known| spread(known.hash)) {
            Entry::Occupied(known) => Ok(known.get().place),
            Entry::Vacant(new) => {
                new.insert(Place { hash, place: next });
                Err(Added)
            }
        }
    }
}

/// The key is new: its member is to be added to the list.
pub(crate) struct Added;

/// The table looks at the highest bits and at the lowest ones.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}
