//! Readahead policies: which pages are read in addition to the one that is needed.
//!
//! A policy is the state that a kernel keeps for one open file. It gets every page that is read, in
//! the order of the reads, before the page is taken from the cache. It sees which pages are
//! resident, and returns the ranges of pages to bring in. The page itself comes in anyway.

mod none;
mod stock;
mod on_demand;
mod markers;
mod read_around;
mod adaptive;

pub use adaptive::{Adaptive, Tuning};
pub use none::NoReadahead;
pub use on_demand::OnDemand;
pub use read_around::ReadAround;
pub use stock::{Stock, StockRules};

use std::ops::Range;

use crate::cache::Cache;

/// The default window of Linux, 128 KiB, in pages of 4 KiB.
pub const DEFAULT_WINDOW_PAGES: u32 = 32;

/// A kernel's readahead state for one file.
pub trait Readahead {
    /// The file is opened again.
    fn open(&mut self);

    /// A page is read: the first of `wanted` that a system call still asks for.
    fn read(&mut self, page: u32, wanted: u32, file: &FileView<'_>, order: &mut Order);

    /// The mapped file is closed, after these pages were touched. Returns the pages that the kernel
    /// regards as used.
    fn unmapped(&mut self, touched: &[u32]) -> Vec<u32> {
        touched.to_vec()
    }
}

/// The decisions of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Pages to bring in; resident ones stay as they are. None is beyond the file's end.
    pub bring: Vec<Range<u32>>,
    /// Ranges to bring in first, each as one folio; none of the pages is resident.
    pub bring_folios: Vec<Range<u32>>,
    /// The folio whose mark is cleared, by its first page.
    pub unmark: Option<u32>,
    /// The page to mark, one of those that are brought in.
    pub mark: Option<u32>,
    /// Resident pages to keep longer, as if they had just come in.
    pub keep: Vec<Range<u32>>,
}

impl Order {
    /// Clears the order.
    pub fn clear(&mut self) {
        self.bring.clear();
        self.bring_folios.clear();
        self.keep.clear();
        (self.unmark, self.mark) = (None, None);
    }

    fn bring(&mut self, start: u32, pages: u32, file: &FileView<'_>) {
        let end = start.saturating_add(pages).min(file.pages);
        if start < end {
            self.bring.push(start..end);
        }
    }

    fn bring_folio(&mut self, start: u32, pages: u32) {
        if pages == 1 {
            self.bring.push(start..start + 1);
        } else {
            self.bring_folios.push(start..start + pages);
        }
    }

    /// Whether the order makes a page resident that is not.
    fn brings(&self, page: u32) -> bool {
        self.bring.iter().chain(&self.bring_folios).any(|range| range.contains(&page))
    }
}

/// A file, as a policy sees it.
#[derive(Clone, Copy)]
pub struct FileView<'a> {
    cache: &'a dyn Cache,
    first_page: u32,
    pages: u32,
}

impl<'a> FileView<'a> {
    /// The file whose pages begin at `first_page` of a cache's world.
    #[must_use]
    pub fn new(cache: &'a dyn Cache, first_page: u32, pages: u32) -> Self {
        Self { cache, first_page, pages }
    }

    /// Whether a page of the file is resident; false beyond its end.
    #[must_use]
    pub fn is_resident(&self, page: u32) -> bool {
        page < self.pages && self.cache.is_resident(self.first_page + page)
    }

    /// The folio of a page of the file.
    #[must_use]
    pub fn folio(&self, page: u32) -> Range<u32> {
        let folio = self.cache.folio(self.first_page + page);
        folio.start - self.first_page..folio.end - self.first_page
    }

    /// Whether the folio of a resident page has the readahead mark.
    #[must_use]
    pub fn is_ahead(&self, page: u32) -> bool {
        page < self.pages && self.cache.is_ahead(self.first_page + page)
    }

    /// Pages of the file.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The size of the whole cache.
    #[must_use]
    pub fn cache_pages(&self) -> u32 {
        self.cache.capacity_pages()
    }

    /// Pages that the cache has read so far for all files: how fast its pages age.
    #[must_use]
    pub fn pages_read(&self) -> u64 {
        self.cache.counts().pages_read()
    }
}
