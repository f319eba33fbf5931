//! Files that are not there, or not whole, when the journal has samples for them: the samples wait.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use files::cache::{CacheOptions, FileCache, Flushed, Journaling};
use files::{Access, RrdFile};
use rrd::Timestamp;
use store::Existing;
use store::Update;

use crate::basics::{START, append, make, options, value};

/// A directory of files and a journal beside it.
struct Site {
    directory: tempfile::TempDir,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Site {
    fn new() -> Self {
        let site = Self { directory: tempfile::tempdir().unwrap(), notes: Arc::default() };
        fs::create_dir(site.root()).unwrap();
        site
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("files")
    }

    fn path(&self, nth: usize) -> PathBuf {
        self.root().join(format!("{nth}.rrd"))
    }

    fn open(&self) -> FileCache {
        let journal = Journaling {
            directory: self.directory.path().join("journal"),
            sync_every: Some(Duration::from_secs(1)),
        };
        let notes = Arc::clone(&self.notes);
        let notes = Arc::new(move |text: &str| notes.lock().unwrap().push(text.to_owned()));
        FileCache::open(CacheOptions { journal: Some(journal), notes, ..options() }).unwrap()
    }

    /// Files with three acknowledged samples each, of which none is in the file.
    fn with_samples(count: usize) -> Self {
        let site = Self::new();
        let cache = site.open();
        for nth in 0..count {
            make(&site.path(nth));
            append(&cache, &site.path(nth), &[&value(1), &value(2), &value(3)]);
        }
        cache.close(false);
        site
    }

    /// A life of the daemon that ends when it has looked at every file, and flushed what it could.
    fn live_once(&self, absent: u64) {
        let cache = self.open();
        eventually(|| cache.report().absent == absent);
        cache.flush_all();
        cache.close(true);
    }

    fn assert_has_all(&self, cache: &FileCache, nth: usize) {
        let path = self.path(nth);
        assert_eq!(cache.last_update(&path).unwrap().seconds, START + 900, "{}", path.display());
        let _ = cache.flush(&path).unwrap();
        assert_eq!(last_update_of_file(&path), START + 900);
        assert_eq!(cache.report().refused_late, 0);
    }
}

fn last_update_of_file(path: &Path) -> i64 {
    RrdFile::open(path, Access::Read).unwrap().header().live.last_update.seconds
}

/// Until it is so; a minute is more than any machine needs.
fn eventually(is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 60, "it never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn files_that_are_not_mounted_at_the_start_keep_their_samples() {
    let site = Site::with_samples(30);
    let away = site.directory.path().join("away");
    // The mount point is gone, then it is there and empty; the daemon starts and ends each time.
    fs::rename(site.root(), &away).unwrap();
    site.live_once(30);
    fs::create_dir(site.root()).unwrap();
    site.live_once(30);
    let notes = site.notes.lock().unwrap().join("\n");
    assert!(notes.contains("30 files"), "{notes}");
    assert!(notes.contains("0.rrd") && notes.len() < 4000, "{notes}");
    // They are back while the daemon runs.
    let cache = site.open();
    eventually(|| cache.report().absent == 30);
    assert_eq!(cache.pending(&site.path(7)).unwrap(), [value(1), value(2), value(3)]);
    fs::remove_dir(site.root()).unwrap();
    fs::rename(&away, site.root()).unwrap();
    (0..30).for_each(|nth| site.assert_has_all(&cache, nth));
    assert_eq!((cache.report().absent, cache.report().orphaned), (0, 0));
    cache.close(true);
    drop(cache);
    assert_eq!(site.open().report().unsettled, 0);
}

#[test]
fn files_that_are_empty_short_or_zero_keep_their_samples() {
    let site = Site::with_samples(4);
    let whole: Vec<Vec<u8>> = (0..4).map(|nth| fs::read(site.path(nth)).unwrap()).collect();
    fs::write(site.path(0), []).unwrap();
    fs::write(site.path(1), &whole[1][..100]).unwrap();
    fs::write(site.path(2), vec![0; whole[2].len()]).unwrap();
    fs::write(site.path(3), &whole[3][..whole[3].len() - 100]).unwrap();
    site.live_once(4);
    for (nth, bytes) in whole.iter().enumerate() {
        fs::write(site.path(nth), bytes).unwrap();
    }
    let cache = site.open();
    (0..4).for_each(|nth| site.assert_has_all(&cache, nth));
}

#[test]
fn only_forget_drops_what_an_absent_file_lacks() {
    let site = Site::with_samples(2);
    for nth in 0..2 {
        fs::remove_file(site.path(nth)).unwrap();
    }
    let cache = site.open();
    eventually(|| cache.report().absent == 2);
    // Neither an update, a flush nor a new file in its place.
    let values = [value(4)];
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let refused = cache.append(&[Update::numbered(&site.path(0), &values)]);
    assert_eq!(refused.len(), 1);
    assert!(cache.flush(&site.path(0)).is_err());
    let refused = cache.change(&site.path(0), || panic!("it must not be made"));
    let words = refused.unwrap_err().to_string();
    assert!(words.contains("3 samples") && words.contains("FORGET"), "{words}");
    assert!(cache.forget(&site.path(0)).unwrap());
    assert_eq!(cache.report().absent, 1);
    drop(cache);
    let cache = site.open();
    eventually(|| cache.report().absent == 1);
    let definition = rrd::spec::definition(300, ["DS:a:GAUGE:600:0:U", "RRA:MAX:0.5:1:9"]).unwrap();
    let path = site.path(0);
    let start = Timestamp::from_seconds(START);
    let made = cache.change(&path, || files::create(&path, &definition, start, Existing::Keep));
    made.unwrap().unwrap();
    assert_eq!(cache.last_update(&path).unwrap().seconds, START);
    assert!(cache.forget(&site.path(1)).unwrap());
    assert_eq!(cache.report().absent, 0);
}

#[test]
fn files_that_go_away_while_they_are_served_keep_their_samples() {
    let site = Site::new();
    let cache = site.open();
    for nth in 0..3 {
        make(&site.path(nth));
        append(&cache, &site.path(nth), &[&value(1), &value(2), &value(3)]);
    }
    let away = site.directory.path().join("away");
    fs::rename(site.root(), &away).unwrap();
    cache.flush_all();
    eventually(|| cache.report().write_failures >= 3);
    assert!(cache.flush(&site.path(0)).is_err());
    assert!(cache.change(&site.path(0), || panic!("it must not be made")).is_err());
    assert_eq!(cache.report().orphaned, 0);
    fs::rename(&away, site.root()).unwrap();
    for nth in 0..3 {
        assert_eq!(cache.flush(&site.path(nth)).unwrap(), Flushed::Written);
        assert_eq!(last_update_of_file(&site.path(nth)), START + 900);
    }
}
