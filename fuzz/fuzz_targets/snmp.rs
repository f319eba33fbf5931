//! The SNMP decoder, a session with hostile answers, and the agent's side.
//!
//! The input is a list of datagrams, each after its length in two bytes.
#![no_main]

use std::collections::BTreeMap;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use snmp::agent::Responder;
use snmp::{
    Community, Config, ErrorStatus, Message, Oid, Operation, Request, RequestIdKey, Session, Value,
    Version, peek_request_id,
};

fuzz_target!(|bytes: &[u8]| {
    let datagrams = split(bytes);
    for datagram in &datagrams {
        round_trip(datagram);
    }
    for version in [Version::V1, Version::V2c] {
        converse(version, &datagrams);
    }
});

fn split(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut datagrams = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = usize::from(u16::from_be_bytes(*length)).min(rest.len());
        let (datagram, rest) = rest.split_at(length);
        datagrams.push(datagram);
        bytes = rest;
    }
    datagrams
}

/// Decoding and encoding again gives the same message in canonical form.
fn round_trip(datagram: &[u8]) {
    let id = peek_request_id(datagram);
    let Ok(message) = Message::decode(datagram) else {
        return;
    };
    assert_eq!(id, Ok(message.pdu.request_id));
    let canonical = message.encode();
    assert_eq!(Message::decode(&canonical).as_ref(), Ok(&message));
    answer(&canonical);
}

/// Our simulated agents also get datagrams from strangers; a response stays within its limit.
fn answer(request: &[u8]) {
    let oid = |arcs: &[u32]| Oid::from_arcs(arcs).expect("a short name");
    let mib: BTreeMap<Oid, Value> =
        (1..9).map(|index| (oid(&[1, 3, 6, 1, 2, 1, index]), Value::Counter32(index))).collect();
    let responder = Responder { community: Community::new("public"), response_bytes_max: 484 };
    if let Ok(Some(response)) = responder.respond(request, &mib) {
        Message::decode(&response).expect("what we write, we read");
    }
}

/// A session with a GET and a walk in progress that gets these datagrams, both unchanged and as
/// answers to its requests. It must end by itself.
fn converse(version: Version, datagrams: &[&[u8]]) {
    let mut config = Config::new(version, Community::new("public"));
    config.walk_rows_max = 1000;
    let timeout = config.timeout;
    let mut session = Session::new(config, RequestIdKey::new(1).ids(0));
    let name = |last| Oid::from_arcs(&[1, 3, 6, 1, 2, 1, last]).expect("a short name");
    session.submit(Request::Get((1..60).map(name).collect()));
    session.submit(Request::Walk(name(2)));
    let mut now = Duration::ZERO;
    let mut answers = datagrams.iter();
    while !session.is_idle() {
        while let Some(question) = session.transmit(now) {
            let Some(datagram) = answers.next() else { continue };
            session.handle(now, datagram);
            if let Some(forged) = forge(&question, datagram) {
                session.handle(now, &forged);
            }
        }
        while session.next_event().is_some() {}
        now += timeout; // requests without an answer end, too
        assert!(now < Duration::from_secs(3600), "the session goes on for ever");
    }
}

/// The datagram as a response to the request.
fn forge(question: &[u8], datagram: &[u8]) -> Option<Vec<u8>> {
    let question = Message::decode(question).expect("what we write, we read");
    let mut message = Message::decode(datagram).ok()?;
    message.version = question.version;
    message.community = question.community;
    message.pdu.request_id = question.pdu.request_id;
    if !matches!(message.pdu.operation, Operation::Response { .. }) {
        message.pdu.operation =
            Operation::Response { error_status: ErrorStatus::NoError, error_index: 0 };
    }
    Some(message.encode())
}
