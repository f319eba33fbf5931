//! The journal takes no more than it may, whatever cannot be written, and a full disk is no reason
//! not to start.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use files::cache::{CacheOptions, FileCache, Journaling};
use files::{Access, RrdFile};
use store::Error;
use store::Update;

use crate::basics::{START, append, make, options, value};
use crate::foreign::update as update_as_another_program;

const SEGMENT_BYTES: usize = 64 << 10;
const BYTES_MAX: u64 = 1 << 20;

fn journal_options(directory: &Path) -> CacheOptions {
    let journal = Journaling {
        directory: directory.join("journal"),
        sync_every: Some(Duration::from_secs(1)),
    };
    CacheOptions {
        journal: Some(journal),
        journal_segment_bytes: SEGMENT_BYTES,
        journal_bytes_max: BYTES_MAX,
        write_after: Duration::from_secs(1),
        look_every: Duration::from_secs(1),
        ..options()
    }
}

fn bytes_below(directory: &Path) -> u64 {
    // Segments come and go meanwhile.
    let entries = fs::read_dir(directory).unwrap().flatten();
    entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}

/// Tries again while updates are refused; gives the last refusal.
fn append_patiently(cache: &FileCache, path: &Path, values: &[&str]) -> Option<String> {
    let begun = std::time::Instant::now();
    let mut told = None;
    loop {
        let failures = cache.append(&[Update::numbered(path, values)]);
        let Some((_, failure)) = failures.into_iter().next() else { return told };
        let words = failure.error.to_string();
        assert!(words.contains("not taken"), "{words}");
        assert!(begun.elapsed().as_secs() < 60, "{words}");
        told = Some(words);
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn last_update_of_file(path: &Path) -> i64 {
    RrdFile::open(path, Access::Read).unwrap().header().live.last_update.seconds
}

/// A program that another test is just starting may hold a lock that was given back, until it has
/// become that program.
fn flush_patiently(cache: &FileCache, path: &Path) {
    for _ in 0..500 {
        match cache.flush(path) {
            Err(Error::Locked(_)) => std::thread::sleep(Duration::from_millis(10)),
            flushed => {
                flushed.unwrap();
                return;
            }
        }
    }
    panic!("{} stays locked", path.display());
}

#[test]
fn a_file_that_is_locked_does_not_hold_the_journal() {
    let directory = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> =
        (0..3).map(|nth| directory.path().join(format!("{nth}.rrd"))).collect();
    paths.iter().for_each(|path| make(path));
    let cache = FileCache::open(journal_options(directory.path())).unwrap();
    let holder = RrdFile::open(&paths[0], Access::Update).unwrap();
    append(&cache, &paths[0], &[&value(1), &value(2), &value(3)]);
    assert_eq!(cache.suspend(&paths[1]), None);
    append(&cache, &paths[1], &[&value(1)]);
    assert_eq!(cache.suspend(&paths[1]), Some(true));
    let mut most = 0;
    for batch in 0..300 {
        let values: Vec<String> = (1..=1000).map(|nth| value(batch * 1000 + nth)).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let _ = append_patiently(&cache, &paths[2], &values);
        most = most.max(bytes_below(&directory.path().join("journal")));
    }
    // Several times as much was written as the journal may take.
    assert!(cache.report().journal_bytes > 4 * BYTES_MAX, "{}", cache.report().journal_bytes);
    assert!(most < 2 * BYTES_MAX, "{most}");
    assert_eq!(cache.pending(&paths[0]).unwrap().len(), 3);
    // Killed now, or as good as that.
    cache.close(false);
    drop(cache);
    let cache = FileCache::open(journal_options(directory.path())).unwrap();
    assert_eq!(cache.last_update(&paths[0]).unwrap().seconds, START + 900);
    drop(holder);
    for (path, nth) in paths.iter().zip([3, 1, 300_000]) {
        flush_patiently(&cache, path);
        assert_eq!(last_update_of_file(path), START + 300 * nth);
    }
}

#[test]
fn a_file_that_cannot_be_written_takes_so_many_samples_and_no_more() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rrd");
    make(&path);
    let cache = FileCache::open(journal_options(directory.path())).unwrap();
    let holder = RrdFile::open(&path, Access::Update).unwrap();
    let mut taken = 0;
    let words = loop {
        let values: Vec<String> = (1..=100).map(|nth| value(taken + nth)).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        match cache.append(&[Update::numbered(&path, &values)]).pop() {
            None => taken += 100,
            Some((_, failure)) => break failure.error.to_string(),
        }
        // It must have been tried to write it before it counts as stuck.
        assert!(cache.flush(&path).is_err());
        assert!(taken < 1_000_000, "it was never refused");
    };
    assert!(words.contains("not taken") && words.contains("samples wait"), "{words}");
    assert_eq!(cache.pending(&path).unwrap().len() as i64, taken);
    drop(holder);
    flush_patiently(&cache, &path);
    assert_eq!(last_update_of_file(&path), START + 300 * taken);
    append(&cache, &path, &[&value(taken + 1)]);
}

/// A file system in memory that is soon full. It is unmounted when it is dropped.
struct SmallDisk {
    root: PathBuf,
    _directory: tempfile::TempDir,
}

impl SmallDisk {
    /// `None`, and told so, where this user or machine cannot mount one.
    fn mount(what_it_tests: &str) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("root");
        fs::create_dir(&root).unwrap();
        let words = ["-t", "tmpfs", "-o", "size=2m", "none", root.to_str().unwrap()];
        let mounted = std::process::Command::new("mount").args(words).output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            use std::io::Write as _;
            let words = "NOT TESTED, a file system cannot be mounted here";
            let _ = writeln!(std::io::stderr(), "{words}: {what_it_tests}");
            return None;
        }
        Some(Self { root, _directory: directory })
    }

    fn fill(&self, name: &str) {
        fs::write(self.root.join(name), vec![1; 4 << 20]).unwrap_err();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.root).output();
    }
}

