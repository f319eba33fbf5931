//! The simulators follow their policies: compared with the simplest implementations.

use std::collections::VecDeque;

use capacity::cache::{Cache, Clock, Fifo, Lru, LruSizes, StackDistances, TwoLists, TwoQueue};
use capacity::trace::Access;
use proptest::prelude::*;

const PAGES: u32 = 40;

/// References with some locality: a few pages often, the others seldom.
fn references() -> impl Strategy<Value = Vec<(u32, Access)>> {
    let page = prop_oneof![0..8_u32, 0..PAGES];
    let access = prop_oneof![Just(Access::Read), Just(Access::Write)];
    prop::collection::vec((page, access), 1..600)
}

/// The simplest LRU or FIFO: the next page to evict is in front.
fn plain_misses(references: &[(u32, Access)], capacity: u32, is_lru: bool) -> u64 {
    let mut queue = VecDeque::new();
    let mut misses = 0;
    for (page, _) in references {
        let found = queue.iter().position(|each| each == page);
        match found {
            Some(place) if is_lru => {
                queue.remove(place);
            }
            Some(_) => continue,
            None => {
                misses += 1;
                if queue.len() == capacity as usize {
                    queue.pop_front();
                }
            }
        }
        queue.push_back(*page);
    }
    misses
}

fn run(cache: &mut dyn Cache, references: &[(u32, Access)]) -> u64 {
    for (page, access) in references {
        cache.access(*page, *access);
    }
    cache.counts().page_ins
}

fn resident(cache: &dyn Cache) -> u32 {
    (0..PAGES).filter(|page| cache.is_resident(*page)).count() as u32
}

proptest! {
    #[test]
    fn lru_and_fifo_miss_as_the_plainest_ones(
        references in references(), capacity in 1..PAGES,
    ) {
        let mut lru = Lru::new(capacity, PAGES);
        prop_assert_eq!(run(&mut lru, &references), plain_misses(&references, capacity, true));
        let mut fifo = Fifo::new(capacity, PAGES);
        prop_assert_eq!(run(&mut fifo, &references), plain_misses(&references, capacity, false));
    }

    #[test]
    fn one_pass_tells_the_misses_of_every_size(references in references()) {
        let mut distances = StackDistances::new(PAGES);
        for (page, _) in &references {
            distances.access(*page);
        }
        let curve = distances.curve();
        prop_assert_eq!(curve.references(), references.len() as u64);
        prop_assert_eq!(curve.misses(0), references.len() as u64);
        for capacity in 1..=PAGES + 1 {
            let expected = plain_misses(&references, capacity, true);
            prop_assert_eq!(curve.misses(capacity), expected);
        }
    }

    #[test]
    fn lru_of_several_sizes_counts_as_each_alone(
        before in references(),
        references in references(),
        cycle in 1..50_usize,
        sizes in prop::collection::btree_set(1..PAGES + 2, 1..9),
    ) {
        let sizes: Vec<u32> = sizes.into_iter().collect();
        let mut at_once = LruSizes::new(sizes.clone(), PAGES, 1);
        for references in [&before, &references] {
            at_once.restart_counts();
            for references in references.chunks(cycle) {
                references.iter().for_each(|(page, access)| at_once.access(*page, *access, 0));
                at_once.write_back_all();
            }
        }
        for (nth, pages) in sizes.into_iter().enumerate() {
            let mut alone = Lru::new(pages, PAGES);
            let mut counts = alone.counts();
            for references in [&before, &references] {
                counts = alone.counts();
                for references in references.chunks(cycle) {
                    run(&mut alone, references);
                    alone.write_back_all();
                }
            }
            prop_assert_eq!(at_once.counts(nth), alone.counts().since(&counts));
        }
    }

    #[test]
    fn every_cache_keeps_its_books(references in references(), capacity in 1..PAGES) {
        let caches: [&mut dyn Cache; 5] = [
            &mut Lru::new(capacity, PAGES),
            &mut Fifo::new(capacity, PAGES),
            &mut Clock::new(capacity, PAGES),
            &mut TwoQueue::new(capacity, PAGES),
            &mut TwoLists::new(capacity, PAGES),
        ];
        for cache in caches {
            let mut written = std::collections::BTreeSet::new();
            for (page, access) in &references {
                let was_resident = cache.is_resident(*page);
                prop_assert_eq!(cache.access(*page, *access), was_resident);
                prop_assert!(cache.is_resident(*page));
                prop_assert!(resident(cache) <= capacity);
                written.extend((*access == Access::Write).then_some(*page));
            }
            cache.write_back_all();
            let counts = cache.counts();
            prop_assert_eq!(counts.references, references.len() as u64);
            prop_assert_eq!(counts.page_ins, counts.evictions + u64::from(resident(cache)));
            prop_assert!(counts.write_backs >= written.len() as u64);
            let writes = references.iter().filter(|(_, access)| *access == Access::Write).count();
            prop_assert!(counts.write_backs <= writes as u64);
        }
    }
}

#[test]
fn last_uses_are_moved_together_without_a_trace() {
    // More references than there are times, so that last uses are compacted many times.
    let mut distances = StackDistances::new(5);
    for nth in 0..200_000_u32 {
        let distance = distances.access(nth % 5);
        assert_eq!(distance, (nth >= 5).then_some(5));
    }
    assert_eq!(distances.curve().misses(4), 200_000);
    assert_eq!(distances.curve().misses(5), 5);
}

