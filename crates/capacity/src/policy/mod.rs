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

    /// The file, which was mapped, is closed, its pages of these numbers having been touched: which
    /// of all were used, as far as the kernel sees.
    fn unmapped(&mut self, touched: &[u32]) -> Vec<u32> {
        touched.to_vec()
    }
}

/// What a policy orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Pages to bring in; those that are resident stay as they are. None is behind the file's end.
    pub bring: Vec<Range<u32>>,
    /// Pages to bring in as one folio each, before the others; none of them is resident.
    pub bring_folios: Vec<Range<u32>>,
    /// The folio that shall bear no mark any more, by its first page.
    pub unmark: Option<u32>,
    /// The page, of those that are brought in, that shall bear the mark.
    pub mark: Option<u32>,
    /// Resident pages that shall be kept longer, as if they had just come in.
    pub keep: Vec<Range<u32>>,
}

impl Order {
    /// Forgets what was ordered.
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

    /// Whether a page will be resident that was not.
    fn brings(&self, page: u32) -> bool {
        self.bring.iter().chain(&self.bring_folios).any(|range| range.contains(&page))
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

    /// The folio that a page of the file belongs to.
    #[must_use]
    pub fn folio(&self, page: u32) -> Range<u32> {
        let folio = self.cache.folio(self.first_page + page);
        folio.start - self.first_page..folio.end - self.first_page
    }

    /// Whether the folio of a resident page bears the mark of readahead.
    #[must_use]
    pub fn is_ahead(&self, page: u32) -> bool {
        page < self.pages && self.cache.is_ahead(self.first_page + page)
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
