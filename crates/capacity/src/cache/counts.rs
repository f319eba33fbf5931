//! The counters of a cache.

use crate::trace::Access;

/// Counters of a cache since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Page references.
    pub references: u64,
    /// Misses: pages read from disk because they were needed.
    pub page_ins: u64,
    /// Pages read from disk by readahead.
    pub pages_read_ahead: u64,
    /// Pages that were evicted.
    pub evictions: u64,
    /// Dirty pages written to disk, at eviction or earlier.
    pub write_backs: u64,
}

impl Counts {
    /// All pages read from disk.
    #[must_use]
    pub fn pages_read(&self) -> u64 {
        self.page_ins + self.pages_read_ahead
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            references: self.references + other.references,
            page_ins: self.page_ins + other.page_ins,
            pages_read_ahead: self.pages_read_ahead + other.pages_read_ahead,
            evictions: self.evictions + other.evictions,
            write_backs: self.write_backs + other.write_backs,
        }
    }

    /// The difference to an earlier count of the same cache.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            references: self.references - earlier.references,
            page_ins: self.page_ins - earlier.page_ins,
            pages_read_ahead: self.pages_read_ahead - earlier.pages_read_ahead,
            evictions: self.evictions - earlier.evictions,
            write_backs: self.write_backs - earlier.write_backs,
        }
    }
}

/// The state of each page that all policies need, and the counters.
#[derive(Clone, Debug)]
pub struct Marks {
    of_page: Vec<u8>,
    /// A superset of the dirty pages, so that writing all of them does not scan the whole world.
    dirty: Vec<u32>,
    capacity_pages: u32,
    counts: Counts,
}

/// The page is in memory.
pub(super) const RESIDENT: u8 = 1;
pub(super) const DIRTY: u8 = 2;
/// A read of the page starts the next readahead window.
pub(super) const AHEAD: u8 = 4;
/// The first mark that a policy may use for itself.
pub(super) const FREE_MARK: u8 = 8;

impl Marks {
    /// For a world of `pages`, none of them resident.
    pub(super) fn new(capacity_pages: u32, pages: u32) -> Self {
        assert!(capacity_pages > 0);
        let of_page = vec![0; pages as usize];
        Self { of_page, dirty: Vec::new(), capacity_pages, counts: Counts::default() }
    }

    pub(super) fn capacity_pages(&self) -> u32 {
        self.capacity_pages
    }

    pub(super) fn pages(&self) -> u32 {
        self.of_page.len() as u32
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    #[inline]
    pub(super) fn has(&self, page: u32, mark: u8) -> bool {
        self.of_page[page as usize] & mark != 0
    }

    #[inline]
    pub(super) fn set(&mut self, page: u32, mark: u8) {
        self.of_page[page as usize] |= mark;
    }

    #[inline]
    pub(super) fn clear(&mut self, page: u32, mark: u8) {
        self.of_page[page as usize] &= !mark;
    }

    /// Counts a reference; returns whether the page was resident. It is resident afterwards.
    #[inline]
    pub(super) fn demand(&mut self, page: u32, access: Access) -> bool {
        let marks = &mut self.of_page[page as usize];
        let before = *marks;
        *marks |= if access == Access::Write { RESIDENT | DIRTY } else { RESIDENT };
        if access == Access::Write && before & DIRTY == 0 {
            self.note_dirty(page);
        }
        let was_resident = before & RESIDENT != 0;
        self.counts.references += 1;
        self.counts.page_ins += u64::from(!was_resident);
        was_resident
    }

    #[inline]
    fn note_dirty(&mut self, page: u32) {
        // The list may also have pages that were written or evicted since. They are removed before
        // the list exceeds the size of the world.
        if self.dirty.len() > self.of_page.len() {
            self.dirty = self.take_dirty();
        }
        self.dirty.push(page);
    }

    /// The dirty pages, in order; the caller writes them.
    pub(super) fn take_dirty(&mut self) -> Vec<u32> {
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.retain(|page| self.has(*page, DIRTY));
        dirty.sort_unstable();
        dirty.dedup();
        dirty
    }

    /// Like [`Marks::demand`], for a page that readahead brings in.
    pub(super) fn read_ahead(&mut self, page: u32) -> bool {
        let was_resident = self.has(page, RESIDENT);
        self.set(page, RESIDENT);
        self.counts.pages_read_ahead += u64::from(!was_resident);
        was_resident
    }

    /// Marks a page as clean; returns whether it was dirty.
    #[inline]
    pub(super) fn write_back(&mut self, page: u32) -> bool {
        let was_dirty = self.has(page, DIRTY);
        self.clear(page, DIRTY);
        self.counts.write_backs += u64::from(was_dirty);
        was_dirty
    }

    /// Evicts a page and clears all its marks.
    #[inline]
    pub(super) fn evict(&mut self, page: u32) {
        assert!(self.has(page, RESIDENT));
        self.write_back(page);
        self.of_page[page as usize] = 0;
        self.counts.evictions += 1;
    }
}
