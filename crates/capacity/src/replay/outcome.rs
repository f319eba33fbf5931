//! The counters of a simulation, by group of files.

use crate::cache::{Counts, LruSizes};

/// The counters of one simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Updates of files.
    pub updates: u64,
    /// The counters of the cache.
    pub counts: Counts,
    /// The counters of each group's files.
    pub groups: Vec<Share>,
}

/// The pages that the files of one group brought into a cache. Evictions are counted for all groups
/// together: the groups share the cache, so it means little for which group a page was evicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Updates of its files.
    pub updates: u64,
    /// Page references.
    pub references: u64,
    /// Misses: pages read from disk because they were needed.
    pub page_ins: u64,
    /// Pages read from disk by readahead.
    pub pages_read_ahead: u64,
}

impl Share {
    /// All pages read from disk.
    #[must_use]
    pub fn pages_read(&self) -> u64 {
        self.page_ins + self.pages_read_ahead
    }

    /// Adds updates of the group's files, and the cache's counters meanwhile.
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

    /// For each size, the outcome for groups with these numbers of updates.
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
