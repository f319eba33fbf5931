//! Plays a trace through a page cache with readahead.

use super::{Method, OpenFile, Outcome, Share};
use crate::cache::{Cache, Counts};
use crate::policy::{Order, Readahead};
use crate::trace::Touch;
use crate::trace_text::{Files, Run};

/// Plays a trace.
pub trait Play {
    /// Opens and updates a file.
    ///
    /// # Panics
    ///
    /// If there is no such file, or it has no such page.
    fn update(&mut self, file: u32, runs: &[Run]);

    /// Writes dirty pages, as the kernel's timer does between cycles.
    fn write_back(&mut self);

    /// Writes dirty pages and resets the counters.
    fn restart(&mut self);

    /// The counters up to the last write back, for each size of the cache.
    fn outcomes(&self) -> Vec<Outcome>;
}

/// Plays updates through one page cache.
#[derive(Clone, Debug)]
pub struct Player<C, R> {
    files: Files,
    cache: C,
    method: Method,
    readahead: Vec<R>,
    order: Order,
    /// The counters of each group.
    shares: Vec<Share>,
    /// The cache's counters when counting began.
    before: Counts,
}

impl<C: Cache, R: Readahead + Clone> Player<C, R> {
    /// Prepares a player.
    ///
    /// # Panics
    ///
    /// If the cache's world and the files have different numbers of pages.
    #[must_use]
    pub fn new(files: Files, cache: C, method: Method, readahead: &R) -> Self {
        assert!(cache.pages() == files.pages());
        let readahead = vec![readahead.clone(); files.files() as usize];
        let (shares, before) = (vec![Share::default(); files.groups().len()], cache.counts());
        Self { files, cache, method, readahead, order: Order::default(), shares, before }
    }
}

impl<C: Cache, R: Readahead> Play for Player<C, R> {
    fn update(&mut self, file: u32, runs: &[Run]) {
        let Self { files, cache, method, readahead, order, shares, .. } = self;
        let before = cache.counts();
        let place = files.place(file).expect("updates name files of the trace");
        let mut open = OpenFile::new(place.first_page, place.data_pages, *method);
        let readahead = &mut readahead[file as usize];
        readahead.open();
        for run in runs {
            assert!(run.last_page < place.pages);
            for page in run.first_page..=run.last_page {
                let touch = Touch { page, access: run.access };
                open.touch(touch, cache, readahead, order);
            }
        }
        open.close(cache, readahead);
        shares[place.group].add(1, &cache.counts().since(&before));
    }

    fn write_back(&mut self) {
        self.cache.write_back_all();
    }

    fn restart(&mut self) {
        self.write_back();
        self.shares.fill(Share::default());
        self.before = self.cache.counts();
    }

    fn outcomes(&self) -> Vec<Outcome> {
        vec![Outcome::new(self.cache.counts().since(&self.before), self.shares.clone())]
    }
}