#[test]
fn samples_that_may_be_lost_may_be_repeated() {
    let Some(disk) = SmallDisk::mount("repetition of what was not acknowledged") else { return };
    let path = disk.root.join("a.rrd");
    make(&path);
    let options = CacheOptions {
        journal_segment_bytes: 64 << 10,
        write_after: Duration::from_secs(86400),
        journal: Some(Journaling { directory: disk.root.join("journal"), sync_every: None }),
        ..options()
    };
    let cache = FileCache::open(options.clone()).unwrap();
    append(&cache, &path, &[&value(1)]);
    disk.fill("filler");
    // More than the segments hold that there are.
    let values: Vec<String> = (2..20_000).map(value).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let update = |values: &[&str]| cache.append(&[Update::numbered(&path, values)]).pop();
    // That the last one is wrong is not what is to be told of those before it.
    let with_a_wrong_one = [&values[..], &[values[0]]].concat();
    let words = update(&with_a_wrong_one).expect("there is no room").1.error.to_string();
    assert!(words.contains("not acknowledged"), "{words}");
    fs::remove_file(disk.root.join("filler")).unwrap();
    assert_eq!(append_patiently(&cache, &path, &values), None);
    // Acknowledged now: once more is once too often.
    let words = update(&values[..1]).expect("it is there already").1.error.to_string();
    assert!(words.contains("illegal attempt"), "{words}");
    cache.close(false);
    drop(cache);
    let cache = FileCache::open(options).unwrap();
    assert_eq!(cache.last_update(&path).unwrap().seconds, START + 300 * 19_999);
    assert_eq!(cache.pending(&path).unwrap().len(), 19_999);
}

