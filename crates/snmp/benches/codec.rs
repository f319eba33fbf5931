//! The cost of one response and of one request: `cargo bench -p snmp`.
#![allow(clippy::disallowed_methods, missing_docs)] // It measures with a clock.

use snmp::agent::{Authority, EngineTime, Responder};
use snmp::{
    AuthProtocol, Authentication, Community, Config, ErrorStatus, Key, Message, MessageView, Oid,
    Operation, Pdu, Privacy, PrivacyProtocol, Request, RequestIdKey, Secret, Security, Session,
    User, Value, ValueView, VarBind, Version, mib, v3,
};
use std::collections::BTreeMap;
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
    // Short batches: another process then leaves some of them alone.
    versions(rounds.div_ceil(50));
}

/// The same answer to a GET of many counters, as a device of each version gives it and a collector
/// reads it.
fn versions(rounds: u32) {
    let pdu = counters(COUNTERS);
    let v2c =
        Message { version: Version::V2c, community: Community::new("public"), pdu: pdu.clone() };
    let datagram = v2c.encode();
    println!("answer of {COUNTERS} counters, {} bytes with v2c", datagram.len());
    report("v2c encode", rounds, || black_box(&v2c).encode().len() as u64);
    report("v2c decode", rounds, || {
        Message::decode(black_box(&datagram)).unwrap().pdu.bindings.len() as u64
    });
    report(
        "v2c session",
        rounds,
        conversation(Config::new(Version::V2c, Community::new("public"))),
    );
    for (name, auth, privacy) in [
        ("v3 SHA-256 AES-128", AuthProtocol::Sha256, Some(PrivacyProtocol::Aes128)),
        ("v3 SHA-256", AuthProtocol::Sha256, None),
        ("v3 SHA-1 AES-128", AuthProtocol::Sha1, Some(PrivacyProtocol::Aes128)),
        ("v3 SHA-512 AES-256", AuthProtocol::Sha512, Some(PrivacyProtocol::Aes256)),
        ("v3 MD5 DES", AuthProtocol::Md5, Some(PrivacyProtocol::Des)),
    ] {
        version_3(name, &user(auth, privacy), &pdu, rounds);
    }
}

/// As many as an Ethernet frame can ask for, and more than its answer has room for.
const COUNTERS: u32 = 96;
const ENGINE: &[u8] = b"\x80\0\0\0\x01\x7f\x10\0\x01";

fn user(auth: AuthProtocol, privacy: Option<PrivacyProtocol>) -> User {
    let key = || Key::Password(Secret::new("a password"));
    let authentication = Authentication { protocol: auth, key: key() };
    let privacy = privacy.map(|protocol| Privacy { protocol, key: key() });
    User::new(b"monitor", Some(authentication), privacy).unwrap()
}

fn version_3(name: &str, user: &User, pdu: &Pdu, rounds: u32) {
    let keys = user.localize(ENGINE);
    let header = v3::Header {
        message_id: 77_777,
        size_max: v3::SIZE_MAX,
        level: user.level(),
        is_reportable: false,
        engine_id: ENGINE,
        boots: 3,
        time: 12_345,
        user: user.name(),
    };
    let scope = v3::Scope { engine_id: ENGINE, name: b"" };
    let mut salt = 0;
    report(&format!("{name} encode"), rounds, || {
        salt += 1;
        v3::seal(&header, &scope, black_box(pdu), &keys, salt).len() as u64
    });
    let datagram = v3::seal(&header, &scope, pdu, &keys, 1);
    report(&format!("{name} decode"), rounds, || {
        let view = v3::View::parse(black_box(&datagram)).unwrap();
        assert!(view.is_authentic(&keys));
        let text = view.open(&keys).unwrap();
        text.scoped().unwrap().to_pdu().unwrap().bindings.len() as u64
    });
    let config = Config::with_user(user.clone(), v3::Context::default());
    report(&format!("{name} session"), rounds, conversation(config));
}

/// A GET of many instances through a session, and its answer by an agent; both are measured.
fn conversation(config: Config) -> impl FnMut() -> u64 {
    let config = Config { bindings_max: COUNTERS as usize, ..config };
    let users = match &config.security {
        Security::User { user, .. } => vec![user.clone()],
        Security::Community { .. } => Vec::new(),
    };
    let authority = Authority::new(ENGINE, &users, 1);
    let responder =
        Responder { community: Community::new("public"), response_bytes_max: usize::MAX };
    let time = EngineTime { boots: 3, seconds: 12_345 };
    let pdu = counters(COUNTERS);
    let table: BTreeMap<Oid, Value> =
        pdu.bindings.iter().map(|each| (each.oid.clone(), each.value.clone())).collect();
    let oids: Vec<_> = table.keys().cloned().collect();
    let mut session = Session::new(config, RequestIdKey::new(1).ids(0));
    move || {
        session.submit(Request::Get(oids.clone()));
        while let Some(question) = session.transmit(Duration::ZERO) {
            let answer = match responder.respond(&question, &table) {
                Ok(answer) => answer,
                Err(_) => authority.respond(&question, time, &table, usize::MAX).unwrap(),
            };
            session.handle(Duration::ZERO, &answer.unwrap());
        }
        session.next_event().unwrap().result.unwrap().bindings.len() as u64
    }
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
    let pdu = counters(20);
    Message { version: Version::V2c, community: Community::new("public"), pdu }
}

fn counters(count: u32) -> Pdu {
    let binding = |index| VarBind {
        oid: mib::IF_HC_IN_OCTETS.extended(&[index]).unwrap(),
        value: Value::Counter64(u64::from(index) << 36),
    };
    let operation = Operation::Response { error_status: ErrorStatus::NoError, error_index: 0 };
    Pdu { request_id: 77_777, operation, bindings: (1..=count).map(binding).collect() }
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
