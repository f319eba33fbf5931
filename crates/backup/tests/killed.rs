//! A backup that is killed again and again: earlier snapshots stay complete, the copied data is
//! used by later runs, and the run that ends has everything.
//!
//! The test makes `GYRE_CASES` kills, from the seed `GYRE_SEED`.
#![allow(clippy::disallowed_methods)] // processes, files and the clock

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use backup::{Options, Restoring, Watch, list, restore, run, verify};
use disk::{Moment, Random};

const SITE: &str = "GYRE_TEST_KILLED_BACKUP";
const FULL: &str = "GYRE_TEST_KILLED_FULL";
const FILES: u64 = 1500;

struct Clock;

impl Watch for Clock {
    fn now(&self) -> Moment {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        Moment { seconds: now.as_secs() as i64, nanoseconds: now.subsec_nanos() }
    }
}

/// The process that is killed.
#[test]
fn child_that_copies() {
    let Some(site) = std::env::var_os(SITE).map(PathBuf::from) else { return };
    let full = std::env::var_os(FULL).is_some();
    let options = Options { full, keep: Some(3), sync_every_bytes: 2 << 20, ..Options::default() };
    run(&site.join("tree"), &site.join("backup"), &options, &Clock).unwrap();
}

fn child(site: &Path, full: bool) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child_that_copies", "--nocapture"]).env(SITE, site);
    if full {
        command.env(FULL, "1");
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let words = (0..bytes.div_ceil(8)).flat_map(|_| random.below(u64::MAX).to_le_bytes());
    words.take(bytes).collect()
}

fn path_of(site: &Path, nth: u64) -> PathBuf {
    site.join(format!("tree/{}/{nth}", nth % 13))
}

/// Every file of the tree is in the newest snapshot as it is.
fn assert_whole(site: &Path) {
    let into = site.join("restored");
    let restored = restore(&site.join("backup"), &into, &Restoring::default(), |_| ()).unwrap();
    assert_eq!(restored.problems, [""; 0]);
    for nth in 0..FILES {
        let path = path_of(site, nth);
        let below = path.strip_prefix(site.join("tree")).unwrap();
        assert!(fs::read(&path).unwrap() == fs::read(into.join(below)).unwrap(), "{nth}");
    }
    fs::remove_dir_all(into).unwrap();
}

#[test]
fn a_backup_that_is_killed_is_gone_on_with() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (kills, seed) = (number("GYRE_CASES", 24), number("GYRE_SEED", 1));
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (site, mut random) = (directory.path(), Random::new(seed));
    for nth in 0..FILES {
        let path = path_of(site, nth);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, noise(nth, 30_000 + nth as usize)).unwrap();
    }
    let (mut resumed, mut reused, mut ended) = (0, 0, 0);
    for kill in 0..kills {
        let before: Vec<u32> = numbers(site);
        // Before each run that ends, one is killed that has copied something.
        let is_last = kill % 8 == 7;
        let mut child = child(site, is_last || random.below(3) == 0);
        match is_last {
            true => wait_for_part(site, &mut child),
            false => std::thread::sleep(Duration::from_micros(random.below(250_000))),
        }
        child.kill().unwrap();
        ended += u64::from(child.wait().unwrap().success());
        // Earlier snapshots still exist and are undamaged; at most one is new.
        let after = numbers(site);
        let new = after.iter().filter(|number| !before.contains(number)).count();
        assert!(new <= 1, "seed {seed}, kill {kill}: {before:?} became {after:?}");
        for number in &after {
            let verified = verify(&site.join("backup"), Some(*number), |_| ()).unwrap();
            assert_eq!(verified.damage, [""; 0], "seed {seed}, kill {kill}");
            assert_eq!(verified.files, FILES);
        }
        // The tree changes.
        for _ in 0..random.below(60) {
            let (nth, more) = (random.below(FILES), random.below(5000) as usize);
            fs::write(path_of(site, nth), noise(random.below(1 << 40), 30_000 + more)).unwrap();
        }
        if is_last {
            std::thread::sleep(Duration::from_millis(25));
            let options = Options { keep: Some(2), ..Options::default() };
            let report = run(&site.join("tree"), &site.join("backup"), &options, &Clock).unwrap();
            assert_eq!(report.problems, [""; 0]);
            resumed += report.resumed;
            reused += report.unchanged;
            assert_whole(site);
            assert!(numbers(site).len() <= 2);
            assert!(!fs::read_dir(site.join("backup")).unwrap().flatten().any(|entry| {
                entry.path().extension().is_some_and(|extension| extension == "part")
            }));
        }
    }
    eprintln!(
        "{kills} kills, {ended} too late; {resumed} runs gone on with, {reused} files of use"
    );
    assert!(resumed > 0 && ended < kills);
}

/// Waits until a run has written an unfinished index, or has ended.
fn wait_for_part(site: &Path, child: &mut std::process::Child) {
    let is_begun = |entry: fs::DirEntry| {
        entry.path().extension().is_some_and(|extension| extension == "part")
            && entry.metadata().is_ok_and(|it| it.len() > 0)
    };
    while child.try_wait().unwrap().is_none() {
        let entries = fs::read_dir(site.join("backup"));
        if entries.is_ok_and(|entries| entries.flatten().any(is_begun)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn numbers(site: &Path) -> Vec<u32> {
    if !backup::is_backup(&site.join("backup")) {
        return Vec::new();
    }
    list(&site.join("backup")).unwrap().into_iter().map(|each| each.unwrap().number).collect()
}
