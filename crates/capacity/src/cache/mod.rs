//! Page caches, simulated exactly: a few instructions for each page reference.
//!
//! Pages are numbered from zero, and their count is known beforehand ([`crate::trace::Fleet`]
//! numbers the pages of many files). So every list and mark is an array.
//!
//! [`Lru`], [`Fifo`], [`Clock`] and [`TwoQueue`] are the textbook policies. [`TwoLists`] is what
//! Linux does. [`StackDistances`] and [`LruSizes`] are LRU of many sizes at once.

mod list;
mod counts;
mod replacement;
mod lru;
mod fifo;
mod clock;
mod two_queue;
mod two_lists;
mod recency;
mod stack_distance;
mod lru_sizes;

pub use clock::Clock;
pub use counts::Counts;
pub use fifo::Fifo;
pub use lru::Lru;
pub use lru_sizes::LruSizes;
pub use stack_distance::{Curve, StackDistances};
pub use two_lists::{RECLAIM_PAGES, Refaults, TwoLists};
pub use two_queue::TwoQueue;

use std::ops::Range;

use crate::trace::Access;

/// A page cache of a fixed size.
pub trait Cache {
    /// Takes a page reference; returns whether the page was resident. It is resident afterwards.
    fn access(&mut self, page: u32, access: Access) -> bool;

    /// Brings in a page by readahead, unless it is resident; returns whether it was.
    fn read_ahead(&mut self, page: u32) -> bool;

    /// Like [`Cache::access`], for a use that the kernel does not notice: of a mapped page, or of
    /// the page that the same reader used just before.
    fn access_unseen(&mut self, page: u32, access: Access) -> bool;

    /// Records the uses of a mapped page, which the kernel notices when it is unmapped.
    fn was_used_mapped(&mut self, page: u32);

    /// Brings in pages by readahead, none of them resident, as one folio. If the policy supports
    /// folios, its pages are evicted together, and a use of one is a use of all.
    fn read_ahead_folio(&mut self, pages: Range<u32>);

    /// The folio of a page, which is mostly the page alone.
    fn folio(&self, page: u32) -> Range<u32>;

    /// Sets or clears the readahead mark on the folio of a resident page: a read of a marked folio
    /// starts the next readahead window.
    fn set_ahead(&mut self, page: u32, ahead: bool);

    /// Whether the folio of a page has that mark.
    fn is_ahead(&self, page: u32) -> bool;

    /// Treats a resident page as if it had just come in, if the policy has such an order.
    fn keep(&mut self, page: u32) {
        let _ = page;
    }

    /// Whether a page is resident.
    fn is_resident(&self, page: u32) -> bool;

    /// Writes one page back, if it is dirty; it stays resident.
    fn write_back(&mut self, page: u32);

    /// The counters so far.
    fn counts(&self) -> Counts;

    /// Writes back every dirty page, as the kernel's timer does; returns their number.
    fn write_back_all(&mut self) -> u64 {
        let before = self.counts().write_backs;
        for page in 0..self.pages() {
            self.write_back(page);
        }
        self.counts().write_backs - before
    }

    /// The number of pages in the world.
    fn pages(&self) -> u32;

    /// The number of pages that the cache can have.
    fn capacity_pages(&self) -> u32;
}
