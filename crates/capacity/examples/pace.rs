//! Measures how many page references a second the simulators process: `cargo run --release -p
//! capacity --example pace [FILES]`. The trace is generated meanwhile, as in every simulation.
#![allow(clippy::disallowed_methods)] // it measures with the clock

use std::hint::black_box;
use std::time::Instant;

use capacity::cache::{Cache, Clock, Fifo, Lru, LruSizes, StackDistances, TwoLists, TwoQueue};
use capacity::trace::{BlockMap, Fleet, Group, Scatter, Shape};
use rrd::{Archive, ConsolidationFunction, DataSource, Definition, SourceKind};

const REFERENCES: u64 = 20_000_000;

fn main() {
    let files = std::env::args().nth(1).map_or(10_000, |word| word.parse().expect("a number"));
    let shape = Shape::new(&mrtg(), 4096, BlockMap::Indirect).expect("MRTG's layout has a shape");
    let group = Group { shape, files };
    let fleet = Fleet::new(vec![group], 1_000_000_000, Scatter::ByChance(1)).expect("it is small");
    let (capacity, pages) = (files * 7, fleet.pages());
    println!("{files} files of MRTG's layout, {pages} pages, a cache of {capacity}");
    measure("trace alone", &fleet, |page, _| {
        black_box(page);
    });
    let mut distances = StackDistances::new(pages);
    measure("stack distances", &fleet, |page, _| {
        distances.access(page);
    });
    let mut sizes = LruSizes::new((1..=28).map(|pages| files * pages).collect(), pages, 1);
    measure("LRU, 28 sizes", &fleet, |page, access| {
        sizes.access(page, access, 0);
    });
    let caches: [(&str, &mut dyn Cache); 5] = [
        ("LRU", &mut Lru::new(capacity, pages)),
        ("FIFO", &mut Fifo::new(capacity, pages)),
        ("CLOCK", &mut Clock::new(capacity, pages)),
        ("2Q", &mut TwoQueue::new(capacity, pages)),
        ("two lists", &mut TwoLists::new(capacity, pages)),
    ];
    for (name, cache) in caches {
        measure(name, &fleet, |page, access| {
            cache.access(page, access);
        });
        println!("{:?}", cache.counts());
    }
}

fn measure(name: &str, fleet: &Fleet, mut take: impl FnMut(u32, capacity::trace::Access)) {
    let (mut fleet, mut references, start) = (fleet.clone(), 0_u64, Instant::now());
    while references < REFERENCES {
        fleet.cycle(|each| {
            references += 1;
            take(each.page, each.access);
        });
    }
    let millions = references as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("{name:16} {millions:6.1} million references a second");
}

fn mrtg() -> Definition {
    let source = |name: &str| DataSource {
        name: name.into(),
        kind: SourceKind::Counter,
        heartbeat_seconds: 600,
        minimum: f64::NAN,
        maximum: f64::NAN,
    };
    let spans = [1, 6, 24, 288];
    let archives = [ConsolidationFunction::Average, ConsolidationFunction::Max]
        .iter()
        .flat_map(|cf| spans.map(|pdps| Archive::plain(*cf, 800, pdps, 0.5)));
    let archives = archives.collect();
    Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: 300,
        sources: vec![source("in"), source("out")],
        archives,
    }
}