#[test]
fn clock_gives_a_second_chance() {
    let mut cache = Clock::new(3, PAGES);
    run(&mut cache, &[1, 2, 3, 1].map(|page| (page, Access::Read)));
    cache.access(4, Access::Read);
    // Page 1 was used again and stays; page 2 is the first without a mark.
    assert_eq!(
        (1..=4).map(|page| cache.is_resident(page)).collect::<Vec<_>>(),
        [true, false, true, true]
    );
}

#[test]
fn two_queue_lets_a_scan_pass() {
    let mut cache = TwoQueue::new(8, 1000);
    // Pages 0 to 3 leave the short queue and come back: they enter the main queue.
    for page in (0..4).chain(100..106).chain(0..4) {
        cache.access(page, Access::Read);
    }
    for page in 200..1000 {
        cache.access(page, Access::Read);
    }
    assert!((0..4).all(|page| cache.is_resident(page)));
}

#[test]
fn linux_keeps_what_is_read_twice_and_not_what_is_written() {
    let mut cache = TwoLists::new(64, 10_000);
    for round in 0..3 {
        cache.access(0, Access::Read);
        cache.access(1, Access::Write);
        assert_eq!(cache.lengths(), if round == 0 { (2, 0) } else { (1, 1) });
    }
    for page in 100..1000 {
        cache.access(page, Access::Read);
    }
    assert!(cache.is_resident(0), "active: a scan does not push it out");
    assert!(!cache.is_resident(1), "only written: it stayed inactive");
}

#[test]
fn linux_spares_what_is_dirty_until_it_is_written() {
    let mut cache = TwoLists::new(1 << 14, 100_000);
    let scan = |cache: &mut TwoLists, from: u32| {
        (from..from + 20_000).for_each(|page| {
            cache.read_ahead(page);
        });
    };
    cache.access(0, Access::Write);
    cache.access(1, Access::Read);
    scan(&mut cache, 100);
    assert_eq!((cache.is_resident(0), cache.is_resident(1)), (true, false));
    assert_eq!(cache.lengths().1, 1, "it became active");
    cache.write_back_all();
    assert_eq!(cache.lengths().1, 0, "written, it is the next to go");
    scan(&mut cache, 40_000);
    assert!(!cache.is_resident(0));
}

#[test]
fn linux_has_all_written_when_it_finds_dirty_pages_only() {
    let mut cache = TwoLists::new(64, 1000);
    for page in 0..1000 {
        cache.access(page, Access::Write);
    }
    let counts = cache.counts();
    assert!((936..1000).contains(&counts.evictions), "{counts:?}");
    assert!(counts.write_backs >= counts.evictions, "{counts:?}");
}

#[test]
fn linux_treats_a_folio_as_one_page() {
    let mut cache = TwoLists::new(64, 10_000);
    cache.read_ahead_folio(4..8);
    assert_eq!((cache.folio(6), cache.lengths()), (4..8, (4, 0)));
    cache.access(5, Access::Read);
    cache.access(6, Access::Read);
    assert_eq!(cache.lengths(), (0, 4), "two reads of two of its pages");
    cache.read_ahead_folio(16..32);
    (100..200).for_each(|page| {
        cache.read_ahead(page);
    });
    assert!((16..32).all(|page| !cache.is_resident(page)), "they go together");
    assert_eq!(cache.folio(20), 20..21);
    assert_eq!(cache.counts().pages_read_ahead, 120);
}

#[test]
fn linux_sees_the_use_of_a_mapping_at_its_end() {
    let mut cache = TwoLists::new(64, 10_000);
    for _ in 0..2 {
        (0..5).for_each(|_| {
            cache.access_unseen(7, Access::Read);
        });
        assert_eq!(cache.lengths(), (1, 0));
        cache.was_used_mapped(7);
    }
    assert_eq!(cache.lengths(), (0, 1), "mapped twice");
}

#[test]
fn linux_activates_what_comes_back_soon_enough() {
    let mut cache = TwoLists::new(64, 10_000);
    // Forty active pages, then a loop over thirty others, more than the inactive list has room for.
    for _ in 0..2 {
        (0..40).for_each(|page| {
            cache.access(page, Access::Read);
        });
    }
    for _ in 0..50 {
        (100..130).for_each(|page| {
            cache.access(page, Access::Read);
        });
    }
    assert!(cache.refaults().activated > 0, "{:?}", cache.refaults());
    let before = cache.counts().page_ins;
    (100..130).for_each(|page| {
        cache.access(page, Access::Read);
    });
    assert_eq!(cache.counts().page_ins, before, "the loop took the stale pages' place");
}

#[test]
fn a_page_read_ahead_is_counted_by_itself() {
    let mut cache = Lru::new(2, PAGES);
    assert!(!cache.read_ahead(1));
    assert!(cache.read_ahead(1));
    assert!(cache.access(1, Access::Write));
    cache.access(2, Access::Read);
    cache.access(3, Access::Read);
    let counts = cache.counts();
    assert_eq!((counts.references, counts.page_ins, counts.pages_read_ahead), (3, 2, 1));
    assert_eq!((counts.evictions, counts.write_backs, counts.pages_read()), (1, 1, 3));
}
