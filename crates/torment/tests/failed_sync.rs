//! A real ext4 whose disk fails for a while: data that is written again after a failed sync, or is
//! kept elsewhere, is there when the file system is mounted again.
//!
//! Linux reports a page that it could not write only once. A second sync of the same file succeeds
//! without that page. If the page is in blocks that were only reserved, even writing it again does
//! not bring it to the disk while it is cached.
#![allow(clippy::disallowed_methods, dead_code)] // it mounts a disk; of `power` it uses a part

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use disk::{Medium as _, MediumFile, PosixMedium};
use files::cache::{CacheOptions, FileCache, Journaling};
use rrd::Timestamp;
use store::{Error, Existing, Refused, Update};

type Checked<T> = Result<T, String>;

#[path = "../src/power"]
mod power {
    pub(crate) mod disk;
    mod programs;
}

use power::disk::PowerDisk;

const DISK_BYTES: u64 = 256 << 20;
const START: i64 = 999_999_900;

/// A private disk; `None` if this user may not mount one, which is reported, and fails in
/// continuous integration.
fn disk_or_say(room: &Path, what: &str) -> Option<PowerDisk> {
    let program = Path::new(env!("CARGO_BIN_EXE_torment"));
    let disk = PowerDisk::served_by(program, room, DISK_BYTES);
    disk.inspect_err(|reason| {
        let line = format!("NOT TESTED, {what}: {reason}");
        assert!(std::env::var_os("CI").is_none(), "{line}");
        // Written directly, because the test harness hides `eprintln!` of tests that pass.
        let _ = writeln!(std::io::stderr(), "{line}");
    })
    .ok()
}

#[test]
fn a_page_that_is_written_again_after_a_failed_sync_is_on_disk() {
    let room = tempfile::tempdir().unwrap();
    let what = "pages written again after a failed sync";
    let Some(mut disk) = disk_or_say(room.path(), what) else { return };
    let medium = PosixMedium::open(&disk.path()).unwrap();
    let page = [7; 4096];
    for (name, reserved_bytes) in [("reserved", 1 << 20), ("appended", 0)] {
        let file = medium.create(name).unwrap();
        MediumFile::reserve(&file, reserved_bytes).unwrap();
        let write = || {
            MediumFile::write_at(&file, &page, 0).unwrap();
            MediumFile::sync_data(&file)
        };
        disk.refuse([7; 8]).unwrap();
        assert!(write().is_err(), "{name}");
        disk.accept().unwrap();
        write().unwrap();
    }
    drop(medium);
    disk.remount().unwrap();
    for name in ["reserved", "appended"] {
        let bytes = std::fs::read(disk.path().join(name)).unwrap();
        assert!(bytes[..4096] == page, "{name}: what was synced is not there");
    }
}

/// Files that are served in place, on a disk that fails.
struct Files {
    cache: FileCache,
    path: PathBuf,
}

impl Files {
    fn open(disk: &PowerDisk, journal: &Path) -> Self {
        let journal = Journaling { directory: journal.to_owned(), sync_every: None };
        let options = CacheOptions {
            look_every: Duration::ZERO,
            write_after: Duration::from_secs(86400),
            journal: Some(journal),
            ..CacheOptions::default()
        };
        Self { cache: FileCache::open(options).unwrap(), path: disk.path().join("a.rrd") }
    }

    /// Makes the file as another program does, without a sync.
    fn copy_in(&self) {
        copy_in(&self.path, "a");
    }

    /// Waits until writes that a failed sync left in doubt are on disk. FORGET is refused until
    /// then: it first writes the samples of a file that was half written, and drops samples only
    /// when everything is on disk.
    fn settle(&self) {
        let begun = std::time::Instant::now();
        let forget = || {
            self.cache.flush(&self.path)?;
            self.cache.forget(&self.path)
        };
        while let Err(error) = forget() {
            assert!(begun.elapsed().as_secs() < 60, "{error}");
            std::thread::sleep(Duration::from_millis(100));
        }
        self.cache.sync().unwrap();
    }

    /// Whether the update is acknowledged.
    fn update(&self, nth: i64) -> bool {
        let value = format!("{}:{nth}", START + 300 * nth);
        self.cache.append(&[Update::numbered(&self.path, &[&value])]).is_empty()
    }

