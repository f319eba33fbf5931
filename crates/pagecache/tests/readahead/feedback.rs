//! Reports of the reader: evicted pages, and pages that were in memory all along.

use pagecache::readahead::{Parameters, Purpose, Readahead, Request};

const PAGE: u64 = 4096;

fn pages(requests: &[Request], purpose: Purpose) -> u64 {
    let of = requests.iter().filter(|request| request.purpose == purpose);
    of.map(|request| request.pages.end - request.pages.start).sum()
}

/// Reads pages in order; passes each request to `told` and returns the pages that were read ahead.
fn read(
    readahead: &mut Readahead,
    order: std::ops::Range<u64>,
    mut told: impl FnMut(&mut Readahead, &Request),
) -> Vec<Request> {
    let mut all = Vec::new();
    for page in order {
        let requests = readahead.read(page * PAGE, PAGE).to_vec();
        requests.iter().for_each(|request| told(readahead, request));
        all.extend(requests);
    }
    all
}

#[test]
fn a_file_in_memory_is_left_alone_until_a_page_is_missing() {
    let mut readahead = Readahead::new(Parameters::default(), 10_000 * PAGE);
    let cached = 0..7_000;
    let first = read(&mut readahead, 0..4_000, |readahead, request| match request.purpose {
        Purpose::Ahead if request.pages.end <= cached.end => readahead.resident(&request.pages),
        Purpose::Probe if request.pages.end > cached.end => readahead.missing(&request.pages),
        _ => {}
    });
    let ahead: Vec<_> = first.iter().filter(|request| request.purpose == Purpose::Ahead).collect();
    assert!(ahead.last().unwrap().pages.start < 600, "it fell silent");
    assert!(pages(&first, Purpose::Probe) <= 10, "and looked at a page a window");
    let rest = read(&mut readahead, 4_000..10_000, |readahead, request| match request.purpose {
        Purpose::Probe if request.pages.end > cached.end => readahead.missing(&request.pages),
        _ => {}
    });
    let asked: Vec<_> = rest.iter().filter(|request| request.purpose == Purpose::Ahead).collect();
    assert!(asked[0].pages.start <= cached.end, "all that is missing is asked for");
    assert_eq!(asked.last().unwrap().pages.end, 10_000);
}

#[test]
fn what_was_lost_is_asked_for_again_and_windows_shrink() {
    let mut readahead = Readahead::new(Parameters::default(), 100_000 * PAGE);
    let calm = read(&mut readahead, 0..20_000, |_, _| {});
    let largest = |requests: &[Request]| {
        let ahead = requests.iter().filter(|request| request.purpose == Purpose::Ahead);
        ahead.map(|request| request.pages.end - request.pages.start).max().unwrap()
    };
    assert!(largest(&calm) >= 1024);
    // The memory keeps 300 pages: pages further ahead are evicted.
    let mut lost = Vec::new();
    let thrashing = read(&mut readahead, 20_000..40_000, |readahead, request| {
        let (start, end) = (request.pages.start, request.pages.end);
        if request.purpose == Purpose::Check && end - start > 300 {
            lost.push(start + 300..end);
            readahead.evicted(&(start + 300..end));
        }
    });
    assert!(!lost.is_empty());
    for pages in &lost {
        let again = thrashing.iter().filter(|request| request.purpose == Purpose::Ahead);
        let again = again.filter(|request| request.pages.contains(&pages.start)).count();
        assert!(again > 0, "{pages:?} is asked for again");
    }
    assert!(lost.len() < 12, "{} losses: the cap holds", lost.len());
    assert!(largest(&thrashing[thrashing.len() / 2..]) <= 1100);
}

#[test]
fn memory_that_can_be_had_bounds_what_waits() {
    let mut readahead = Readahead::new(Parameters::default(), 100_000 * PAGE);
    readahead.set_free_pages(400);
    for page in 0..5_000 {
        let _ = readahead.read(page * PAGE, PAGE);
        assert!(readahead.outstanding_pages() <= 200);
    }
}

#[test]
fn a_ratio_of_nothing_turns_it_off() {
    let by = Parameters { readahead_ratio: 0, ..Parameters::default() };
    let mut readahead = Readahead::new(by, 1000 * PAGE);
    assert_eq!(read(&mut readahead, 0..1000, |_, _| {}), []);
}

#[test]
fn small_reads_within_a_page_ask_once() {
    let mut readahead = Readahead::new(Parameters::default(), 1000 * PAGE);
    let mut asked = 0;
    for nth in 0..1000 * 8 {
        asked += pages(readahead.read(nth * 512, 512), Purpose::Ahead);
    }
    assert_eq!(asked, 998, "all but the two that found it out");
}
