//! What is bounded: descriptors, memory for replies, work for one line.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::authority::{Authority, Encrypted};
use crate::hostile::{memory_kib, raise_limit};
use crate::room::{Client, Daemon, OURS, Room, wait_until};
use crate::tokens::{free_port, log};

/// The daemon with a hard limit of open descriptors.
fn start_with_descriptors(room: &Room, limit: usize, words: &[&str]) -> Daemon {
    let daemon = room.command(OURS, &[words, &["-g", "-l"]].concat());
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("ulimit -n {limit}; exec \"$0\" \"$@\""));
    command.arg(daemon.get_program()).args(daemon.get_args()).arg(room.socket());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let daemon = Daemon { child: command.spawn().unwrap() };
    let listens = || std::os::unix::net::UnixStream::connect(room.socket()).is_ok();
    wait_until("the daemon listens", listens);
    daemon
}

#[test]
fn clients_leave_descriptors_for_files() {
    let room = Room::new();
    let _daemon = start_with_descriptors(&room, 64, &[]);
    let mut client = room.client();
    assert_eq!(client.ask("PING"), "0 PONG\n");
    let silent: Vec<Client> = (0..100).map(|_| room.client()).collect();
    for nth in 0..100 {
        let create = format!("CREATE {nth}.rrd -b 1000000000 -s 60 {}", crate::room::SOURCES);
        assert_eq!(client.ask(&create), "0 RRD created OK\n");
        let update = client.ask(&format!("UPDATE {nth}.rrd 1000000060:1:2"));
        assert_eq!(update, "0 errors, enqueued 1 value(s).\n");
        let flush = client.ask(&format!("FLUSH {nth}.rrd"));
        assert!(flush.starts_with("0 "), "{flush}");
    }
    drop(silent);
}

/// A client over TLS takes two descriptors more, and holds them until it has taken what was said to
/// it last, which hostile ones never do.
#[test]
fn encrypted_clients_leave_descriptors_for_files() {
    let (room, authority, port) = (Room::new(), Authority::new(), free_port());
    let (certificate, key) = (room.path("cert.pem"), room.path("key.pem"));
    authority.identity("localhost").write(&certificate, &key);
    let address = format!("tls:127.0.0.1:{port}");
    let [certificate, key] = [&certificate, &key].map(|path| path.to_str().unwrap());
    let words = ["-l", &address, "--tls-cert", certificate, "--tls-key", key, "--patience", "1"];
    let daemon = start_with_descriptors(&room, 64, &words);
    let mut client = room.client();
    assert_eq!(client.ask("PING"), "0 PONG\n");
    let mut hostile: Vec<Encrypted> = Vec::new();
    for nth in 0..40 {
        // It is told much and reads nothing: the daemon is done with it after a second.
        let mut stream = authority.connect(port, None);
        let asked = stream.write_all(&[b"HELP\n".repeat(10_000), b"QUIT\n".to_vec()].concat());
        hostile.extend(asked.is_ok().then_some(stream));
        let create = format!("CREATE {nth}.rrd -b 1000000000 -s 60 {}", crate::room::SOURCES);
        assert_eq!(client.ask(&create), "0 RRD created OK\n");
        let update = client.ask(&format!("UPDATE {nth}.rrd 1000000060:1:2"));
        assert_eq!(update, "0 errors, enqueued 1 value(s).\n");
        assert!(client.ask(&format!("FLUSH {nth}.rrd")).starts_with("0 "));
        std::thread::sleep(Duration::from_millis(150));
    }
    assert!(hostile.len() > 20, "{} were served", hostile.len());
    wait_until("an encrypted client is answered", || {
        let mut stream = authority.connect(port, None);
        let mut pong = [0; 7];
        let answered = stream.write_all(b"PING\n").and_then(|()| stream.read_exact(&mut pong));
        answered.is_ok() && &pong == b"0 PONG\n"
    });
    let log = log(&room);
    assert!(!log.contains("accepting a connection"), "{log}");
    drop(hostile);
    assert!(daemon.end().success());
}

