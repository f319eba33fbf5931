//! The reader on real files: its bytes are those of `pread`, and with `leave_cached` the page cache
//! is left unchanged.
#![allow(clippy::disallowed_methods)] // it makes files

use std::io::Read as _;
use std::path::PathBuf;

use disk::{Advice, File, Mapping, Mode, page_bytes};
use pagecache::reader::{Long, Options, Reader};
use proptest::prelude::*;

/// In the build directory, because the temporary directory may be a memory file system.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory")
}

/// A file whose bytes depend on their position, on disk and not in memory.
fn cold(directory: &tempfile::TempDir, bytes: usize) -> (PathBuf, Vec<u8>) {
    let path = directory.path().join("file");
    let content: Vec<u8> =
        (0..bytes).map(|nth| (nth.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    std::fs::write(&path, &content).expect("writing");
    evict(&path);
    (path, content)
}

fn evict(path: &std::path::Path) {
    let file = File::open(path, Mode::Read).expect("opening");
    file.sync_all().expect("syncing");
    file.advise(Advice::DontNeed, 0, 0).expect("advice");
}

fn resident(path: &std::path::Path) -> Vec<usize> {
    let file = File::open(path, Mode::Read).expect("opening");
    let bytes = file.len_bytes().expect("measuring") as usize;
    let mut pages = Vec::new();
    Mapping::of(&file, 0, bytes).expect("mapping").residency(&mut pages).expect("mincore");
    pages.iter().enumerate().filter(|(_, page)| *page & 1 == 1).map(|(nth, _)| nth).collect()
}

/// Offsets of reads of one kind.
fn places(kind: u8, record: usize, bytes: usize, seed: usize) -> Vec<usize> {
    let count = bytes / record + 1;
    let mixed = |nth: usize| (nth + seed).wrapping_mul(2_654_435_761) % (bytes + record);
    match kind {
        0 => (0..count).map(|nth| nth * record).collect(),
        1 => (0..count).rev().map(|nth| nth * record).collect(),
        2 => (0..count).step_by(5).map(|nth| nth * record).collect(),
        3 => (0..count.min(300)).map(mixed).collect(),
        4 => (0..count / 2).flat_map(|nth| [nth * record, (count / 2 + nth) * record]).collect(),
        _ => {
            (0..count).filter(|nth| mixed(*nth).is_multiple_of(3)).map(|nth| nth * record).collect()
        }
    }
}

const FILE_BYTES: usize = (6 << 20) + 1234;

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_bytes_are_those_of_the_file_whatever_is_read(
        kind in 0..6u8,
        record in prop_oneof![Just(512_usize), Just(4096), Just(65_536), Just(3 << 20), 1000..200_000_usize],
        seed in 0..1_000_000_usize,
        leave_cached: bool,
        hit_rate in 1..5_u64,
        cached in 0..1600_usize,
    ) {
        let directory = directory();
        let (path, content) = cold(&directory, FILE_BYTES);
        let file = File::open(&path, Mode::Read).unwrap();
        // Some pages are in memory already.
        file.advise_random().unwrap();
        for page in (cached..1500).step_by(7).take(40) {
            file.read_at(&mut [0], (page * page_bytes()) as u64).unwrap();
        }
        let before = resident(&path);
        let options = Options { leave_cached, readahead_hit_rate: hit_rate, ..Options::default() };
        let reader = Reader::new(File::open(&path, Mode::Read).unwrap(), options).unwrap();
        let mut buffer = vec![0; record];
        for place in places(kind, record, FILE_BYTES, seed) {
            let read = reader.read_at(&mut buffer, place as u64).unwrap();
            let expected = &content[place.min(FILE_BYTES)..(place + record).min(FILE_BYTES)];
            prop_assert_eq!(read, expected.len());
            prop_assert!(buffer[..read] == *expected, "other bytes at {}", place);
        }
        drop(reader);
        if leave_cached {
            let after = resident(&path);
            prop_assert!(after.iter().all(|page| before.contains(page)), "{before:?} {after:?}");
            // The kernel may evict pages at any time, but not many.
            prop_assert!(10 * after.len() >= 9 * before.len(), "{before:?} {after:?}");
        }
    }
}

#[test]
fn a_file_cut_short_or_grown_meanwhile_is_read_as_it_is() {
    let directory = directory();
    let (path, content) = cold(&directory, 4 << 20);
    let file = File::open(&path, Mode::Update).unwrap();
    let reader = Reader::new(&file, Options::default()).unwrap();
    let mut buffer = vec![0; 65_536];
    for nth in 0..16 {
        assert_eq!(reader.read_at(&mut buffer, nth * 65_536).unwrap(), 65_536);
    }
    file.truncate((1 << 20) + 100).unwrap();
    assert_eq!(reader.read_at(&mut buffer, 1 << 20).unwrap(), 100);
    assert_eq!(reader.read_at(&mut buffer, 2 << 20).unwrap(), 0);
    file.truncate(8 << 20).unwrap();
    assert_eq!(reader.refresh().unwrap(), 8 << 20);
    let mut rest = Vec::new();
    reader.from(1 << 20).read_to_end(&mut rest).unwrap();
    assert_eq!(rest.len(), 7 << 20);
    assert!(rest[..100] == content[1 << 20..(1 << 20) + 100]);
    assert!(rest[100..].iter().all(|byte| *byte == 0), "a hole reads as zeros");
}

#[test]
fn backward_and_steps_find_their_pages_and_random_reads_bring_no_more() {
    let directory = directory();
    let (path, _) = cold(&directory, 32 << 20);
    let pages = (32 << 20) / page_bytes();
    let mut page = vec![0; page_bytes()];
    let mut ahead = |order: Vec<usize>| {
        evict(&path);
        let reader =
            Reader::new(File::open(&path, Mode::Read).unwrap(), Options::default()).unwrap();
        for nth in &order {
            reader.read_at(&mut page, (nth * page_bytes()) as u64).unwrap();
        }
        (reader.counters().ahead_bytes as usize / page_bytes(), order.len(), resident(&path).len())
    };
    let (asked, read, there) = ahead((0..pages).rev().collect());
    assert!(asked + 8 >= read && there == pages, "backward: {asked} of {read}");
    let (asked, read, there) = ahead((0..pages).step_by(17).collect());
    // The first page of the file is read as if all of it were to be read: the kernel loads four.
    assert!(asked + 8 >= read && there <= read + 3, "steps: {asked} of {read}, {there} there");
    let random: Vec<usize> = (0..200_usize).map(|nth| nth * nth * 37 % pages).collect();
    let (asked, read, there) = ahead(random);
    assert!(asked == 0 && there <= read + 3, "random: {asked} asked, {there} there");
}

#[test]
fn what_is_in_memory_is_soon_left_alone() {
    let directory = directory();
    let (path, content) = cold(&directory, 16 << 20);
    assert_eq!(std::fs::read(&path).unwrap().len(), content.len());
    let reader = Reader::new(File::open(&path, Mode::Read).unwrap(), Options::default()).unwrap();
    let mut buffer = vec![0; 4096];
    for nth in (0..content.len() / 4096).rev() {
        reader.read_at(&mut buffer, (nth * 4096) as u64).unwrap();
    }
    let counters = reader.counters();
    if counters.looks == 0 {
        eprintln!("not tested: the kernel does not tell what is in memory");
        return;
    }
    assert_eq!(counters.ahead_bytes, 0, "{counters:?}");
    assert!(counters.looks < 100, "{counters:?}");
}

#[test]
fn eight_threads_share_a_reader() {
    let directory = directory();
    let (path, content) = cold(&directory, 16 << 20);
    let options = Options { leave_cached: true, ..Options::default() };
    let reader = Reader::new(File::open(&path, Mode::Read).unwrap(), options).unwrap();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut buffer = vec![0; 32 << 10];
                loop {
                    let place =
                        next.fetch_add(1, std::sync::atomic::Ordering::Relaxed) * buffer.len();
                    if place >= content.len() {
                        return;
                    }
                    assert_eq!(reader.read_at(&mut buffer, place as u64).unwrap(), buffer.len());
                    assert!(buffer == content[place..place + buffer.len()]);
                }
            });
        }
    });
    drop(reader);
    assert_eq!(resident(&path), []);
}

#[test]
fn files_in_memory_are_just_read() {
    let file = disk::MemoryMedium::default();
    let file = disk::Medium::create(&file, "file").unwrap();
    disk::MediumFile::write_at(&file, &[7; 100_000], 0).unwrap();
    let long = Long::new(&file, Options::default());
    let mut buffer = vec![0; 60_000];
    assert_eq!(long.read_at(&mut buffer, 50_000).unwrap(), 50_000);
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else {
        eprintln!("not tested: no memory file system at /dev/shm");
        return;
    };
    let path = directory.path().join("file");
    std::fs::write(&path, vec![7; 4 << 20]).unwrap();
    for leave_cached in [false, true] {
        let options = Options { leave_cached, ..Options::default() };
        let reader = Reader::new(File::open(&path, Mode::Read).unwrap(), options).unwrap();
        for nth in (0..64).rev() {
            assert_eq!(reader.read_at(&mut buffer, nth << 16).unwrap(), 60_000);
            assert!(buffer.iter().all(|byte| *byte == 7));
        }
    }
}
