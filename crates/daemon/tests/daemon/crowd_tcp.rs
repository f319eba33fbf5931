//! Thousands of hostile clients at once over TCP, and one who is not: he is answered in time, and
//! what the others make the daemon hold has a bound.

use std::io::Write as _;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::hostile::memory_kib;
use crate::room::{Client, OURS, PATIENCE, Room};
use crate::tokens::free_port;

const CLIENTS: usize = 4_000;
/// Threads that connect them, so that they come together.
const THREADS: usize = 2;
/// How long each of them does nothing before it goes on: this machine is the daemon's, too.
const PAUSE: Duration = Duration::from_millis(250);
/// How long they go on.
const SIEGE: Duration = Duration::from_secs(4);
/// No answer takes longer; each is a moment where the machine has nothing else to do.
const GENEROUS: Duration = Duration::from_secs(20);
/// Room for lines of 16 KiB and replies of 32 KiB for each of them, 128 MiB for longer lines, and
/// the process itself.
const MEMORY_MAX_KIB: u64 = CLIENTS as u64 * (16 + 32) + (128 << 10) + (64 << 10);

/// What a hostile client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing at all.
    Silent,
    /// A letter now and then.
    Slow,
    /// A line that never ends.
    EndlessLine,
    /// Commands without end, whose replies it never reads.
    EndlessCommands,
    /// It says no more, and takes none of its replies.
    HalfClosed,
    /// The same in the middle of a line.
    HalfClosedInLine,
    /// A batch that is never ended.
    OpenBatch,
}

const KINDS: [Kind; 7] = [
    Kind::Silent,
    Kind::Slow,
    Kind::EndlessLine,
    Kind::EndlessCommands,
    Kind::HalfClosed,
    Kind::HalfClosedInLine,
    Kind::OpenBatch,
];

struct Hostile {
    kind: Kind,
    stream: TcpStream,
}

impl Hostile {
    fn connect(address: SocketAddr, kind: Kind) -> Self {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_nonblocking(true).unwrap();
        let first = match kind {
            Kind::Silent | Kind::Slow | Kind::EndlessLine | Kind::EndlessCommands => Vec::new(),
            Kind::HalfClosed => b"HELP\n".repeat(200),
            Kind::HalfClosedInLine => b"UPDATE a.rrd 10000".to_vec(),
            Kind::OpenBatch => b"BATCH\nUPDATE a.rrd 5:5\nUPDATE nix".to_vec(),
        };
        let _ = stream.write(&first); // as much as there is room for
        if matches!(kind, Kind::HalfClosed | Kind::HalfClosedInLine) {
            let _ = stream.shutdown(Shutdown::Write); // it may be hung up on by now
        }
        Self { kind, stream }
    }

    /// Goes on; what the daemon does not take is not sent.
    fn act(&mut self) {
        let bytes: &[u8] = match self.kind {
            Kind::Slow => b"P",
            Kind::EndlessLine => &[b'x'; 16 << 10],
            Kind::EndlessCommands => b"HELP\nINFO a.rrd\nFETCH a.rrd AVERAGE\n",
            _ => return,
        };
        let _ = self.stream.write(bytes);
    }
}

/// Connects this thread's part of them, and has them go on until the siege is over.
fn besiege(address: SocketAddr, nth_thread: usize, is_over: &AtomicBool) -> Vec<Hostile> {
    let own = (0..CLIENTS).skip(nth_thread).step_by(THREADS);
    let mut hostile: Vec<Hostile> =
        own.map(|nth| Hostile::connect(address, KINDS[nth % KINDS.len()])).collect();
    while !is_over.load(Ordering::Relaxed) {
        hostile.iter_mut().for_each(Hostile::act);
        std::thread::sleep(PAUSE);
    }
    hostile
}

fn connect(address: SocketAddr) -> Client<TcpStream> {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    Client::over(stream)
}

#[test]
fn clients_over_tcp_are_answered_among_four_thousand_hostile_ones_in_bounded_memory() {
    let limit = disk::raise_descriptor_limit();
    assert!(limit >= 10_000, "{limit} descriptors are too few for this test (ulimit -n)");
    let (room, address) = (Room::new(), SocketAddr::from(([127, 0, 0, 1], free_port())));
    let daemon = room.start(OURS, &["-l", &address.to_string()]);
    room.create("a.rrd");
    let mut good = connect(address);
    let is_over = AtomicBool::new(false);
    let (longest, rounds, hostile) = std::thread::scope(|scope| {
        let is_over = &is_over;
        let besieging: Vec<_> =
            (0..THREADS).map(|nth| scope.spawn(move || besiege(address, nth, is_over))).collect();
        let (start, mut longest, mut rounds) = (Instant::now(), Duration::ZERO, 0);
        let mut ask = |client: &mut Client<TcpStream>, line: &str, reply: &str| {
            let asked = Instant::now();
            let told = client.ask(line);
            assert!(told.contains(reply), "{line}: {told}");
            longest = longest.max(asked.elapsed());
        };
        while start.elapsed() < SIEGE {
            ask(&mut good, "PING", "0 PONG\n");
            let update = format!("UPDATE a.rrd {}:1:2", 1_000_000_060 + rounds);
            ask(&mut good, &update, "0 errors, enqueued 1 value(s).\n");
            ask(&mut good, "FETCH a.rrd AVERAGE 1000000000 1000000600", " Success\n");
            rounds += 1;
        }
        // One who comes last is heard as well.
        ask(&mut connect(address), "PING", "0 PONG\n");
        is_over.store(true, Ordering::Relaxed);
        let hostile: Vec<Hostile> =
            besieging.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        (longest, rounds, hostile)
    });
    println!("the longest of {rounds} rounds took {longest:?}");
    assert!(hostile.len() == CLIENTS && rounds > 0 && longest < GENEROUS, "{longest:?}");
    let memory_kib = memory_kib(daemon.child.id());
    println!("{memory_kib} KiB at most");
    assert!(memory_kib < MEMORY_MAX_KIB, "{memory_kib} KiB");
    drop(hostile);
    assert_eq!(good.ask("PING"), "0 PONG\n");
    assert!(daemon.end().success());
}
