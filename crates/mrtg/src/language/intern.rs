//! Every distinct thing once, with a number.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// A growing set that numbers its members in order of arrival.
pub(crate) struct Interner<T> {
    numbers: HashMap<T, u32>,
}

impl<T: Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        Self { numbers: HashMap::new() }
    }

    /// The number of a member, new or old; `None` past 2^32 members.
    pub(crate) fn number(&mut self, member: T) -> Option<u32> {
        let next = u32::try_from(self.numbers.len()).ok()?;
        Some(match self.numbers.entry(member) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => *free.insert(next),
        })
    }

    /// The members, in order of their numbers.
    pub(crate) fn into_members(self) -> Vec<T> {
        let mut numbered: Vec<_> = self.numbers.into_iter().collect();
        numbered.sort_unstable_by_key(|(_, number)| *number);
        numbered.into_iter().map(|(member, _)| member).collect()
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
}
