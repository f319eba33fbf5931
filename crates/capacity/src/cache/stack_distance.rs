//! The misses of LRU for every size of the cache, from one pass.

use super::recency::Recency;

/// Counts the stack distances of references. [`super::LruSizes`] has all counters of a cache, for
/// some sizes.
#[derive(Clone, Debug)]
pub struct StackDistances {
    recency: Recency,
    /// References by stack distance; the first is distance 1.
    references: Vec<u64>,
    first_uses: u64,
}

impl StackDistances {
    /// For a world of `pages`.
    ///
    /// # Panics
    ///
    /// If there are 2^30 pages or more.
    #[must_use]
    pub fn new(pages: u32) -> Self {
        Self { recency: Recency::new(pages), references: vec![0; pages as usize], first_uses: 0 }
    }

    /// Takes a page reference; returns its stack distance, at least 1: the number of different
    /// pages used since its last use, including itself. `None` if the page was never used before.
    #[inline]
    pub fn access(&mut self, page: u32) -> Option<u32> {
        let distance = self.recency.access(page);
        match distance {
            Some(distance) => self.references[distance as usize - 1] += 1,
            None => self.first_uses += 1,
        }
        distance
    }

    /// Resets the counters but not the pages, after the warm-up.
    pub fn restart_counts(&mut self) {
        self.references.fill(0);
        self.first_uses = 0;
    }

    /// Misses by size of the cache, for all references so far.
    #[must_use]
    pub fn curve(&self) -> Curve {
        let mut misses = vec![0; self.recency.used_pages() as usize + 1];
        let mut farther = self.first_uses;
        for (size, slot) in misses.iter_mut().enumerate().rev() {
            *slot = farther;
            farther += if size == 0 { 0 } else { self.references[size - 1] };
        }
        Curve { references: farther, first_uses: self.first_uses, misses }
    }
}

/// The misses of an LRU cache by its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    references: u64,
    first_uses: u64,
    misses: Vec<u64>,
}

impl Curve {
    /// References in all.
    #[must_use]
    pub fn references(&self) -> u64 {
        self.references
    }

    /// References to pages never used before, which are misses at any size.
    #[must_use]
    pub fn first_uses(&self) -> u64 {
        self.first_uses
    }

    /// The number of different pages: in a cache of this size only first uses miss.
    #[must_use]
    pub fn pages(&self) -> u32 {
        (self.misses.len() - 1) as u32
    }

    /// Misses of a cache of so many pages.
    #[must_use]
    pub fn misses(&self, capacity_pages: u32) -> u64 {
        self.misses.get(capacity_pages as usize).copied().unwrap_or(self.first_uses)
    }
}
