//! The cost of one response and of one request: `cargo bench -p snmp`.
#![allow(clippy::disallowed_methods, missing_docs)] // It measures with a clock.

use snmp::{
    Community, Config, ErrorStatus, Message, MessageView, Operation, Pdu, Request, RequestIdKey,
    Session, Value, ValueView, VarBind, Version, mib,
};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    // `cargo test --benches` only checks that it runs.
    let rounds = if std::env::args().any(|argument| argument == "--bench") { 5_000 } else { 10 };
    let response = response();
    let datagram = response.encode();
    println!("response of 20 counters, {} bytes, best of {BATCHES} times {rounds}", datagram.len());
    report("decode, owned", rounds, || {
        Message::decode(black_box(&datagram)).unwrap().pdu.bindings.len() as u64
    });
    report("view, summed", rounds, || {
        let view = MessageView::parse(black_box(&datagram)).unwrap();
        let number = |value| match value {
            ValueView::Counter64(number) => number,
            _ => 0,
        };
        view.bindings().map(|binding| number(binding.unwrap().value)).sum()
    });
    report("encode", rounds, || black_box(&response).encode().len() as u64);
    report("session, ask and be answered", rounds, exchange());
}

/// The best of many batches: other load on the machine only adds time.
const BATCHES: u32 = 50;

fn report(what: &str, rounds: u32, mut work: impl FnMut() -> u64) {
    let mut sum: u64 = 0;
    let mut best = Duration::MAX;
    for _ in 0..BATCHES {
        let start = Instant::now();
        for _ in 0..rounds {
            sum = sum.wrapping_mul(31).wrapping_add(work());
        }
        best = best.min(start.elapsed());
    }
    let nanoseconds = best.as_nanos() / u128::from(rounds);
    println!("{what:30} {nanoseconds:6} ns  result {sum:016x}");
}

fn response() -> Message {
    let binding = |index| VarBind {
        oid: mib::IF_HC_IN_OCTETS.extended(&[index]).unwrap(),
        value: Value::Counter64(u64::from(index) << 36),
    };
    let operation = Operation::Response { error_status: ErrorStatus::NoError, error_index: 0 };
    let pdu = Pdu { request_id: 77_777, operation, bindings: (1..=20).map(binding).collect() };
    Message { version: Version::V2c, community: Community::new("public"), pdu }
}

/// A GET of 20 instances through a session; the answer is a prepared one with the request id
/// replaced.
fn exchange() -> impl FnMut() -> u64 {
    let config = Config::new(Version::V2c, Community::new("public"));
    let mut session = Session::new(config, RequestIdKey::new(1).ids(0));
    let mut response = response();
    let oids: Vec<_> = response.pdu.bindings.iter().map(|binding| binding.oid.clone()).collect();
    move || {
        session.submit(Request::Get(oids.clone()));
        let question = session.transmit(Duration::ZERO).unwrap();
        response.pdu.request_id = snmp::peek_request_id(&question).unwrap();
        session.handle(Duration::ZERO, &response.encode());
        let event = session.next_event().unwrap();
        event.result.unwrap().bindings.len() as u64
    }
}
