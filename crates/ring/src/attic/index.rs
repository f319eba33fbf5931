//! Which members have entries on which page of an attic, so that a reader of one member reads its
//! pages alone, and a damaged page costs those members alone whose rows stood there.
//!
//! It is kept in memory and stands at the end of each checkpoint:
//!
//! ```text
//!   for each page: members, as a varint; the first member; the distance of each next one: a varint each
//! ```
//!
//! Entries are appended in the order of their members, so that few members share a page: in memory
//! a page takes 4 bytes and 2 for each of its members, 316 at most.

use std::collections::BTreeMap;

use varint::RecordError;
use varint::{Cursor, put_varint};

/// Stands for every member, of a page whose members are not known.
const ANY_MEMBER: u16 = u16::MAX;

/// Which members have entries on which page of an attic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AtticIndex {
    /// For each page, where its members end in `members`.
    ends: Vec<u32>,
    /// Page by page; those of a page ascend, and each stands once.
    members: Vec<u16>,
}

impl AtticIndex {
    /// Pages of the attic.
    pub(crate) fn pages(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Bytes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.ends.capacity() * size_of::<u32>() + self.members.capacity() * size_of::<u16>()
    }

    /// Adds the next page, on which these members have entries.
    pub(crate) fn push(&mut self, members: impl IntoIterator<Item = u16>) {
        let start = self.members.len();
        self.members.extend(members);
        self.members[start..].sort_unstable();
        let mut kept = start;
        for nth in start..self.members.len() {
            if kept == start || self.members[kept - 1] != self.members[nth] {
                self.members[kept] = self.members[nth];
                kept += 1;
            }
        }
        self.members.truncate(kept);
        self.ends.push(kept as u32);
    }

    /// Adds a page that cannot be read: any member may have entries there.
    pub(crate) fn push_unreadable(&mut self) {
        self.push([ANY_MEMBER]);
    }

    /// Adds another's pages behind these.
    pub(crate) fn append(&mut self, later: &Self) {
        (0..later.pages()).for_each(|page| self.push(later.on_page(page).iter().copied()));
    }

    /// The pages on which one of some members may have entries, ascending. `wanted` ascends.
    pub(crate) fn pages_of(&self, wanted: &[u16]) -> Vec<u32> {
        let has_one = |page: &u32| {
            let members = self.on_page(*page);
            members == [ANY_MEMBER]
                || members.iter().any(|member| wanted.binary_search(member).is_ok())
        };
        (0..self.pages()).filter(has_one).collect()
    }

    /// Whether a member may have entries on a page.
    pub(crate) fn may_have(&self, page: u32, member: u16) -> bool {
        let members = self.on_page(page);
        members == [ANY_MEMBER] || members.binary_search(&member).is_ok()
    }

    /// Every member with entries, ascending, and on how many pages it has them.
    pub(crate) fn members(&self) -> BTreeMap<u16, u32> {
        let mut pages = BTreeMap::new();
        let known = self.members.iter().filter(|member| **member != ANY_MEMBER);
        known.for_each(|member| *pages.entry(*member).or_default() += 1);
        pages
    }

    /// The members with entries on a page.
    pub(crate) fn on_page(&self, page: u32) -> &[u16] {
        let nth = page as usize;
        let start = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start as usize..self.ends[nth] as usize]
    }

    /// Appends the members of each page.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        for page in 0..self.pages() {
            let members = self.on_page(page);
            put_varint(members.len() as u64, out);
            let mut before = 0;
            for member in members {
                put_varint(u64::from(member - before), out);
                before = *member;
            }
        }
    }

    /// The index of an attic of so many pages.
    ///
    /// # Errors
    /// [`RecordError`].
    pub(crate) fn decode(bytes: &[u8], pages: u32) -> Result<Self, RecordError> {
        let cursor = &mut Cursor::new(bytes);
        let mut found = Self::default();
        for _ in 0..pages {
            let mut before = 0_u16;
            for nth in 0..cursor.varint_u32("the number of members")? {
                let here = *cursor;
                let distance = u16::try_from(cursor.varint_u32("a member")?);
                let next = distance.ok().and_then(|distance| before.checked_add(distance));
                before = next
                    .filter(|member| nth == 0 || *member > before)
                    .ok_or_else(|| here.error("members in their order"))?;
                found.members.push(before);
            }
            found.ends.push(found.members.len() as u32);
        }
        if cursor.rest().is_empty() { Ok(found) } else { Err(cursor.error("the end")) }
    }
}

#[cfg(test)]
mod tests {
    use super::AtticIndex;

    fn index() -> AtticIndex {
        let mut index = AtticIndex::default();
        index.push([7, 3, 3, 4031]);
        index.push([3]);
        index.push([200, 7]);
        index
    }

    #[test]
    fn the_diagram_holds() {
        let mut bytes = Vec::new();
        index().encode(&mut bytes);
        assert_eq!(bytes, [3, 3, 4, 0xb8, 0x1f, 1, 3, 2, 7, 0xc1, 1]);
        assert_eq!(AtticIndex::decode(&bytes, 3), Ok(index()));
        assert!(AtticIndex::decode(&bytes, 2).is_err());
        assert!(AtticIndex::decode(&bytes, 4).is_err());
        assert!(AtticIndex::decode(&[2, 5, 0], 1).is_err(), "a member stands once");
    }

    #[test]
    fn pages_are_found_by_their_members() {
        let mut index = index();
        assert_eq!(index.pages_of(&[3]), [0, 1]);
        assert_eq!(index.pages_of(&[7, 9]), [0, 2]);
        assert_eq!(index.pages_of(&[8]), []);
        index.push_unreadable();
        assert_eq!(index.pages_of(&[8]), [3], "what is not known may be anybody's");
        assert!(index.may_have(3, 8) && !index.may_have(2, 8));
        assert_eq!(
            index.members().into_iter().collect::<Vec<_>>(),
            [(3, 2), (7, 2), (200, 1), (4031, 1)]
        );
    }
}
