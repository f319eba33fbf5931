//! What cannot be stored, and what comes too fast.

use std::net::UdpSocket;
use std::sync::{Arc, Mutex, PoisonError};

use agents::Notice;
use intake::{Outcomes, Protocol};

use crate::world::{Kept, World, now_seconds};

#[test]
fn datagrams_that_the_kernel_drops_are_counted() {
    // The thread of datagrams waits while it tells of a wrong line.
    let gate = Arc::new(Mutex::new(()));
    let closed = gate.lock().unwrap();
    let door = Arc::clone(&gate);
    let world = World::with(Kept::Ring, |options| {
        let tell = Arc::clone(&options.tell);
        options.tell = Arc::new(move |notice| {
            if matches!(notice, Notice::Misread { .. }) {
                drop(door.lock().unwrap_or_else(PoisonError::into_inner));
            }
            tell(notice);
        });
    });
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(world.address(Protocol::Graphite)).unwrap();
    socket.send(b"wrong").unwrap();
    world.wait_wrong(Protocol::Graphite, 1);
    let begin = now_seconds() - 100_000;
    let sent = 100_000;
    for nth in 0..sent {
        socket.send(format!("flood 1 {}", begin + nth).as_bytes()).unwrap();
    }
    drop(closed);
    let dropped = |world: &World| world.listeners().traffic().datagrams_dropped(Protocol::Graphite);
    let taken = |world: &World| world.outcomes(Protocol::Graphite).taken;
    // The kernel tells it with the next one that it does not drop.
    let more = std::cell::Cell::new(0);
    world.wait_until("all of them", |world| {
        more.set(more.get() + 1);
        let line = format!("flood 1 {}", begin + sent + more.get());
        socket.send(line.as_bytes()).unwrap();
        dropped(world) > 0 && taken(world) + dropped(world) >= sent as u64
    });
    assert!(taken(&world) > 100, "{}", taken(&world));
    world.wait_until("the last ones", |world| {
        taken(world) + dropped(world) == (sent + more.get()) as u64
    });
    assert!(world.told().iter().any(|told| told.ends_with("came too fast, and were dropped")));
}

#[test]
fn a_database_that_cannot_be_updated_keeps_no_other_waiting() {
    let world = World::new(Kept::Files);
    let now = now_seconds();
    let send = |text: &str| world.send(Protocol::Graphite, text.as_bytes());
    send(&format!("a 1 {now}\nb 1 {now}\n"));
    world.wait_taken(Protocol::Graphite, 2);
    std::fs::write(world.path("a.rrd"), "no database").unwrap();
    send(&format!("a 2 {}\n", now + 1));
    send(&format!("b 2 {}\n", now + 1));
    world.wait_taken(Protocol::Graphite, 3);
    world.wait_until("the other one", |world| world.outcomes(Protocol::Graphite).failed == 1);
    let wanted = Outcomes { taken: 3, failed: 1, made: 2, ..Outcomes::default() };
    assert_eq!(world.outcomes(Protocol::Graphite), wanted);
    assert!(world.told()[0].contains("a.rrd"), "{:?}", world.told());
}
