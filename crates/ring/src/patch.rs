//! Rows that came when their tile was written already, or long before it will be.

/// One such row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Patch {
    pub(crate) shape: u32,
    pub(crate) member: u16,
    pub(crate) row: i64,
    /// Where its values stand.
    at: u32,
}

/// Such rows of one group, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patches {
    rows: Vec<Patch>,
    values: Vec<f64>,
}

impl Patches {
    pub(crate) fn push(&mut self, shape: u32, member: u16, row: i64, values: &[f64]) {
        let at = u32::try_from(self.values.len()).expect("a group is flushed long before");
        self.rows.push(Patch { shape, member, row, at });
        self.values.extend_from_slice(values);
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
    }
}