#[test]
fn clients_that_say_nothing_give_way() {
    let room = Room::new();
    let _daemon = room.start(OURS, &["--clients", "3"]);
    let mut first = room.client();
    assert_eq!(first.ask("PING"), "0 PONG\n");
    let _silent: Vec<Client> = (0..10).map(|_| room.client()).collect();
    for _ in 0..10 {
        // The one before may not have left yet.
        wait_until("another is served", || room.client().ask("PING") == "0 PONG\n");
    }
    assert_eq!(first.ask("PING"), "0 PONG\n");
}

/// Nearly the longest line that there may be.
const LONG: usize = (1 << 20) - 100;

/// A line that a repeated part makes long.
fn long(before: &str, part: &str, after: &str) -> String {
    let count = (LONG - before.len() - after.len()) / part.len();
    format!("{before}{}{after}", part.repeat(count))
}

fn long_lines() -> Vec<String> {
    let mut lines = vec![
        long("", " ", ""),
        long("", ":", ""),
        long("", "\\", ""),
        long("", "\"", ""),
        long("HELP ", "a ", ""),
        long("LIST /", "a/", ""),
        long("LIST /", "*", ""),
        long("LIST /", "[a-", ""),
        long("LIST RECURSIVE ", "a/", ""),
        long("UPDATE a.rrd", " ", ""),
        long("UPDATE a.rrd 1000000060", ":", ""),
        long("UPDATE a.rrd 1000000060", ":1", ""),
        long("UPDATE a.rrd 10000000", "9", ":1:2"),
        long("UPDATE a.rrd ", "1:1 ", ""),
        long("FETCH a.rrd AVERAGE 1 2 ", "x ", ""),
        long("FETCHBIN a.rrd AVERAGE 1 2 ", "x ", ""),
        long("CREATE b.rrd ", "-r a.rrd ", "DS:x:GAUGE:1:U:U RRA:AVERAGE:0.5:1:10"),
        long("CREATE b.rrd DS:x:GAUGE:1:U:U DS:c:COMPUTE:", "x,", "+ RRA:AVERAGE:0.5:1:10"),
        long("TUNE a.rrd ", "-h x:60 ", ""),
        long("TUNE a.rrd ", "DEL:x ", ""),
    ];
    for command in ["INFO", "UPDATE", "FLUSH", "PENDING", "FORGET", "FIRST", "LAST", "SUSPEND"] {
        for part in ["a/", "../", "./", "/"] {
            lines.push(long(&format!("{command} "), part, " 1:1"));
        }
    }
    let sources: Vec<String> = (0..LONG / 24).map(|nth| format!("DS:a{nth}:GAUGE:1:U:U")).collect();
    lines.push(format!("CREATE b.rrd {}", sources.join(" ")));
    lines
}

/// Work that grew with the square of a line's length would take a minute for some of them, which is
/// longer than the client waits.
#[test]
fn no_long_line_keeps_the_daemon_at_work() {
    for kind in ["files", "confined", "ring"] {
        let room = Room::new();
        let store = room.path("store");
        let words = match kind {
            "ring" => vec!["--store", store.to_str().unwrap()],
            "confined" => vec!["-B"],
            _ => vec![],
        };
        let _daemon = room.start(OURS, &words);
        room.create("a.rrd");
        let mut client = room.client();
        for line in long_lines() {
            let shown = line.get(..60).unwrap_or(&line);
            let told = client.ask(&line);
            assert!(!told.ends_with("<closed>"), "{kind}: {shown}");
            assert!(told.len() < 32 << 10, "{kind}: {shown}: {} bytes", told.len());
        }
        let path = "a/".repeat(LONG / 2);
        let told = format!("-1 The path has {} bytes, expected 4095 at most.\n", path.len());
        assert_eq!(client.ask(&format!("INFO {path}")), told);
        assert_eq!(client.ask("PING"), "0 PONG\n");
    }
}

