//! Readers of every kind, over a memory that never evicts pages.

use std::collections::BTreeSet;

use pagecache::readahead::{Parameters, Purpose, Readahead, Request};
use proptest::prelude::*;

const PAGE: u64 = 4096;
const FILE_PAGES: u64 = 10_000;

/// The result of some reads.
#[derive(Debug, Default)]
struct Outcome {
    /// Pages read ahead.
    ahead: BTreeSet<u64>,
    /// Pages that were read without having been read ahead, by the number of their read.
    late: Vec<(usize, u64)>,
    used: BTreeSet<u64>,
}

impl Outcome {
    fn extra(&self) -> usize {
        self.ahead.difference(&self.used).count()
    }

    fn late_after(&self, read: usize) -> usize {
        self.late.iter().filter(|(nth, _)| *nth >= read).count()
    }
}

/// Reads stretches given in bytes, one after the other.
fn run(by: Parameters, reads: impl IntoIterator<Item = (u64, u64)>) -> Outcome {
    let mut readahead = Readahead::new(by, FILE_PAGES * PAGE);
    let mut outcome = Outcome::default();
    for (nth, (offset, bytes)) in reads.into_iter().enumerate() {
        let requests = readahead.read(offset, bytes);
        for Request { purpose, pages } in requests {
            assert!(pages.start < pages.end && pages.end <= FILE_PAGES, "{pages:?}");
            if *purpose == Purpose::Ahead {
                outcome.ahead.extend(pages.clone());
            }
        }
        for page in offset / PAGE..(offset + bytes).div_ceil(PAGE) {
            if outcome.used.insert(page) && !outcome.ahead.contains(&page) {
                outcome.late.push((nth, page));
            }
        }
    }
    outcome
}

/// Equal reads at equal distances from `start` on, all within the file.
fn steps(start: u64, step: i64, bytes: u64) -> Vec<(u64, u64)> {
    let mut reads = Vec::new();
    let mut offset = start.cast_signed();
    while offset >= 0 && offset.cast_unsigned() + bytes <= FILE_PAGES * PAGE && reads.len() < 20_000
    {
        reads.push((offset.cast_unsigned(), bytes));
        offset += step;
    }
    reads
}

