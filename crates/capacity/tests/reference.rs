//! These simulators reproduce the reference's simulated figures, counted as the reference counts.

use capacity::cache::{Cache, Curve, Lru, StackDistances};
use capacity::model::{Precision, Printed, Reuse};
use capacity::policy::{NoReadahead, Readahead, Stock, StockRules};
use capacity::recording::Recording;
use capacity::replay::{Method, Replay};
use capacity::trace::{BlockMap, Cursor, Fleet, Group, Scatter, Shape};
use rrd::Definition;

mod definitions;

use definitions::{definition, mrtg, mrtg_with_rows};

const STEP_SECONDS: u64 = 300;
const DAY_SECONDS: u64 = 86_400;
/// Midnight, UTC.
const START_SECONDS: u64 = 12_000 * DAY_SECONDS;

fn shape(definition: &Definition) -> Shape {
    Shape::new(definition, 4096, BlockMap::Indirect).unwrap()
}

/// A whole life of a file: until its longest archive has wrapped.
fn recorded(readahead: impl Readahead) -> (Curve, u64) {
    let shape = shape(&mrtg());
    let newest_rows = vec![17, 400, 233, 790, 601, 88, 512, 300];
    let cursor = Cursor::new(&shape, START_SECONDS, newest_rows);
    let mut recording = Recording::new(shape.clone(), cursor, Method::Stream, readahead);
    let mut distances = StackDistances::new(shape.pages());
    let updates = 800 * 288;
    for nth in 1..=updates {
        for page in recording.update(START_SECONDS + nth * STEP_SECONDS) {
            distances.access(*page);
        }
    }
    (distances.curve(), updates)
}

/// Page-ins an update for each number of pages a file, from 0.
fn page_ins((curve, updates): &(Curve, u64)) -> Vec<f64> {
    (0..=28).map(|pages| curve.misses(pages) as f64 / *updates as f64).collect()
}

#[test]
fn page_ins_fall_at_eighteen_pages_with_readahead_and_at_seven_without() {
    let with = page_ins(&recorded(Stock::new(StockRules::Observed)));
    let without = page_ins(&recorded(NoReadahead));
    for pages in 0..with.len() {
        println!(
            "{pages:2} pages {:6.2} with readahead {:6.3} without",
            with[pages], without[pages]
        );
    }
    // With readahead: sixteen pages, inode and indirect block. If a row is after the sixteen (each
    // half hour, and for a tenth of the ring of five-minute maxima), eight more pages pass through.
    let drop = |pages: usize| with[pages - 1] - with[pages];
    let largest = (1..=27).max_by(|a, b| drop(*a).total_cmp(&drop(*b))).unwrap();
    assert_eq!(largest, 18);
    assert!(with[17] > 20.0 && with[18] < 0.6 * with[17], "{} {}", with[17], with[18]);
    // Without readahead: inode, indirect block, header and two rows are five pages; two more rows
    // each half hour make seven, and two more every two hours nine.
    let steps = [(4, 5.0), (5, 1.5), (7, 0.35), (8, 0.24), (9, 0.05)];
    for (pages, expected) in steps {
        let found = without[pages];
        assert!((found - expected).abs() < 0.1 * expected, "{pages} pages: {found}");
    }
}

/// Page-ins and pages written, by the time of day.
fn by_time_of_day(pages_a_file: u32, files: u32, days: u64) -> Vec<(f64, f64)> {
    let group = Group { shape: shape(&mrtg()), files };
    let fleet = Fleet::new(vec![group], START_SECONDS, Scatter::ByChance(7)).unwrap();
    let cache = Lru::new(pages_a_file * files, fleet.pages());
    let mut replay = Replay::new(fleet, cache, Method::Pwrite, &NoReadahead);
    let mut counts = vec![(0.0, 0.0); 288];
    for nth in 0..(days + 2) * 288 {
        let before = replay.cache().counts();
        let now = replay.cycle();
        replay.cache_mut().write_back_all();
        let since = replay.cache().counts().since(&before);
        if nth >= 2 * 288 {
            let of_time = &mut counts[(now % DAY_SECONDS / STEP_SECONDS) as usize];
            of_time.0 += since.page_ins as f64 / (days * u64::from(files)) as f64;
            of_time.1 += since.write_backs as f64 / (days * u64::from(files)) as f64;
        }
    }
    counts
}

