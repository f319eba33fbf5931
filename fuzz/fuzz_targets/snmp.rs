//! The SNMP decoder, a session with hostile answers, and the agent's side.
//!
//! The input is a list of datagrams, each after its length in two bytes.
#![no_main]

use std::collections::BTreeMap;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use snmp::agent::{Authority, EngineTime, Responder};
use snmp::v3::{Context, View, seal};
use snmp::{
    AuthProtocol, Authentication, Community, Config, ErrorStatus, Key, Message, Oid, Operation,
    Privacy, PrivacyProtocol, Request, RequestIdKey, Secret, Session, User, Value, Version,
    peek_request_id,
};
use std::sync::LazyLock;

fuzz_target!(|bytes: &[u8]| {
    let datagrams = split(bytes);
    for datagram in &datagrams {
        round_trip(datagram);
    }
    for version in [Version::V1, Version::V2c] {
        converse(Config::new(version, Community::new("public")), &datagrams);
    }
    for datagram in &datagrams {
        unseal(datagram);
    }
    converse(Config::with_user(USER.clone(), Context::default()), &datagrams);
});

/// A user whose key is given, so that no password is hashed.
static USER: LazyLock<User> = LazyLock::new(|| {
    let key = || Key::Localized(Secret::new([7; 16]));
    let authentication = Authentication { protocol: AuthProtocol::Md5, key: key() };
    let privacy = Privacy { protocol: PrivacyProtocol::Aes128, key: key() };
    User::new(b"u", Some(authentication), Some(privacy)).expect("a user")
});

/// SNMPv3 without checking whether it is authentic: what can be opened is sealed and opened again.
/// An agent answers or reports.
fn unseal(datagram: &[u8]) {
    let keys = USER.localize(b"engine");
    let Ok(view) = View::parse(datagram) else {
        return;
    };
    let authority = Authority::new(b"engine", &[USER.clone()], 1);
    let time = EngineTime { boots: 1, seconds: 1 };
    let _ = authority.respond(datagram, time, &BTreeMap::new(), 484);
    let Ok(text) = view.open(&keys) else { return };
    let Ok(scoped) = text.scoped() else { return };
    let Ok(pdu) = scoped.to_pdu() else { return };
    let again = seal(&view.header(), &scoped.scope(), &pdu, &keys, 1);
    let view = View::parse(&again).expect("what we write, we read");
    let text = view.open(&keys).expect("what we encrypt, we decrypt");
    assert_eq!(text.scoped().and_then(|scoped| scoped.to_pdu()), Ok(pdu));
    // An agent of this very engine gets further with it.
    let _ = authority.respond(&again, time, &BTreeMap::new(), 484);
}

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
fn converse(mut config: Config, datagrams: &[&[u8]]) {
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
    // A question of SNMPv3 has no such answer.
    let question = Message::decode(question).ok()?;
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
