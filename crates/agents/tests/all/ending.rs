//! What was sent before the end is stored.

use std::io::Write as _;

use intake::Protocol;

use crate::world::{BOTH, World, now_seconds};

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