    fn last(&self) -> i64 {
        (self.cache.last_update(&self.path).unwrap().seconds - START) / 300
    }

    /// Its rows, from the first one on.
    fn rows(&self, count: i64) -> Vec<f64> {
        let query = rrd::fetch::Query {
            tick: rrd::Tick::SECOND,
            cf: rrd::ConsolidationFunction::Average,
            start_seconds: START,
            end_seconds: START + 300 * (count - 1),
            step_seconds: 300,
        };
        self.cache.fetch(&self.path, &query).unwrap().values
    }

    /// Closes the cache without writing, like the end of the process.
    fn close(self) {
        self.cache.close(false);
    }
}

/// Makes a file with a source of that name as another program does, without a sync.
fn copy_in(path: &Path, source: &str) {
    let model = path.with_extension("model");
    let source = format!("DS:{source}:GAUGE:1000000:U:U");
    let specs = [&*source, "RRA:AVERAGE:0.5:1:2000"];
    let definition = rrd::spec::definition(300, specs).unwrap();
    let start = Timestamp::from_seconds(START);
    files::create(&model, &definition, start, Existing::Keep).unwrap();
    std::fs::write(path, std::fs::read(&model).unwrap()).unwrap();
}

#[test]
fn a_new_file_that_cannot_be_synced_keeps_no_other_from_being_acknowledged() {
    let room = tempfile::tempdir().unwrap();
    let journal = tempfile::tempdir().unwrap();
    let what = "new files beside one that cannot be synced";
    let Some(mut disk) = disk_or_say(room.path(), what) else { return };
    let files = Files::open(&disk, journal.path());
    let refused = disk.path().join("refused.rrd");
    copy_in(&refused, "refused_by_disk");
    files.copy_in();
    disk.refuse(*b"refused_").unwrap();
    let value = format!("{}:1", START + 300);
    let values = [&*value];
    let updates = [&refused, &files.path].map(|path| Update::numbered(path, &values));
    let told = files.cache.append(&updates);
    let failed: Vec<_> =
        told.iter().map(|(nth, failure)| (*nth, failure.error.to_string())).collect();
    let [(0, words)] = &failed[..] else { panic!("{failed:?}") };
    assert!(words.contains("not acknowledged"), "{words}");
    // A later file is made without a sync, too.
    let later = disk.path().join("later.rrd");
    copy_in(&later, "a");
    assert!(files.cache.append(&[Update::numbered(&later, &values)]).is_empty());
    assert_eq!(files.cache.append(&updates[..1]).len(), 1);
    disk.accept().unwrap();
    // The samples are sent again, and none is refused because of its time.
    assert!(files.cache.append(&updates[..1]).is_empty());
    files.close();
    disk.remount().unwrap();
    let files = Files::open(&disk, journal.path());
    for path in [&refused, &files.path, &later] {
        assert_eq!(files.cache.last_update(path).unwrap().seconds, START + 300);
    }
    files.close();
}

#[test]
fn a_new_file_whose_sync_failed_is_on_disk_before_an_update_is_acknowledged() {
    let room = tempfile::tempdir().unwrap();
    let journal = tempfile::tempdir().unwrap();
    let what = "new files on a disk that fails";
    let Some(mut disk) = disk_or_say(room.path(), what) else { return };
    let files = Files::open(&disk, journal.path());
    files.copy_in();
    disk.refuse(*b"RRD\x000003").unwrap();
    assert!(!files.update(1));
    disk.accept().unwrap();
    assert!(files.update(1));
    files.close();
    disk.remount().unwrap();
    let files = Files::open(&disk, journal.path());
    assert_eq!(files.last(), 1);
    files.close();
}

#[test]
fn what_a_failed_sync_left_in_doubt_is_written_anew_at_once() {
    what_a_failed_sync_left_in_doubt_is_written_anew(true);
}

#[test]
fn what_a_failed_sync_left_in_doubt_is_written_anew_at_the_next_start() {
    what_a_failed_sync_left_in_doubt_is_written_anew(false);
}