/// A pseudo-random shuffle in which items move at most `within` positions.
fn shuffled<T: Clone>(items: &[T], within: usize, mut seed: u64) -> Vec<T> {
    let mut items = items.to_vec();
    for chunk in items.chunks_mut(within) {
        for nth in (1..chunk.len()).rev() {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            chunk.swap(nth, (seed >> 33) as usize % (nth + 1));
        }
    }
    items
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_read_in_order_was_asked_for(start in 0..FILE_PAGES * PAGE / 2, bytes in 1u64..2_000_000) {
        let reads = steps(start, bytes.cast_signed(), bytes);
        let outcome = run(Parameters::default(), reads.clone());
        // Small reads share pages: a read that touches no new page teaches nothing.
        let learning = 4 * (PAGE / bytes + 1) as usize;
        prop_assert_eq!(outcome.late_after(learning), 0);
        let slack = Parameters::default().pages_max as usize;
        prop_assert!(outcome.extra() <= slack, "{} pages too many", outcome.extra());
    }

    #[test]
    fn what_is_read_backward_was_asked_for(end in FILE_PAGES * PAGE / 2..FILE_PAGES * PAGE, bytes in 1u64..2_000_000) {
        let bytes = bytes.min(end);
        let reads = steps(end - bytes, -bytes.cast_signed(), bytes);
        let outcome = run(Parameters::default(), reads);
        let learning = 5 * (PAGE / bytes + 1) as usize;
        prop_assert_eq!(outcome.late_after(learning), 0);
    }

    #[test]
    fn equal_steps_are_met_and_nothing_between_them(
        start in 0..FILE_PAGES * PAGE,
        bytes in 1u64..300_000,
        gap in 1u64..3_000_000,
        backward: bool,
    ) {
        let step = (bytes + gap).cast_signed() * if backward { -1 } else { 1 };
        let reads = steps(start, step, bytes);
        let outcome = run(Parameters::default(), reads.clone());
        // Steps so small that their pages are adjacent are sequential.
        if gap > 2 * PAGE {
            prop_assert_eq!(outcome.late_after(5), 0);
            let wanted: BTreeSet<u64> = (0..FILE_PAGES * 2)
                .map(|nth| start.cast_signed() + nth.cast_signed() * step)
                .take_while(|offset| (0..(FILE_PAGES * PAGE).cast_signed()).contains(offset))
                .flat_map(|offset| offset.cast_unsigned() / PAGE..(offset.cast_unsigned() + bytes).div_ceil(PAGE))
                .collect();
            prop_assert!(outcome.ahead.is_subset(&wanted), "pages between the steps");
        }
    }

    #[test]
    fn several_streams_are_followed_side_by_side(streams in 2u64..=16, pages in 1u64..17) {
        let share = FILE_PAGES / (streams + 2);
        let rounds = share / pages;
        // Uneven distances: otherwise each round would be a walk in equal steps.
        let begin = |nth: u64| nth * share + nth * nth * 4;
        let reads = (0..rounds).flat_map(|round| {
            (0..streams).map(move |nth| ((begin(nth) + round * pages) * PAGE, pages * PAGE))
        });
        let outcome = run(Parameters::default(), reads);
        prop_assert_eq!(outcome.late_after(12 * streams as usize), 0);
    }

    #[test]
    fn readers_out_of_order_are_one_stream(seed: u64, threads in 2usize..9, pages in 1u64..65) {
        let reads = shuffled(&steps(0, (pages * PAGE).cast_signed(), pages * PAGE), threads, seed);
        let outcome = run(Parameters::default(), reads.clone());
        let learning = reads.len().min(10 * threads);
        // While windows are small, a thread that is far ahead of the others may sometimes be first.
        prop_assert!(outcome.late_after(learning) as u64 <= FILE_PAGES / 20);
        // The last pages may be too few for a read.
        prop_assert!(outcome.extra() < pages as usize);
    }

    #[test]
    fn reads_at_random_ask_for_next_to_nothing(
        places in prop::collection::vec(0..1_000_000_u64, 3000),
        pages in 1u64..5,
    ) {
        // A file so large that hardly any two reads are close together.
        let mut readahead = Readahead::new(Parameters::default(), 4_000_000 * PAGE);
        let asked: u64 = places.iter().map(|place| {
            let requests = readahead.read(place * 4 * PAGE, pages * PAGE);
            requests.iter().map(|request| request.pages.end - request.pages.start).sum::<u64>()
        }).sum();
        // Two equal steps sometimes occur by chance.
        prop_assert!(asked <= 2 * Parameters::default().first_pages, "{} pages", asked);
    }

    #[test]
    fn no_reader_gets_more_than_the_hit_rate_allows(
        hit_rate in 1u64..9,
        skips in prop::collection::vec(1u64..12, 1500),
    ) {
        let by = Parameters { readahead_hit_rate: hit_rate, ..Parameters::default() };
        let mut page = 0;
        let reads = skips.iter().map(|skip| { page += skip; (page * PAGE, PAGE) });
        let reads: Vec<_> = reads.filter(|(offset, _)| offset / PAGE < FILE_PAGES).collect();
        let outcome = run(by, reads);
        let used = outcome.used.len() as u64;
        // When the reader stops, one window waits; the hit rate is checked once a window.
        let allowed = hit_rate * used + by.pages_max;
        prop_assert!((outcome.ahead.len() as u64) <= allowed, "{} for {used}", outcome.ahead.len());
    }

    #[test]
    fn nothing_outside_of_the_file_whatever_is_read(
        reads in prop::collection::vec((any::<u64>(), any::<u64>(), 0..4u8), 400),
    ) {
        let mut readahead = Readahead::new(Parameters::default(), FILE_PAGES * PAGE);
        let mut offset = 0_u64;
        for (place, bytes, kind) in reads {
            let bytes = bytes >> (40 + bytes % 24);
            offset = match kind {
                0 => place,
                1 => offset.wrapping_add(bytes),
                2 => offset.saturating_sub(bytes),
                _ => place % (FILE_PAGES * PAGE * 2),
            };
            let requests = readahead.read(offset, bytes).to_vec();
            for Request { pages, purpose } in requests {
                prop_assert!(pages.start < pages.end && pages.end <= FILE_PAGES, "{:?}", pages);
                match (purpose, place % 3) {
                    (Purpose::Check, 0) => readahead.evicted(&pages),
                    (Purpose::Probe, 0) => readahead.missing(&pages),
                    (Purpose::Ahead, 0) => readahead.resident(&pages),
                    _ => {}
                }
            }
        }
    }
}
