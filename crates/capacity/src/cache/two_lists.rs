//! Linux: an inactive and an active list, and the distance at which evicted pages come back.
//!
//! The rules, as the kernel's documentation of workingset detection and of reclaim tells them (Linux
//! 3.15 and later, without multi-generational LRU):
//!
//! * A page comes in at the head of the *inactive* list. A read marks it referenced, a second read
//!   moves it to the head of the *active* list. Reads of active pages mark them only; their order
//!   stays.
//! * Writes mark nothing and move nothing: pages that are only written never become active.
//! * Reclaim takes pages from the inactive list's tail, some at once ([`RECLAIM_PAGES`]).
//! * It moves pages from the active list's tail to the inactive list's head if pages were activated
//!   as they came back since the last reclaim, or if the inactive list is short: less than the
//!   active one up to 1 GiB of both, a share that falls as the root of ten times the gigabytes. Both
//!   lists are scanned in proportion to their lengths.
//! * A clock counts evictions and activations. An evicted page leaves its time behind; if it is
//!   *read* again after a distance of no more than the active list's length, it comes in active.
//!
//! What is simplified: pages are single, though some file systems read larger folios; there are no
//! anonymous pages, no batches of each processor and one node; a dirty page at the tail is written
//! back and goes, where the kernel lets it take another round.

use super::counts::{FREE_MARK, Marks};
use super::list::{Links, List};
use super::replacement::Replacement;
use crate::trace::Access;

/// Pages that one reclaim frees, in a cache that is large enough.
pub const RECLAIM_PAGES: u32 = 32;

/// Pages of a gibibyte.
const GIB_PAGES: u32 = 1 << 18;

const ACTIVE: u8 = FREE_MARK;
const REFERENCED: u8 = FREE_MARK << 1;

/// Linux's page cache.
#[derive(Clone, Debug)]
pub struct TwoLists {
    capacity_pages: u32,
    /// Pages that one reclaim frees.
    batch: u32,
    /// How many times as long as the inactive list the active one may be.
    active_ratio: u32,
    marks: Marks,
    links: Links,
    inactive: List,
    active: List,
    /// Evictions and activations so far; it wraps.
    clock: u32,
    /// When a page was evicted; 0 for never.
    evicted_at: Vec<u32>,
    refaults: Refaults,
    /// Refaults that were activated when reclaim last ran.
    activated_at_reclaim: u64,
}

/// What came back, as `/proc/vmstat` counts it for files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refaults {
    /// Pages that had been evicted (`workingset_refault_file`).
    pub refaulted: u64,
    /// Of these, how many became active at once (`workingset_activate_file`).
    pub activated: u64,
}

impl TwoLists {
    /// A cache of so many pages for a world of `pages`.
    ///
    /// # Panics
    /// If the cache holds no page.
    #[must_use]
    pub fn new(capacity_pages: u32, pages: u32) -> Self {
        Self::standing_for(u64::from(capacity_pages), capacity_pages, pages)
    }

    /// A small cache that stands for a large one of so many pages, and for a world that is larger
    /// in the same proportion: what follows from the size of a cache is that of the large one, what
    /// is a number of pages a share of it.
    ///
    /// # Panics
    /// If the cache holds no page.
    #[must_use]
    pub fn standing_for(large_pages: u64, capacity_pages: u32, pages: u32) -> Self {
        let gib = u32::try_from(large_pages / u64::from(GIB_PAGES)).unwrap_or(u32::MAX / 10);
        let large_batch = u64::from(RECLAIM_PAGES).min(large_pages.div_ceil(32));
        let batch = large_batch * u64::from(capacity_pages) / large_pages.max(1);
        Self {
            capacity_pages,
            batch: (batch as u32).max(1),
            active_ratio: if gib == 0 { 1 } else { gib.saturating_mul(10).isqrt() },
            marks: Marks::new(capacity_pages, pages),
            links: Links::new(pages),
            inactive: List::new(),
            active: List::new(),
            clock: 1,
            evicted_at: vec![0; pages as usize],
            refaults: Refaults::default(),
            activated_at_reclaim: 0,
        }
    }

    /// What came back so far.
    #[must_use]
    pub fn refaults(&self) -> Refaults {
        self.refaults
    }

    /// Lengths of the inactive and of the active list, in pages.
    #[must_use]
    pub fn lengths(&self) -> (u32, u32) {
        (self.inactive.length(), self.active.length())
    }

    fn tick(&mut self) {
        self.clock = self.clock.wrapping_add(1).max(1);
    }

    /// A read of a resident page.
    #[inline]
    fn mark_accessed(&mut self, page: u32) {
        if !self.marks.has(page, REFERENCED) {
            self.marks.set(page, REFERENCED);
        } else if !self.marks.has(page, ACTIVE) {
            self.inactive.remove(&mut self.links, page);
            self.activate(page);
            self.marks.clear(page, REFERENCED);
        }
    }

    fn activate(&mut self, page: u32) {
        self.marks.set(page, ACTIVE);
        self.active.push_head(&mut self.links, page);
        self.tick();
    }

    fn come_in(&mut self, page: u32, may_activate: bool) {
        if self.inactive.length() + self.active.length() == self.capacity_pages {
            self.reclaim();
        }
        let evicted_at = std::mem::take(&mut self.evicted_at[page as usize]);
        self.refaults.refaulted += u64::from(evicted_at != 0);
        let distance = self.clock.wrapping_sub(evicted_at);
        if may_activate && evicted_at != 0 && distance <= self.active.length() {
            self.refaults.activated += 1;
            self.activate(page);
        } else {
            self.inactive.push_head(&mut self.links, page);
        }
    }

    fn reclaim(&mut self) {
        let batch = self.batch;
        if self.may_deactivate() {
            let (inactive, active) = self.lengths();
            let share = u64::from(batch) * u64::from(active) / u64::from(inactive.max(1));
            for _ in 0..share.clamp(1, u64::from(active.max(1))) {
                self.deactivate_one();
            }
        }
        self.activated_at_reclaim = self.refaults.activated;
        for _ in 0..batch {
            if self.inactive.length() == 0 {
                self.deactivate_one();
            }
            let Some(page) = self.inactive.pop_tail(&mut self.links) else { return };
            self.marks.evict(page);
            self.evicted_at[page as usize] = self.clock;
            self.tick();
        }
    }

    fn may_deactivate(&self) -> bool {
        let (inactive, active) = self.lengths();
        self.refaults.activated != self.activated_at_reclaim
            || u64::from(inactive) * u64::from(self.active_ratio) < u64::from(active)
    }

    fn deactivate_one(&mut self) {
        if let Some(page) = self.active.pop_tail(&mut self.links) {
            self.marks.clear(page, ACTIVE);
            self.inactive.push_head(&mut self.links, page);
        }
    }
}

impl Replacement for TwoLists {
    fn marks(&self) -> &Marks {
        &self.marks
    }

    fn marks_mut(&mut self) -> &mut Marks {
        &mut self.marks
    }

    #[inline]
    fn used_again(&mut self, page: u32, access: Access) {
        if access == Access::Read {
            self.mark_accessed(page);
        }
    }

    fn admit(&mut self, page: u32, access: Option<Access>) {
        self.come_in(page, access != Some(Access::Write));
        if access == Some(Access::Read) {
            self.mark_accessed(page);
        }
    }

    fn put_first(&mut self, page: u32) {
        if !self.marks.has(page, ACTIVE) {
            self.inactive.move_to_head(&mut self.links, page);
        }
    }
}
