//! Properties that hold for all databases, and the effect of faster polling.

mod machines;

use machines::{GIB, machine, mrtg};
use planner::scenario::{Layout, polled_every, split};
use planner::{Fleet, Way, predict};
use proptest::prelude::*;
use rrd::{Archive, ConsolidationFunction, Definition};

/// The two lists are not a stack algorithm: a slightly larger cache may read slightly more.
const NOISE: f64 = 0.05;
const NOISE_PAGES: f64 = 0.02;

fn layouts() -> impl Strategy<Value = Definition> {
    let archives = prop::collection::vec((1_u64..2000, 1_u64..48), 1..5);
    let step_seconds = prop::sample::select(vec![10, 60, 300]);
    (archives, step_seconds, 1_usize..5).prop_map(|(archives, step_seconds, sources)| {
        let archive = |(rows, pdps): (u64, u64)| {
            Archive::plain(ConsolidationFunction::Average, rows, pdps, 0.5)
        };
        Definition {
            tick: rrd::Tick::SECOND,
            step_seconds,
            sources: vec![mrtg().sources[0].clone(); sources],
            archives: archives.into_iter().map(archive).collect(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_spares_page_ins_and_databases_cost_them(
        definition in layouts(),
        pages in 2_u64..12,
        more in 2_u64..4,
    ) {
        let databases = 20_000;
        let memory_bytes = |pages: u64| databases * (pages * 4200 + 3500) + (16 << 20);
        for way in [Way::FILES, Way::DAEMON] {
            let page_ins = |databases, memory_bytes| {
                let fleet = Fleet::of(definition.clone(), databases);
                predict(&fleet, &machine(memory_bytes), way).unwrap().reads.page_ins_per_second
            };
            let rate = Fleet::of(definition.clone(), databases).updates_per_second();
            let noise = |page_ins: f64| page_ins * NOISE + rate * NOISE_PAGES;
            let as_it_is = page_ins(databases, memory_bytes(pages));
            let with_memory = page_ins(databases, memory_bytes(pages * more));
            prop_assert!(with_memory <= as_it_is + noise(as_it_is), "{with_memory} {as_it_is}");
            let with_databases = page_ins(databases * more, memory_bytes(pages));
            prop_assert!(with_databases >= as_it_is - noise(as_it_is), "{with_databases} {as_it_is}");
        }
    }
}

#[test]
fn a_minute_instead_of_five_costs_five_times_the_updates() {
    let fleet = Fleet::of(mrtg(), 10_000);
    let machine = machine(GIB);
    let written = |fleet: &Fleet, way| predict(fleet, &machine, way).unwrap().written.bytes();
    for layout in [Layout::Kept, Layout::SameRows, Layout::SameSpans] {
        let faster = polled_every(&fleet, 60, layout);
        assert!((faster.updates_per_second() - 5.0 * fleet.updates_per_second()).abs() < 1e-6);
        assert!(written(&faster, Way::RING) > 1.5 * written(&fleet, Way::RING), "{layout:?}");
        assert!(written(&faster, Way::FILES) > 1.5 * written(&fleet, Way::FILES), "{layout:?}");
    }
    // The unchanged layout gets as many rows as before: only headers are written more often.
    let kept = written(&polled_every(&fleet, 60, Layout::Kept), Way::FILES);
    let rows = written(&polled_every(&fleet, 60, Layout::SameRows), Way::FILES);
    assert!(kept < 0.6 * rows, "{kept} {rows}");
}

#[test]
fn archives_reach_as_far_back_as_before_with_more_rows() {
    let faster = polled_every(&Fleet::of(mrtg(), 1), 60, Layout::SameSpans);
    let definition = &faster.groups[0].definition;
    let shapes: Vec<(u64, u64)> =
        definition.archives.iter().map(|it| (it.pdp_per_row, it.rows)).collect();
    assert_eq!(shapes[..4], [(1, 4000), (30, 800), (120, 800), (1440, 800)]);
    let kept = polled_every(&Fleet::of(mrtg(), 1), 60, Layout::Kept);
    assert_eq!(kept.groups[0].definition.archives, mrtg().archives);
}

#[test]
fn a_core_that_is_polled_faster_costs_more_than_none_and_less_than_all() {
    let fleet = Fleet::of(mrtg(), 10_000);
    let core = split(&fleet, 0, 2000, 60, Layout::SameRows);
    assert_eq!(core.groups.iter().map(|it| it.databases).collect::<Vec<_>>(), [2000, 8000]);
    let all = polled_every(&fleet, 60, Layout::SameRows);
    let machine = machine(GIB);
    for way in [Way::FILES, Way::DAEMON, Way::RING] {
        let written =
            [&fleet, &core, &all].map(|it| predict(it, &machine, way).unwrap().written.bytes());
        assert!(written.is_sorted(), "{way:?}: {written:?}");
    }
}

#[test]
fn groups_of_one_layout_are_as_one() {
    let whole = Fleet::of(mrtg(), 9000);
    let mut parts = Fleet::default();
    for databases in [2000, 3000, 4000] {
        parts.groups.extend(Fleet::of(mrtg(), databases).groups);
    }
    let machine = machine(GIB / 4);
    let page_ins = |fleet| predict(fleet, &machine, Way::FILES).unwrap().reads.page_ins_per_second;
    assert!((page_ins(&whole) - page_ins(&parts)).abs() < 1e-6);
}