fn what_a_failed_sync_left_in_doubt_is_written_anew(at_once: bool) {
    let room = tempfile::tempdir().unwrap();
    let journal = tempfile::tempdir().unwrap();
    let what = "files whose write-back failed";
    let Some(mut disk) = disk_or_say(room.path(), what) else { return };
    let files = Files::open(&disk, journal.path());
    files.copy_in();
    assert!(files.update(1));
    files.cache.flush(&files.path).unwrap();
    files.cache.sync().unwrap();
    // The failed sync concerns several pages of rows; the last page is then written again.
    assert!(files.update(600));
    disk.refuse(600.0_f64.to_le_bytes()).unwrap();
    files.cache.flush(&files.path).unwrap();
    let told = files.cache.sync().unwrap_err().to_string();
    assert!(told.contains("is kept in the journal until"), "{told}");
    disk.accept().unwrap();
    assert!(files.update(601));
    files.cache.flush(&files.path).unwrap();
    files.cache.sync().unwrap();
    if at_once {
        files.settle();
    }
    files.close();
    disk.remount().unwrap();
    if at_once {
        // The file alone has all samples.
        std::fs::remove_dir_all(journal.path()).unwrap();
    }
    let files = Files::open(&disk, journal.path());
    assert_eq!(files.last(), 601);
    let expected: Vec<f64> = (1..=601).map(|nth| [1.0, 600.0, 601.0][place_of(nth)]).collect();
    assert_eq!(files.rows(601), expected);
    files.close();
}

/// A file that was forgotten comes back with another number. If the kernel reports its lost pages
/// once, the report must count for both numbers.
#[test]
fn a_file_that_was_forgotten_before_is_in_doubt_under_its_new_number() {
    let room = tempfile::tempdir().unwrap();
    let journal = tempfile::tempdir().unwrap();
    let what = "files that were forgotten before their write-back failed";
    let Some(mut disk) = disk_or_say(room.path(), what) else { return };
    let files = Files::open(&disk, journal.path());
    files.copy_in();
    assert!(files.update(1));
    files.cache.flush(&files.path).unwrap();
    files.cache.sync().unwrap();
    assert!(files.update(2));
    assert!(files.cache.forget(&files.path).unwrap());
    assert!(files.update(3));
    files.cache.flush(&files.path).unwrap();
    disk.refuse(*b"RRD\x000003").unwrap();
    files.cache.forget(&files.path).unwrap_err();
    let told = files.cache.forget(&files.path).unwrap_err().to_string();
    assert!(told.contains("an earlier sync of it failed"), "{told}");
    disk.accept().unwrap();
    files.close();
    disk.remount().unwrap();
    let files = Files::open(&disk, journal.path());
    assert_eq!(files.last(), 3);
    files.close();
}

/// The kernel reports a lost page once; here to an update that waits for the file's sync. The
/// write-back of that page must still count as not durable.
#[test]
fn what_an_update_hears_of_a_lost_page_is_heard_by_write_backs() {
    let room = tempfile::tempdir().unwrap();
    let journal = tempfile::tempdir().unwrap();
    let what = "a lost page of which an update heard";
    let Some(mut disk) = disk_or_say(room.path(), what) else { return };
    let files = Files::open(&disk, journal.path());
    files.copy_in();
    assert!(files.update(1));
    files.cache.sync().unwrap();
    disk.refuse(*b"RRD\x000003").unwrap();
    assert!(files.update(2));
    files.cache.flush(&files.path).unwrap();
    // Another program changed the file, and the change may not be on disk.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o640);
    std::fs::set_permissions(&files.path, mode).unwrap();
    assert!(!files.update(3));
    disk.accept().unwrap();
    drop_from_cache(&files.path);
    files.settle();
    files.close();
    // Only the file is left.
    std::fs::remove_dir_all(journal.path()).unwrap();
    disk.remount().unwrap();
    let files = Files::open(&disk, journal.path());
    assert_eq!((files.last(), files.rows(2)), (3, vec![1.0, 2.0]));
    files.close();
}

/// Makes the kernel drop the clean pages of a file from the cache.
fn drop_from_cache(path: &Path) {
    let file = std::fs::File::open(path).unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
}

