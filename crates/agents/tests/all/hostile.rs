//! Senders that nobody wants.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use intake::Protocol;

use crate::world::{BOTH, Kept, World, now_seconds};

/// Reads until the other side closes the connection.
fn wait_closed(connection: &mut TcpStream) {
    connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // Closed with bytes that nobody read, it is reset.
    match connection.read(&mut [0]) {
        Ok(0) => (),
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => (),
        other => panic!("{other:?}"),
    }
}

/// Whether a good sender is served.
fn assert_serves(world: &World, name: &str) {
    let before = world.outcomes(Protocol::Graphite).taken;
    world.send(Protocol::Graphite, format!("{name} 1 {}\n", now_seconds()).as_bytes());
    world.wait_until(name, |world| world.outcomes(Protocol::Graphite).taken == before + 1);
}

#[test]
fn slow_senders_keep_nobody_waiting() {
    let world = World::new(Kept::Ring);
    let mut slow: Vec<TcpStream> = (0..100).map(|_| world.connect(Protocol::Graphite)).collect();
    for letter in b"slow.sender" {
        slow.iter_mut().for_each(|slow| slow.write_all(&[*letter]).unwrap());
    }
    let begin = Instant::now();
    assert_serves(&world, "fast");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    let end = format!(" 1 {}\n", now_seconds());
    slow.iter_mut().for_each(|slow| slow.write_all(end.as_bytes()).unwrap());
    world.wait_until("the slow ones", |world| {
        let outcomes = world.outcomes(Protocol::Graphite);
        outcomes.taken + outcomes.late == 101
    });
    assert_eq!(world.counts(Protocol::Graphite).wrong(), 0);
}

#[test]
fn half_closed_connections_are_read_to_their_end() {
    for kept in BOTH {
        let world = World::new(kept);
        let mut half = world.connect(Protocol::Graphite);
        half.write_all(format!("a 1 {}\nb 2", now_seconds()).as_bytes()).unwrap();
        half.shutdown(Shutdown::Write).unwrap();
        wait_closed(&mut half);
        world.wait_taken(Protocol::Graphite, 1);
        // What has no end may be cut off anywhere: `17` is no time of `1700000000`.
        world.wait_wrong(Protocol::Graphite, 1);
        assert!(world.told()[0].contains("before the connection's end"), "{:?}", world.told());
        assert_eq!(world.names(), ["a.rrd"]);
        world.wait_until("no connection", |world| {
            world.listeners().traffic().connections_open() == 0
        });
        assert_eq!(world.listeners().traffic().connections_cut(), 0);
    }
}

#[test]
fn an_endless_line_ends_its_connection() {
    let world = World::new(Kept::Ring);
    for (nth, protocol) in [Protocol::Graphite, Protocol::Statsd].into_iter().enumerate() {
        let mut endless = world.connect(protocol);
        while endless.write_all(&[b'x'; 4096]).is_ok() {}
        world.wait_wrong(protocol, 1);
        assert_eq!(world.listeners().traffic().connections_cut(), nth as u64 + 1);
    }
    assert!(world.told()[0].contains("at most 65536 bytes"), "{:?}", world.told());
    assert_serves(&world, "good");
}

#[test]
fn a_frame_that_is_too_long_ends_its_connection() {
    let world = World::new(Kept::Ring);
    let mut long = world.connect(Protocol::Pickle);
    long.write_all(&(1_048_577_u32).to_be_bytes()).unwrap();
    wait_closed(&mut long);
    world.wait_wrong(Protocol::Pickle, 1);
    assert!(world.told()[0].contains("at most 1,048,576 bytes"), "{:?}", world.told());
}

#[test]
fn a_thousand_connections_are_served_by_one_thread() {
    let world = World::new(Kept::Ring);
    // Both ends of each are in this process.
    assert!(disk::raise_descriptor_limit() > 2500, "expected a hard limit of more descriptors");
    let before = threads();
    let mut all: Vec<TcpStream> = (0..1000).map(|_| world.connect(Protocol::Graphite)).collect();
    for round in 0..3 {
        let time = now_seconds() + round;
        for (nth, connection) in all.iter_mut().enumerate() {
            connection.write_all(format!("crowd.{nth} {round} {time}\n").as_bytes()).unwrap();
        }
    }
    world.wait_taken(Protocol::Graphite, 3000);
    assert_eq!(world.listeners().traffic().connections_open(), 1000);
    assert!(threads() <= before + 40, "other tests start some, but not one for each connection");
    drop(all);
    world.wait_until("no connection", |world| world.listeners().traffic().connections_open() == 0);
}

