//! Simulations by name agree where they must.

use capacity::policy::Tuning;
use capacity::replay::Method;
use capacity::scenario::{CachePolicy, ReadaheadPolicy, Scenario};
use capacity::trace::{BlockMap, Fleet, Group, Scatter, Shape};

mod definitions;

const DAY_SECONDS: u64 = 86_400;

fn scenario(files: u32) -> Scenario {
    let shape = Shape::new(&definitions::mrtg(), 4096, BlockMap::Extents).unwrap();
    let group = Group { shape, files };
    Scenario {
        fleet: Fleet::new(vec![group], 1_000_000_000, Scatter::ByChance(1)).unwrap(),
        method: Method::Pwrite,
        warming_seconds: 2 * DAY_SECONDS,
        counted_seconds: 3 * DAY_SECONDS,
    }
}

#[test]
fn the_curve_is_what_lru_of_each_size_counts() {
    let scenario = scenario(20);
    let (curve, updates) = scenario.curve();
    assert_eq!(updates, 20 * 3 * 288);
    for pages in [20, 50, 80, 100, 140, 300] {
        let outcome = scenario.run(CachePolicy::Lru, ReadaheadPolicy::None, pages);
        assert_eq!((outcome.updates, outcome.counts.page_ins), (updates, curve.misses(pages)));
    }
}

#[test]
fn a_cache_that_holds_everything_reads_nothing_by_any_policy() {
    let scenario = Scenario { warming_seconds: 900 * DAY_SECONDS, ..scenario(1) };
    let pages = scenario.fleet.pages();
    for (name, cache) in CachePolicy::NAMES {
        let outcome = scenario.run(cache, ReadaheadPolicy::None, pages);
        assert_eq!(outcome.counts.page_ins, 0, "{name}");
        assert_eq!(outcome.counts.evictions, 0, "{name}");
    }
}

#[test]
fn readahead_costs_what_the_reference_complains_of() {
    let scenario = Scenario { method: Method::Stream, ..scenario(50) };
    let read = |readahead| scenario.run(CachePolicy::Lru, readahead, 50 * 10).counts.pages_read();
    let without = read(ReadaheadPolicy::None);
    let observed = read(ReadaheadPolicy::Observed);
    assert!(observed > 50 * without, "{observed} {without}");
    for readahead in [
        ReadaheadPolicy::Article,
        ReadaheadPolicy::OnDemand(32),
        ReadaheadPolicy::ReadAround(32),
        ReadaheadPolicy::Adaptive(Tuning::default()),
    ] {
        assert!(read(readahead) > without, "{readahead:?}");
    }
}
