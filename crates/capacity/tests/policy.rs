//! Readahead policies bring in the same pages as their kernels.
#![allow(clippy::single_range_in_vec_init)] // a list of windows, of which there is one

use std::ops::Range;

use capacity::cache::{Cache, Lru, TwoLists};
use capacity::policy::{
    Adaptive, FileView, NoReadahead, OnDemand, Order, ReadAround, Readahead, Stock, StockRules,
    Tuning,
};
use capacity::replay::{Method, Replay};
use capacity::trace::{Access, BlockMap, Fleet, Group, Scatter, Shape};

mod definitions;

/// One file with a cache of its own.
struct Bench<R, C = Lru> {
    cache: C,
    readahead: R,
    pages: u32,
}

impl<R: Readahead> Bench<R> {
    fn new(readahead: R, pages: u32, cache_pages: u32) -> Self {
        Self { cache: Lru::new(cache_pages, pages), readahead, pages }
    }
}

impl<R: Readahead> Bench<R, TwoLists> {
    fn with_folios(readahead: R, pages: u32) -> Self {
        Self { cache: TwoLists::new(pages, pages), readahead, pages }
    }
}

impl<R: Readahead, C: Cache> Bench<R, C> {
    /// Reads one page; returns the pages that were brought in with it.
    fn read(&mut self, page: u32) -> Vec<Range<u32>> {
        let mut order = Order::default();
        self.readahead.read(page, 1, &FileView::new(&self.cache, 0, self.pages), &mut order);
        order.unmark.into_iter().for_each(|each| self.cache.set_ahead(each, false));
        order.keep.iter().cloned().flatten().for_each(|each| self.cache.keep(each));
        order.bring_folios.iter().for_each(|each| self.cache.read_ahead_folio(each.clone()));
        let brought = order.bring.iter().cloned().flatten().filter(|each| *each != page);
        brought.for_each(|each| {
            self.cache.read_ahead(each);
        });
        order.mark.into_iter().for_each(|each| self.cache.set_ahead(each, true));
        self.cache.access(page, Access::Read);
        order.bring_folios.into_iter().chain(order.bring).collect()
    }

    fn read_all(&mut self, pages: impl IntoIterator<Item = u32>) -> Vec<Range<u32>> {
        pages.into_iter().flat_map(|page| self.read(page)).collect()
    }

    fn page_ins(&self) -> u64 {
        self.cache.counts().page_ins
    }
}

/// Resident pages of an MRTG file after one update with an empty cache.
fn cold_update<R: Readahead + Clone>(method: Method, readahead: &R, newest_row: u64) -> Vec<u32> {
    let shape = Shape::new(&definitions::mrtg(), 4096, BlockMap::DataOnly).unwrap();
    let files = 1;
    let mut fleet = Fleet::new(vec![Group { shape, files }], 300, Scatter::Together).unwrap();
    for _ in 0..newest_row {
        fleet.cycle(|_| ());
    }
    let cache = Lru::new(100, fleet.pages());
    let mut replay = Replay::new(fleet, cache, method, readahead);
    replay.cycle();
    (0..replay.cache().pages()).filter(|page| replay.cache().is_resident(*page)).collect()
}

#[test]
fn without_readahead_an_update_brings_three_pages() {
    for method in [Method::Pwrite, Method::Stream, Method::Mapping] {
        assert_eq!(cold_update(method, &NoReadahead, 399), [0, 2, 14]);
    }
}

#[test]
fn linux_2_6_9_brought_most_of_the_file() {
    let observed = Stock::new(StockRules::Observed);
    // Sixteen pages, and eight more if the row of MAX is after them.
    let whole: Vec<u32> = (0..16).collect();
    assert_eq!(cold_update(Method::Stream, &observed, 399), whole);
    assert_eq!(cold_update(Method::Stream, &observed, 780), (0..24).collect::<Vec<_>>());
    let mut bench = Bench::new(observed, 2000, 4000);
    assert_eq!(bench.read_all([0, 300, 900, 1500]), [0..16, 300..308, 900..904, 1500..1504]);
    bench.readahead.open();
    assert_eq!(bench.read_all([0, 700]), [700..708], "the beginning is resident by now");
}

