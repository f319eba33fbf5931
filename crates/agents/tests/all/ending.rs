//! What was sent before the end is stored.

use std::io::Write as _;
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use intake::Protocol;

use crate::world::{BOTH, Kept, World, now_seconds};

#[test]
fn the_end_stores_everything_that_came() {
    for kept in BOTH {
        let mut world = World::new(kept);
        let now = now_seconds();
        let mut connections: Vec<_> = (0..20).map(|_| world.connect(Protocol::Graphite)).collect();
        for (nth, connection) in connections.iter_mut().enumerate() {
            let lines: Vec<String> =
                (0..30).map(|at| format!("tcp.{nth}.{at} 1 {now}\n")).collect();
            connection.write_all(lines.concat().as_bytes()).unwrap();
            connection.write_all(b"unfinished 1").unwrap();
        }
        for nth in 0..300 {
            let lines = format!("udp.{nth} 1 {now}\nudp.{nth} 2 {now}\n");
            world.send_datagram(Protocol::Graphite, lines.as_bytes());
        }
        // The kernel has all of that.
        world.stop();
        let outcomes = world.outcomes(Protocol::Graphite);
        assert_eq!((outcomes.taken, outcomes.late), (20 * 30 + 300, 300), "{:?}", world.told());
        assert_eq!(world.counts(Protocol::Graphite).wrong(), 0);
        assert_eq!(world.names().len(), 20 * 30 + 300);
        assert!(std::net::TcpStream::connect(world.address(Protocol::Graphite)).is_err());
    }
}

#[test]
fn the_end_waits_for_nobody_who_goes_on_sending() {
    let mut world = World::new(Kept::Ring);
    let is_over = Arc::new(AtomicBool::new(false));
    let begin_seconds = now_seconds() - 1_000_000;
    let mut connection = world.connect(Protocol::Graphite);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(world.address(Protocol::Graphite)).unwrap();
    let sending = [false, true].map(|is_tcp| {
        let (is_over, socket) = (Arc::clone(&is_over), socket.try_clone().unwrap());
        let mut connection = connection.try_clone().unwrap();
        std::thread::spawn(move || {
            for nth in 0.. {
                let line = format!("busy.{is_tcp} 1 {}\n", begin_seconds + nth % 1_000_000);
                // Both fail once nobody listens any more.
                let sent = match is_tcp {
                    true => connection.write_all(line.as_bytes()),
                    false => socket.send(line.as_bytes()).map(drop),
                };
                if is_over.load(Ordering::Relaxed) || is_tcp && sent.is_err() {
                    break;
                }
            }
        })
    });
    world.wait_until("both", |world| world.outcomes(Protocol::Graphite).taken > 10_000);
    let begin = Instant::now();
    world.stop();
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    is_over.store(true, Ordering::Relaxed);
    connection.flush().unwrap();
    sending.into_iter().for_each(|thread| thread.join().unwrap());
}
