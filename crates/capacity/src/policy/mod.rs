//! Readahead policies: which pages come in beside the one that is needed.
//!
//! A policy is the state that a kernel keeps for one open file. It is told every page that is read,
//! in the order of the reads, before the page is taken from the cache; it sees what is resident and
//! answers with ranges of pages to bring in. The page itself comes in anyway.

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

/// What a kernel keeps of one file to read ahead of its reader.
pub trait Readahead {
    /// The file is opened anew.
    fn open(&mut self);

    /// A page is read, the first of `wanted` that one system call asks for from here on.
    fn read(&mut self, page: u32, wanted: u32, file: &FileView<'_>, order: &mut Order);
}

/// What a policy orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Pages to bring in; those that are resident stay as they are. None is behind the file's end.
    pub bring: Vec<Range<u32>>,
    /// Resident pages that shall be kept longer, as if they had just come in.
    pub keep: Vec<Range<u32>>,
}

impl Order {
    /// Forgets what was ordered.
    pub fn clear(&mut self) {
        self.bring.clear();
        self.keep.clear();
    }

    fn bring(&mut self, start: u32, pages: u32, file: &FileView<'_>) {
        let end = start.saturating_add(pages).min(file.pages);
        if start < end {
            self.bring.push(start..end);
        }
    }
}

/// One file, as a policy sees it.
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

    /// Whether a page of the file is resident; none is behind its end.
    #[must_use]
    pub fn is_resident(&self, page: u32) -> bool {
        page < self.pages && self.cache.is_resident(self.first_page + page)
    }

    /// Pages of the file.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Pages that the whole cache holds.
    #[must_use]
    pub fn cache_pages(&self) -> u32 {
        self.cache.capacity_pages()
    }

    /// Pages that the cache has read so far, for whomever: how fast its pages grow old.
    #[must_use]
    pub fn pages_read(&self) -> u64 {
        self.cache.counts().pages_read()
    }
}
