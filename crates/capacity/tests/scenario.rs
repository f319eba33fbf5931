//! Simulations with named policies agree where they must.

use capacity::policy::Tuning;
use capacity::replay::{Method, Outcome, Share};
use capacity::scenario::{CachePolicy, ReadaheadPolicy, Scenario};
use capacity::trace::{BlockMap, Fleet, Group, Scatter, Shape};
use proptest::prelude::*;

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

/// One to three groups of files of any layout and step.
fn groups() -> impl Strategy<Value = Vec<Group>> {
    let archives = prop::collection::vec((1..2000_u64, 1..40_u64), 1..6);
    let block_map =
        prop_oneof![Just(BlockMap::DataOnly), Just(BlockMap::Extents), Just(BlockMap::Indirect)];
    let step = prop_oneof![Just(60_u64), Just(300), 1..1000_u64];
    let group = (step, 1..4_usize, archives, block_map, 1..8_u32).prop_map(
        |(step, sources, archives, block_map, files)| {
            let definition = definitions::definition(step, sources, &archives);
            Group { shape: Shape::new(&definition, 4096, block_map).unwrap(), files }
        },
    );
    prop::collection::vec(group, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_pass_counts_all_that_the_single_runs_count(
        groups in groups(),
        method in prop_oneof![Just(Method::Pwrite), Just(Method::Stream), Just(Method::Mapping)],
        seed in any::<u64>(),
        mut sizes in prop::collection::vec(1..200_u32, 1..6),
        warming_seconds in 0..20_000_u64,
    ) {
        let fleet = Fleet::new(groups, 1_000_000_000, Scatter::ByChance(seed)).unwrap();
        sizes.sort_unstable();
        let counted_seconds = 40_000;
        let scenario = Scenario { fleet, method, warming_seconds, counted_seconds };
        let (lru, none) = (CachePolicy::Lru, ReadaheadPolicy::None);
        let at_once = scenario.run_sizes(lru, none, &sizes, |_| {});
        let (curve, updates) = scenario.curve();
        for (pages, outcome) in sizes.iter().zip(at_once) {
            let alone = scenario.run(lru, none, *pages);
            prop_assert_eq!((alone.updates, alone.counts.page_ins), (updates, curve.misses(*pages)));
            prop_assert_eq!(outcome, alone);
        }
    }
}

#[test]
fn how_far_it_has_come_is_told_on_the_way() {
    let shape = Shape::new(&definitions::definition(300, 2, &[(800, 1)]), 4096, BlockMap::DataOnly);
    let groups = vec![Group { shape: shape.unwrap(), files: 3 }];
    let fleet = Fleet::new(groups, 1_000_000_000, Scatter::ByChance(1)).unwrap();
    let method = Method::Pwrite;
    let scenario = Scenario { fleet, method, warming_seconds: 30_000, counted_seconds: 30_000 };
    for cache in [CachePolicy::Lru, CachePolicy::Fifo] {
        let mut told = Vec::new();
        let sizes = [3, 6, 9, 12];
        let _ = scenario.run_sizes(cache, ReadaheadPolicy::None, &sizes, |done| told.push(done));
        assert!(told.is_sorted() && told[0] == 0 && *told.last().unwrap() <= 4, "{told:?}");
        told.dedup();
        assert!(told.len() >= 4, "{told:?}");
    }
}

#[test]
fn groups_share_a_cache_and_are_told_apart() {
    let shape = |step| {
        let definition = definitions::definition(step, 2, &[(800, 1), (800, 6)]);
        Shape::new(&definition, 4096, BlockMap::DataOnly).unwrap()
    };
    let groups = vec![Group { shape: shape(60), files: 3 }, Group { shape: shape(300), files: 5 }];
    let fleet = Fleet::new(groups, 1_000_000_000, Scatter::ByChance(1)).unwrap();
    let (warming_seconds, counted_seconds) = (DAY_SECONDS, DAY_SECONDS);
    let scenario = Scenario { fleet, method: Method::Stream, warming_seconds, counted_seconds };
    for (_, cache) in CachePolicy::NAMES {
        let Outcome { updates, counts, groups } =
            scenario.run(cache, ReadaheadPolicy::OnDemand(4), 30);
        let each: Vec<u64> = groups.iter().map(|group| group.updates).collect();
        assert_eq!(each, [3 * 1440, 5 * 288]);
        assert_eq!(updates, 3 * 1440 + 5 * 288);
        let sum = |count: fn(&Share) -> u64| groups.iter().map(count).sum::<u64>();
        assert_eq!(sum(|group| group.references), counts.references);
        assert_eq!(sum(|group| group.page_ins), counts.page_ins);
        assert_eq!(sum(Share::pages_read), counts.pages_read());
        assert!(groups.iter().all(|group| group.page_ins > 0));
    }
}
