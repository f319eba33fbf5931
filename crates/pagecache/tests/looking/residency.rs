//! Residency of files whose resident pages the test determines: by every way, and compared with
//! util-linux's fincore and with mincore(2) called from Python.
use std::fs;
use std::time::{Duration, SystemTime};

use crate::world::{
    PAGE, cold_file, directory, evict, file_in_memory, python_pages, read_pages, resident,
    stretches_of, undisturbed, util_linux_count,
};
use pagecache::residency::{PageState, Way, count, stretches};
use proptest::prelude::*;

const WAYS: [Way; 3] = [Way::Cachestat, Way::Counting, Way::Mincore];

/// Every way, and both other programs, find these resident pages.
fn assert_resident(path: &std::path::Path, expected: &[bool]) {
    let file = disk::File::open(path, disk::Mode::Read).unwrap();
    let pages = expected.iter().filter(|page| **page).count() as u64;
    for way in WAYS {
        assert_eq!(resident(&file, way), expected, "{way:?}");
        let counts = count(&file, way).unwrap().unwrap();
        assert_eq!(
            (counts.pages, counts.resident_pages),
            (expected.len() as u64, pages),
            "{way:?}"
        );
        assert_eq!(counts.states.is_none(), way == Way::Mincore);
    }
    if let Some(counted) = util_linux_count(path) {
        assert_eq!(counted, pages);
    }
    if !expected.is_empty()
        && let Some(told) = python_pages(path)
    {
        assert_eq!(told, expected);
    }
}

#[test]
fn known_ranges_are_told() {
    undisturbed(tell_known_ranges);
}