#[test]
fn eight_pages_a_file_fault_at_midnight_and_where_rings_enter_pages() {
    // Eight pages of data, as fincore counts them, plus inode and indirect block.
    let counts = by_time_of_day(8 + 2, 100, 60);
    let (midnight, rest) = counts.split_first().unwrap();
    let rest: Vec<f64> = rest.iter().map(|(page_ins, _)| *page_ins).collect();
    let mean = rest.iter().sum::<f64>() / rest.len() as f64;
    println!("page-ins an update: {:.2} at 00:00, {mean:.4} else", midnight.0);
    assert!(midnight.0 > 1.9, "the two daily rows at least: {}", midnight.0);
    // A ring enters a new page every 256 rows, and the pages that midnight evicts come back at
    // once.
    assert!(mean < 0.03, "{mean}");
    // Every page that is written: inode, header, two rows; two more for each consolidation that
    // ends.
    let written = |hour: usize, minute: usize| counts[(hour * 60 + minute) / 5].1;
    println!(
        "written: {:.2} {:.2} {:.2} {:.2}",
        written(1, 5),
        written(1, 30),
        written(2, 0),
        midnight.1
    );
    let peaks = [(written(1, 5), 4.0), (written(1, 30), 6.0), (written(2, 0), 8.0)];
    for (pages, expected) in peaks.into_iter().chain([(midnight.1, 10.0)]) {
        // Header and rows sometimes share a page.
        assert!(pages <= expected && pages > expected - 0.4, "{pages} for {expected}");
    }
}

#[test]
fn eight_pages_counted_with_inode_and_indirect_block_fault_every_two_hours_too() {
    let counts = by_time_of_day(8, 100, 20);
    let page_ins = |hour: usize, minute: usize| counts[(hour * 60 + minute) / 5].0;
    println!("{:.2} at 02:00, {:.3} at 01:30", page_ins(2, 0), page_ins(1, 30));
    assert!(page_ins(2, 0) > 1.5 && page_ins(1, 30) < 0.1);
}

/// Page-ins a day with this many data pages a file in addition to its metadata.
fn calculated(definition: &Definition, pages: u64) -> f64 {
    let shape = Shape::new(definition, 4096, BlockMap::DataOnly).unwrap();
    let group = Group { shape, files: 1 };
    Reuse::new(&[group], Precision::default()).page_ins_per_day(0, pages).total()
}

#[test]
fn the_size_of_a_file_hardly_matters() {
    let five_years = mrtg_with_rows(5 * 365 * 288);
    for pages in [3, 4, 5, 6, 7, 8, 9, 12] {
        let typical = calculated(&mrtg(), pages);
        let [year, years] =
            [&mrtg_with_rows(365 * 288), &five_years].map(|each| calculated(each, pages));
        println!("{pages:2} pages: {typical:7.2} a day, a year {year:7.2}, five years {years:7.2}");
        let most = (year - typical).abs().max((years - typical).abs());
        assert!(most < 0.15 * typical + 1.0, "{typical} {year} {years}");
    }
}

#[test]
fn without_the_five_minute_maxima_fewer_pages_do() {
    let archives = [(800, 1), (800, 6), (800, 24), (800, 288), (800, 6), (800, 24), (800, 288)];
    let fewer = definition(300, 2, &archives);
    for pages in 1..=9 {
        let (all, fewer) = (calculated(&mrtg(), pages), calculated(&fewer, pages));
        println!("{pages} pages: {all:7.2} page-ins a day, without {fewer:7.2}");
        if pages <= 5 {
            assert!(fewer < 0.8 * all, "{pages}: {fewer} {all}");
        }
    }
}

#[test]
fn the_printed_model_departs_from_simulation() {
    let printed = Printed::new(&mrtg(), 4096);
    let shape = Shape::new(&mrtg(), 4096, BlockMap::DataOnly).unwrap();
    let group = Group { shape: shape.clone(), files: 20 };
    let fleet = Fleet::new(vec![group], START_SECONDS, Scatter::ByChance(3)).unwrap();
    let mut distances: Vec<StackDistances> = (0..20).map(|_| StackDistances::new(26)).collect();
    let (mut fleet, days) = (fleet, 200);
    for _ in 0..days * 288 {
        fleet.cycle(|each| {
            distances[each.file as usize].access(each.page_of_file);
        });
    }
    let mean = |pages: u64| {
        let misses = distances.iter().map(|each| each.curve().misses(pages as u32));
        misses.sum::<u64>() as f64 / (20 * days * 288) as f64
    };
    println!("pages  printed  simulated  corrected (page-ins an update)");
    for pages in 1..=12 {
        let corrected = calculated(&mrtg(), pages) / 288.0;
        let simulated = mean(pages);
        println!(
            "{pages:5}  {:7.4}  {simulated:9.4}  {corrected:9.4}",
            printed.page_ins_per_update(pages)
        );
        assert!((corrected - simulated).abs() < (0.02 * simulated).max(1.0 / 288.0));
    }
    // If everything fits, only rows that enter a new page are left: one in 256.
    assert!(
        (printed.page_ins_per_update(12) * 256.0
            - 2.0 * (1.0 + 1.0 / 6.0 + 1.0 / 24.0 + 1.0 / 288.0))
            .abs()
            < 1e-9
    );
}
