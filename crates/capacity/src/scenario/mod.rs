//! A complete simulation, with policies chosen by name.

mod choice;
mod one_pass;
mod told;

pub use choice::{CachePolicy, ReadaheadPolicy};
pub use told::{player, players};

use choice::{Choice, Chosen};
use one_pass::is_one_pass;

use crate::cache::Cache;
use crate::policy::Readahead;
use crate::replay::{Method, Outcome, Replay, Share};
use crate::trace::Fleet;

/// A fleet, how it is updated, and for how long.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The files.
    pub fleet: Fleet,
    /// How the programs read and write them.
    pub method: Method,
    /// The simulated seconds that warm the cache and are not counted.
    pub warming_seconds: u64,
    /// The simulated seconds that are counted.
    pub counted_seconds: u64,
}

impl Scenario {
    /// Simulates a cache of `pages` for all files together. Dirty pages are written back after each
    /// cycle, as the kernel's timer does long before the next one.
    ///
    /// # Panics
    ///
    /// If the cache has no page.
    #[must_use]
    pub fn run(&self, cache: CachePolicy, readahead: ReadaheadPolicy, pages: u32) -> Outcome {
        Choice { cache, readahead, pages, world: self.fleet.pages() }.run(self)
    }

    /// Simulates caches of several sizes, ascending, each for all files together. `done` gets the
    /// number of finished sizes. LRU without readahead takes one pass for all sizes, with the same
    /// counters as single runs; `done` then gets the corresponding share.
    ///
    /// # Panics
    ///
    /// If a cache has no page, or the sizes are not ascending.
    #[must_use]
    pub fn run_sizes(
        &self,
        cache: CachePolicy,
        readahead: ReadaheadPolicy,
        capacities_pages: &[u32],
        mut done: impl FnMut(usize),
    ) -> Vec<Outcome> {
        if is_one_pass(cache, readahead) {
            return self.one_pass(capacities_pages, done);
        }
        let one = |(nth, pages): (usize, &u32)| {
            done(nth);
            self.run(cache, readahead, *pages)
        };
        capacities_pages.iter().enumerate().map(one).collect()
    }

    /// The counters of each group.
    fn pass<C, R>(&self, replay: &mut Replay<C, R>, seconds: u64) -> Vec<Share>
    where
        C: Cache,
        R: Readahead + Clone,
    {
        let mut shares = vec![Share::default(); self.fleet.groups().len()];
        let end = replay.fleet().next_turn().1 + seconds;
        while replay.fleet().next_turn().1 < end {
            let group = replay.fleet().next_turn().0;
            let before = replay.cache().counts();
            replay.cycle();
            let updates = u64::from(self.fleet.groups()[group].files);
            shares[group].add(updates, &replay.cache().counts().since(&before));
            replay.cache_mut().write_back_all();
        }
        shares
    }
}

impl Chosen for &Scenario {
    type Outcome = Outcome;

    fn run<C, R>(self, cache: C, readahead: &R) -> Outcome
    where
        C: Cache + 'static,
        R: Readahead + Clone + 'static,
    {
        let mut replay = Replay::new(self.fleet.clone(), cache, self.method, readahead);
        self.pass(&mut replay, self.warming_seconds);
        let before = replay.cache().counts();
        let shares = self.pass(&mut replay, self.counted_seconds);
        Outcome::new(replay.cache().counts().since(&before), shares)
    }
}
