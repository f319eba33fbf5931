//! Policies by their names.

use crate::cache::{Cache, Clock, Fifo, Lru, TwoLists, TwoQueue};
use crate::policy::{
    Adaptive, NoReadahead, OnDemand, ReadAround, Readahead, Stock, StockRules, Tuning,
};

/// The replacement policy.
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

/// The readahead policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadaheadPolicy {
    /// [`NoReadahead`].
    None,
    /// [`Stock`], with the rules of the article on adaptive readahead.
    Article,
    /// [`Stock`], with the observations of the RRD study.
    Observed,
    /// [`OnDemand`], with a window of this many pages.
    OnDemand(u32),
    /// [`OnDemand::with_large_folios`], with a window of this many pages.
    LargeFolios(u32),
    /// [`ReadAround`], with a window of this many pages.
    ReadAround(u32),
    /// [`ReadAround::with_large_folios`], with a window of this many pages.
    LargeReadAround(u32),
    /// [`Adaptive`].
    Adaptive(Tuning),
}

/// A computation for chosen policies.
pub(super) trait Chosen {
    type Outcome;
    fn run<C, R>(self, cache: C, readahead: &R) -> Self::Outcome
    where
        C: Cache + 'static,
        R: Readahead + Clone + 'static;
}

/// A pair of policies, and the sizes of cache and world in pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) cache: CachePolicy,
    pub(super) readahead: ReadaheadPolicy,
    pub(super) pages: u32,
    pub(super) world: u32,
}

impl Choice {
    pub(super) fn run<T: Chosen>(self, chosen: T) -> T::Outcome {
        let Self { cache, readahead, pages, world } = self;
        match cache {
            CachePolicy::Lru => with(Lru::new(pages, world), readahead, chosen),
            CachePolicy::Fifo => with(Fifo::new(pages, world), readahead, chosen),
            CachePolicy::Clock => with(Clock::new(pages, world), readahead, chosen),
            CachePolicy::TwoQueue => with(TwoQueue::new(pages, world), readahead, chosen),
            CachePolicy::TwoLists => with(TwoLists::new(pages, world), readahead, chosen),
        }
    }
}

fn with<C, T>(cache: C, readahead: ReadaheadPolicy, chosen: T) -> T::Outcome
where
    C: Cache + 'static,
    T: Chosen,
{
    match readahead {
        ReadaheadPolicy::None => chosen.run(cache, &NoReadahead),
        ReadaheadPolicy::Article => chosen.run(cache, &Stock::new(StockRules::Article)),
        ReadaheadPolicy::Observed => chosen.run(cache, &Stock::new(StockRules::Observed)),
        ReadaheadPolicy::OnDemand(pages) => chosen.run(cache, &OnDemand::new(pages)),
        ReadaheadPolicy::LargeFolios(pages) => {
            chosen.run(cache, &OnDemand::with_large_folios(pages))
        }
        ReadaheadPolicy::ReadAround(pages) => chosen.run(cache, &ReadAround::new(pages)),
        ReadaheadPolicy::LargeReadAround(pages) => {
            chosen.run(cache, &ReadAround::with_large_folios(pages))
        }
        ReadaheadPolicy::Adaptive(tuning) => chosen.run(cache, &Adaptive::new(tuning)),
    }
}
