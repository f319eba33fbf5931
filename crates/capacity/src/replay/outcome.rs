//! What a simulation counted, and which files did it.

use crate::cache::{Counts, LruSizes};

/// What one simulation counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Updates of files.
    pub updates: u64,
    /// What the cache did.
    pub counts: Counts,
    /// What the files of each group brought into it.
    pub groups: Vec<Share>,
}

/// What the files of one group brought into a cache. Which group a page has to go for says little,
/// since all share the cache: what goes is counted for all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Updates of its files.
    pub updates: u64,
    /// Page references.
    pub references: u64,
    /// Pages read from disk because somebody needed them: misses.
    pub page_ins: u64,
    /// Pages read from disk that nobody had asked for.
    pub pages_read_ahead: u64,
}

impl Share {
    /// Pages read from disk for whatever reason.
    #[must_use]
    pub fn pages_read(&self) -> u64 {
        self.page_ins + self.pages_read_ahead
    }

    /// Adds updates of its files, and what the cache counted meanwhile.
    pub(crate) fn add(&mut self, updates: u64, counts: &Counts) {
        self.updates += updates;
        self.references += counts.references;
        self.page_ins += counts.page_ins;
        self.pages_read_ahead += counts.pages_read_ahead;
    }
}

impl Outcome {
    pub(crate) fn new(counts: Counts, groups: Vec<Share>) -> Self {
        Self { updates: groups.iter().map(|group| group.updates).sum(), counts, groups }
    }

    /// For each size, of groups whose files were updated so often.
    pub(crate) fn by_size(sizes: &LruSizes, updates: &[u64]) -> Vec<Self> {
        let share = |size: usize, group: usize| {
            let (references, page_ins) = sizes.of_group(size, group);
            Share { updates: updates[group], references, page_ins, pages_read_ahead: 0 }
        };
        let outcome = |size: usize| {
            let groups = (0..updates.len()).map(|group| share(size, group));
            Self::new(sizes.counts(size), groups.collect())
        };
        (0..sizes.capacities_pages().len()).map(outcome).collect()
    }
}