#[test]
fn a_base_that_could_not_be_logged_anew_does_not_hold_the_journal() {
    let Some(disk) = SmallDisk::mount("a base logged anew on a full disk") else { return };
    let paths = ["a.rrd", "b.rrd"].map(|name| disk.root.join(name));
    paths.iter().for_each(|path| make(path));
    let options = CacheOptions {
        journal_bytes_max: 1 << 20,
        write_after: Duration::from_secs(86400),
        ..journal_options(&disk.root)
    };
    let cache = FileCache::open(options).unwrap();
    let values: Vec<String> = (2..=12_000).map(value).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    append(&cache, &paths[0], &values);
    // Another program writes the file: what waits is logged once more, behind what the file holds.
    update_as_another_program(&paths[0], 1);
    disk.fill("filler");
    assert!(cache.flush(&paths[0]).is_err(), "the journal had room");
    fs::remove_file(disk.root.join("filler")).unwrap();
    let mut tries = 0;
    while let Err(error) = cache.flush(&paths[0]) {
        tries += 1;
        assert!(tries < 100, "{error}");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(last_update_of_file(&paths[0]), START + 300 * 12_000);
    // More than the journal takes.
    for batch in 0..60 {
        let values: Vec<String> = (1..=1000).map(|nth| value(batch * 1000 + nth)).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let _ = append_patiently(&cache, &paths[1], &values);
        cache.flush(&paths[1]).unwrap();
    }
    cache.close(true);
}

#[test]
fn a_cache_starts_on_a_full_disk_and_goes_on_when_there_is_room() {
    let Some(disk) = SmallDisk::mount("a start on a full disk") else { return };
    let root = disk.root.clone();
    let path = root.join("a.rrd");
    make(&path);
    let options =
        CacheOptions { write_after: Duration::from_secs(86400), ..journal_options(&root) };
    let cache = FileCache::open(options.clone()).unwrap();
    append(&cache, &path, &[&value(1)]);
    cache.close(false);
    drop(cache);
    // A segment that was half made when the disk became full, and then no room at all.
    fs::write(root.join("journal/journal-000050"), [0; 5000]).unwrap();
    let _ = fs::write(root.join("filler"), vec![1; 4 << 20]);
    for segment in ["journal-000001", "journal-000002"] {
        let _ = fs::remove_file(root.join("journal").join(segment));
    }
    let _ = fs::write(root.join("filler2"), vec![1; 4 << 20]);
    let cache = FileCache::open(options).unwrap();
    assert_eq!(cache.last_update(&path).unwrap().seconds, START + 300);
    let mut nth = 2;
    let told = loop {
        let values = [value(nth)];
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        match cache.append(&[Update::numbered(&path, &values)]).pop() {
            None => nth += 1,
            Some((_, failure)) => break failure.error.to_string(),
        }
        assert!(nth < 100_000, "it was never refused");
    };
    assert!(told.contains("No space left"), "{told}");
    fs::remove_file(root.join("filler")).unwrap();
    fs::remove_file(root.join("filler2")).unwrap();
    let _ = append_patiently(&cache, &path, &[&value(nth)]);
    cache.flush(&path).unwrap();
    assert_eq!(last_update_of_file(&path), START + 300 * nth);
    cache.close(true);
}

/// What was refused once is refused as long as a start may bring the samples back: the first FORGET
/// dropped all that was known of the file, and nothing else tells the second one.
#[test]
fn a_forget_that_was_refused_is_not_said_to_have_nothing_to_do() {
    let Some(disk) = SmallDisk::mount("FORGET on a full disk") else { return };
    let path = disk.root.join("a.rrd");
    make(&path);
    let mut options =
        CacheOptions { write_after: Duration::from_secs(86400), ..journal_options(&disk.root) };
    options.journal.as_mut().unwrap().sync_every = None;
    let cache = FileCache::open(options.clone()).unwrap();
    disk.fill("filler");
    let refused = (1..100_000).find(|nth| {
        let values = [value(*nth)];
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        !cache.append(&[Update::numbered(&path, &values)]).is_empty()
    });
    assert!(refused.is_some_and(|nth| nth > 1), "{refused:?}");
    for _ in 0..2 {
        let told = cache.forget(&path).unwrap_err().to_string();
        assert!(told.contains("No space left"), "{told}");
    }
    fs::remove_file(disk.root.join("filler")).unwrap();
    assert!(!cache.forget(&path).unwrap());
    cache.close(false);
    drop(cache);
    let cache = FileCache::open(options).unwrap();
    assert_eq!(cache.last_update(&path).unwrap().seconds, START);
    cache.close(false);
}
