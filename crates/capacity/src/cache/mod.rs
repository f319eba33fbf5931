//! Page caches, simulated exactly: a few instructions for each page reference.
//!
//! Pages are numbers below a count that is known beforehand ([`crate::trace::Fleet`] numbers the
//! pages of many files so), so that every list and mark is an array.
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
    /// Takes one page reference and gives whether the page was resident; if it was not, it is now.
    fn access(&mut self, page: u32, access: Access) -> bool;

    /// Brings in a page that nobody asked for, unless it is resident; gives whether it was.
    fn read_ahead(&mut self, page: u32) -> bool;

    /// As [`Cache::access`], for a use that the kernel takes no notice of: of a page that is
    /// mapped, or where the same reader has just been.
    fn access_unseen(&mut self, page: u32, access: Access) -> bool;

    /// Takes notice of the uses of a page that was mapped, as the kernel does when it is unmapped.
    fn was_used_mapped(&mut self, page: u32);

    /// Brings in pages that nobody asked for, none of them resident, as one folio: they go
    /// together, and the use of one is the use of all, where the policy knows folios.
    fn read_ahead_folio(&mut self, pages: Range<u32>);

    /// The folio that a page belongs to, the page alone mostly.
    fn folio(&self, page: u32) -> Range<u32>;

    /// Marks the folio of a resident page, or takes its mark away: a read of one with a mark
    /// has the next window read ahead.
    fn set_ahead(&mut self, page: u32, ahead: bool);

    /// Whether the folio of a page bears that mark.
    fn is_ahead(&self, page: u32) -> bool;

    /// Treats a resident page as if it had just come in, where the policy has such an order.
    fn keep(&mut self, page: u32) {
        let _ = page;
    }

    /// Whether a page is resident.
    fn is_resident(&self, page: u32) -> bool;

    /// Writes one page back, if it is dirty; it stays resident.
    fn write_back(&mut self, page: u32);

    /// What has happened so far.
    fn counts(&self) -> Counts;

    /// Writes back every dirty page, as a timer does; gives how many.
    fn write_back_all(&mut self) -> u64 {
        let before = self.counts().write_backs;
        for page in 0..self.pages() {
            self.write_back(page);
        }
        self.counts().write_backs - before
    }

    /// How many pages there are in the world: their numbers are below this.
    fn pages(&self) -> u32;

    /// How many pages the cache holds.
    fn capacity_pages(&self) -> u32;
}
