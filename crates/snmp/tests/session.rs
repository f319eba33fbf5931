//! The session, driven step by step: what it sends, when, and how it handles each answer.

use snmp::*;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn config(version: Version) -> Config {
    Config { retries: 2, ..Config::new(version, Community::new("public")) }
}

fn session(config: Config) -> Session {
    Session::new(config, RequestIdKey::new(1).ids(0))
}

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

fn oids(count: u32) -> Vec<Oid> {
    (1..=count).map(|index| mib::IF_IN_OCTETS.extended(&[index]).unwrap()).collect()
}

/// The decoded datagram that the session sends now.
fn sent(session: &mut Session, now: Duration) -> Option<Message> {
    session.transmit(now).map(|datagram| Message::decode(&datagram).unwrap())
}

fn answer(question: &Message, status: ErrorStatus, index: u32, bindings: Vec<VarBind>) -> Vec<u8> {
    let operation = Operation::Response { error_status: status, error_index: index };
    let pdu = Pdu { operation, bindings, ..question.pdu };
    Message { pdu, ..question.clone() }.encode()
}

fn values(question: &Message) -> Vec<VarBind> {
    let value = |asked: &VarBind| {
        let last = asked.oid.arcs().last().unwrap();
        VarBind { oid: asked.oid.clone(), value: Value::Counter32(last) }
    };
    question.pdu.bindings.iter().map(value).collect()
}

#[test]
fn a_get_is_split_and_put_together_in_the_order_asked() {
    let mut session = session(Config { in_flight_max: 2, ..config(Version::V2c) });
    let token = session.submit(Request::Get(oids(45)));
    assert_eq!(session.deadline(), Some(Duration::ZERO));
    let first = sent(&mut session, SECOND).unwrap();
    let second = sent(&mut session, SECOND).unwrap();
    assert_eq!(sent(&mut session, SECOND), None, "two in flight, not three");
    assert_eq!(first.pdu.bindings.len(), 20);
    // The answers come in any order.
    session.handle(2 * SECOND, &answer(&second, ErrorStatus::NoError, 0, values(&second)));
    let third = sent(&mut session, 2 * SECOND).unwrap();
    assert_eq!(third.pdu.bindings.len(), 5);
    session.handle(3 * SECOND, &answer(&third, ErrorStatus::NoError, 0, values(&third)));
    assert_eq!(session.next_event(), None);
    session.handle(4 * SECOND, &answer(&first, ErrorStatus::NoError, 0, values(&first)));
    let event = session.next_event().unwrap();
    let answer = event.result.unwrap();
    assert_eq!(event.token, token);
    assert!(answer.bindings.iter().map(|binding| &binding.oid).eq(&oids(45)));
    assert_eq!(answer.bindings[44].value, Value::Counter32(45));
    assert_eq!((answer.started_at, answer.finished_at), (SECOND, 4 * SECOND));
    assert_eq!((answer.transmissions, session.is_idle(), session.deadline()), (3, true, None));
}

#[test]
fn a_timeout_grows_by_the_backoff_and_keeps_the_request_id() {
    let mut session = session(Config { backoff: 2.0, ..config(Version::V2c) });
    session.submit(Request::Get(oids(1)));
    let first = session.transmit(Duration::ZERO).unwrap();
    let mut due = vec![session.deadline().unwrap()];
    while let Some(deadline) = session.deadline() {
        assert_eq!(session.transmit(deadline - Duration::from_nanos(1)), None);
        match session.transmit(deadline) {
            Some(again) => assert_eq!(again, first),
            None => break,
        }
        due.push(session.deadline().unwrap());
    }
    assert_eq!(due, [2 * SECOND, 6 * SECOND, 14 * SECOND]);
    let error = session.next_event().unwrap().result.unwrap_err();
    assert_eq!(error, RequestError::TimedOut { transmissions: 3, malformed: None });
    assert_eq!(error.to_string(), "no answer to 3 datagrams");
    assert!(session.is_idle());
}

