//! Thousands of hostile clients at once, and one who is not.

use std::io::Write as _;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::room::{Client, OURS, Room};

/// No answer takes longer; each is a moment where the machine has nothing else to do.
const GENEROUS: Duration = Duration::from_secs(20);

/// What one of many hostile clients does. None of them is ever finished.
fn bother(room: &Room, nth: usize) -> UnixStream {
    let mut stream = UnixStream::connect(room.socket()).unwrap();
    stream.set_nonblocking(true).unwrap();
    let said = match nth % 5 {
        0 => Vec::new(),
        1 => b"UPDATE a.rrd 10000".to_vec(),
        2 => vec![b'a'; 20 << 10],
        3 => b"HELP\n".repeat(200), // it reads nothing
        _ => b"BATCH\nUPDATE a.rrd 5:5\nFLU".to_vec(),
    };
    let _ = stream.write(&said); // as much as there is room for
    if nth.is_multiple_of(2) {
        let _ = stream.shutdown(Shutdown::Write); // half-closed
    }
    stream
}

#[test]
fn clients_are_answered_among_four_thousand_hostile_ones() {
    let limit = disk::raise_descriptor_limit();
    assert!(limit >= 10_000, "{limit} descriptors are too few for this test (ulimit -n)");
    let room = Room::new();
    let daemon = room.start(OURS, &[]);
    room.create("a.rrd");
    let mut good = room.client();
    let mut ask = |line: &str, reply: &str| {
        let start = Instant::now();
        assert_eq!(good.ask(line), reply);
        assert!(start.elapsed() < GENEROUS, "{line}: {:?}", start.elapsed());
    };
    let mut hostile = Vec::new();
    for nth in 0..4_000 {
        hostile.push(bother(&room, nth));
        if nth % 200 == 199 {
            ask("PING", "0 PONG\n");
            let line = format!("UPDATE a.rrd {}:1:2", 1_000_000_060 + nth);
            ask(&line, "0 errors, enqueued 1 value(s).\n");
        }
    }
    // One who comes last is heard as well.
    assert_eq!(Client::connect(&room.socket()).ask("PING"), "0 PONG\n");
    drop(hostile);
    ask("PING", "0 PONG\n");
    assert!(daemon.end().success());
}
