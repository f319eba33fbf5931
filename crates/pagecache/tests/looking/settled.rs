//! Pages that are on their way, and files that leave.

use std::io::Write as _;

use crate::world::{PAGE, cold_file, directory, undisturbed};
use disk::Advice;
use pagecache::Pages;

#[test]
fn what_is_being_read_is_waited_for() {
    undisturbed(wait_for_what_is_being_read);
}

fn wait_for_what_is_being_read() {
    let directory = directory();
    let path = directory.path().join("file");
    let pages = 1024;
    let file = cold_file(&path, pages * PAGE);
    let mut looked_at = Pages::open(&path).unwrap();
    for _ in 0..20 {
        // The kernel begins to read, and answers at once.
        file.advise(Advice::WillNeed, 0, 0).unwrap();
        assert_eq!(looked_at.resident().unwrap(), vec![true; pages]);
        looked_at.evict().unwrap();
        assert_eq!(looked_at.resident().unwrap(), vec![false; pages]);
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
        assert!(!pages.resident().unwrap().contains(&true));
    }
}
