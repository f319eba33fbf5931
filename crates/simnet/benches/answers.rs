//! The number of requests a second that the network answers: `cargo bench -p simnet`.
#![allow(clippy::disallowed_methods, missing_docs)] // It measures with a clock, over sockets.

use rustix::time::{ClockId, clock_gettime};
use simnet::{Config, Direction, SimulatedNetwork, system_clock};
use snmp::{Community, Message, Operation, Pdu, VarBind, Version, mib};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

const IN_FLIGHT: usize = 64;

fn main() {
    // `cargo test --benches` only checks that it runs.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let (devices, questions) = if is_bench { (10_000, 200_000) } else { (4, 100) };
    let config =
        Config { devices, udp_port: 0, slow_devices: 0, dead_devices: 0, ..Config::default() };
    let network = SimulatedNetwork::start(&config, system_clock).unwrap();
    let bulk = Operation::GetBulk { non_repeaters: 0, max_repetitions: 10 };
    let cases = [
        ("GET of 1 counter", Operation::Get, 1, 1),
        ("GET of 20 counters", Operation::Get, 10, 2),
        ("GETBULK of 20 counters", bulk, 1, 2),
    ];
    for (name, operation, ports, columns) in cases {
        let question = question(operation, ports, columns);
        let best = (0..if is_bench { 5 } else { 1 })
            .map(|_| ask(&network, questions, &question))
            .min_by(|one, other| one.processor_us.total_cmp(&other.processor_us))
            .unwrap();
        println!(
            "{name:22}: {:5.2} us of the network's processor time, {:7.0} answers/s in all, \
             {devices} devices",
            best.processor_us, best.answers_per_second
        );
    }
    traffic(&network, questions);
}

struct Rate {
    answers_per_second: f64,
    /// What the network takes for an answer; the asking thread's is not in it.
    processor_us: f64,
}

/// Keeps a window of requests in flight over one socket, round robin over the devices.
fn ask(network: &SimulatedNetwork, questions: usize, question: &[u8]) -> Rate {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let devices = network.devices();
    let send = |number: usize| {
        socket.send_to(question, devices[number % devices.len()].address).unwrap();
    };
    let (start, used_before) = (Instant::now(), others_time());
    (0..IN_FLIGHT.min(questions)).for_each(send);
    let mut buffer = [0; 2048];
    for answered in 0..questions {
        socket.recv(&mut buffer).expect("loopback lost a datagram");
        if answered + IN_FLIGHT < questions {
            send(answered + IN_FLIGHT);
        }
    }
    let used = others_time() - used_before;
    Rate {
        answers_per_second: questions as f64 / start.elapsed().as_secs_f64(),
        processor_us: used.as_secs_f64() * 1e6 / questions as f64,
    }
}

/// The processor time of all threads but this one.
fn others_time() -> Duration {
    let time = |clock| Duration::try_from(clock_gettime(clock)).unwrap();
    // This thread's first: the clock of the process has to be the later one.
    let own = time(ClockId::ThreadCPUTime);
    time(ClockId::ProcessCPUTime) - own
}

/// A question for so many ports of so many columns.
fn question(operation: Operation, ports: u32, columns: usize) -> Vec<u8> {
    let cells = (1..=ports).flat_map(|port| {
        let names = [mib::IF_HC_IN_OCTETS, mib::IF_HC_OUT_OCTETS];
        names.map(|name| VarBind::asking(name.extended(&[port]).unwrap())).into_iter().take(columns)
    });
    let pdu = Pdu { request_id: 1, operation, bindings: cells.collect() };
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
