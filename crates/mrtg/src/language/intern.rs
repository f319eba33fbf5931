//! Stores equal values once, and numbers them.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::{BuildHasher, Hash};

/// A growing set that numbers its members in the order of insertion. Each member is stored once.
pub(crate) struct Interner<T> {
    members: Vec<T>,
    /// For each member, the previous one with the same hash.
    earlier: Vec<Option<u32>>,
    /// The last member with each hash.
    latest: HashMap<u64, u32>,
    hasher: RandomState,
}

impl<T: Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        Self {
            members: Vec::new(),
            earlier: Vec::new(),
            latest: HashMap::new(),
            hasher: RandomState::new(),
        }
    }

    /// The number of a member, which is inserted if it is new; `None` for more than 2^32 members.
    pub(crate) fn number(&mut self, member: T) -> Option<u32> {
        let next = u32::try_from(self.members.len()).ok()?;
        let before = match self.latest.entry(self.hasher.hash_one(&member)) {
            Entry::Vacant(free) => {
                free.insert(next);
                None
            }
            Entry::Occupied(mut latest) => {
                let mut candidate = Some(*latest.get());
                while let Some(number) = candidate {
                    if self.members.get(number as usize) == Some(&member) {
                        return Some(number);
                    }
                    candidate = self.earlier.get(number as usize).copied().flatten();
                }
                Some(latest.insert(next))
            }
        };
        self.members.push(member);
        self.earlier.push(before);
        Some(next)
    }

    /// The members, in order of their numbers.
    pub(crate) fn into_members(self) -> Vec<T> {
        self.members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_numbered_once() {
        let mut words = Interner::new();
        let numbers: Vec<_> = ["b", "a", "b"].map(|word| words.number(word).unwrap()).into();
        assert_eq!(numbers, [0, 1, 0]);
        assert_eq!(words.into_members(), ["b", "a"]);
    }

    /// A value whose hash is always the same.
    #[derive(PartialEq, Eq)]
    struct Alike(u32);

    impl Hash for Alike {
        fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
    }

    #[test]
    fn equal_hashes_are_no_equality() {
        let mut set = Interner::new();
        let numbers: Vec<_> = [7, 8, 9, 8, 7].map(|each| set.number(Alike(each)).unwrap()).into();
        assert_eq!(numbers, [0, 1, 2, 1, 0]);
    }
}
