//! Rows that came when their tile was written already, or long before it will be.

/// One such row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Patch {
    pub(crate) shape: u32,
    pub(crate) member: u16,
    pub(crate) row: i64,
    /// Where its values stand.
    at: u32,
    /// Which one of the same member came before it, counted from 1; 0 for none.
    before: u32,
}

/// Such rows of one group, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patches {
    rows: Vec<Patch>,
    values: Vec<f64>,
    /// For each member the last one of it, counted from 1: so a reader meets none of another member,
    /// however many there are.
    last: Vec<u32>,
}

impl Patches {
    pub(crate) fn push(&mut self, shape: u32, member: u16, row: i64, values: &[f64]) {
        let at = u32::try_from(self.values.len()).expect("a group is flushed long before");
        self.rows.push(Patch { shape, member, row, at, before: 0 });
        self.values.extend_from_slice(values);
        self.chain(self.rows.len() - 1);
    }

    /// Makes a row the last one of its member.
    fn chain(&mut self, nth: usize) {
        let member = usize::from(self.rows[nth].member);
        if self.last.len() <= member {
            self.last.resize(member + 1, 0);
        }
        let last = &mut self.last[member];
        self.rows[nth].before = std::mem::replace(last, nth as u32 + 1);
    }

    /// Those of a member, the last one first.
    pub(crate) fn of_member(&self, member: u16) -> impl Iterator<Item = &Patch> {
        let at = |number: u32| self.rows.get((number as usize).checked_sub(1)?);
        let last = self.last.get(usize::from(member)).copied().unwrap_or_default();
        std::iter::successors(at(last), move |patch| at(patch.before))
    }

    pub(crate) fn rows(&self) -> &[Patch] {
        &self.rows
    }

    pub(crate) fn values(&self, patch: &Patch, sources: usize) -> &[f64] {
        &self.values[patch.at as usize..][..sources]
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Takes over another's rows, which came later.
    pub(crate) fn absorb(&mut self, later: &Self, sources: usize) {
        for patch in &later.rows {
            self.push(patch.shape, patch.member, patch.row, later.values(patch, sources));
        }
    }

    /// Takes all rows of a member away.
    pub(crate) fn forget(&mut self, member: u16) {
        self.rows.retain(|patch| patch.member != member);
        self.last.clear();
        (0..self.rows.len()).for_each(|nth| self.chain(nth));
    }
}

#[cfg(test)]
mod tests {
    use super::Patches;

    #[test]
    fn those_of_a_member_are_found_the_last_one_first() {
        let mut patches = Patches::default();
        for (member, row) in [(3, 10), (0, 20), (3, 11), (3, 10), (7, 1)] {
            patches.push(0, member, row, &[row as f64]);
        }
        let rows = |patches: &Patches, member| -> Vec<i64> {
            patches.of_member(member).map(|patch| patch.row).collect()
        };
        assert_eq!(rows(&patches, 3), [10, 11, 10]);
        assert!(rows(&patches, 1).is_empty() && rows(&patches, 4000).is_empty());
        patches.forget(0);
        assert_eq!((rows(&patches, 3), rows(&patches, 7)), (vec![10, 11, 10], vec![1]));
        assert!(rows(&patches, 0).is_empty());
        let mut all = Patches::default();
        all.push(0, 7, 0, &[0.0]);
        all.absorb(&patches, 1);
        assert_eq!(rows(&all, 7), [1, 0]);
    }
}
