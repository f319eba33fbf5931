//! How many lines a second one connection takes into a ring store, and datagrams. It tells the
//! figures, and fails where something waits that should not: those of a test are no benchmark.

use std::io::Write as _;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use intake::Protocol;

use crate::world::{Kept, World, now_seconds};

const SERIES: usize = 20_000;
const ROUNDS: i64 = 5;

fn rate(lines: usize, took: Duration) -> f64 {
    lines as f64 / took.as_secs_f64()
}

#[test]
fn one_connection_brings_many_lines_a_second() {
    let world = World::new(Kept::Ring);
    let begin_seconds = now_seconds() - ROUNDS * 60;
    let round = |nth: i64| -> String {
        let time = begin_seconds + nth * 60;
        (0..SERIES)
            .map(|at| format!("pace.server{}.metric{} {at} {time}\n", at % 100, at / 100))
            .collect()
    };
    let mut connection = world.connect(Protocol::Graphite);
    let begin = Instant::now();
    connection.write_all(round(0).as_bytes()).unwrap();
    world.wait_taken(Protocol::Graphite, SERIES as u64);
    let made = begin.elapsed();
    let texts: Vec<String> = (1..ROUNDS).map(round).collect();
    let begin = Instant::now();
    texts.iter().for_each(|text| connection.write_all(text.as_bytes()).unwrap());
    world.wait_taken(Protocol::Graphite, ROUNDS as u64 * SERIES as u64);
    let known = begin.elapsed();
    println!(
        "new series: {:.0} lines/s; known ones: {:.0} lines/s",
        rate(SERIES, made),
        rate(SERIES * (ROUNDS as usize - 1), known)
    );
    assert!(rate(SERIES * (ROUNDS as usize - 1), known) > 2000.0, "{known:?}");
    assert_eq!(world.told(), [""; 0]);
}

#[test]
fn datagrams_bring_many_lines_a_second() {
    const DATAGRAMS: usize = 1000;
    const LINES: usize = 10;
    // So many wait in any kernel without loss.
    const TOGETHER: usize = 200;
    let world = World::new(Kept::Ring);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(world.address(Protocol::Graphite)).unwrap();
    let begin_seconds = now_seconds() - ROUNDS * 60;
    let mut known = Duration::ZERO;
    for round in 0..ROUNDS {
        let time = begin_seconds + round * 60;
        let lines = |nth: usize| -> String {
            (0..LINES).map(|at| format!("pace.server{nth}.metric{at} {at} {time}\n")).collect()
        };
        let datagrams: Vec<String> = (0..DATAGRAMS).map(lines).collect();
        let begin = Instant::now();
        for (nth, some) in datagrams.chunks(TOGETHER).enumerate() {
            for datagram in some {
                socket.send(datagram.as_bytes()).unwrap();
            }
            let sent = round as usize * DATAGRAMS + (nth + 1) * TOGETHER;
            world.wait_taken(Protocol::Graphite, (sent * LINES) as u64);
        }
        known += if round > 0 { begin.elapsed() } else { Duration::ZERO };
    }
    let lines = DATAGRAMS * LINES * (ROUNDS as usize - 1);
    println!("known ones in datagrams: {:.0} lines/s", rate(lines, known));
    assert!(rate(lines, known) > 2000.0, "{known:?}");
    assert_eq!(world.told(), [""; 0]);
}
