//! The daemon under both its names: `gyre rrdcached`, and a link called `rrdcached`.
#![allow(clippy::disallowed_methods)] // it starts daemons

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const GYRE: &str = env!("CARGO_BIN_EXE_gyre");
const PATIENCE: Duration = Duration::from_secs(30);

/// Starts the daemon in the background, pings it, and ends it.
fn live(program: &Path, verb: &[&str], room: &Path) {
    let run = |words: &[&str]| {
        let mut command = Command::new(program);
        command.args(verb).args(words).output().unwrap()
    };
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    assert!(help.contains("--store DIRECTORY"), "{help}");
    assert_eq!(run(&["-x"]).status.code(), Some(1));
    let (socket, pid_file) = (room.join("sock"), room.join("pid"));
    let words = ["-l", socket.to_str().unwrap(), "-b", room.to_str().unwrap(), "-p"];
    let called = run(&[&words[..], &[pid_file.to_str().unwrap()]].concat());
    assert!(called.status.success(), "{called:?}");
    UnixStream::connect(&socket).unwrap();
    let process = std::fs::read_to_string(&pid_file).unwrap();
    let process = rustix::process::Pid::from_raw(process.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    let start = Instant::now();
    while pid_file.exists() || socket.exists() {
        assert!(start.elapsed() < PATIENCE, "the daemon does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_daemon_goes_by_either_name() {
    let room = tempfile::tempdir().unwrap();
    let room = room.path().canonicalize().unwrap();
    live(Path::new(GYRE), &["rrdcached"], &room);
    let link = room.join("rrdcached");
    std::os::unix::fs::symlink(GYRE, &link).unwrap();
    live(&link, &[], &room);
}
