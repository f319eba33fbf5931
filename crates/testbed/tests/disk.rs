//! Private disks and groups on the real kernel: made, counted, and removed, however a run ends.
//!
//! The test needs root, control groups and loop devices, and reports if it cannot run.
#![allow(clippy::disallowed_methods)] // it starts programs and writes files

mod left;

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use testbed::{
    Cgroup, Interrupts, LoopDisk, Readahead, Scheduler, clean_leftovers, end_with_parent,
    name_parent,
};

use left::Left;

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
fn a_scheduler_is_set_and_put_back() {
    let directory = directory();
    let Some(disk) = disk_or_say(directory.path()) else { return };
    let device = disk.device();
    let before = Scheduler::of(device).unwrap();
    for name in Scheduler::offered(device).unwrap() {
        let set = Scheduler::set(device, &name).unwrap();
        assert_eq!(Scheduler::of(device), Ok(name));
        drop(set);
        assert_eq!(Scheduler::of(device).as_ref(), Ok(&before));
    }
    assert!(Scheduler::set(device, "no such scheduler").is_err());
}

#[test]
fn a_signal_leaves_nothing_behind() {
    let directory = directory();
    let Some(mut run) = HeldRun::start(directory.path()) else { return };
    let (process, held) = (run.child.id(), run.left());
    let counts = [held.directories.len(), held.mounts.len(), held.images.len(), held.groups.len()];
    assert_eq!(counts, [1; 4], "{held:?}");
    let told = Command::new("kill").arg(process.to_string()).status().unwrap();
    assert!(told.success());
    run.child.wait().unwrap();
    assert_eq!(run.left_at_last(), Left::default());
}

#[test]
fn what_a_killed_run_leaves_is_found_by_the_next() {
    let directory = directory();
    let Some(mut run) = HeldRun::start(directory.path()) else { return };
    assert_eq!(run.clean(), [""; 0]);
    run.kill();
    assert_eq!(run.left().mounts.len(), 1);
    let told = run.clean();
    // The disk and the group.
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|line| line.starts_with("removed ")), "{told:?}");
    assert_eq!(run.left_at_last(), Left::default());
}

#[test]
fn a_device_that_a_killed_run_had_no_time_to_mount_is_found() {
    let directory = directory();
    let Some(mut run) = HeldRun::start(directory.path()) else { return };
    run.kill();
    assert_eq!(run.clean().len(), 2);
    assert_eq!(run.left_at_last(), Left::default());
    std::fs::create_dir(run.disk()).unwrap();
    let image = run.disk().join("image");
    std::fs::write(&image, vec![0; 1 << 20]).unwrap();
    system("losetup", &["--find".as_ref(), &image]);
    assert_eq!(run.left().images.len(), 1);
    assert_eq!(run.clean().len(), 1);
    assert_eq!(run.left_at_last(), Left::default());
}

#[test]
fn what_others_mounted_in_a_disks_directory_is_not_emptied() {
    let directory = directory();
    let Some(mut run) = HeldRun::start(directory.path()) else { return };
    run.kill();
    let theirs = run.disk().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    system("mount", &["-t", "tmpfs", "none", theirs.to_str().unwrap()].map(Path::new));
    std::fs::write(theirs.join("file"), "theirs").unwrap();
    let told = run.clean();
    let is_there = theirs.join("file").exists();
    system("umount", &[&theirs]);
    assert!(is_there);
    assert!(told.iter().any(|line| line.contains(" is left of a killed run: ")), "{told:?}");
    std::fs::remove_dir(theirs).unwrap();
    assert_eq!(run.clean().len(), 1);
    assert_eq!(run.left_at_last(), Left::default());
}

