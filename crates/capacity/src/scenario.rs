//! One simulation from begin to end, with policies chosen by name.

use crate::cache::{Cache, Clock, Counts, Curve, Fifo, Lru, StackDistances, TwoLists, TwoQueue};
use crate::policy::{
    Adaptive, NoReadahead, OnDemand, ReadAround, Readahead, Stock, StockRules, Tuning,
};
use crate::replay::{Method, Replay};
use crate::trace::Fleet;

/// Which pages go when the cache is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CachePolicy {
    /// [`Lru`].
    Lru,
    /// [`Fifo`].
    Fifo,
    /// [`Clock`].
    Clock,
    /// [`TwoQueue`].
    TwoQueue,
    /// [`TwoLists`].
    TwoLists,
}

impl CachePolicy {
    /// Every policy with its name.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("lru", Self::Lru),
        ("fifo", Self::Fifo),
        ("clock", Self::Clock),
        ("2q", Self::TwoQueue),
        ("linux", Self::TwoLists),
    ];
}

/// Which pages come in beside the one that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadaheadPolicy {
    /// [`NoReadahead`].
    None,
    /// [`Stock`], as the article on adaptive readahead tells it.
    Article,
    /// [`Stock`], as the RRD study saw it.
    Observed,
    /// [`OnDemand`], with a window of so many pages.
    OnDemand(u32),
    /// [`ReadAround`], with a window of so many pages.
    ReadAround(u32),
    /// [`Adaptive`].
    Adaptive(Tuning),
}

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
        let world = self.fleet.pages();
        match cache {
            CachePolicy::Lru => self.run_in(Lru::new(pages, world), readahead),
            CachePolicy::Fifo => self.run_in(Fifo::new(pages, world), readahead),
            CachePolicy::Clock => self.run_in(Clock::new(pages, world), readahead),
            CachePolicy::TwoQueue => self.run_in(TwoQueue::new(pages, world), readahead),
            CachePolicy::TwoLists => self.run_in(TwoLists::new(pages, world), readahead),
        }
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

    fn run_in<C: Cache>(&self, cache: C, readahead: ReadaheadPolicy) -> Outcome {
        match readahead {
            ReadaheadPolicy::None => self.replay(cache, &NoReadahead),
            ReadaheadPolicy::Article => self.replay(cache, &Stock::new(StockRules::Article)),
            ReadaheadPolicy::Observed => self.replay(cache, &Stock::new(StockRules::Observed)),
            ReadaheadPolicy::OnDemand(pages) => self.replay(cache, &OnDemand::new(pages)),
            ReadaheadPolicy::ReadAround(pages) => self.replay(cache, &ReadAround::new(pages)),
            ReadaheadPolicy::Adaptive(tuning) => self.replay(cache, &Adaptive::new(tuning)),
        }
    }

    fn replay<C: Cache, R: Readahead + Clone>(&self, cache: C, readahead: &R) -> Outcome {
        let mut replay = Replay::new(self.fleet.clone(), cache, self.method, readahead);
        self.pass(&mut replay, self.warming_seconds);
        let before = replay.cache().counts();
        let updates = self.pass(&mut replay, self.counted_seconds);
        Outcome { updates, counts: replay.cache().counts().since(&before) }
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
