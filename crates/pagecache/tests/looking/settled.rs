//! Pages that are being read, and files that are evicted.

use std::io::Write as _;

use crate::world::{PAGE, cold_file, directory, read_pages, take_away};
use disk::Advice;
use pagecache::Pages;

#[test]
fn what_is_being_read_is_waited_for() {
    let directory = directory();
    let path = directory.path().join("file");
    let pages = 1024;
    let file = cold_file(&path, pages * PAGE);
    let mut looked_at = Pages::open(&path).unwrap();
    for _ in 0..20 {
        // The kernel begins to read, and the call returns at once.
        file.advise(Advice::WillNeed, 0, 0).unwrap();
        assert_eq!(looked_at.came().unwrap(), vec![true; pages]);
        looked_at.evict().unwrap();
        assert_eq!(looked_at.came().unwrap(), vec![false; pages]);
    }
}

#[test]
fn what_is_dirty_or_just_asked_for_leaves() {
    let directory = directory();
    let path = directory.path().join("file");
    let file = cold_file(&path, 256 * PAGE);
    let mut pages = Pages::open(&path).unwrap();
    for byte in 0..10 {
        let mut writer = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        writer.write_all(&[byte; 3 * PAGE]).unwrap();
        file.advise(Advice::WillNeed, 0, 0).unwrap();
        pages.evict().unwrap();
        assert!(!pages.came().unwrap().contains(&true));
    }
}

#[test]
fn what_was_taken_away_came() {
    let directory = directory();
    let path = directory.path().join("file");
    let file = cold_file(&path, 64 * PAGE);
    if file.cache_counts(0, 0).is_err() {
        eprintln!("not tested: pages that were taken away, this kernel has no cachestat(2)");
        return;
    }
    let mut looked_at = Pages::open(&path).unwrap();
    read_pages(&file, 3, 30);
    let Some(()) = take_away(&path) else { return };
    let expected = |page| (3..33).contains(&page);
    assert_ne!(looked_at.resident().unwrap(), (0..64).map(expected).collect::<Vec<_>>());
    assert_eq!(looked_at.came().unwrap(), (0..64).map(expected).collect::<Vec<_>>());
    // The pages are forgotten: none was loaded since the eviction.
    looked_at.evict().unwrap();
    assert_eq!(looked_at.came().unwrap(), [false; 64]);
}
