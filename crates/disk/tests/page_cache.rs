//! The page cache's counts, on real files whose resident pages the test determines.
#![allow(clippy::disallowed_methods)] // it makes files

use disk::{Advice, File, Mapping, Mode, page_bytes};

const PAGES: usize = 64;

/// A file of `PAGES` pages on disk, none of them cached. It is in the build directory, because the
/// temporary directory may be a memory file system, whose pages cannot be evicted.
fn cold_file(directory: &tempfile::TempDir) -> File {
    let path = directory.path().join("file");
    std::fs::write(&path, vec![7; PAGES * page_bytes()]).expect("writing");
    let file = File::open(&path, Mode::Update).expect("opening");
    file.sync_all().expect("syncing");
    file.advise(Advice::Random, 0, 0).expect("advice");
    file.advise(Advice::DontNeed, 0, 0).expect("advice");
    file
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory")
}

fn resident(file: &File) -> Vec<usize> {
    let mapping = Mapping::of(file, 0, PAGES * page_bytes()).expect("mapping");
    let mut pages = Vec::new();
    mapping.residency(&mut pages).expect("mincore");
    pages.iter().enumerate().filter(|(_, page)| *page & 1 == 1).map(|(nth, _)| nth).collect()
}

fn read(file: &File, page: usize) {
    let mut buffer = [0];
    assert_eq!(file.read_at(&mut buffer, (page * page_bytes()) as u64).expect("reading"), 1);
}

#[test]
fn tells_the_pages_that_were_read_and_no_others() {
    let directory = directory();
    let file = cold_file(&directory);
    assert!(file.shows_residency().expect("telling"));
    assert_eq!(resident(&file), []);
    for page in [3, 4, 60] {
        read(&file, page);
    }
    assert_eq!(resident(&file), [3, 4, 60]);
    file.advise(Advice::DontNeed, 4 * page_bytes() as u64, page_bytes() as u64).expect("advice");
    assert_eq!(resident(&file), [3, 60]);
}

#[test]
fn counts_what_is_resident_dirty_and_evicted() {
    let directory = directory();
    let file = cold_file(&directory);
    let counts = match file.cache_counts(0, 0) {
        Err(error) if error.raw_os_error() == Some(nix::libc::ENOSYS) => {
            eprintln!("not tested: this kernel has no cachestat(2)");
            return;
        }
        counts => counts.expect("counting"),
    };
    assert_eq!((counts.resident_pages, counts.dirty_pages), (0, 0));
    read(&file, 9);
    file.write_at(&[1], 0).expect("writing");
    let counts = file.cache_counts(0, 0).expect("counting");
    assert_eq!((counts.resident_pages, counts.dirty_pages + counts.write_back_pages), (2, 1));
    let behind = file.cache_counts(page_bytes() as u64, 0).expect("counting");
    assert_eq!((behind.resident_pages, behind.dirty_pages), (1, 0));
}

#[test]
fn a_locked_stretch_stays_when_it_is_to_go() {
    let directory = directory();
    let file = cold_file(&directory);
    let mapping = Mapping::of(&file, 2 * page_bytes() as u64, 2 * page_bytes()).expect("mapping");
    mapping.lock().expect("locking");
    file.advise(Advice::DontNeed, 0, 0).expect("advice");
    assert_eq!(resident(&file), [2, 3]);
    drop(mapping);
    file.advise(Advice::DontNeed, 0, 0).expect("advice");
    assert_eq!(resident(&file), []);
}

#[test]
fn reads_that_do_not_cache_leave_the_cache_as_it_was() {
    let directory = directory();
    let file = cold_file(&directory);
    read(&file, 5);
    let mut buffer = vec![0; PAGES * page_bytes()];
    match file.read_uncached_at(&mut buffer, 0) {
        Err(error) if error.kind() == std::io::ErrorKind::Unsupported => {
            eprintln!("not tested: no uncached reads here");
        }
        read => {
            assert_eq!(read.expect("reading"), buffer.len());
            assert!(buffer.iter().all(|byte| *byte == 7));
            assert_eq!(resident(&file), [5]);
        }
    }
}
