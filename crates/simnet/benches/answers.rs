//! The number of requests a second that the network answers: `cargo bench -p simnet`.
#![allow(clippy::disallowed_methods, missing_docs)] // It measures with a clock, over sockets.

use simnet::{Config, Direction, SimulatedNetwork, system_clock};
use snmp::{Community, Message, Oid, Operation, Pdu, VarBind, Version, mib};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

const IN_FLIGHT: usize = 64;

fn main() {
    // `cargo test --benches` only checks that it runs.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let (devices, questions) = if is_bench { (100, 100_000) } else { (4, 100) };
    let config =
        Config { devices, udp_port: 0, slow_devices: 0, dead_devices: 0, ..Config::default() };
    let network = SimulatedNetwork::start(&config, system_clock).unwrap();
    for bindings in [1, 20] {
        let seconds = ask(&network, questions, bindings);
        let rate = questions as f64 / seconds;
        println!(
            "GET of {bindings:2} counters: {rate:9.0} answers/s, one thread, {devices} devices"
        );
    }
    traffic(&network, questions);
}

/// Keeps a window of requests in flight over one socket, round robin over the devices.
fn ask(network: &SimulatedNetwork, questions: usize, bindings: u32) -> f64 {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let oids = (1..=bindings).map(|port| mib::IF_HC_IN_OCTETS.extended(&[port]).unwrap());
    let question = question(oids);
    let devices = network.devices();
    let send = |number: usize| {
        socket.send_to(&question, devices[number % devices.len()].address).unwrap();
    };
    let start = Instant::now();
    (0..IN_FLIGHT.min(questions)).for_each(send);
    let mut buffer = [0; 2048];
    for answered in 0..questions {
        socket.recv(&mut buffer).expect("loopback lost a datagram");
        if answered + IN_FLIGHT < questions {
            send(answered + IN_FLIGHT);
        }
    }
    start.elapsed().as_secs_f64()
}

fn question(oids: impl Iterator<Item = Oid>) -> Vec<u8> {
    let bindings = oids.map(VarBind::asking).collect();
    let pdu = Pdu { request_id: 1, operation: Operation::Get, bindings };
    Message { version: Version::V2c, community: Community::new("public"), pdu }.encode()
}

fn traffic(network: &SimulatedNetwork, count: usize) {
    let start = Instant::now();
    let mut sum = 0u64;
    for step in 0..count as u32 {
        let time = Duration::from_secs(1_790_000_000 + u64::from(step) * 300);
        let (device, port) = (step % network.devices().len() as u32, 1 + step % 48);
        sum = sum.wrapping_add(network.traffic().octets(device, port, Direction::In, time));
    }
    let nanoseconds = start.elapsed().as_nanos() / count as u128;
    println!("octets at any time: {nanoseconds} ns, result {sum:016x}");
}
