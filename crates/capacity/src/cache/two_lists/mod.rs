//! The page cache of Linux: an inactive and an active list, and the refault distance of evicted
//! pages.
//!
//! The rules, as the kernel's documentation of workingset detection and of reclaim tells them
//! (Linux 3.15 and later, without multi-generational LRU):
//!
//! * A page comes in at the head of the *inactive* list. A read marks it referenced, a second read
//!   moves it to the head of the *active* list. A read of an active page only marks it; its
//!   position does not change. Of consecutive reads of one page by the same descriptor, only the
//!   first counts.
//! * Writes mark nothing and move nothing: pages that are only written never become active.
//! * Uses of a mapped page are noticed once, when it is unmapped, and not at all with random-access
//!   advice.
//! * Reclaim evicts pages from the inactive list's tail, [`RECLAIM_PAGES`] at a time.
//! * It moves pages from the active list's tail to the inactive list's head in two cases: if
//!   refaulted pages were activated since the last reclaim, or if the inactive list is too short.
//!   Up to 1 GiB of both lists, too short means shorter than the active list; above, the required
//!   share falls as the square root of ten times the gigabytes. Both lists are scanned in
//!   proportion to their lengths.
//! * A dirty page at the tail becomes active and gets a mark; once it is written, it is the next to
//!   be evicted. If a scan finds only dirty pages, everything is written. The mark is the same as
//!   that of readahead, so a marked readahead page that was written without being read is evicted
//!   early, too.
//! * A clock counts evictions and activations. The time of a page's eviction is remembered. If the
//!   page is *read* again after at most as many ticks as the active list is long, it comes in
//!   active.
//! * All of these rules treat a folio as one page, and count all its pages.
//!
//! Simplifications: there are no anonymous pages and no per-processor batches, there is one node,
//! write-back is immediate, and mapped pages are not evicted.

mod folios;
mod reclaim;

use std::ops::Range;

use folios::Folios;

use super::counts::{AHEAD, DIRTY, FREE_MARK, Marks};
use super::list::{Links, List};
use super::replacement::Replacement;
use crate::trace::Access;

/// Pages that one reclaim evicts, in a cache that is large enough.
pub const RECLAIM_PAGES: u32 = 32;

/// Pages of a gibibyte.
const GIB_PAGES: u32 = 1 << 18;

const ACTIVE: u8 = FREE_MARK;
const REFERENCED: u8 = FREE_MARK << 1;

/// The page cache of Linux.
#[derive(Clone, Debug)]
pub struct TwoLists {
    capacity_pages: u32,
    /// The size of the large cache that this one represents, in pages.
    large_pages: u64,
    /// Pages that one reclaim evicts.
    batch: u32,
    /// The largest ratio of the active list's length to the inactive list's.
    active_ratio: u32,
    marks: Marks,
    folios: Folios,
    /// Links of folios, by their first page.
    links: Links,
    inactive: List,
    active: List,
    inactive_pages: u32,
    active_pages: u32,
    /// Evictions and activations so far; it wraps.
    clock: u32,
    /// The time of each page's eviction; 0 for never.
    evicted_at: Vec<u32>,
    refaults: Refaults,
    /// The number of activated refaults at the last reclaim.
    activated_at_reclaim: u64,
}

/// Refaults, counted as in `/proc/vmstat` for files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refaults {
    /// Pages that had been evicted before (`workingset_refault_file`).
    pub refaulted: u64,
    /// Those of them that became active at once (`workingset_activate_file`).
    pub activated: u64,
}

impl TwoLists {
    /// A cache of `capacity_pages` in a world of `pages`.
    ///
    /// # Panics
    ///
    /// If the cache has no page.
    #[must_use]
    pub fn new(capacity_pages: u32, pages: u32) -> Self {
        Self::standing_for(u64::from(capacity_pages), capacity_pages, pages)
    }

    /// A small cache that represents a large one of `large_pages`, in a world that is scaled down
    /// in the same proportion. Rules that depend on the size of the cache use the large size;
    /// numbers of pages are scaled.
    ///
    /// # Panics
    ///
    /// If the cache has no page.
    #[must_use]
    pub fn standing_for(large_pages: u64, capacity_pages: u32, pages: u32) -> Self {
        let gib = u32::try_from(large_pages / u64::from(GIB_PAGES)).unwrap_or(u32::MAX / 10);
        let large_batch = u64::from(RECLAIM_PAGES).min(large_pages.div_ceil(32));
        let batch = large_batch * u64::from(capacity_pages) / large_pages.max(1);
        Self {
            capacity_pages,
            large_pages,
            batch: (batch as u32).max(1),
            active_ratio: if gib == 0 { 1 } else { gib.saturating_mul(10).isqrt() },
            marks: Marks::new(capacity_pages, pages),
            folios: Folios::new(pages),
            links: Links::new(pages),
            inactive: List::new(),
            active: List::new(),
            inactive_pages: 0,
            active_pages: 0,
            clock: 1,
            evicted_at: vec![0; pages as usize],
            refaults: Refaults::default(),
            activated_at_reclaim: 0,
        }
    }

