//! One simulation from begin to end, with policies chosen by name.

mod choice;
mod told;

pub use choice::{CachePolicy, ReadaheadPolicy};
pub use told::player;

use choice::{Choice, Chosen};

use crate::cache::{Cache, Counts, Curve, StackDistances};
use crate::policy::Readahead;
use crate::replay::{Method, Replay};
use crate::trace::Fleet;

/// A fleet, how it is updated, and for how long.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The files.
    pub fleet: Fleet,
    /// How they are read and written.
    pub method: Method,
    /// Seconds that warm the cache and are not counted.
    pub warming_seconds: u64,
    /// Seconds that are counted.
    pub counted_seconds: u64,
}

/// What one simulation counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Updates of files.
    pub updates: u64,
    /// What the cache did.
    pub counts: Counts,
}

impl Scenario {
    /// Runs through a cache of so many pages for all files together. Dirty pages are written back
    /// after each cycle, as timers do long before the next one.
    ///
    /// # Panics
    /// If the cache holds no page.
    #[must_use]
    pub fn run(&self, cache: CachePolicy, readahead: ReadaheadPolicy, pages: u32) -> Outcome {
        Choice { cache, readahead, pages, world: self.fleet.pages() }.run(self)
    }

    /// The misses of LRU without readahead for every size of the cache, in one pass, and the
    /// updates counted. Each reference counts once, however often a program reads and writes.
    #[must_use]
    pub fn curve(&self) -> (Curve, u64) {
        let mut fleet = self.fleet.clone();
        let mut distances = StackDistances::new(fleet.pages());
        let mut pass = |seconds: u64, distances: &mut StackDistances| {
            let (mut updates, end) = (0, fleet.next_turn().1 + seconds);
            while fleet.next_turn().1 < end {
                updates += u64::from(fleet.groups()[fleet.next_turn().0].files);
                fleet.cycle(|each| {
                    distances.access(each.page);
                });
            }
            updates
        };
        pass(self.warming_seconds, &mut distances);
        distances.restart_counts();
        let updates = pass(self.counted_seconds, &mut distances);
        (distances.curve(), updates)
    }

    fn pass<C, R>(&self, replay: &mut Replay<C, R>, seconds: u64) -> u64
    where
        C: Cache,
        R: Readahead + Clone,
    {
        let (mut updates, end) = (0, replay.fleet().next_turn().1 + seconds);
        while replay.fleet().next_turn().1 < end {
            let group = replay.fleet().next_turn().0;
            updates += u64::from(replay.fleet().groups()[group].files);
            replay.cycle();
            replay.cache_mut().write_back_all();
        }
        updates
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
        let updates = self.pass(&mut replay, self.counted_seconds);
        Outcome { updates, counts: replay.cache().counts().since(&before) }
    }
}