#[test]
fn a_silent_device_is_not_asked_the_rest_and_keeps_what_it_gave() {
    let mut session = session(Config { retries: 0, ..config(Version::V2c) });
    session.submit(Request::Get(oids(100)));
    let first = sent(&mut session, Duration::ZERO).unwrap();
    session.handle(SECOND, &answer(&first, ErrorStatus::NoError, 0, values(&first)));
    assert!(session.transmit(SECOND).is_some());
    assert!(session.transmit(3 * SECOND).is_none());
    let answer = session.next_event().unwrap().result.unwrap();
    assert_eq!((answer.bindings.len(), answer.failed.len()), (20, 80));
    assert!(answer.failed.iter().all(|(_, failure)| *failure == Failure::TimedOut));
    assert_eq!(answer.transmissions, 2);
}

#[test]
fn strangers_latecomers_and_duplicates_are_counted_and_change_nothing() {
    let mut session = session(config(Version::V2c));
    session.submit(Request::Get(oids(1)));
    let question = sent(&mut session, Duration::ZERO).unwrap();
    let good = answer(&question, ErrorStatus::NoError, 0, values(&question));
    let mut wrong_id = question.clone();
    wrong_id.pdu.request_id ^= 1;
    let wrong_community = Message { community: Community::new("private"), ..question.clone() };
    let wrong_version = Message { version: Version::V1, ..question.clone() };
    for wrong in [&wrong_id, &wrong_community, &wrong_version] {
        session.handle(SECOND, &answer(wrong, ErrorStatus::NoError, 0, values(wrong)));
    }
    session.handle(SECOND, &question.encode());
    session.handle(SECOND, b"hello");
    assert_eq!(session.next_event(), None);
    session.handle(SECOND, &good);
    session.handle(SECOND, &good);
    assert!(session.next_event().unwrap().result.is_ok());
    assert_eq!(session.next_event(), None);
    let expected =
        Tally { sent: 1, received: 7, malformed: 1, foreign: 3, stale: 2, ..Tally::default() };
    assert_eq!(session.tally(), expected);
}

#[test]
fn too_big_halves_and_is_remembered() {
    let mut session = session(config(Version::V2c));
    session.submit(Request::Get(oids(20)));
    let mut sizes = Vec::new();
    while let Some(question) = sent(&mut session, SECOND) {
        let count = question.pdu.bindings.len();
        sizes.push(count);
        let reply = match count {
            0..=5 => answer(&question, ErrorStatus::NoError, 0, values(&question)),
            _ => answer(&question, ErrorStatus::TooBig, 0, Vec::new()),
        };
        session.handle(SECOND, &reply);
    }
    assert_eq!(sizes, [20, 10, 5, 5, 5, 5]);
    assert_eq!(session.next_event().unwrap().result.unwrap().bindings.len(), 20);
    session.submit(Request::Get(oids(20)));
    assert_eq!(sent(&mut session, SECOND).unwrap().pdu.bindings.len(), 5);
}

#[test]
fn v1_no_such_name_costs_one_name() {
    let mut session = session(config(Version::V1));
    session.submit(Request::Get(oids(5)));
    let mut missing = vec![oids(5)[1].clone(), oids(5)[4].clone()];
    while let Some(question) = sent(&mut session, SECOND) {
        let asked: Vec<&Oid> = question.pdu.bindings.iter().map(|binding| &binding.oid).collect();
        let culprit = missing.first().and_then(|oid| asked.iter().position(|asked| *asked == oid));
        let reply = match culprit {
            Some(place) => {
                missing.remove(0);
                let echo = question.pdu.bindings.clone();
                answer(&question, ErrorStatus::NoSuchName, place as u32 + 1, echo)
            }
            None => answer(&question, ErrorStatus::NoError, 0, values(&question)),
        };
        session.handle(SECOND, &reply);
    }
    let answer = session.next_event().unwrap().result.unwrap();
    let none: Vec<bool> =
        answer.bindings.iter().map(|b| b.value == Value::NoSuchInstance).collect();
    assert_eq!(none, [false, true, false, false, true]);
    assert_eq!((answer.transmissions, answer.failed.len()), (3, 0));
}