#[test]
fn todays_kernel_brings_four_pages_with_a_header_and_all_by_a_mapping() {
    let of_header = cold_update(Method::Pwrite, &OnDemand::default(), 399);
    assert_eq!(of_header, [0, 1, 2, 3, 14]);
    assert_eq!(cold_update(Method::Mapping, &ReadAround::default(), 399).len(), 26);
    // Three reads: the second hits the mark at page 1, which brings in eight more pages.
    let three_reads = cold_update(Method::Stream, &OnDemand::default(), 150);
    assert_eq!(three_reads, (0..12).chain([13]).collect::<Vec<_>>());
}

#[test]
fn todays_windows_grow_while_reads_are_in_order() {
    let mut bench = Bench::new(OnDemand::default(), 1000, 1000);
    assert_eq!(bench.read_all(0..60), [0..4, 4..12, 12..28, 28..60, 60..92]);
    assert_eq!(bench.page_ins(), 1, "all others were there before they were needed");
    let mut device = Bench::new(OnDemand::new(2048), 10_000, 10_000);
    assert_eq!(device.read_all(0..20), [0..4, 4..20, 20..84]);
}

#[test]
fn todays_random_reads_come_alone_and_leave_the_window() {
    let mut bench = Bench::new(OnDemand::default(), 1000, 1000);
    let brought = bench.read_all([0, 500, 700, 1, 4]);
    assert_eq!(brought, [0..4, 500..501, 700..701, 4..12, 12..28]);
}

#[test]
fn history_in_the_cache_opens_a_window() {
    let mut bench = Bench::new(OnDemand::default(), 1000, 1000);
    bench.read_all(0..3);
    bench.readahead.open();
    assert_eq!(bench.read(12), [12..37], "twice the twelve pages before, and itself");
    let mut apart = Bench::new(OnDemand::default(), 1000, 1000);
    (100..105).for_each(|page| {
        apart.cache.read_ahead(page);
    });
    assert_eq!(apart.read(105), [105..111]);
    assert_eq!(apart.read(110), [111..123], "its last page is the mark");
}

#[test]
fn a_mapping_reads_around_until_it_misses_too_often() {
    let mut bench = Bench::new(ReadAround::default().mapped_alone(), 1 << 20, 1 << 20);
    assert_eq!(bench.read(1000), [984..1016]);
    let far = |first: u32| (first..first + 199).map(|nth| nth * 5000);
    let windows = bench.read_all(far(1));
    assert_eq!(windows.len(), 99, "the hundred and first miss comes alone");
    // Each page that is found decrements the counter.
    (0..120).for_each(|nth| drop(bench.read(5000 * (1 + nth % 90) - 1 - nth / 90)));
    assert_eq!(bench.read(2_500), [2_484..2_516]);
    let mut along = Bench::new(ReadAround::default(), 1 << 20, 1 << 20);
    let windows = along.read_all(far(1));
    assert_eq!(windows.len(), 199, "what is mapped along counts as found");
}

#[test]
fn large_folios_grow_and_windows_end_with_them() {
    let mut bench = Bench::with_folios(OnDemand::with_large_folios(32), 1000);
    assert_eq!(bench.read_all(0..2), [0..4, 4..8, 8..12]);
    // The mark applies to the whole folio: any page of it triggers the next window.
    assert_eq!(bench.read(6), [12..16]);
    assert_eq!(bench.read_all([12]), [16..24]);
    assert_eq!(bench.read_all([16, 20]), [24..32], "once");
    let mut held_up = Bench::with_folios(OnDemand::with_large_folios(32), 1000);
    held_up.read_all([0, 9]);
    assert_eq!(held_up.read(1), [4..8, 8..12], "page by page where a folio has no room");
}

#[test]
fn stock_windows_double_and_rest() {
    let mut bench = Bench::new(Stock::new(StockRules::Article), 1000, 1000);
    assert_eq!(bench.read_all(0..24), [0..8, 8..24, 24..56]);
    assert_eq!(bench.read(500), [], "out of order, a page comes alone");
    let mut resident = Bench::new(Stock::new(StockRules::Article), 1000, 1000);
    (0..300).for_each(|page| {
        resident.cache.read_ahead(page);
    });
    assert_eq!(resident.read_all(0..300), []);
    assert_eq!(resident.read_all(300..302), [300..308, 308..324]);
}

