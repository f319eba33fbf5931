//! A thousand clients at once, half of them hostile: nobody else waits, memory stays bounded, and
//! each gets its error.

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::room::{Client, OURS, Room};

const CLIENTS: usize = 1000;
const HOSTILE: usize = CLIENTS / 2;
/// Threads that the good ones share.
const GOOD_THREADS: usize = 4;
/// How long the hostile ones go on.
const SIEGE: Duration = Duration::from_secs(5);
/// A good client's round trip takes a millisecond; machines of tests are slow, but not this slow.
const LATENCY_MAX: Duration = Duration::from_secs(5);
/// Rooms for lines are 128 MiB for all of them; the rest is stacks and code.
const MEMORY_MAX_KIB: u64 = 400 << 10;

/// What a hostile client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A line that never ends.
    EndlessLine,
    /// Half a command.
    HalfCommand,
    /// A letter now and then.
    Drops,
    /// Commands without end, whose replies it never reads.
    Flood,
    /// Nothing at all.
    Silent,
}

const KINDS: [Kind; 5] =
    [Kind::EndlessLine, Kind::HalfCommand, Kind::Drops, Kind::Flood, Kind::Silent];

struct Hostile {
    kind: Kind,
    stream: UnixStream,
    has_begun: bool,
}

impl Hostile {
    fn connect(room: &Room, kind: Kind) -> Self {
        let stream = UnixStream::connect(room.socket()).unwrap();
        stream.set_nonblocking(true).unwrap();
        Self { kind, stream, has_begun: false }
    }

    /// Does its worst; what the daemon does not take is not sent.
    fn act(&mut self) {
        let bytes: &[u8] = match self.kind {
            Kind::EndlessLine => &[b'x'; 65536],
            Kind::HalfCommand if !self.has_begun => b"UPDATE a.rrd 10000",
            Kind::Drops => b"P",
            Kind::Flood => b"HELP\nSTATS\nINFO a.rrd\nFETCH a.rrd AVERAGE\n",
            Kind::HalfCommand | Kind::Silent => return,
        };
        self.has_begun = true;
        let _ = self.stream.write(bytes); // it may be thrown out already
    }

    /// What it is told at the end.
    fn verdict(mut self) -> String {
        self.stream.set_nonblocking(false).unwrap();
        self.stream.set_read_timeout(Some(crate::room::PATIENCE)).unwrap();
        if self.kind == Kind::Silent {
            let mut client = Client { stream: self.stream };
            return client.ask("PING");
        }
        let mut bytes = Vec::new();
        match self.stream.read_to_end(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                panic!("{:?} is kept", self.kind)
            }
            // Whatever it sent in vain makes of the end a reset.
            _ => String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

/// Room for a descriptor for each client, ours and the daemon's.
pub(crate) fn raise_limit() -> bool {
    let limit = getrlimit(Resource::Nofile);
    let wanted = 2 * CLIENTS as u64 + 200;
    let enough = limit.maximum.is_none_or(|maximum| maximum >= wanted);
    let _ =
        setrlimit(Resource::Nofile, Rlimit { current: limit.maximum.or(Some(wanted)), ..limit });
    enough
}

pub(crate) fn memory_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}

/// One after the other asks; the longest that one waited.
fn ask_in_turn(room: &Room, clients: usize, goes_on: &AtomicBool) -> (Duration, u64) {
    let mut clients: Vec<Client> = (0..clients).map(|_| room.client()).collect();
    let (mut longest, mut rounds) = (Duration::ZERO, 0);
    while goes_on.load(Ordering::Relaxed) {
        for client in &mut clients {
            let start = Instant::now();
            assert!(client.ask("FETCH a.rrd AVERAGE 1000000000 1000000600").contains(" Success\n"));
            longest = longest.max(start.elapsed());
        }
        rounds += 1;
    }
    (longest, rounds)
}

#[test]
fn half_of_a_thousand_clients_may_be_hostile() {
    assert!(raise_limit(), "the system allows too few descriptors for this test");
    let room = Room::new();
    let daemon = room.start(OURS, &["--patience", "2", "--clients", "1100"]);
    room.create("a.rrd");
    let goes_on = AtomicBool::new(true);
    let mut hostile: Vec<Hostile> =
        (0..HOSTILE).map(|nth| Hostile::connect(&room, KINDS[nth % KINDS.len()])).collect();
    let good = std::thread::scope(|scope| {
        let good: Vec<_> = (0..GOOD_THREADS)
            .map(|_| scope.spawn(|| ask_in_turn(&room, HOSTILE / GOOD_THREADS, &goes_on)))
            .collect();
        let start = Instant::now();
        while start.elapsed() < SIEGE {
            hostile.iter_mut().for_each(Hostile::act);
            std::thread::sleep(Duration::from_millis(20));
        }
        goes_on.store(false, Ordering::Relaxed);
        good.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    for (longest, rounds) in good {
        println!("the longest of {rounds} rounds waited {longest:?}");
        assert!(rounds > 0 && longest < LATENCY_MAX, "{longest:?} in {rounds} rounds");
    }
    let memory_kib = memory_kib(daemon.child.id());
    println!("{memory_kib} KiB at most");
    assert!(memory_kib < MEMORY_MAX_KIB, "{memory_kib} KiB");
    for hostile in hostile {
        let kind = hostile.kind;
        let told = hostile.verdict();
        let is_told = match kind {
            Kind::EndlessLine => {
                told.contains("-1 The line is longer than 1048576 bytes.")
                    || told.contains("-1 Too many long lines at once.")
                    || told.contains("-1 The line was not ended within 2 seconds.")
            }
            Kind::HalfCommand | Kind::Drops => {
                told.contains("-1 The line was not ended within 2 seconds.")
            }
            Kind::Flood => told.contains("Command overview"),
            Kind::Silent => told == "0 PONG\n",
        };
        assert!(is_told, "{kind:?} is told: {:?}", told.get(..200).unwrap_or(&told));
    }
    assert_eq!(room.client().ask("PING"), "0 PONG\n");
}

#[test]
fn one_client_too_many_is_told_so() {
    let room = Room::new();
    let _daemon = room.start(OURS, &["--clients", "3"]);
    crate::room::wait_until("the one that looked is gone", || {
        let mut client = room.client();
        client.ask("STATS").contains("ConnectionsOpen: 1")
    });
    let mut clients: Vec<Client> = Vec::new();
    while clients.len() < 3 {
        let mut client = room.client();
        if client.ask("PING") == "0 PONG\n" {
            clients.push(client);
        }
    }
    let told = room.client().read_to_end();
    assert_eq!(told, "-1 Too many connections: 3 are open, and no more are allowed.\n");
    drop(clients.pop());
    crate::room::wait_until("there is room again", || room.client().ask("PING") == "0 PONG\n");
}

#[test]
fn large_replies_are_refused_or_sent_whole() {
    let room = Room::new();
    let _daemon = room.start(OURS, &[]);
    let mut client = room.client();
    let line = "CREATE s.rrd -b 1000000000 -s 1 DS:x:GAUGE:9:U:U RRA:LAST:0:1:10";
    assert_eq!(client.ask(line), "0 RRD created OK\n");
    let refused = client.ask("FETCH s.rrd LAST 970000000 1000000000");
    let words = "-1 rrd_fetch_r failed: 30000001 values, 16777216 are answered: ask for less\n";
    assert_eq!(refused, words);
    let whole = client.ask_bytes(b"FETCHBIN s.rrd LAST 998000000 1000000000");
    assert!(whole.len() > 16_000_000, "{}", whole.len());
}