    /// The refaults so far.
    #[must_use]
    pub fn refaults(&self) -> Refaults {
        self.refaults
    }

    /// Lengths of the inactive and of the active list, in pages.
    #[must_use]
    pub fn lengths(&self) -> (u32, u32) {
        (self.inactive_pages, self.active_pages)
    }

    fn resident_pages(&self) -> u32 {
        self.inactive_pages + self.active_pages
    }

    fn tick(&mut self, pages: u32) {
        self.clock = self.clock.wrapping_add(pages).max(1);
    }

    fn enter_inactive(&mut self, head: u32) {
        self.marks.clear(head, ACTIVE);
        self.inactive_pages += self.folios.pages(head);
        self.inactive.push_head(&mut self.links, head);
    }

    fn leave_inactive(&mut self, head: u32) {
        self.inactive_pages -= self.folios.pages(head);
        self.inactive.remove(&mut self.links, head);
    }

    /// Activates a folio and advances the clock.
    fn enter_active(&mut self, head: u32) {
        self.marks.set(head, ACTIVE);
        let pages = self.folios.pages(head);
        self.active_pages += pages;
        self.active.push_head(&mut self.links, head);
        self.tick(pages);
    }

    fn leave_active(&mut self, head: u32) {
        self.marks.clear(head, ACTIVE);
        self.active_pages -= self.folios.pages(head);
        self.active.remove(&mut self.links, head);
    }

    /// A use of a resident folio that the kernel notices.
    #[inline]
    fn mark_accessed(&mut self, head: u32) {
        if !self.marks.has(head, REFERENCED) {
            self.marks.set(head, REFERENCED);
        } else if !self.marks.has(head, ACTIVE) {
            self.leave_inactive(head);
            self.enter_active(head);
            self.marks.clear(head, REFERENCED);
        }
    }

    /// Adds a new folio.
    fn come_in(&mut self, folio: &Range<u32>, may_activate: bool) {
        let pages = folio.len() as u32;
        let too_many = (self.resident_pages() + pages).saturating_sub(self.capacity_pages);
        if too_many > 0 {
            self.reclaim(too_many);
        }
        let mut evicted_at = 0;
        for page in folio.clone() {
            // A folio that replaces several evicted ones uses the latest time.
            let of_page = std::mem::take(&mut self.evicted_at[page as usize]);
            evicted_at = if of_page == 0 { evicted_at } else { of_page };
        }
        let came_back = u64::from(evicted_at != 0) * u64::from(pages);
        self.refaults.refaulted += came_back;
        let distance = self.clock.wrapping_sub(evicted_at);
        if may_activate && evicted_at != 0 && distance <= self.active_pages {
            self.refaults.activated += came_back;
            self.enter_active(folio.start);
        } else {
            self.enter_inactive(folio.start);
        }
    }

    fn is_dirty(&self, head: u32) -> bool {
        self.folios.of_head(head).any(|page| self.marks.has(page, DIRTY))
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
            self.mark_accessed(self.folios.head(page));
        }
    }

    fn admit(&mut self, page: u32, access: Option<Access>) {
        self.come_in(&(page..page + 1), access != Some(Access::Write));
        if access == Some(Access::Read) {
            self.mark_accessed(page);
        }
    }

    fn used_unseen(&mut self, page: u32, access: Access, was_resident: bool) {
        if !was_resident {
            self.come_in(&(page..page + 1), true);
        }
        if access == Access::Write {
            self.marks.clear(self.folios.head(page), AHEAD);
        }
    }

    fn was_mapped(&mut self, page: u32) {
        self.mark_accessed(self.folios.head(page));
    }

    fn admit_folio(&mut self, pages: Range<u32>) {
        self.folios.join(&pages);
        self.come_in(&pages, true);
    }

    #[inline]
    fn folio_of(&self, page: u32) -> Range<u32> {
        self.folios.of_head(self.folios.head(page))
    }

    fn written_back(&mut self, page: u32) {
        self.rotate(self.folios.head(page));
    }

    fn put_first(&mut self, page: u32) {
        let head = self.folios.head(page);
        if !self.marks.has(head, ACTIVE) {
            self.inactive.move_to_head(&mut self.links, head);
        }
    }
}
