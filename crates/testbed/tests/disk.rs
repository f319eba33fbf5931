//! Disks and groups of one's own, on the real kernel: made, counted, and gone again, however a run ends.
//!
//! Needs root, control groups and loop devices; says so where it cannot run.
#![allow(clippy::disallowed_methods)] // it starts programs and writes files

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use testbed::{Cgroup, Interrupts, LoopDisk, Readahead, clean_leftovers};

const MIB: u64 = 1 << 20;

#[test]
fn a_disk_has_its_own_counters_and_readahead() {
    let directory = directory();
    let Some(disk) = disk_or_say(directory.path()) else { return };
    let mounted = disk.path();
    let before = disk.device().synced_counters().unwrap();
    std::fs::write(mounted.join("file"), vec![7; 3 << 20]).unwrap();
    let written = disk.device().synced_counters().unwrap() - before;
    assert!((3 * MIB..8 * MIB).contains(&written.written_bytes), "{written:?}");
    let usual = Readahead::window_kib(disk.device()).unwrap();
    let set = Readahead::set(disk.device(), usual + 64).unwrap();
    assert_eq!(Readahead::window_kib(disk.device()), Ok(usual + 64));
    drop(set);
    assert_eq!(Readahead::window_kib(disk.device()), Ok(usual));
    drop(disk);
    assert!(!mounted.exists());
    assert_eq!(names(directory.path()), [""; 0]);
}

#[test]
fn a_signal_leaves_nothing_behind() {
    let directory = directory();
    let Some(mut run) = HeldRun::start(directory.path()) else { return };
    let told = Command::new("kill").arg(run.child.id().to_string()).status().unwrap();
    assert!(told.success());
    run.child.wait().unwrap();
    assert_eq!(names(directory.path()), [""; 0]);
    assert!(!run.mounted.exists());
}

#[test]
fn what_a_killed_run_leaves_is_found_by_the_next() {
    let directory = directory();
    let Some(mut run) = HeldRun::start(directory.path()) else { return };
    assert!(!clean_leftovers(directory.path()).iter().any(|line| line.contains(&run.name())));
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    assert!(run.mounted.exists());
    let told = clean_leftovers(directory.path());
    let of_run: Vec<_> = told.iter().filter(|line| line.contains(&run.name())).collect();
    // The disk and the group.
    assert_eq!(of_run.len(), 2, "{told:?}");
    assert!(of_run.iter().all(|line| line.starts_with("removed ")), "{told:?}");
    assert_eq!(names(directory.path()), [""; 0]);
}

/// Another process that has a disk and a group.
struct HeldRun {
    child: Child,
    mounted: PathBuf,
}

impl HeldRun {
    fn start(directory: &Path) -> Option<Self> {
        disk_or_say(directory)?;
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "holds_a_disk_until_it_is_ended"])
            .env("HELD_BELOW", directory)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut lines = lines.filter_map(|line| Some(line.split_once("holds ")?.1.to_owned()));
        let mounted = PathBuf::from(lines.next().expect("it tells what it holds"));
        Some(Self { child, mounted })
    }

    fn name(&self) -> String {
        format!("gyre-testbed-{}-", self.child.id())
    }
}

#[test]
#[ignore = "the process that the others start and end"]
fn holds_a_disk_until_it_is_ended() {
    let Some(below) = std::env::var_os("HELD_BELOW") else { return };
    let interrupts = Interrupts::watch().unwrap();
    let disk = LoopDisk::new(Path::new(&below), 16 * MIB).unwrap();
    let _group = Cgroup::new("held", 64 * MIB).unwrap();
    println!("holds {}", disk.path().display());
    while interrupts.check().is_ok() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn disk_or_say(below: &Path) -> Option<LoopDisk> {
    let made = Cgroup::new("test", 64 * MIB).and_then(|_| LoopDisk::new(below, 16 * MIB));
    made.inspect_err(|error| {
        // Not by `eprintln!`, which the test harness swallows where the test passes.
        let _ = writeln!(std::io::stderr(), "NOT TESTED, disks of one's own: {error}");
    })
    .ok()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}
