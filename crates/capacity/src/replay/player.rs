//! A trace's updates through a page cache with readahead.

use super::{Method, OpenFile, Outcome, Share};
use crate::cache::{Cache, Counts};
use crate::policy::{Order, Readahead};
use crate::trace::Touch;
use crate::trace_text::{Files, Run};

/// What plays a trace.
pub trait Play {
    /// A file is opened and updated.
    ///
    /// # Panics
    /// If there is no such file, or it has no such page.
    fn update(&mut self, file: u32, runs: &[Run]);

    /// What is dirty is written, as timers do between cycles.
    fn write_back(&mut self);

    /// What is dirty is written, and what follows is counted, nothing before it.
    fn restart(&mut self);

    /// What was counted up to the last write back, for each size of the cache.
    fn outcomes(&self) -> Vec<Outcome>;
}

/// Updates that are told one by one, through one page cache.
#[derive(Clone, Debug)]
pub struct Player<C, R> {
    files: Files,
    cache: C,
    method: Method,
    readahead: Vec<R>,
    order: Order,
    /// Of each group.
    shares: Vec<Share>,
    /// When counting began.
    before: Counts,
}

impl<C: Cache, R: Readahead + Clone> Player<C, R> {
    /// The cache must know as many pages as the files have.
    ///
    /// # Panics
    /// If it does not.
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
        let place = files.place(file).expect("whoever tells updates knows the files");
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
