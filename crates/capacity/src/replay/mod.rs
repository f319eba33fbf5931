//! A fleet's updates through a page cache with readahead.

mod outcome;
mod player;
mod lru_player;

pub use lru_player::LruPlayer;
pub use outcome::{Outcome, Share};
pub use player::{Play, Player};

use std::ops::Range;

use crate::cache::Cache;
use crate::policy::{FileView, Order, Readahead};
use crate::trace::{Access, Fleet, Touch};

/// How a program reads and writes its files: it decides which references readahead sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `pread` of the header, `pwrite` of the rest: a write that needs a page reads that page
    /// alone. What gyre does.
    Pwrite,
    /// The same, and the pages that will be written are asked for beforehand (`WILLNEED`), so that
    /// a disk answers for several together. What gyre's daemon does; Linux keeps such pages longer
    /// than those that a write brings in.
    Prefetch,
    /// Buffered streams of the C library: a seek reads the block that it leads to, and then it is
    /// written. What RRDtool 1.0 did.
    Stream,
    /// A mapping of the whole file. What RRDtool does since 1.3. Each write is a read first.
    Mapping,
}

impl Method {
    /// What is asked of the cache for one page that an update reads or writes. Readahead sees the
    /// reads of data.
    pub(crate) fn accesses(self, access: Access, is_data: bool) -> &'static [Access] {
        match access {
            Access::Read => &[Access::Read],
            Access::Write if is_data && self.reads_before_writes() => {
                &[Access::Read, Access::Write]
            }
            Access::Write => &[Access::Write],
        }
    }

    fn reads_before_writes(self) -> bool {
        matches!(self, Self::Stream | Self::Mapping)
    }
}

/// Updates of a fleet through one page cache.
///
/// Every file has a readahead policy of its own, opened anew at each update, as RRDtool opens files.
#[derive(Clone, Debug)]
pub struct Replay<C, R> {
    fleet: Fleet,
    cache: C,
    method: Method,
    readahead: Vec<R>,
    /// The first file of each group among all.
    first_files: Vec<usize>,
    order: Order,
}

impl<C: Cache, R: Readahead + Clone> Replay<C, R> {
    /// The cache must know as many pages as the fleet has.
    ///
    /// # Panics
    /// If it does not.
    #[must_use]
    pub fn new(fleet: Fleet, cache: C, method: Method, readahead: &R) -> Self {
        assert!(cache.pages() == fleet.pages());
        let mut first_files = vec![0];
        for group in fleet.groups() {
            first_files.push(first_files[first_files.len() - 1] + group.files as usize);
        }
        let readahead = vec![readahead.clone(); first_files[fleet.groups().len()]];
        Self { fleet, cache, method, readahead, first_files, order: Order::default() }
    }

    /// The cache.
    #[must_use]
    pub fn cache(&self) -> &C {
        &self.cache
    }

    /// The cache, to write pages back.
    pub fn cache_mut(&mut self) -> &mut C {
        &mut self.cache
    }

    /// The files.
    #[must_use]
    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// Updates every file of the group whose turn is next, and gives the time.
    pub fn cycle(&mut self) -> u64 {
        let Self { fleet, cache, method, readahead, first_files, order } = self;
        let groups: Vec<u32> =
            fleet.groups().iter().map(|group| group.shape.data_pages()).collect();
        let mut open = None;
        fleet.cycle(|each| {
            let readahead = &mut readahead[first_files[each.group] + each.file as usize];
            if open != Some((each.group, each.file)) {
                open = Some((each.group, each.file));
                readahead.open();
            }
            let first_page = each.page - each.page_of_file;
            let file = OpenFile::new(first_page, groups[each.group], *method);
            let touch = Touch { page: each.page_of_file, access: each.access };
            file.touch(each.page, touch, cache, readahead, order);
        })
    }
}

/// One file of the cache's world.
pub(crate) struct OpenFile {
    first_page: u32,
    data_pages: u32,
    method: Method,
}

impl OpenFile {
    pub(crate) fn new(first_page: u32, data_pages: u32, method: Method) -> Self {
        Self { first_page, data_pages, method }
    }

    /// Takes one page reference; `page` is its number in the cache's world.
    pub(crate) fn touch<C: Cache, R: Readahead>(
        &self,
        page: u32,
        touch: Touch,
        cache: &mut C,
        readahead: &mut R,
        order: &mut Order,
    ) {
        let is_data = touch.page < self.data_pages;
        for access in self.method.accesses(touch.access, is_data) {
            if is_data && *access == Access::Read {
                order.clear();
                let view = FileView::new(cache, self.first_page, self.data_pages);
                readahead.read(touch.page, 1, &view, order);
                self.carry_out(order, page, cache);
            } else if is_data && self.method == Method::Prefetch {
                cache.read_ahead(page);
            }
            cache.access(page, *access);
        }
    }

    fn carry_out<C: Cache>(&self, order: &Order, wanted: u32, cache: &mut C) {
        let in_world =
            |range: &Range<u32>| self.first_page + range.start..self.first_page + range.end;
        for page in order.keep.iter().flat_map(in_world) {
            cache.keep(page);
        }
        // The page that is needed is counted as such when it is taken.
        for page in order.bring.iter().flat_map(in_world).filter(|page| *page != wanted) {
            cache.read_ahead(page);
        }
    }
}
