//! The process that is killed: threads that update, read and flush, and tell what was acknowledged.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use disk::Random;
use files::cache::FileCache;
use store::Update;

use crate::plan::{THREADS, all_files, argument, files_of, nth_of, options, path};

/// Where a child of the test has its files; its seed; whether it waits for the disk.
pub(crate) const ROOT: &str = "GYRE_TEST_KILLED_CACHE";
pub(crate) const SEED: &str = "GYRE_TEST_KILLED_SEED";
pub(crate) const SYNC_MILLIS: &str = "GYRE_TEST_KILLED_SYNC";

/// Copies of the files as they were when they were last known to be durable.
pub(crate) fn synced_directory(root: &Path) -> PathBuf {
    root.join("synced")
}

#[test]
fn child_that_is_killed() {
    let Some(root) = std::env::var_os(ROOT).map(PathBuf::from) else { return };
    let number = |name| std::env::var(name).ok().and_then(|it: String| it.parse::<u64>().ok());
    let seed = number(SEED).expect("the parent says");
    let sync_every = number(SYNC_MILLIS).map(Duration::from_millis);
    let mut options = options(&root, sync_every);
    let copied = root.clone();
    options.synced = Some(Arc::new(move || copy_files(&copied)));
    options.notes = Arc::new(|text| tell(&format!("note {text}")));
    let cache = FileCache::open(options).unwrap();
    std::thread::scope(|scope| {
        let (cache, root) = (&cache, &root);
        for thread in 0..THREADS {
            scope.spawn(move || client(cache, root, thread, seed));
        }
        scope.spawn(move || {
            let mut random = Random::new(seed ^ 77);
            loop {
                std::thread::sleep(Duration::from_millis(random.below(12)));
                cache.flush_all();
                if random.below(3) == 0 {
                    cache.sync().unwrap();
                }
            }
        });
    });
}

/// Each copy is whole: it gets its name when it is.
fn copy_files(root: &Path) {
    let to = synced_directory(root);
    std::fs::create_dir_all(&to).unwrap();
    for file in all_files() {
        let new = to.join("new");
        std::fs::copy(path(root, file), &new).unwrap();
        std::fs::rename(&new, path(&to, file)).unwrap();
    }
}

/// A line at once, whole.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "\n> {line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0); // nobody listens any more
    }
}

fn client(cache: &FileCache, root: &Path, thread: usize, seed: u64) {
    let mut random = Random::new(seed * 31 + thread as u64);
    let mut next = std::collections::BTreeMap::new();
    for file in files_of(thread) {
        let nth = nth_of(file, cache.last_update(&path(root, file)).unwrap());
        tell(&format!("found {file} {nth}"));
        next.insert(file, nth + 1);
    }
    tell("ready");
    let files: Vec<usize> = files_of(thread).collect();
    loop {
        let file = files[random.below(files.len() as u64) as usize];
        match random.below(12) {
            0 => drop(cache.flush(&path(root, file)).unwrap()),
            1 => {
                let nth = nth_of(file, cache.last_update(&path(root, file)).unwrap());
                if nth + 1 != next[&file] {
                    tell(&format!(
                        "wrong: {file} is at {nth}, {} was acknowledged",
                        next[&file] - 1
                    ));
                }
            }
            2 => refused(cache, &path(root, file), file, next[&file]),
            3 => drop(cache.snapshot(&path(root, file)).unwrap()),
            _ => {
                let count = [1, 1, 1, 4, files.len()][random.below(5) as usize];
                update(cache, root, &files[..count.min(files.len())], &mut next, &mut random);
            }
        }
    }
}

/// One batch: each file gets some samples.
fn update(
    cache: &FileCache,
    root: &Path,
    files: &[usize],
    next: &mut std::collections::BTreeMap<usize, u64>,
    random: &mut Random,
) {
    let mut told = String::new();
    let mut batch = Vec::new();
    for file in files {
        let first = next[file];
        let count = 1 + random.below(3);
        batch.push((path(root, *file), (first..first + count).map(|nth| argument(*file, nth))));
        told.push_str(&format!(" {file} {}", first + count - 1));
        next.insert(*file, first + count);
    }
    let batch: Vec<(PathBuf, Vec<String>)> =
        batch.into_iter().map(|(path, values)| (path, values.collect())).collect();
    let values: Vec<Vec<&str>> =
        batch.iter().map(|(_, values)| values.iter().map(String::as_str).collect()).collect();
    let updates: Vec<Update<'_>> = batch
        .iter()
        .zip(&values)
        .map(|((path, _), values)| Update::numbered(path, values))
        .collect();
    tell(&format!("sent{told}"));
    let failures = cache.append(&updates);
    if !failures.is_empty() {
        tell(&format!("wrong: {failures:?}"));
    }
    tell(&format!("acknowledged{told}"));
}

/// What is refused leaves no trace.
fn refused(cache: &FileCache, path: &Path, file: usize, next: u64) {
    let garbled = format!("{}:1", argument(file, next));
    let old = argument(file, next.saturating_sub(1).max(1));
    let bad = if next.is_multiple_of(2) || next == 1 { garbled } else { old };
    let failures = cache.append(&[Update::numbered(path, &[&bad])]);
    if failures.len() != 1 {
        tell(&format!("wrong: {file} took {bad}"));
    }
}