#[test]
fn stock_makes_its_window_smaller_when_pages_are_gone() {
    let mut bench = Bench::new(Stock::new(StockRules::Article), 1000, 6);
    let brought = bench.read_all(0..40);
    // Each miss takes two pages off; a window without a miss doubles it again.
    assert_eq!(brought[..4], [0..8, 1..7, 7..19, 3..13]);
}

fn adaptive(tuning: Tuning) -> Bench<Adaptive> {
    Bench::new(Adaptive::new(tuning), 100_000, 20_000)
}

#[test]
fn adaptive_finds_the_patterns_that_stock_does_not() {
    let backward = || (0..2000).rev().map(|nth| 50_000 + nth);
    let stride = || (0..500).map(|nth| 1000 + nth * 10);
    let interleaved = || (0..2000).map(|nth| if nth % 2 == 0 { nth / 2 } else { 60_000 + nth / 2 });
    let sparse = || (0..2000).filter(|nth| nth % 3 != 0);
    let patterns: [(&str, Vec<u32>); 4] = [
        ("backward", backward().collect()),
        ("stride", stride().collect()),
        ("interleaved", interleaved().collect()),
        ("sparse", sparse().collect()),
    ];
    for (name, pages) in patterns {
        let mut stock = Bench::new(Stock::new(StockRules::Article), 100_000, 20_000);
        let mut ours = adaptive(Tuning { hit_rate: 4, ..Tuning::default() });
        stock.read_all(pages.iter().copied());
        ours.read_all(pages.iter().copied());
        let (stock, ours) = (stock.page_ins(), ours.page_ins());
        assert!(ours * 5 < stock, "{name}: {ours} misses, stock {stock}");
    }
}

#[test]
fn adaptive_knows_a_sequence_across_close_and_open() {
    let mut bench = adaptive(Tuning::default());
    bench.read_all(1000..1100);
    bench.readahead.open();
    let before = bench.page_ins();
    bench.read_all(1100..1500);
    assert_eq!(bench.page_ins(), before);
}

#[test]
fn adaptive_obeys_its_knobs() {
    let off = Tuning { ratio_percent: 0, ..Tuning::default() };
    assert_eq!(adaptive(off).read_all(0..100), []);
    let stock = Tuning { ratio_percent: 1, ..Tuning::default() };
    assert_eq!(adaptive(stock).read_all(0..24), [0..8, 8..24, 24..56]);
    let congested = Tuning { is_congested: true, ..Tuning::default() };
    let brought = |tuning: Tuning| {
        let mut bench = adaptive(tuning);
        bench.read_all((0..400).map(|nth| 500 + nth));
        bench.cache.counts().pages_read()
    };
    assert!(brought(congested) <= brought(Tuning::default()));
    // A sparse reader uses a ninth of the pages: with a hit rate of 1, it gets less than with 16.
    let sparse = |hit_rate| {
        let mut bench = adaptive(Tuning { hit_rate, ..Tuning::default() });
        bench.read_all((0..400).map(|nth| 500 + nth).chain((0..400).map(|nth| 900 + nth * 9)));
        bench.cache.counts().pages_read_ahead
    };
    assert!(sparse(1) < sparse(16), "{} {}", sparse(1), sparse(16));
}

#[test]
fn adaptive_does_not_read_farther_than_the_cache_reaches() {
    // A slow reader and fast ones in a small cache: each page of the slow one is read only once.
    let mut bench = Bench::new(Adaptive::new(Tuning::default()), 100_000, 200);
    let mut fast = 50_000;
    for slow in 0..500 {
        bench.read(slow);
        for _ in 0..20 {
            bench.read(fast);
            fast += 1;
        }
    }
    let counts = bench.cache.counts();
    let wanted = 500 + u64::from(fast - 50_000);
    assert!(counts.pages_read() < wanted * 11 / 10, "{counts:?}, {wanted} wanted");
}
