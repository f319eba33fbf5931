//! Trees of files: copied, copied again, damaged, restored.
#![allow(clippy::disallowed_methods)] // files and the clock

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use backup::{Error, Options, Report, Restoring, Watch, list, restore, run, verify};
use disk::{Moment, Random};
use tempfile::TempDir;

struct Clock;

impl Watch for Clock {
    fn now(&self) -> Moment {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        Moment { seconds: now.as_secs() as i64, nanoseconds: now.subsec_nanos() }
    }
}

/// A tree, its backup, and the directory to restore it to.
struct Site(TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        fs::create_dir(site.tree()).unwrap();
        site
    }

    fn tree(&self) -> PathBuf {
        self.0.path().join("tree")
    }

    fn backup(&self) -> PathBuf {
        self.0.path().join("backup")
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn run(&self, options: &Options) -> Report {
        // Wait until every file is so old that a write would change its times.
        std::thread::sleep(std::time::Duration::from_millis(25));
        let report = run(&self.tree(), &self.backup(), options, &Clock).unwrap();
        assert_eq!(report.problems, [""; 0]);
        report
    }

    fn restored(&self, snapshot: Option<u32>) -> BTreeMap<PathBuf, Seen> {
        let into = tempfile::tempdir_in(self.0.path()).unwrap();
        let wanted = Restoring { snapshot, ..Restoring::default() };
        let restored = restore(&self.backup(), into.path(), &wanted, |_| ()).unwrap();
        assert_eq!(restored.problems, [""; 0]);
        seen(into.path())
    }

    /// Changes a byte of a file of the backup.
    fn rot(&self, name: &str, offset_bytes: u64) {
        let file = fs::OpenOptions::new().read(true).write(true).open(self.backup().join(name));
        let file = file.unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, offset_bytes).unwrap();
        file.write_all_at(&[byte[0] ^ 4], offset_bytes).unwrap();
    }
}

/// What is compared of a file: permissions, time, content.
type Seen = (u32, i64, i64, Vec<u8>);

fn seen(root: &Path) -> BTreeMap<PathBuf, Seen> {
    let (mut found, mut pending) = (BTreeMap::new(), vec![root.to_path_buf()]);
    while let Some(path) = pending.pop() {
        let facts = fs::symlink_metadata(&path).unwrap();
        let mut time = (facts.mtime(), facts.mtime_nsec());
        let bytes = if facts.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            Vec::new()
        } else if facts.is_symlink() {
            time = (0, 0);
            fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
        } else {
            fs::read(&path).unwrap()
        };
        let below = path.strip_prefix(root).unwrap().to_path_buf();
        found.insert(below, (facts.mode(), time.0, time.1, bytes));
    }
    found
}

fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let words = (0..bytes.div_ceil(8)).flat_map(|_| random.below(u64::MAX).to_le_bytes());
    words.take(bytes).collect()
}