/// The threads of this process that read agents.
fn threads() -> usize {
    let names = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = names.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.starts_with("agents-")).count()
}

#[test]
fn beyond_the_limit_a_silent_connection_gives_way() {
    let world = World::with(Kept::Ring, |options| options.connections_max = 4);
    let traffic = world.listeners().traffic();
    let mut busy = world.connect(Protocol::Graphite);
    busy.write_all(format!("busy 1 {}\n", now_seconds()).as_bytes()).unwrap();
    world.wait_taken(Protocol::Graphite, 1);
    let mut silent: Vec<TcpStream> = (0..3).map(|_| world.connect(Protocol::Graphite)).collect();
    world.wait_until("four", |_| traffic.connections_open() == 4);
    // None has been silent for long enough.
    let mut fifth = world.connect(Protocol::Graphite);
    wait_closed(&mut fifth);
    assert_eq!((traffic.connections_turned_away(), traffic.connections_cut()), (1, 0));
    assert_eq!(world.told(), ["a sender was turned away: 4 connections are open"]);
    std::thread::sleep(Duration::from_millis(1100));
    assert_serves(&world, "sixth");
    wait_closed(&mut silent[0]);
    assert_eq!(traffic.connections_cut(), 1);
    busy.write_all(format!("busy 2 {}\n", now_seconds() + 5).as_bytes()).unwrap();
    world.wait_taken(Protocol::Graphite, 3);
}

#[test]
fn an_idle_connection_is_closed() {
    let idle = |options: &mut agents::Options| options.idle_max = Duration::from_millis(400);
    let world = World::with(Kept::Ring, idle);
    let mut silent = world.connect(Protocol::Graphite);
    wait_closed(&mut silent);
    world.wait_until("the count", |world| world.listeners().traffic().connections_cut() == 1);
}

#[test]
fn random_bytes_do_no_harm() {
    let world = World::new(Kept::Ring);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |bytes: usize| -> Vec<u8> {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        };
        (0..bytes).map(|_| next()).collect()
    };
    for _ in 0..50 {
        for protocol in [Protocol::Graphite, Protocol::Pickle, Protocol::Statsd] {
            // It may be closed before all is written.
            let _ = world.connect(protocol).write_all(&random(20_000));
        }
        let datagrams =
            [Protocol::Graphite, Protocol::Influx, Protocol::Collectd, Protocol::Statsd];
        for protocol in datagrams {
            world.send_datagram(protocol, &random(700));
        }
    }
    world.send_datagram(Protocol::Graphite, b"");
    for protocol in crate::world::LISTENED {
        world.wait_until("wrong ones", |world| world.counts(protocol).wrong() > 0);
    }
    assert_serves(&world, "good");
    let good = format!("good;by=udp 1 {}", now_seconds());
    world.send_datagram(Protocol::Graphite, good.as_bytes());
    world.wait_taken(Protocol::Graphite, 2);
    assert_eq!(world.names(), ["good.rrd", "good/by=udp.rrd"]);
}

#[test]
fn frames_that_never_end_take_bounded_memory() {
    let world = World::new(Kept::Ring);
    // A hundred frames of nearly a megabyte without their last bytes.
    let mut frame = 1_048_000_u32.to_be_bytes().to_vec();
    frame.resize(1_000_000, b'x');
    let open: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut connection = world.connect(Protocol::Pickle);
            let _ = connection.write_all(&frame);
            connection
        })
        .collect();
    world
        .wait_until("some are closed", |world| world.listeners().traffic().connections_cut() >= 32);
    let left = world.listeners().traffic().connections_open();
    assert!((60..=68).contains(&left), "{left}");
    assert!(world.told()[0].contains("no room to wait"), "{:?}", world.told());
    drop(open);
    assert_serves(&world, "good");
}
