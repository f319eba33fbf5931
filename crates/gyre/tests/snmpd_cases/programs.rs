//! Programs in back quotes as targets.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::super::{Gyre, get, text};

/// A directory that goes with the test.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn configure(directory: &Path, targets: &str) -> std::path::PathBuf {
    let path = directory.join("mrtg.cfg");
    let head = format!(
        "WorkDir: {0}\nLogFormat: rrdtool\nPathAdd: {0}/bin\nInterval: 0:02\n\
         Title[_]: t\nMaxBytes[_]: 1000\nOptions[_]: gauge\n",
        directory.display()
    );
    std::fs::write(&path, head + targets).unwrap();
    path
}

/// A program that is found by PathAdd alone. It leaves a line in `ran` each time.
fn add_program(directory: &Path) {
    let bin = directory.join("bin");
    std::fs::create_dir(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\necho ran >> {}/ran\necho $1\necho 7\necho 3 days\necho the-name\n",
        directory.display()
    );
    std::fs::write(bin.join("say"), script).unwrap();
    std::fs::set_permissions(bin.join("say"), PermissionsExt::from_mode(0o755)).unwrap();
}

/// The readings of the last update.
fn last(directory: &Path, target: &str) -> String {
    let file = directory.join(format!("{target}.rrd"));
    let output = Command::new(env!("CARGO_BIN_EXE_gyre")).arg("lastupdate").arg(file).output();
    let output = text(&output.unwrap());
    output.lines().last().unwrap().split_once(": ").unwrap().1.to_owned()
}

/// Output of every kind, one line for in and 7 for out, and expressions over them.
const TARGETS: &str = "Target[plain]: `say 5`\n\
    Target[sum]: `say 5` + `say -6.5` * 2\n\
    Target[nested]: `echo \\`expr 3 + 4\\`; echo UNKNOWN`\n\
    Target[words]: `say 'load 0.25 of 4'`\n\
    Target[two]: `say '12 34'`\n\
    Target[sixteen]: `say 0x1F`\n\
    Target[nothing]: `say up`\n\
    Target[code]: `say 9; exit 3`\n\
    Target[silent]: `true`\n";

#[test]
fn what_a_program_prints_is_stored_as_mrtg_stores_it() {
    let Some(mrtg) = oracle::program("mrtg", super::super::WHAT) else { return };
    let [ours, theirs] = [scratch(), scratch()];
    let [ours, theirs] = [ours.path(), theirs.path()];
    for directory in [ours, theirs] {
        add_program(directory);
    }
    let mut gyre = Gyre::start(&configure(ours, TARGETS), &["--once", "--rrd-files"]);
    gyre.said.wait_for("cycle 0: 8 targets polled, 1 missed");
    gyre.wait();
    let said = Command::new("timeout")
        .arg("20")
        .arg(mrtg)
        .arg(configure(theirs, TARGETS))
        .env("LANG", "C")
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    for line in TARGETS.lines() {
        let target = line.split_once('[').unwrap().1.split_once(']').unwrap().0;
        assert_eq!(last(ours, target), last(theirs, target), "{line}\n{}", text(&said));
    }
    // Each command ran once, though `say 5` is two targets'.
    let ran = |directory: &Path| std::fs::read_to_string(directory.join("ran")).unwrap();
    assert_eq!(ran(ours), ran(theirs));
}

