//! The agent's responses: what fits, what follows, and what v1 can see.

use snmp::agent::{Responder, respond};
use snmp::*;
use std::collections::BTreeMap;

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

/// `1.3.1` to `1.3.9` have their last arc as value; `1.3.5` is a 64-bit counter.
fn table() -> BTreeMap<Oid, Value> {
    let row = |arc: u32| match arc {
        5 => (oid("1.3.5"), Value::Counter64(5)),
        _ => (Oid::from_arcs(&[1, 3, arc]).unwrap(), Value::Counter32(arc)),
    };
    (1..10).map(row).collect()
}

fn request(version: Version, operation: Operation, names: &[&str]) -> Message {
    let bindings = names.iter().map(|name| VarBind::asking(oid(name))).collect();
    let pdu = Pdu { request_id: 9, operation, bindings };
    Message { version, community: Community::new("public"), pdu }
}

/// The response as text: status, index, and the last arc and value of each binding.
fn told(response: Option<Message>) -> String {
    let Some(response) = response else {
        return "silence".into();
    };
    assert_eq!(response.pdu.request_id, 9);
    let Operation::Response { error_status, error_index } = response.pdu.operation else {
        panic!("not a response");
    };
    let bindings = response.pdu.bindings.iter().map(|binding| match &binding.value {
        Value::Counter32(number) => format!(" {}={number}", binding.oid),
        Value::Counter64(number) => format!(" {}=64:{number}", binding.oid),
        other => format!(" {}={other:?}", binding.oid),
    });
    format!("{error_status} {error_index}{}", bindings.collect::<String>())
}

fn answer(version: Version, operation: Operation, names: &[&str]) -> String {
    told(respond(&request(version, operation, names), &table(), 1472))
}

#[test]
fn get_and_get_next() {
    use Operation::{Get, GetNext};
    use Version::{V1, V2c};
    let cases = [
        (V2c, Get, vec!["1.3.1", "1.3.5"], "noError 0 1.3.1=1 1.3.5=64:5"),
        (V2c, Get, vec!["1.3.1", "1.3.77"], "noError 0 1.3.1=1 1.3.77=NoSuchObject"),
        (V1, Get, vec!["1.3.1", "1.3.77"], "noSuchName 2 1.3.1=Null 1.3.77=Null"),
        (V1, Get, vec!["1.3.5"], "noSuchName 1 1.3.5=Null"),
        (V2c, GetNext, vec!["1.3.4", "1.3.9"], "noError 0 1.3.5=64:5 1.3.9=EndOfMibView"),
        (V1, GetNext, vec!["1.3.4"], "noError 0 1.3.6=6"),
        (V1, GetNext, vec!["1.3.4", "1.3.9"], "noSuchName 2 1.3.4=Null 1.3.9=Null"),
        (V2c, Get, vec![], "noError 0"),
    ];
    for (version, operation, names, expected) in cases {
        assert_eq!(answer(version, operation, &names), expected);
    }
}

#[test]
fn every_small_get_bulk() {
    let names = ["1.3.2", "1.3.6", "1.3.8"];
    for non_repeaters in 0..5 {
        for max_repetitions in 0..6 {
            let bulk = Operation::GetBulk { non_repeaters, max_repetitions };
            let response = respond(&request(Version::V2c, bulk, &names), &table(), 1472).unwrap();
            let got: Vec<u32> =
                response.pdu.bindings.iter().map(|b| b.oid.arcs().last().unwrap()).collect();
            assert_eq!(got, expected_bulk(non_repeaters as usize, max_repetitions));
        }
    }
}

/// RFC 3416, 4.2.3, with plain numbers: 9 is the last row.
fn expected_bulk(non_repeaters: usize, max_repetitions: u32) -> Vec<u32> {
    let names = [2u32, 6, 8];
    let (once, repeated) = names.split_at(non_repeaters.min(3));
    let mut rows: Vec<u32> = once.iter().map(|name| name + 1).collect();
    for repetition in 1..=max_repetitions {
        if repeated.iter().all(|name| name + repetition > 10) {
            break;
        }
        rows.extend(repeated.iter().map(|name| (name + repetition).min(9)));
    }
    rows
}

#[test]
fn what_does_not_fit() {
    let bulk = Operation::GetBulk { non_repeaters: 0, max_repetitions: u32::MAX };
    let long: BTreeMap<Oid, Value> = (1..200)
        .map(|arc| (Oid::from_arcs(&[1, 3, arc]).unwrap(), Value::OctetString(vec![b'x'; 50])))
        .collect();
    for limit in 100..1500 {
        let whole = request(Version::V2c, bulk, &["1.3"]);
        let response = respond(&whole, &long, limit).unwrap();
        let (bytes, rows) = (response.encode().len(), response.pdu.bindings.len());
        assert!(bytes <= limit, "{bytes} of {limit}");
        assert!(rows == 0 || bytes + 130 > limit, "{rows} rows in {bytes} of {limit} bytes");
        let refused = Operation::Response { error_status: ErrorStatus::TooBig, error_index: 0 };
        assert_eq!(rows == 0, response.pdu.operation == refused);
    }
    let get = |version| told(respond(&request(version, Operation::Get, &["1.3.7"]), &long, 80));
    assert_eq!(get(Version::V2c), "tooBig 0");
    assert_eq!(get(Version::V1), "tooBig 0 1.3.7=Null");
}

#[test]
fn what_deserves_no_answer_or_a_refusal() {
    let bulk = Operation::GetBulk { non_repeaters: 0, max_repetitions: 2 };
    assert_eq!(answer(Version::V1, bulk, &["1.3.1"]), "silence");
    let response = Operation::Response { error_status: ErrorStatus::NoError, error_index: 0 };
    assert_eq!(answer(Version::V2c, response, &["1.3.1"]), "silence");
    assert_eq!(answer(Version::V2c, Operation::Set, &["1.3.1"]), "noAccess 1 1.3.1=Null");
    assert_eq!(answer(Version::V1, Operation::Set, &["1.3.1"]), "noSuchName 1 1.3.1=Null");

    let responder = Responder { community: Community::new("other"), response_bytes_max: 1472 };
    let question = request(Version::V2c, Operation::Get, &["1.3.1"]);
    assert_eq!(responder.respond(&question.encode(), &table()), Ok(None));
    assert!(responder.respond(b"hello", &table()).is_err());
    let right = Responder { community: question.community.clone(), ..responder };
    let datagram = right.respond(&question.encode(), &table()).unwrap().unwrap();
    assert_eq!(told(Message::decode(&datagram).ok()), "noError 0 1.3.1=1");
}
