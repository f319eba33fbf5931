//! Stores equal values once, and numbers them.

use std::hash::Hash;

use crate::places::{Added, Places};

/// A growing set that numbers its members in the order of insertion. Each member is stored once.
pub(crate) struct Interner<T> {
    members: Vec<T>,
    places: Places,
}

impl<T: Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        Self { members: Vec::new(), places: Places::new() }
    }

    /// The number of a member, which is inserted if it is new; `None` for more than 2^32 members.
    pub(crate) fn number(&mut self, member: T) -> Option<u32> {
        let next = u32::try_from(self.members.len()).ok()?;
        let is_it = |place: u32| self.members.get(place as usize) == Some(&member);
        match self.places.find_or_add(&member, next, is_it) {
            Ok(known) => Some(known),
            Err(Added) => {
                self.members.push(member);
                Some(next)
            }
        }
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
