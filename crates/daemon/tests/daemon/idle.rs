//! A daemon that nobody asks anything: the threads that serve sleep.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Duration;

use crate::room::{Daemon, OURS, Room, wait_until};

/// The threads that serve, by their names; the first is the process's own.
const SERVING: [&str; 3] = ["rrdcached", "gyre-accept", "gyre-client"];
/// Longer than the patience with clients.
const WHILE: Duration = Duration::from_millis(2500);

/// How often each thread that serves went to sleep so far.
fn sleeps(daemon: &Daemon) -> BTreeMap<String, String> {
    let tasks = format!("/proc/{}/task", daemon.child.id());
    let mut sleeps = BTreeMap::new();
    for task in std::fs::read_dir(tasks).unwrap() {
        let task = task.unwrap().path();
        let name = std::fs::read_to_string(task.join("comm")).unwrap();
        if !SERVING.contains(&name.trim()) {
            continue;
        }
        let status = std::fs::read_to_string(task.join("status")).unwrap();
        let switches = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches"));
        let thread = format!("{} {}", name.trim(), task.file_name().unwrap().display());
        sleeps.insert(thread, switches.unwrap().to_owned());
    }
    sleeps
}

#[test]
fn silent_clients_wake_nobody() {
    let room = Room::new();
    let daemon = room.start(OURS, &["--patience", "1", "-l", "127.0.0.1:0"]);
    let mut brief = room.client();
    assert_eq!(brief.ask("PING"), "0 PONG\n");
    let _never_spoke = room.client();
    // One that sent much keeps its room for its patience, and gives it back then.
    let mut greedy = room.client();
    greedy.stream.write_all(&b"PING\n".repeat(20_000)).unwrap();
    assert!(greedy.ask("PING").ends_with("0 PONG\n"));
    wait_until("the threads sleep", || {
        let before = sleeps(&daemon);
        std::thread::sleep(WHILE);
        before.len() == 6 && sleeps(&daemon) == before
    });
    // A client that begins a line is waited for no longer than before.
    brief.stream.write_all(b"PI").unwrap();
    assert_eq!(brief.read_to_end(), "-1 The line was not ended within 1 seconds.\n");
}