#[test]
fn replies_that_nobody_reads_take_what_all_of_them_may_take() {
    const CLIENTS: usize = 600;
    assert!(raise_limit(), "the system allows too few descriptors for this test");
    let room = Room::new();
    let daemon = room.start(OURS, &["--clients", "1000"]);
    room.create("a.rrd");
    // 60,000 rows of two values, just below a megabyte.
    let fetch = "FETCHBIN a.rrd AVERAGE 996400000 1000000000";
    let whole = room.client().ask_bytes(fetch.as_bytes());
    assert!(whole.len() > 950_000, "{}", whole.len());
    let mut unread = Vec::new();
    let mut refused = 0;
    for _ in 0..CLIENTS {
        let mut client = room.client();
        writeln!(client.stream, "{fetch}").unwrap();
        // Where a reply begins, all of it is in memory.
        let mut first = [0];
        client.stream.read_exact(&mut first).unwrap();
        refused += usize::from(first == *b"-");
        unread.push(client);
    }
    let memory_kib = memory_kib(daemon.child.id());
    println!("{memory_kib} KiB at most, {refused} of {CLIENTS} were told to ask again");
    assert!(memory_kib < 400 << 10, "{memory_kib} KiB");
    assert!(refused > 0 && refused < CLIENTS / 4 * 3, "{refused}");
    // Those who want little are served all the while.
    assert!(room.client().ask("INFO a.rrd").contains(" Info for "));
    drop(unread);
    wait_until("there is room again", || room.client().ask_bytes(fetch.as_bytes()) == whole);
}

/// Reads without an end, and takes little each time. Gives the bytes that it got before the daemon
/// hung up, or before it was told to stop.
fn read_slowly(mut client: Client, goes_on: &AtomicBool) -> usize {
    let mut room = vec![0; 64 << 10];
    let mut taken_bytes = 0;
    while goes_on.load(Ordering::Relaxed) {
        match client.stream.read(&mut room) {
            Ok(0) | Err(_) => break,
            Ok(count) => taken_bytes += count,
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    taken_bytes
}

/// A slow reader of a large reply, who takes far more than a silent one, holds the memory of all
/// replies for a few stretches of the patience at most.
#[test]
fn readers_that_are_slow_for_a_large_reply_give_way() {
    let room = Room::new();
    let _daemon = room.start(OURS, &["--patience", "1"]);
    let line = "CREATE s.rrd -b 1000000000 -s 1 DS:x:GAUGE:9:U:U RRA:LAST:0:1:10";
    assert_eq!(room.client().ask(line), "0 RRD created OK\n");
    // 96 MB: two of them are what large replies may take together.
    let fetch = "FETCHBIN s.rrd LAST 988000000 1000000000";
    let goes_on = AtomicBool::new(true);
    std::thread::scope(|scope| {
        let slow: Vec<_> = (0..2)
            .map(|_| {
                let mut client = room.client();
                writeln!(client.stream, "{fetch}").unwrap();
                let mut first = [0];
                client.stream.read_exact(&mut first).unwrap();
                assert_ne!(first, *b"-");
                scope.spawn(|| read_slowly(client, &goes_on))
            })
            .collect();
        // Those who want little are served at once, those who want much once the slow ones are
        // left.
        let small = room.client().ask_bytes(b"FETCHBIN s.rrd LAST 999900000 1000000000");
        assert!(small.len() > 800_000, "{}", small.len());
        wait_until("there is room again", || {
            let mut client = room.client();
            writeln!(client.stream, "{fetch}").unwrap();
            let mut first = [0];
            client.stream.read_exact(&mut first).unwrap();
            first != *b"-"
        });
        goes_on.store(false, Ordering::Relaxed);
        for slow in slow {
            let taken_bytes = slow.join().unwrap();
            assert!(taken_bytes < 90_000_000, "{taken_bytes}");
        }
    });
}

/// A DUMP comes in pieces, while the whole database is in memory.
#[test]
fn a_reader_that_is_slow_for_a_dump_gives_way() {
    let room = Room::new();
    let _daemon = room.start(OURS, &["--patience", "1"]);
    let line = "CREATE large.rrd -b 1000000000 -s 1 DS:x:GAUGE:9:U:U RRA:LAST:0:1:2000000";
    assert_eq!(room.client().ask(line), "0 RRD created OK\n");
    let mut client = room.client();
    writeln!(client.stream, "DUMP large.rrd -h none").unwrap();
    // 2,000,000 rows of more than 30 bytes each.
    let taken_bytes = read_slowly(client, &AtomicBool::new(true));
    assert!(taken_bytes < 60_000_000, "{taken_bytes}");
}
