//! A daemon that nobody asks anything: the threads that serve sleep.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::room::{Daemon, OURS, Room, wait_until};

/// The threads that serve, by their names; the first is the process's own.
const SERVING: [&str; 3] = ["rrdcached", "gyre-accept", "gyre-client"];
/// How many of them there are, but for clients that are being waited for: the process's own, two
/// that accept, one that hears clients, four that are spare.
const SERVING_MAX: usize = 8;
/// The threads that write files and keep the journal.
const WRITING: [&str; 3] = ["gyre-write", "gyre-journal", "gyre-settle"];
/// Longer than the patience with clients.
const WHILE: Duration = Duration::from_millis(2500);
const BETWEEN_UPDATES: Duration = Duration::from_millis(5);

/// How often each thread of these names went to sleep so far.
fn sleeps(daemon: &Daemon, names: &[&str]) -> BTreeMap<String, String> {
    let tasks = format!("/proc/{}/task", daemon.child.id());
    let mut sleeps = BTreeMap::new();
    for task in std::fs::read_dir(tasks).unwrap() {
        let task = task.unwrap().path();
        let read = |of| std::fs::read_to_string(task.join(of));
        // That of a client who left may have ended since it was listed.
        let (Ok(name), Ok(status)) = (read("comm"), read("status")) else { continue };
        if !names.contains(&name.trim()) {
            continue;
        }
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
        let before = sleeps(&daemon, &SERVING);
        std::thread::sleep(WHILE);
        before.len() <= SERVING_MAX && sleeps(&daemon, &SERVING) == before
    });
    // A client that begins a line is waited for no longer than before.
    brief.stream.write_all(b"PI").unwrap();
    assert_eq!(brief.read_to_end(), "-1 The line was not ended within 1 seconds.\n");
}

#[test]
fn what_waits_to_be_written_wakes_nobody_before_its_time() {
    let room = Room::new();
    let journal = room.path("journal");
    let daemon = room.start(OURS, &["-j", journal.to_str().unwrap(), "-w", "100"]);
    let come_to_rest = |threads: usize| {
        wait_until("the threads sleep", || {
            let before = sleeps(&daemon, &WRITING);
            std::thread::sleep(WHILE);
            before.len() == threads && sleeps(&daemon, &WRITING) == before
        });
    };
    // Four write, one keeps the journal; the one that settles what opening found has ended.
    come_to_rest(5);
    let mut client = room.client();
    room.create("a.rrd");
    let first = 1_700_000_000;
    assert!(client.ask(&format!("UPDATE a.rrd {first}:1:2")).starts_with("0 "));
    come_to_rest(5);
    // Threads that sleep are woken by what comes.
    assert!(client.ask(&format!("UPDATE a.rrd {}:1:2", first + 100)).starts_with("0 "));
    assert!(client.ask("FLUSH a.rrd").starts_with("0 "));
    assert_eq!(client.ask("LAST a.rrd"), format!("0 {}\n", first + 100));
}

#[test]
fn the_journal_is_looked_after_once_a_second_however_many_updates_come() {
    let room = Room::new();
    let journal = room.path("journal");
    let daemon = room.start(OURS, &["-j", journal.to_str().unwrap()]);
    let mut client = room.client();
    room.create("a.rrd");
    // A busy machine may let the daemon answer before it.
    wait_until("a thread keeps the journal", || sleeps(&daemon, &["gyre-journal"]).len() == 1);
    let looks = || -> u64 {
        let sleeps = sleeps(&daemon, &["gyre-journal"]);
        assert_eq!(sleeps.len(), 1, "{sleeps:?}");
        sleeps
            .values()
            .map(|it| it.split_whitespace().last().unwrap().parse::<u64>().unwrap())
            .sum()
    };
    let (before, start) = (looks(), Instant::now());
    for update in 1..=400 {
        let time = 1_700_000_000 + update;
        assert!(client.ask(&format!("UPDATE a.rrd {time}:1:2")).starts_with("0 "));
        std::thread::sleep(BETWEEN_UPDATES);
    }
    // A round may wait for the disk a few times.
    let at_most = 20 * (start.elapsed().as_secs() + 2);
    let looks = looks() - before;
    assert!(looks <= at_most, "{looks} in {:?}", start.elapsed());
}
