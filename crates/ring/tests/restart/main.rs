//! What a ring store that was killed takes of memory, once its log is replayed, beside one that
//! was not. Each runs in a process of its own, which counts what it has allocated.
#![allow(clippy::disallowed_methods)] // it starts processes, and looks at their memory
#![allow(unsafe_code)] // an allocator that counts is one

use std::alloc::{GlobalAlloc, Layout};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use disk::PosixMedium;
use ring::{Engine, RingStore};
use ring::{RingOptions, Sync};
use rrd::{Definition, Timestamp};
use store::{NewDatabase, Update};
use tikv_jemallocator::Jemalloc;

/// Where the child's store lies.
const ROOT: &str = "GYRE_TEST_RESTART_ROOT";
/// Which cycles the child runs, as two numbers with a colon between.
const CYCLES: &str = "GYRE_TEST_RESTART_CYCLES";
/// How many databases there are.
const COUNT: &str = "GYRE_TEST_RESTART_COUNT";
/// The cycle in whose middle the one process is killed.
const KILLED_AT: u64 = 34;
/// Cycles after which both are compared.
const CYCLES_ALL: u64 = 74;
/// Memory of the process that holds nothing: what was freed, and what the program itself takes.
const KEPT_BYTES_MAX: usize = 16 << 20;
/// How often the memory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LOOKS: usize = 120;
const START_SECONDS: u64 = 1_600_000_200;
const STEP_SECONDS: u64 = 300;

/// The allocator of the binary `gyre`; counts the bytes that are allocated.
struct Counting;

