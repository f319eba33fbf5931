//! A fleet's updates through a page cache with readahead.

mod outcome;
mod open_file;
mod player;
mod lru_player;

pub use lru_player::LruPlayer;
pub(crate) use open_file::OpenFile;
pub use outcome::{Outcome, Share};
pub use player::{Play, Player};

use crate::cache::Cache;
use crate::policy::{Order, Readahead};
use crate::trace::{Access, Fleet, Touch};

/// How a program reads and writes its files. It determines which references readahead sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `pread` of the header, `pwrite` of the rest: a write that needs a page reads only that page.
    /// gyre does this.
    Pwrite,
    /// The same, but the pages to be written are requested beforehand (`WILLNEED`), so that a disk
    /// serves several together. gyre's daemon does this. Linux keeps such pages longer than pages
    /// that a write brings in.
    Prefetch,
    /// Buffered streams of the C library: a seek reads the block at its target, which is then
    /// written. RRDtool 1.0 did this.
    Stream,
    /// A mapping of the whole file. RRDtool does this since 1.3. Each write is also a read.
    Mapping,
}

impl Method {
    /// The cache accesses for one page that an update reads or writes. Readahead sees the reads of
    /// data.
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

/// Plays the updates of a fleet through one page cache.
///
/// Each file has its own readahead state and is opened again for each update, as RRDtool does.
#[derive(Clone, Debug)]
pub struct Replay<C, R> {
    fleet: Fleet,
    cache: C,
    method: Method,
    readahead: Vec<R>,
    /// The index of each group's first file among all files.
    first_files: Vec<usize>,
    order: Order,
}

impl<C: Cache, R: Readahead + Clone> Replay<C, R> {
    /// Prepares a replay.
    ///
    /// # Panics
    ///
    /// If the cache's world and the fleet have different numbers of pages.
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

    /// The cache, for writing pages back.
    pub fn cache_mut(&mut self) -> &mut C {
        &mut self.cache
    }

    /// The files.
    #[must_use]
    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// Updates every file of the group whose turn is next; returns the time.
    pub fn cycle(&mut self) -> u64 {
        let Self { fleet, cache, method, readahead, first_files, order } = self;
        let groups: Vec<u32> =
            fleet.groups().iter().map(|group| group.shape.data_pages()).collect();
        let mut open: Option<(usize, OpenFile)> = None;
        let now_seconds = fleet.cycle(|each| {
            let nth = first_files[each.group] + each.file as usize;
            if open.as_ref().is_none_or(|(before, _)| *before != nth) {
                if let Some((before, file)) = open.take() {
                    file.close(cache, &mut readahead[before]);
                }
                let first_page = each.page - each.page_of_file;
                let file = OpenFile::new(first_page, groups[each.group], *method);
                readahead[nth].open();
                open = Some((nth, file));
            }
            let (_, file) = open.as_mut().expect("opened above");
            let touch = Touch { page: each.page_of_file, access: each.access };
            file.touch(touch, cache, &mut readahead[nth], order);
        });
        if let Some((nth, file)) = open {
            file.close(cache, &mut readahead[nth]);
        }
        now_seconds
    }
}
