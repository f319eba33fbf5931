//! What the file cache holds in memory for each file, as the allocator counts it.
#![allow(unsafe_code)] // an allocator that counts is one

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use files::cache::Journaling;
use files::{CacheOptions, FileCache, RrdFiles};
use rrd::Timestamp;
use store::{Store as _, Update};

/// Counts the bytes that are allocated.
struct Counting;

static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Larger ones are rooms for what all files write to the log.
const COUNTED_BYTES_MAX: usize = 64 << 10;

fn counted_bytes(layout: Layout) -> usize {
    if layout.size() > COUNTED_BYTES_MAX { 0 } else { layout.size() }
}

// SAFETY: all of it is the system's allocator; the count changes nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE_BYTES.fetch_add(counted_bytes(layout), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(counted_bytes(layout), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// So many files before the count begins: what the cache holds for itself is not counted.
const FILES_BEFORE: usize = 2000;
const FILES_COUNTED: usize = 2000;
const START_SECONDS: i64 = 1_600_000_200;
const STEP_SECONDS: i64 = 300;
/// What a file takes at most beside its path, while one sample of it waits, six, and none. The
/// table in `docs/inside/files.md` says what it is made of.
const ONE_WAITS: Limit = Limit { state: "one sample waits", bytes_max: 410 };
const SIX_WAIT: Limit = Limit { state: "six samples wait", bytes_max: 580 };
const NONE_WAITS: Limit = Limit { state: "it was written", bytes_max: 880 };

struct Limit {
    state: &'static str,
    bytes_max: usize,
}

#[test]
fn a_file_takes_no_more_memory_than_is_told() {
    let room = tempfile::tempdir().unwrap();
    let all: Vec<PathBuf> = (0..FILES_BEFORE + FILES_COUNTED)
        .map(|nth| room.path().join(format!("router-{nth:06}.rrd")))
        .collect();
    make(&all);
    let cache = FileCache::open(CacheOptions {
        journal: Some(Journaling {
            directory: room.path().join("journal"),
            sync_every: Some(Duration::from_secs(1)),
        }),
        write_after: Duration::from_secs(3600),
        open_files_max: 0,
        ..CacheOptions::default()
    })
    .unwrap();
    let (before, counted) = all.split_at(FILES_BEFORE);
    update(&cache, before, 1..=6);
    flush(&cache, before);
    let start = settled_bytes();
    let check = |Limit { state, bytes_max }| {
        let live = settled_bytes().saturating_sub(start);
        let bytes = live / FILES_COUNTED - all[0].as_os_str().len();
        // A limit far above what is taken holds nothing: it is to be lowered then.
        let is_as_told = (bytes_max * 9 / 10..=bytes_max).contains(&bytes);
        assert!(is_as_told, "{state}: {bytes} bytes, where {bytes_max} are told");
    };
    update(&cache, counted, 1..=1);
    check(ONE_WAITS);
    update(&cache, counted, 2..=6);
    check(SIX_WAIT);
    flush(&cache, counted);
    check(NONE_WAITS);
}

/// The bytes in use once they were the same for longer than the cache waits between two syncs.
fn settled_bytes() -> usize {
    const LOOK: Duration = Duration::from_millis(100);
    let (mut bytes, mut same_looks) = (LIVE_BYTES.load(Ordering::Relaxed), 0);
    for _ in 0..300 {
        std::thread::sleep(LOOK);
        let now = LIVE_BYTES.load(Ordering::Relaxed);
        same_looks = if now == bytes { same_looks + 1 } else { 0 };
        bytes = now;
        if same_looks == 25 {
            break;
        }
    }
    bytes
}

/// Makes files of MRTG's layout, with few rows.
fn make(paths: &[PathBuf]) {
    let specs =
        ["DS:ds0:COUNTER:600:0:125000000", "DS:ds1:COUNTER:600:0:125000000"].map(String::from);
    let archives = ["AVERAGE", "MAX"]
        .into_iter()
        .flat_map(|function| [1, 6, 24, 288].map(|steps| format!("RRA:{function}:0.5:{steps}:10")));
    let specs: Vec<String> = specs.into_iter().chain(archives).collect();
    let definition = rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap();
    let start = Timestamp::from_seconds(START_SECONDS);
    for path in paths {
        RrdFiles::anywhere(0).create(path, &definition, start).unwrap();
    }
}

/// Updates files with the samples of some steps.
fn update(cache: &FileCache, paths: &[PathBuf], steps: std::ops::RangeInclusive<i64>) {
    for step in steps {
        let seconds = START_SECONDS + step * STEP_SECONDS;
        let value = format!("{seconds}:{}:{}", 1_234_567 * step, 7_654_321 * step);
        let values = [value.as_str()];
        let updates: Vec<_> = paths.iter().map(|path| Update::numbered(path, &values)).collect();
        assert!(cache.update(&updates).is_empty());
    }
    // What waits for a sync is not counted.
    cache.sync().unwrap();
}

fn flush(cache: &FileCache, paths: &[PathBuf]) {
    for path in paths {
        cache.flush(path).unwrap();
    }
    cache.sync().unwrap();
}