#[test]
fn a_program_that_hangs_is_killed_with_all_that_it_started_and_others_go_on() {
    let directory = scratch();
    let directory = directory.path();
    add_program(directory);
    let targets = format!(
        "Target[good]: `say 5`\nTarget[hangs]: `sleep 31.7 & echo $! > {0}/pid; wait; say 1`\n\
         Target[fails]: `exit 3`\n",
        directory.display()
    );
    let mut gyre = Gyre::start(&configure(directory, &targets), &["--cycles=3", "--rrd-files"]);
    let page = gyre.said.wait_for("web pages at http://");
    let address = page.split("http://").nth(1).unwrap().trim_end_matches('/').to_owned();
    gyre.said.wait_for("cycle 1: 1 targets polled, 2 missed");
    assert!(get(&address, "/t/good").contains("the-name, up 3 days"));
    let status = get(&address, "/api/status.json");
    assert!(status.contains("it ended with code 3") && !status.contains("sleep"), "{status}");
    gyre.wait();
    let said = gyre.said.read_rest();
    for words in [
        "mrtg.cfg:9: target hangs: its program: expected a number or UNKNOWN on line 1, found \
         nothing; it was killed at its deadline",
        "mrtg.cfg:10: target fails: its program: expected a number or UNKNOWN on line 1, found \
         nothing; it ended with code 3",
    ] {
        assert_eq!(said.matches(words).count(), 1, "told once: {said}");
    }
    assert_eq!(last(directory, "good"), "5 7");
    assert_eq!(last(directory, "hangs"), "U U");
    let pid = std::fs::read_to_string(directory.join("pid")).unwrap();
    let sleeps = || {
        let command = std::fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
        command.starts_with(b"sleep")
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    while sleeps() {
        assert!(Instant::now() < deadline, "what the program started is gone, too");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A tracer that is stopped while this lives.
struct Held {
    tracer: String,
}

impl Held {
    fn by(tracer: String) -> Self {
        assert!(signal("-STOP", &tracer), "the tracer is there");
        Self { tracer }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        signal("-CONT", &self.tracer); // it may be gone where the test has failed
    }
}

fn signal(name: &str, process: &str) -> bool {
    Command::new("kill").args([name, process]).status().is_ok_and(|status| status.success())
}

/// A process that a stopped tracer holds does not end when it is killed, as one that waits for a dead
/// disk or file server does not.
#[test]
fn a_program_that_a_kill_does_not_end_is_told_once_and_never_started_beside_itself() {
    let Some(strace) = oracle::program("strace", "programs that a kill does not end") else {
        return;
    };
    let directory = scratch();
    let directory = directory.path();
    add_program(directory);
    let script = format!(
        "#!/bin/sh\necho $$ >> {}/pids\nexec {} -DD -qq -o /dev/null -e trace=none sleep 300\n",
        directory.display(),
        strace.display()
    );
    std::fs::write(directory.join("bin/held"), script).unwrap();
    std::fs::set_permissions(directory.join("bin/held"), PermissionsExt::from_mode(0o755)).unwrap();
    let targets = "Target[good]: `say 5`\nTarget[held]: `exec held`\n";
    let mut gyre = Gyre::start(&configure(directory, targets), &["--cycles=8", "--rrd-files"]);
    let pids = || std::fs::read_to_string(directory.join("pids")).unwrap_or_default();
    let tracer = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", pids().trim())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?;
        Some(line.trim().to_owned()).filter(|tracer| tracer != "0")
    };
    let deadline = Instant::now() + Duration::from_secs(30);
    let held = loop {
        assert!(Instant::now() < deadline, "strace does not attach");
        match tracer() {
            Some(tracer) => break Held::by(tracer),
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let stuck = "target held: its program: it was killed in an earlier cycle and has not ended";
    gyre.said.wait_for(stuck);
    for _ in 0..2 {
        gyre.said.wait_for("1 targets polled, 1 missed");
    }
    assert_eq!(pids().lines().count(), 1, "{}", pids());
    drop(held);
    // It ends now, and is started again.
    let deadline = Instant::now() + Duration::from_secs(30);
    while pids().lines().count() < 2 {
        assert!(Instant::now() < deadline, "it is not started again");
        std::thread::sleep(Duration::from_millis(20));
    }
    gyre.process.signal("-TERM");
    gyre.wait();
    let said = gyre.said.read_rest();
    assert_eq!(said.matches(stuck).count(), 1, "{said}");
}