/// A fault makes a file system read-only while a page waits to be written: that page is not on
/// disk.
#[test]
fn a_file_system_that_turned_read_only_counts_as_not_synced() {
    let room = tempfile::tempdir().unwrap();
    let what = "a file system that turned read-only";
    let Some(mut disk) = disk_or_say(room.path(), what) else { return };
    let path = disk.path().join("file");
    std::fs::write(&path, [7; 4096]).unwrap();
    let file = disk::File::open(&path, disk::Mode::Read).unwrap();
    file.sync_file_system().unwrap();
    std::fs::write(&path, [8; 4096]).unwrap();
    let mut mount = std::process::Command::new("mount");
    assert!(mount.args(["-o", "remount,abort"]).arg(disk.path()).status().unwrap().success());
    let told = file.sync_file_system().unwrap_err();
    assert_eq!(told.kind(), std::io::ErrorKind::ReadOnlyFilesystem);
    drop(file);
    disk.remount().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), [7; 4096]);
}

/// FORGET drops waiting samples, and with them would drop the knowledge that writes are in doubt.
#[test]
fn a_file_that_is_in_doubt_is_not_forgotten() {
    let room = tempfile::tempdir().unwrap();
    let journal = tempfile::tempdir().unwrap();
    let what = "FORGET of a file whose write-back failed";
    let Some(mut disk) = disk_or_say(room.path(), what) else { return };
    let files = Files::open(&disk, journal.path());
    files.copy_in();
    assert!(files.update(1));
    files.cache.flush(&files.path).unwrap();
    files.cache.sync().unwrap();
    assert!(files.update(600));
    disk.refuse(600.0_f64.to_le_bytes()).unwrap();
    files.cache.flush(&files.path).unwrap();
    // Here FORGET itself finds the failure.
    let refused = files.cache.forget(&files.path).is_err();
    disk.accept().unwrap();
    assert!(files.update(601));
    // Once the writes are repeated from the journal, the file may be forgotten.
    files.settle();
    files.close();
    disk.remount().unwrap();
    let files = Files::open(&disk, journal.path());
    let expected: Vec<f64> = (1..=600).map(|nth| [1.0, 600.0][place_of(nth)]).collect();
    assert_eq!(files.rows(600), expected);
    assert!(refused);
    assert_eq!(files.last(), 601);
    files.close();
}

const SEGMENT_BYTES: usize = 64 << 10;
const JOURNAL_BYTES_MAX: u64 = 1 << 20;

fn bytes_below(directory: &Path) -> u64 {
    // Segments are made and removed meanwhile.
    let entries = std::fs::read_dir(directory).unwrap().flatten();
    entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}

/// Tries again while the update is refused because there is no space, or because a sync of the file
/// failed; returns the last refusal.
fn update_patiently(cache: &FileCache, path: &Path, nths: std::ops::Range<i64>) -> Option<String> {
    let values: Vec<String> =
        nths.map(|nth| format!("{}:{}", START + 300 * nth, nth % 1000)).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let begun = std::time::Instant::now();
    let mut told = None;
    while let Some((_, failure)) = cache.append(&[Update::numbered(path, &values)]).pop() {
        let words = failure.error.to_string();
        // Between a failed sync and the next check of the file, it accepts no samples.
        let is_in_doubt = matches!(failure, Refused { error: Error::InDoubt { .. }, taken: 0 });
        assert!(is_in_doubt || words.contains("not taken"), "{words}");
        assert!(begun.elapsed().as_secs() < 60, "{words}");
        told = Some(words);
        std::thread::sleep(Duration::from_millis(50));
    }
    told
}

/// The header of the file can never be written, and other files log many times the size of the
/// journal. Once the file has its share of the journal, its samples are refused, and all samples
/// that were accepted are in it in the end.
#[test]
fn a_file_in_doubt_does_not_hold_the_journal() {
    for power_is_cut in [false, true] {
        a_file_in_doubt_beside_another(power_is_cut);
    }
}