fn tell_known_ranges() {
    let directory = directory();
    for (bytes, ranges) in [
        (1, &[(0, 1)][..]),
        (1, &[]),
        (PAGE, &[(0, 1)]),
        (PAGE + 1, &[(1, 1)]),
        (26 * PAGE - 1184, &[(0, 1), (8, 3), (25, 1)]),
        (1000 * PAGE, &[(0, 1), (100, 700), (801, 1), (803, 1), (999, 1)]),
    ] {
        let path = directory.path().join("file");
        let file = cold_file(&path, bytes);
        let mut expected = vec![false; bytes.div_ceil(PAGE)];
        assert_resident(&path, &expected);
        for (first, pages) in ranges {
            read_pages(&file, *first, *pages);
            expected[*first..first + pages].fill(true);
        }
        assert_resident(&path, &expected);
        evict(&path);
        assert_resident(&path, &vec![false; expected.len()]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn whatever_pages_are_read(pages in prop::collection::vec(any::<bool>(), 1..300), cut in 0..PAGE) {
        undisturbed(|| read_some_pages(&pages, cut));
    }
}

fn read_some_pages(pages: &[bool], cut: usize) {
    let directory = directory();
    let path = directory.path().join("file");
    let file = cold_file(&path, pages.len() * PAGE - cut);
    for (nth, _) in pages.iter().enumerate().filter(|(_, is_read)| **is_read) {
        read_pages(&file, nth, 1);
    }
    for way in WAYS {
        assert_eq!(resident(&file, way), pages, "{way:?}");
    }
    if let Some(told) = python_pages(&path) {
        assert_eq!(told, pages);
    }
}

/// Beyond 4 GiB, and over several windows of a mapping. Holes also have pages once they are read.
#[test]
fn a_sparse_file_beyond_4_gib() {
    undisturbed(read_a_sparse_file);
}

fn read_a_sparse_file() {
    let directory = directory();
    let path = directory.path().join("sparse");
    fs::File::create(&path).unwrap().set_len(5 << 30).unwrap();
    let file = evict(&path);
    let read = [0, 65_535, 65_536, (4 << 30) / PAGE - 1, (4 << 30) / PAGE, (5 << 30) / PAGE - 1];
    read.into_iter().for_each(|page| read_pages(&file, page, 1));
    for way in WAYS {
        let found = stretches_of(&file, way).unwrap();
        let resident = found.iter().filter(|stretch| stretch.state.is_resident());
        let pages: Vec<usize> =
            resident.flat_map(|it| it.first_page as usize..=it.last_page() as usize).collect();
        assert_eq!(pages, read, "{way:?}");
        assert_eq!(count(&file, way).unwrap().unwrap().resident_pages, read.len() as u64);
    }
    if let Some(counted) = util_linux_count(&path) {
        assert_eq!(counted, read.len() as u64);
    }
}

#[test]
fn an_empty_file_has_no_pages() {
    let directory = directory();
    let path = directory.path().join("empty");
    fs::write(&path, "").unwrap();
    assert_resident(&path, &[]);
}

#[test]
fn a_file_in_memory_is_resident_where_it_was_written() {
    let Some(path) = file_in_memory("residency") else { return };
    fs::write(&path, vec![1; 3 * PAGE]).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(6 * PAGE as u64).unwrap();
    let file = disk::File::open(&path, disk::Mode::Read).unwrap();
    let told = WAYS.map(|way| resident(&file, way));
    fs::remove_file(&path).unwrap();
    assert_eq!(told, [(); 3].map(|()| vec![true, true, true, false, false, false]));
}

/// Pages that were written and are not on disk yet. The kernel may write them at any time, and does
/// when a process calls sync(2); then the test tries again.
#[test]
fn dirty_pages_are_told_apart() {
    use PageState::{Absent, Clean, Dirty};
    let directory = directory();
    let path = directory.path().join("file");
    for _attempt in 0..50 {
        let file = cold_file(&path, 20 * PAGE);
        read_pages(&file, 0, 4);
        file.write_at(&vec![7; 2 * PAGE], 2 * PAGE as u64).unwrap();
        file.write_at(&vec![7; PAGE], 10 * PAGE as u64).unwrap();
        let found = [Way::Cachestat, Way::Counting].map(|way| stretches_of(&file, way).unwrap());
        let found =
            found.map(|list| list.iter().map(|it| (it.first_page, it.state)).collect::<Vec<_>>());
        let counts = count(&file, Way::Cachestat).unwrap().unwrap();
        let states = counts.states.unwrap();
        let expected = [(0, Clean), (2, Dirty), (4, Absent), (10, Dirty), (11, Absent)];
        if found.iter().all(|found| found == &expected) && states.dirty_pages == 3 {
            assert_eq!(counts.resident_pages, 5);
            let resident = stretches_of(&file, Way::Mincore).unwrap();
            let resident = resident.iter().map(|it| it.state).filter(|state| state.is_resident());
            assert!(resident.eq([PageState::Resident; 2]), "mincore tells no more");
            return;
        }
    }
    panic!("no dirty page was seen in any attempt");
}

/// With relatime the first read after a write changes the access time; an inspection does not.
#[test]
fn looking_moves_no_access_time() {
    let directory = directory();
    let path = directory.path().join("file");
    let file = cold_file(&path, 8 * PAGE);
    read_pages(&file, 2, 2);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let times = fs::FileTimes::new().set_accessed(long_ago);
    fs::File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
    let file = disk::File::open(&path, disk::Mode::Read).unwrap();
    for way in WAYS {
        count(&file, way).unwrap();
        stretches_of(&file, way);
        assert_eq!(fs::metadata(&path).unwrap().accessed().unwrap(), long_ago, "{way:?}");
    }
}

/// The file's size was read before it was truncated: pages beyond its end are absent, and nothing
/// is read.
#[test]
fn a_file_that_shrank_is_told_as_it_is() {
    let directory = directory();
    let path = directory.path().join("file");
    let file = cold_file(&path, 100 * PAGE);
    read_pages(&file, 0, 100);
    file.truncate(3 * PAGE as u64).unwrap();
    for way in WAYS {
        let mut found = Vec::new();
        let told = stretches(&file, 100 * PAGE as u64, way, &mut |it| {
            found.push((it.first_page, it.pages, it.state.is_resident()));
        });
        assert!(told.unwrap());
        assert_eq!(found, [(0, 3, true), (3, 97, false)], "{way:?}");
    }
}