#[test]
fn a_tree_comes_back_as_it_was() {
    let site = Site::new();
    site.write("a.rrd", &noise(1, 94_000));
    site.write("empty", b"");
    site.write("deep/er/small", b"x");
    site.write("large", &noise(2, 5_000_001));
    site.write("zeros", &[0; 50_000]);
    let sparse = fs::File::create(site.tree().join("sparse")).unwrap();
    sparse.set_len(10_000_000).unwrap();
    sparse.write_all_at(b"end", 9_999_000).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"not\xfftext");
    fs::write(site.tree().join(name), b"bytes").unwrap();
    std::os::unix::fs::symlink("deep/er", site.tree().join("link")).unwrap();
    fs::create_dir(site.tree().join("nothing")).unwrap();
    fs::set_permissions(site.tree().join("deep"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::set_permissions(site.tree().join("a.rrd"), fs::Permissions::from_mode(0o600)).unwrap();
    let before = seen(&site.tree());
    let report = site.run(&Options::default());
    assert_eq!((report.number, report.files, report.links, report.unchanged), (1, 7, 1, 0));
    assert!(report.full && report.verified_bytes == report.added_bytes);
    assert!(report.added_bytes < 5_300_000, "zeros take nothing: {}", report.added_bytes);
    assert_eq!(site.restored(None), before);
    assert_eq!(seen(&site.tree()), before);
    assert_eq!(verify(&site.backup(), None, |_| ()).unwrap().damage, [""; 0]);
}

#[test]
fn a_second_run_adds_what_changed() {
    let site = Site::new();
    for nth in 0..200 {
        site.write(&format!("{}/{nth}.rrd", nth % 7), &noise(nth, 94_000));
    }
    site.write("large", &noise(1000, 3_000_000));
    site.run(&Options::default());
    let first = seen(&site.tree());
    let again = site.run(&Options::default());
    assert_eq!((again.unchanged, again.read_bytes), (201, 0));
    // A changed page, a new file, a removed file, a growing one, a shrinking one.
    let file = fs::OpenOptions::new().write(true).open(site.tree().join("3/3.rrd")).unwrap();
    file.write_all_at(b"changed", 50_000).unwrap();
    site.write("new", &noise(7, 5000));
    fs::remove_file(site.tree().join("4/4.rrd")).unwrap();
    let large = fs::OpenOptions::new().write(true).open(site.tree().join("large")).unwrap();
    large.write_all_at(b"tail", 3_000_000).unwrap();
    let shrunk = fs::OpenOptions::new().write(true).open(site.tree().join("5/5.rrd")).unwrap();
    shrunk.set_len(10_000).unwrap();
    let third = site.run(&Options::default());
    assert_eq!((third.files, third.unchanged), (201, 197));
    assert!(third.added_bytes < 60_000, "{}", third.added_bytes);
    let now = seen(&site.tree());
    assert_eq!(site.restored(None), now);
    assert_eq!(site.restored(Some(2)), first);
    assert_eq!(site.restored(Some(1)), first);
    // First everything is read, though nothing seems changed; then everything is copied.
    let read = site.run(&Options { read_all: true, ..Options::default() });
    assert!(read.unchanged == 0 && read.added_bytes < 60_000, "{}", read.added_bytes);
    let full = site.run(&Options { full: true, keep: Some(2), ..Options::default() });
    assert!(full.added_bytes > 15_000_000);
    assert_eq!(full.removed, [1, 2, 3]);
    assert_eq!(site.restored(Some(4)), now);
    assert_eq!(site.restored(Some(5)), now);
    let last = site.run(&Options { keep: Some(2), ..Options::default() });
    assert_eq!(last.removed, [4]);
    assert_eq!(site.restored(None), now);
    let packs = || fs::read_dir(site.backup()).unwrap().flatten().map(|entry| entry.file_name());
    let mut packs: Vec<_> = packs().filter(|name| name.as_bytes().ends_with(b"pack")).collect();
    packs.sort();
    assert_eq!(packs, ["000005.pack", "000006.pack"]);
    let numbers: Vec<u32> =
        list(&site.backup()).unwrap().into_iter().map(|it| it.unwrap().number).collect();
    assert_eq!(numbers, [5, 6]);
}

#[test]
fn random_histories_come_back_at_every_snapshot() {
    for seed in 0..12 {
        let (site, mut random) = (Site::new(), Random::new(seed));
        let mut snapshots = Vec::new();
        for _ in 0..6 {
            for _ in 0..random.below(20) {
                let path = format!("{}/{}", random.below(4), random.below(6));
                let bytes = noise(random.below(1 << 40), random.below(3_000) as usize * 13);
                let full = site.tree().join(&path);
                match random.below(5) {
                    0 => drop(fs::remove_file(&full)),
                    1 | 2 if full.exists() => {
                        let file = fs::OpenOptions::new().write(true).open(&full).unwrap();
                        file.write_all_at(&bytes, random.below(20_000)).unwrap();
                    }
                    _ => site.write(&path, &bytes),
                }
            }
            let full = random.below(5) == 0;
            let report = site.run(&Options { full, ..Options::default() });
            snapshots.push((report.number, seen(&site.tree())));
        }
        for (number, expected) in &snapshots {
            assert_eq!(site.restored(Some(*number)), *expected, "seed {seed}, snapshot {number}");
        }
    }
}

#[test]
fn damage_is_named_and_the_rest_comes_back() {
    let site = Site::new();
    for nth in 0..20 {
        site.write(&format!("{nth:02}"), &noise(nth, 40_960));
    }
    site.run(&Options::default());
    site.rot("000001.pack", 16 + 3 * (40_960 + 104) + 5 * 4096 + 17);
    let damage = verify(&site.backup(), None, |_| ()).unwrap().damage;
    assert_eq!(damage.len(), 1);
    assert!(damage[0].starts_with("03: at byte 20480: ") && damage[0].contains("000001.pack"));
    let into = tempfile::tempdir_in(site.0.path()).unwrap();
    let restored = restore(&site.backup(), into.path(), &Restoring::default(), |_| ()).unwrap();
    assert_eq!((restored.files, restored.problems.len()), (19, 1));
    assert!(restored.problems[0].starts_with("03: at byte 20480: "), "{:?}", restored.problems);
    assert!(!into.path().join("03").exists() && into.path().join("04").exists());
    // The next run does not notice the damage, nor does one that reads all files; a full run
    // repairs it.
    let mended = site.run(&Options { full: true, ..Options::default() });
    assert_eq!(verify(&site.backup(), Some(mended.number), |_| ()).unwrap().damage, [""; 0]);
}

#[test]
fn a_damaged_or_cut_index_is_named() {
    let site = Site::new();
    for nth in 0..1000 {
        site.write(&format!("{}/{nth}", nth % 10), &noise(nth, 500));
    }
    site.run(&Options::default());
    let index = site.backup().join("000001.index");
    let whole = fs::read(&index).unwrap();
    let mut random = Random::new(3);
    for nth in 0..60 {
        let mut bytes = whole.clone();
        let at = random.below(bytes.len() as u64) as usize;
        match nth % 3 {
            0 => bytes.truncate(at),
            _ => bytes[at] ^= 1 << random.below(8),
        }
        fs::write(&index, &bytes).unwrap();
        let verified = verify(&site.backup(), None, |_| ());
        let listed = list(&site.backup()).unwrap().pop().unwrap();
        match verified {
            Err(Error::Damaged { path, .. }) => assert_eq!(path, index.canonicalize().unwrap()),
            Err(error) => panic!("{error}"),
            // A list reads only the last bytes of an index.
            Ok(_) => assert!(listed.is_err(), "byte {at} of {} passed", whole.len()),
        }
    }
    // With a damaged index, a run copies everything again and reports that.
    let mut bytes = whole.clone();
    bytes[5000] ^= 1;
    fs::write(&index, &bytes).unwrap();
    let report = site.run(&Options::default());
    assert_eq!((report.damaged.len(), report.files), (1, 1000));
    assert_eq!(site.restored(None), seen(&site.tree()));
}

#[test]
fn nothing_is_put_over_what_is_there() {
    let site = Site::new();
    site.write("a", b"one");
    site.write("sub/b", b"two");
    site.run(&Options::default());
    let into = site.0.path().join("into");
    fs::create_dir_all(&into).unwrap();
    fs::write(into.join("a"), b"mine").unwrap();
    let restored = restore(&site.backup(), &into, &Restoring::default(), |_| ()).unwrap();
    assert_eq!((restored.files, restored.problems.len()), (1, 1));
    assert_eq!(fs::read(into.join("a")).unwrap(), b"mine");
    let again = restore(&site.backup(), &into, &Restoring::default(), |_| ()).unwrap();
    assert_eq!((again.files, again.there, again.problems.len()), (0, 1, 1));
    let force = Restoring { force: true, paths: vec!["a".into()], ..Restoring::default() };
    let forced = restore(&site.backup(), &into, &force, |_| ()).unwrap();
    assert_eq!((forced.files, forced.problems.len()), (1, 0));
    assert_eq!(fs::read(into.join("a")).unwrap(), b"one");
    let missing = Restoring { paths: vec!["c".into()], ..Restoring::default() };
    assert_eq!(restore(&site.backup(), &into, &missing, |_| ()).unwrap().problems.len(), 1);
}

#[test]
fn what_cannot_be_is_refused() {
    let site = Site::new();
    site.write("a", b"one");
    let refused = |source: &Path, destination: &Path| {
        let error = run(source, destination, &Options::default(), &Clock).unwrap_err();
        assert!(matches!(error, Error::Refused(_)), "{error}");
        error.to_string()
    };
    assert!(refused(&site.tree(), &site.tree().join("backup")).contains("within"));
    assert!(refused(&site.tree().join("a"), &site.backup()).contains("expected a directory"));
    fs::create_dir_all(site.0.path().join("other/thing")).unwrap();
    let other = site.0.path().join("other");
    assert!(refused(&site.tree(), &other).contains("expected a backup or an empty"));
    site.run(&Options::default());
    let lock = disk::File::open(&site.backup().join("gyre-backup"), disk::Mode::Update).unwrap();
    assert!(lock.try_lock(disk::Mode::Update).unwrap());
    assert!(refused(&site.tree(), &site.backup()).contains("another process"));
}