fn a_file_in_doubt_beside_another(power_is_cut: bool) {
    let room = tempfile::tempdir().unwrap();
    let journal = tempfile::tempdir().unwrap();
    let what = "a journal beside a file whose syncs fail";
    let Some(mut disk) = disk_or_say(room.path(), what) else { return };
    let options = || CacheOptions {
        look_every: Duration::ZERO,
        write_after: Duration::from_secs(1),
        journal_segment_bytes: SEGMENT_BYTES,
        journal_bytes_max: JOURNAL_BYTES_MAX,
        journal: Some(Journaling {
            directory: journal.path().to_owned(),
            sync_every: Some(Duration::from_secs(1)),
        }),
        ..CacheOptions::default()
    };
    let cache = FileCache::open(options()).unwrap();
    // The kernel may write neighbouring pages of one disk together, and then both fail; so healthy
    // files are on another disk.
    let healthy = tempfile::tempdir().unwrap();
    let (doubtful, other) = (disk.path().join("doubtful"), healthy.path().join("other"));
    copy_in(&doubtful, "refused_by_disk");
    copy_in(&other, "a");
    for path in [&doubtful, &other] {
        assert_eq!(update_patiently(&cache, path, 1..2), None);
        cache.flush(path).unwrap();
    }
    cache.sync().unwrap();
    disk.refuse(*b"refused_").unwrap();
    update_patiently(&cache, &doubtful, 2..10);
    cache.flush(&doubtful).unwrap();
    cache.sync().unwrap_err();
    let (mut taken, mut refused, mut most) = (10, None, 0);
    for batch in 0..1000 {
        if refused.is_some() && cache.report().journal_bytes > 4 * JOURNAL_BYTES_MAX {
            break;
        }
        let first = 2 + batch * 1000;
        update_patiently(&cache, &other, first..first + 1000);
        most = most.max(bytes_below(journal.path()));
        if refused.is_some() {
            continue;
        }
        let value = |nth: i64| format!("{}:{}", START + 300 * nth, nth % 1000);
        let values: Vec<String> = (taken..taken + 100).map(value).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let update = Update::numbered(&doubtful, &values);
        match cache.append(&[update]).pop() {
            None => taken += 100,
            // Between the failed sync and the next check of the file, which comes soon.
            Some((_, Refused { error: Error::InDoubt { .. }, taken: 0 })) => {}
            Some((_, failure)) => refused = Some(failure.error.to_string()),
        }
    }
    let words = refused.expect("it had its share");
    assert!(words.contains("samples wait"), "{words}");
    assert!(cache.report().journal_bytes > 4 * JOURNAL_BYTES_MAX);
    assert!(most < 3 * JOURNAL_BYTES_MAX, "{most}");
    if power_is_cut {
        cache.close(false);
        drop(cache);
        disk.accept().unwrap();
        disk.remount().unwrap();
        let cache = FileCache::open(options()).unwrap();
        assert_rows(&cache, &doubtful, taken - 1);
        cache.close(false);
        return;
    }
    disk.accept().unwrap();
    // It accepts samples again without a restart.
    update_patiently(&cache, &doubtful, taken..taken + 1);
    let files = Files { cache, path: doubtful };
    files.settle();
    files.close();
    disk.remount().unwrap();
    // The file alone has all samples.
    std::fs::remove_dir_all(journal.path()).unwrap();
    let files = Files::open(&disk, journal.path());
    assert_rows(&files.cache, &disk.path().join("doubtful"), taken);
    files.close();
}

/// Checks that the last 1,000 rows before an update are those of the updates.
fn assert_rows(cache: &FileCache, path: &Path, last: i64) {
    assert_eq!((cache.last_update(path).unwrap().seconds - START) / 300, last);
    let first = (last - 999).max(1);
    let query = rrd::fetch::Query {
        tick: rrd::Tick::SECOND,
        cf: rrd::ConsolidationFunction::Average,
        start_seconds: START + 300 * (first - 1),
        end_seconds: START + 300 * (last - 1),
        step_seconds: 300,
    };
    let rows = cache.fetch(path, &query).unwrap().values;
    let expected: Vec<f64> = (first..=last).map(|nth| (nth % 1000) as f64).collect();
    assert_eq!(rows, expected);
}

/// The number of the update, 1, 600 or 601, that a row belongs to.
fn place_of(row: i64) -> usize {
    usize::from(row > 1) + usize::from(row > 600)
}