#[test]
fn a_culprit_that_the_agent_does_not_name_is_found_by_halving() {
    let mut session = session(config(Version::V2c));
    session.submit(Request::Get(oids(16)));
    let culprit = oids(16)[11].clone();
    while let Some(question) = sent(&mut session, SECOND) {
        let bad = question.pdu.bindings.iter().any(|binding| binding.oid == culprit);
        let reply = match bad {
            true => answer(&question, ErrorStatus::GenErr, 0, question.pdu.bindings.clone()),
            false => answer(&question, ErrorStatus::NoError, 0, values(&question)),
        };
        session.handle(SECOND, &reply);
    }
    let answer = session.next_event().unwrap().result.unwrap();
    assert_eq!(answer.failed, [(culprit, Failure::Refused(ErrorStatus::GenErr))]);
    assert_eq!(answer.bindings.len(), 15);
}

#[test]
fn an_answer_that_leaves_names_out_is_completed_and_one_that_leaves_all_out_ends() {
    let mut session = session(config(Version::V2c));
    session.submit(Request::Get(oids(4)));
    let question = sent(&mut session, SECOND).unwrap();
    let part = values(&question)[2..].to_vec();
    session.handle(SECOND, &answer(&question, ErrorStatus::NoError, 0, part));
    let rest = sent(&mut session, SECOND).unwrap();
    assert_eq!(rest.pdu.bindings, question.pdu.bindings[..2]);
    session.handle(SECOND, &answer(&rest, ErrorStatus::NoError, 0, Vec::new()));
    let answer = session.next_event().unwrap().result.unwrap();
    assert!(answer.bindings.iter().map(|binding| &binding.oid).eq(&oids(4)[2..]));
    assert!(answer.failed.iter().all(|(_, failure)| *failure == Failure::LeftOut));
}

#[test]
fn an_unreadable_answer_is_told_when_patience_ends() {
    let mut session = session(Config { retries: 0, ..config(Version::V2c) });
    session.submit(Request::Get(oids(1)));
    let question = sent(&mut session, Duration::ZERO).unwrap();
    let mut broken = answer(&question, ErrorStatus::NoError, 0, values(&question));
    let value = broken.len() - 3;
    broken[value] = 0x7f;
    session.handle(SECOND, &broken);
    assert_eq!(session.transmit(9 * SECOND), None);
    let error = session.next_event().unwrap().result.unwrap_err().to_string();
    assert!(error.contains("found tag 0x7f"), "{error}");
}

#[test]
fn a_cancelled_request_leaves_no_trace() {
    let mut session = session(config(Version::V2c));
    let token = session.submit(Request::Get(oids(30)));
    let question = sent(&mut session, SECOND).unwrap();
    session.cancel(token);
    assert!(session.is_idle());
    assert_eq!((session.deadline(), session.transmit(SECOND)), (None, None));
    session.handle(SECOND, &answer(&question, ErrorStatus::NoError, 0, values(&question)));
    assert_eq!((session.next_event(), session.tally().stale), (None, 1));
}

#[test]
fn nothing_asked_is_answered_at_once() {
    let mut session = session(config(Version::V2c));
    session.submit(Request::Get(Vec::new()));
    assert_eq!(session.transmit(SECOND), None);
    assert_eq!(session.next_event().unwrap().result.unwrap().bindings, []);
}

#[test]
fn absurd_settings_neither_panic_nor_hang() {
    let absurd = Config {
        bindings_max: 0,
        in_flight_max: 0,
        repetitions_max: Some(0),
        timeout: Duration::MAX,
        backoff: f64::NAN,
        retries: u32::MAX,
        ..config(Version::V2c)
    };
    let mut session = session(absurd);
    session.submit(Request::Get(oids(2)));
    session.submit(Request::Walk(oid("1.3.6.1")));
    for _ in 0..50 {
        let now = session.deadline().unwrap();
        if let Some(question) = sent(&mut session, now) {
            assert_eq!(question.pdu.bindings.len(), 1);
        }
    }
}