static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all of it is jemalloc; the count changes nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE_BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { Jemalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LIVE_BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { Jemalloc.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE_BYTES.fetch_add(size, Ordering::Relaxed);
        LIVE_BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { Jemalloc.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { Jemalloc.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// MRTG's layout.
fn definition() -> Definition {
    let archives = ["AVERAGE", "MAX"].into_iter().flat_map(|cf| {
        [(1, 600), (6, 700), (24, 775), (288, 797)]
            .map(|(pdps, rows)| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
    });
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
    let specs: Vec<String> = sources.into_iter().chain(archives).collect();
    rrd::spec::definition(STEP_SECONDS, specs.iter().map(String::as_str)).unwrap()
}

fn options() -> RingOptions {
    RingOptions { sync: Sync::Deferred, sparse: true, ..RingOptions::default() }
}

fn create(root: &Path, names: &[String]) {
    let store = RingStore::create(root, options()).unwrap();
    let definition = definition();
    let start = Timestamp::from_seconds(START_SECONDS as i64);
    let new = names.iter().map(|name| NewDatabase {
        name: name.as_ref(),
        definition: &definition,
        start,
    });
    let new: Vec<NewDatabase<'_>> = new.collect();
    assert!(store.engine().create_all(&new).is_empty());
    store.close().unwrap();
}

/// Updates all databases, and waits for the flushes that fall due.
fn cycle(engine: &Engine<PosixMedium>, names: &[String], cycle: u64) {
    const BATCH: usize = 2000;
    for (nth, names) in names.chunks(BATCH).enumerate() {
        let values = |at: usize| {
            let at = (nth * BATCH + at) as u64;
            let seconds = START_SECONDS + cycle * STEP_SECONDS + at % STEP_SECONDS;
            format!("{seconds}:{}:{}", cycle * 1_000_003 + at * 17, cycle * 97 + at)
        };
        let texts: Vec<String> = (0..names.len()).map(values).collect();
        let texts: Vec<[&str; 1]> = texts.iter().map(|text| [text.as_str()]).collect();
        let batch: Vec<Update<'_>> =
            names.iter().zip(&texts).map(|(name, values)| Update::numbered(name, values)).collect();
        assert!(engine.update(&batch).is_empty());
    }
    engine.work().unwrap();
}

/// Resident bytes of this process that no file backs.
fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// One of the processes.
#[test]
fn child_that_updates() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    // As the programs do that serve a store.
    tikv_jemalloc_ctl::background_thread::write(true).unwrap();
    let cycles = std::env::var(CYCLES).unwrap();
    let (first, end) = cycles.split_once(':').unwrap();
    let names = names();
    let store = RingStore::open(Path::new(&root), options()).unwrap();
    for each in first.parse().unwrap()..end.parse().unwrap() {
        cycle(store.engine(), &names, each);
    }
    // Flushes that are under way have their groups' pages twice, and what was freed is given back
    // ten seconds later: what stays is the least.
    let now = |_| {
        std::thread::sleep(LOOK_EVERY);
        (resident_bytes(), LIVE_BYTES.load(Ordering::Relaxed))
    };
    let (resident, live) = (0..LOOKS).map(now).min().unwrap();
    // Past the test's own capture; then it is as if killed.
    writeln!(std::io::stderr(), "bytes {live} {resident}").unwrap();
    std::process::abort();
}

fn names() -> Vec<String> {
    let count = std::env::var(COUNT).map_or(20_000, |count| count.parse().unwrap());
    (0..count).map(|nth| format!("router{}/port{nth}", nth / 48)).collect()
}

/// Memory of a child that runs these cycles.
#[derive(Debug)]
struct Memory {
    live_bytes: usize,
    resident_bytes: usize,
}

fn run(root: &Path, first: u64, end: u64) -> Memory {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child_that_updates", "--nocapture"]);
    child.env(ROOT, root).env(CYCLES, format!("{first}:{end}"));
    let output = child.output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let told = text.lines().find_map(|line| line.strip_prefix("bytes "));
    let told = told.unwrap_or_else(|| panic!("the child told nothing: {text}"));
    let (live, resident) = told.split_once(' ').unwrap();
    Memory { live_bytes: live.parse().unwrap(), resident_bytes: resident.parse().unwrap() }
}

/// What a group keeps of a database, in bytes at the default pace, as docs/bench tells them: packed
/// state 162, member 16, rows that no tile has yet 207; the mean of the cycles between two flushes.
const IN_GROUP_BYTES_MAX: f64 = 390.0;
/// Fingerprint 8, and its place in the table, which is half to seven eighths full.
const NAME_BYTES_MAX: f64 = 20.0;
/// Whatever else is allocated for each database, but for the catalogue's cache.
const OTHER_BYTES_MAX: f64 = 8.0;
/// Cycles over which memory is averaged: all phases of a group.
const MEASURED_CYCLES: u64 = 18;
/// The first of them: the groups have been flushed since they were opened.
const MEASURED_FROM: u64 = 37;

/// The process whose memory is told field by field.
#[test]
fn child_that_tells_its_memory() {
    let Some(root) = std::env::var_os(ROOT).filter(|_| std::env::var_os(CYCLES).is_none()) else {
        return;
    };
    let names = names();
    let text: usize = names.iter().map(|name| name.capacity() + size_of::<String>()).sum();
    // Without a store's threads: no flush is under way, which would have its group's pages twice.
    let engine = Engine::open_store(PosixMedium::open(Path::new(&root)).unwrap(), options());
    let engine = engine.unwrap();
    let (mut live, mut groups, mut of_names) = (0, 0, 0);
    for each in 1..MEASURED_FROM + MEASURED_CYCLES {
        cycle(&engine, &names, each);
        if each >= MEASURED_FROM {
            let report = engine.report();
            groups += report.groups.iter().map(|it| it.memory_bytes).sum::<usize>();
            of_names += report.names_memory_bytes;
            live += LIVE_BYTES.load(Ordering::Relaxed) - text;
        }
    }
    let means = [live, groups, of_names].map(|sum| sum / MEASURED_CYCLES as usize);
    writeln!(std::io::stderr(), "bytes {} {} {}", means[0], means[1], means[2]).unwrap();
    std::process::abort();
}

/// Mean bytes of a store.
struct Means {
    /// All that is allocated.
    all: f64,
    groups: f64,
    names: f64,
    /// The catalogue's cache has at most so much.
    catalogue: f64,
}

/// Those of a store of so many databases.
fn means(count: usize) -> Means {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("store");
    let names: Vec<String> =
        (0..count).map(|nth| format!("router{}/port{nth}", nth / 48)).collect();
    create(&root, &names);
    let catalogue = std::fs::metadata(root.join("catalogue")).unwrap().len() as f64;
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child_that_tells_its_memory", "--nocapture"]);
    child.env(ROOT, &root).env(COUNT, count.to_string()).env_remove(CYCLES);
    let text = String::from_utf8(child.output().unwrap().stderr).unwrap();
    let told = text.lines().find_map(|line| line.strip_prefix("bytes "));
    let told = told.unwrap_or_else(|| panic!("the child told nothing: {text}"));
    let told: Vec<f64> = told.split(' ').map(|word| word.parse().unwrap()).collect();
    let [all, groups, names] = told.try_into().unwrap();
    Means { all, groups, names, catalogue }
}

#[test]
fn a_database_takes_no_more_memory_than_told() {
    // Groups as full as those of a large store; what a process has anyway counts for neither.
    let [few, many] = [2, 6].map(|groups| groups * 4032);
    let (of_few, of_many) = (means(few), means(many));
    let each = |of: fn(&Means) -> f64| (of(&of_many) - of(&of_few)) / (many - few) as f64;
    let (all, groups, names) = (each(|it| it.all), each(|it| it.groups), each(|it| it.names));
    let catalogue = each(|it| it.catalogue);
    let told = format!(
        "{all:.0} bytes: {groups:.1} in its group, {names:.1} for its name, and of the catalogue, \
         of which 16 MB are kept, {catalogue:.0} on disk"
    );
    println!("{told}");
    assert!(groups <= IN_GROUP_BYTES_MAX, "{told}");
    assert!(names <= NAME_BYTES_MAX, "{told}");
    assert!(all - groups - names <= catalogue + OTHER_BYTES_MAX, "{told}");
}

#[test]
fn a_store_that_was_killed_takes_no_more_memory_than_one_that_was_not() {
    let directory = tempfile::tempdir().unwrap();
    let names = names();
    let [whole, killed] = ["whole", "killed"].map(|name| directory.path().join(name));
    create(&whole, &names);
    create(&killed, &names);
    let (before, (killed_then, after)) = std::thread::scope(|scope| {
        let whole = scope.spawn(|| run(&whole, 1, CYCLES_ALL));
        let then = run(&killed, 1, KILLED_AT);
        (whole.join().unwrap(), (then, run(&killed, KILLED_AT, CYCLES_ALL)))
    });
    println!("{} databases: {before:?}; {killed_then:?}, killed: {after:?}", names.len());
    let ratio = after.resident_bytes as f64 / before.resident_bytes as f64;
    println!("{ratio:.2} times the memory of the store that was not killed");
    assert!(after.live_bytes * 4 <= before.live_bytes * 5, "{before:?}, {after:?}");
    let kept_bytes = after.resident_bytes.saturating_sub(after.live_bytes);
    assert!(kept_bytes < KEPT_BYTES_MAX, "{kept_bytes} bytes of freed memory stay: {after:?}");
}
