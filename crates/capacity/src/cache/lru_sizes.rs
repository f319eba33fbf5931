//! LRU caches of several sizes in one pass, with all counters for each size.
//!
//! * A reference is a page-in for every size below its stack distance.
//! * A write makes a page dirty, unless it is dirty already. It is dirty if it was written in the
//!   same cycle (earlier dirty pages are on disk) and not evicted since. It was evicted from every
//!   size below the largest stack distance since. Each page that becomes dirty is written once:
//!   when it is evicted, or at the end of the cycle.
//! * A page that came in and is not resident any more was evicted.

use super::Counts;
use super::recency::Recency;
use crate::trace::Access;

/// LRU caches of several sizes for one world, without readahead. Each size counts the same as a
/// [`super::Lru`] of that size.
#[derive(Clone, Debug)]
pub struct LruSizes {
    capacities_pages: Vec<u32>,
    recency: Recency,
    written: Vec<Written>,
    /// The number of the current cycle; the first is 1.
    cycle: u32,
    groups: Vec<Tally>,
    writes: BySize,
    used_pages_at_restart: u32,
}

/// The last write of a page.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    /// The cycle; 0 for never.
    cycle: u32,
    /// The largest stack distance since.
    farthest: u32,
}

/// The counters of one group.
#[derive(Clone, Debug)]
struct Tally {
    references: u64,
    page_ins: BySize,
}

/// Counts of events by how many of the sizes, from the smallest on, they concern.
#[derive(Clone, Debug)]
struct BySize(Vec<u64>);

impl BySize {
    fn new(sizes: usize) -> Self {
        Self(vec![0; sizes + 1])
    }

    fn of_size(&self, nth: usize) -> u64 {
        self.0[nth + 1..].iter().sum()
    }
}

impl LruSizes {
    /// Caches of these sizes, for a world of `pages` that belong to `groups` groups.
    ///
    /// # Panics
    ///
    /// If the sizes are not ascending, one is zero, or there are 2^30 pages or more.
    #[must_use]
    pub fn new(capacities_pages: Vec<u32>, pages: u32, groups: usize) -> Self {
        assert!(capacities_pages.is_sorted());
        assert!(capacities_pages.first() != Some(&0));
        let none = BySize::new(capacities_pages.len());
        Self {
            capacities_pages,
            recency: Recency::new(pages),
            written: vec![Written::default(); pages as usize],
            cycle: 1,
            groups: vec![Tally { references: 0, page_ins: none.clone() }; groups],
            writes: none,
            used_pages_at_restart: 0,
        }
    }

    /// Takes one page reference of a group.
    ///
    /// # Panics
    /// If there is no such page or group.
    #[inline]
    pub fn access(&mut self, page: u32, access: Access, group: usize) {
        let distance = self.recency.access(page).unwrap_or(u32::MAX);
        let missed_by = self.smaller_than(distance);
        let tally = &mut self.groups[group];
        tally.references += 1;
        tally.page_ins.0[missed_by] += 1;
        let written = &mut self.written[page as usize];
        written.farthest = written.farthest.max(distance);
        if access == Access::Write {
            let before = std::mem::replace(written, Written { cycle: self.cycle, farthest: 0 });
            let is_first = before.cycle != self.cycle;
            let clean = self.smaller_than(if is_first { u32::MAX } else { before.farthest });
            self.writes.0[clean] += 1;
        }
    }

    /// How many sizes are less than a stack distance; `u32::MAX` exceeds all of them.
    #[inline]
    fn smaller_than(&self, distance: u32) -> usize {
        match distance {
            // Most references are to a page that was used just before.
            _ if self.capacities_pages.first().is_none_or(|least| distance <= *least) => 0,
            u32::MAX => self.capacities_pages.len(),
            _ => self.capacities_pages.partition_point(|pages| *pages < distance),
        }
    }

    /// Writes back every dirty page, as the kernel's timer does: the cycle is over.
    pub fn write_back_all(&mut self) {
        self.cycle += 1;
    }

    /// Writes back every dirty page, and resets the counters but not the pages.
    pub fn restart_counts(&mut self) {
        self.write_back_all();
        let none = BySize::new(self.capacities_pages.len());
        self.groups.fill(Tally { references: 0, page_ins: none.clone() });
        self.writes = none;
        self.used_pages_at_restart = self.recency.used_pages();
    }

    /// The sizes, in pages.
    #[must_use]
    pub fn capacities_pages(&self) -> &[u32] {
        &self.capacities_pages
    }

    /// References and page-ins of a group in the cache with this position among the sizes.
    ///
    /// # Panics
    ///
    /// If there is no such size or group.
    #[must_use]
    pub fn of_group(&self, size: usize, group: usize) -> (u64, u64) {
        let tally = &self.groups[group];
        (tally.references, tally.page_ins.of_size(size))
    }

    /// The counters of the cache with this position among the sizes, up to the last write back.
    ///
    /// # Panics
    ///
    /// If there is no such size.
    #[must_use]
    pub fn counts(&self, size: usize) -> Counts {
        let of_groups = (0..self.groups.len()).map(|group| self.of_group(size, group));
        let (references, page_ins) =
            of_groups.fold((0, 0), |sum, of_group| (sum.0 + of_group.0, sum.1 + of_group.1));
        let resident = |used_pages: u32| u64::from(used_pages.min(self.capacities_pages[size]));
        let came_to_stay =
            resident(self.recency.used_pages()) - resident(self.used_pages_at_restart);
        Counts {
            references,
            page_ins,
            pages_read_ahead: 0,
            evictions: page_ins - came_to_stay,
            write_backs: self.writes.of_size(size),
        }
    }
}