/// As in two containers that share a directory and the control groups.
#[test]
fn a_run_in_another_namespace_of_processes_is_left_alone() {
    let directory = directory();
    let Some(mut run) = HeldRun::in_another_namespace(directory.path()) else { return };
    let name = run.disk();
    let told = clean_leftovers(directory.path());
    let is_named = |line: &String| line.contains(name.to_str().unwrap());
    assert!(!told.iter().any(is_named), "{told:?}");
    assert_eq!(run.left().images.len(), 1);
    run.kill();
    assert_eq!(names(directory.path()), [""; 0]);
    assert_eq!(run.left_at_last(), Left::default());
}

/// Another process with a disk and a group.
struct HeldRun {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    below: PathBuf,
    mounted: PathBuf,
}

impl HeldRun {
    fn start(below: &Path) -> Option<Self> {
        let mut command = Command::new(std::env::current_exe().unwrap());
        name_parent(&mut command);
        Self::by(command, below)
    }

    /// Starts a run in another namespace of processes; it ends when a signal tells it that its
    /// parent was killed.
    fn in_another_namespace(below: &Path) -> Option<Self> {
        let mut command = Command::new("unshare");
        command.args(["--pid", "--fork", "--mount-proc", "--kill-child=TERM"]);
        command.arg(std::env::current_exe().unwrap());
        Self::by(command, below)
    }

    fn by(mut command: Command, below: &Path) -> Option<Self> {
        disk_or_say(below)?;
        let mut child = command
            .args(["--ignored", "--exact", "--nocapture", "holds_a_disk_until_it_is_ended"])
            .env("HELD_BELOW", below)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let told = |line: std::io::Result<String>| Some(line.ok()?.split_once("holds ")?.1.into());
        let mounted = lines.by_ref().find_map(told).expect("it tells what it holds");
        Some(Self { child, lines, below: below.into(), mounted })
    }

    fn disk(&self) -> PathBuf {
        self.mounted.parent().unwrap().into()
    }

    fn left(&self) -> Left {
        Left::of(self.child.id(), &self.below)
    }

    fn left_at_last(&self) -> Left {
        Left::at_last(self.child.id(), &self.below)
    }

    /// The lines about this run when the next run cleans up.
    fn clean(&self) -> Vec<String> {
        let own = format!("-{}-", self.child.id());
        let told = clean_leftovers(&self.below).into_iter();
        told.filter(|line| line.contains("/gyre-testbed-") && line.contains(&own)).collect()
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        // When no more lines come, all processes with the other end have ended.
        assert!(self.lines.all(|line| line.is_ok()));
    }
}

impl Drop for HeldRun {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = clean_leftovers(&self.below);
    }
}

#[test]
#[ignore = "the process that the others start and end"]
fn holds_a_disk_until_it_is_ended() {
    let Some(below) = std::env::var_os("HELD_BELOW") else { return };
    // The first process of a namespace has no parent there.
    if std::process::id() != 1 {
        end_with_parent().unwrap();
    }
    let interrupts = Interrupts::watch().unwrap();
    let disk = LoopDisk::new(Path::new(&below), 16 * MIB).unwrap();
    let _group = Cgroup::new("held", 64 * MIB).unwrap();
    println!("holds {}", disk.path().display());
    while interrupts.check().is_ok() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

fn system(program: &str, words: &[&Path]) {
    assert!(Command::new(program).args(words).status().unwrap().success(), "{program} {words:?}");
}

/// A directory for a test that runs alone, because cleaning up affects the whole machine.
struct Place {
    directory: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Place {
    fn path(&self) -> &Path {
        self.directory.path()
    }
}

fn directory() -> Place {
    static ALONE: Mutex<()> = Mutex::new(());
    // Leftovers of a failed test are cleaned up like others.
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    Place { directory: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(), _alone: alone }
}

fn disk_or_say(below: &Path) -> Option<LoopDisk> {
    let made = Cgroup::new("test", 64 * MIB).and_then(|_| LoopDisk::new(below, 16 * MIB));
    made.inspect_err(|error| {
        // Written directly, because the test harness hides `eprintln!` of tests that pass.
        let _ = writeln!(std::io::stderr(), "NOT TESTED, disks of one's own: {error}");
    })
    .ok()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}
