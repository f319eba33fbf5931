//! A session of SNMPv3 with our own agent, step by step: what is forged, late, lost or refused.

use snmp::agent::{Authority, EngineTime};
use snmp::v3::{Context, Header, LocalKeys, Report, Scope, View, seal};
use snmp::*;
use std::collections::BTreeMap;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const ENGINE: &[u8] = b"\x80\x00\x1f\x88\x04simulated";

fn user(name: &str, authentication: &str, privacy: &str) -> User {
    let key = |password: &str| Key::Password(Secret::new(password));
    let authentication =
        Authentication { protocol: AuthProtocol::Sha256, key: key(authentication) };
    let privacy = Privacy { protocol: PrivacyProtocol::Aes128, key: key(privacy) };
    User::new(name.as_bytes(), Some(authentication), Some(privacy)).unwrap()
}

fn monitor() -> User {
    user("monitor", "an authentication", "a privacy secret")
}

/// A device, whose clock the test turns.
struct Device {
    authority: Authority,
    time: EngineTime,
    mib: BTreeMap<Oid, Value>,
}

impl Device {
    fn new(engine_id: &[u8]) -> Device {
        let value = |arc| (name(arc), Value::Counter32(arc));
        Device {
            authority: Authority::new(engine_id, &[monitor()], 99),
            time: EngineTime { boots: 5, seconds: 1000 },
            mib: (1..100).map(value).collect(),
        }
    }

    fn answer(&self, datagram: &[u8]) -> Vec<u8> {
        self.authority.respond(datagram, self.time, &self.mib, 1472).unwrap().unwrap()
    }
}

fn name(arc: u32) -> Oid {
    Oid::from_arcs(&[1, 3, arc]).unwrap()
}

fn get() -> Request {
    Request::Get(vec![name(1), name(2)])
}

fn session(user: User) -> Session {
    let config = Config { retries: 2, ..Config::with_user(user, Context::default()) };
    Session::new(config, RequestIdKey::new(1).ids(0))
}

/// Everything that session and device have to say to each other.
fn converse(session: &mut Session, device: &Device, now: Duration) -> Option<Event> {
    while let Some(datagram) = session.transmit(now) {
        session.handle(now, &device.answer(&datagram));
    }
    session.next_event()
}

fn ask(session: &mut Session, device: &Device, now: Duration) -> Result<Answer, RequestError> {
    session.submit(get());
    converse(session, device, now).expect("an answer").result
}

/// A session that has asked and waits for its answer, its engine known.
fn waiting(device: &Device) -> (Session, Vec<u8>) {
    let mut session = session(monitor());
    session.submit(get());
    let discovery = session.transmit(SECOND).unwrap();
    session.handle(SECOND, &device.answer(&discovery));
    let question = session.transmit(SECOND).unwrap();
    (session, question)
}

/// The answer to a question, sealed once more after a change.
fn changed(
    device: &Device,
    question: &[u8],
    change: impl FnOnce(&mut Header<'_>, &mut Scope<'_>, &mut Pdu),
) -> Vec<u8> {
    let keys = monitor().localize(ENGINE);
    let answer = device.answer(question);
    let view = View::parse(&answer).unwrap();
    let text = view.open(&keys).unwrap();
    let scoped = text.scoped().unwrap();
    let (mut header, mut scope) = (view.header(), scoped.scope());
    let mut pdu = scoped.to_pdu().unwrap();
    change(&mut header, &mut scope, &mut pdu);
    seal(&header, &scope, &pdu, &keys, 1)
}

#[test]
fn the_engine_is_found_once_and_its_clock_is_followed() {
    let mut device = Device::new(ENGINE);
    let mut session = session(monitor());
    let answer = ask(&mut session, &device, SECOND).unwrap();
    assert_eq!((answer.bindings.len(), answer.transmissions), (2, 2));
    for hours in 1..200u32 {
        let now = hours * 3600 * SECOND;
        // A clock that is a little fast stays in the window, for every answer sets ours.
        device.time.seconds = 1000 + hours * 3720;
        assert_eq!(ask(&mut session, &device, now).unwrap().transmissions, 1);
    }
    assert_eq!(session.tally().forged, 0);
}

#[test]
fn while_the_engine_is_unknown_only_one_datagram_asks_for_it() {
    let device = Device::new(ENGINE);
    let config = Config {
        bindings_max: 1,
        in_flight_max: 4,
        ..Config::with_user(monitor(), Context::default())
    };
    let mut session = Session::new(config, RequestIdKey::new(1).ids(0));
    session.submit(Request::Get((1..10).map(name).collect()));
    let discovery = session.transmit(SECOND).unwrap();
    assert_eq!(session.transmit(SECOND), None);
    session.handle(SECOND, &device.answer(&discovery));
    let questions: Vec<_> = std::iter::from_fn(|| session.transmit(SECOND)).collect();
    assert_eq!(questions.len(), 4);
}

#[test]
fn a_restart_another_engine_and_a_clock_set_back_are_followed() {
    let mut device = Device::new(ENGINE);
    let mut session = session(monitor());
    ask(&mut session, &device, SECOND).unwrap();
    device.time = EngineTime { boots: 6, seconds: 3 };
    assert_eq!(ask(&mut session, &device, 2 * SECOND).unwrap().transmissions, 2);
    // Some devices forget how often they have started.
    device.time = EngineTime { boots: 1, seconds: 3 };
    assert_eq!(ask(&mut session, &device, 3 * SECOND).unwrap().transmissions, 2);
    let other = Device::new(b"\x80\x00\x1f\x88\x04replaced");
    assert_eq!(ask(&mut session, &other, 4 * SECOND).unwrap().transmissions, 2);
    let tally = session.tally();
    assert_eq!((tally.retried, tally.forged, tally.foreign, tally.stale), (0, 0, 0, 0));
}

#[test]
fn what_is_not_authentic_is_counted_and_changes_nothing() {
    let device = Device::new(ENGINE);
    let (mut session, question) = waiting(&device);
    let good = device.answer(&question);
    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let forged = [
        flipped,
        changed(&device, &question, |header, _, _| header.level = SecurityLevel::Plain),
        changed(&device, &question, |header, _, _| header.level = SecurityLevel::Authenticated),
    ];
    for datagram in &forged {
        session.handle(SECOND, datagram);
    }
    let foreign = [
        changed(&device, &question, |_, scope, _| scope.name = b"elsewhere"),
        changed(&device, &question, |header, _, _| header.user = b"another"),
        changed(&device, &question, |_, _, pdu| pdu.request_id ^= 1),
        changed(&device, &question, |_, _, pdu| pdu.operation = Operation::Get),
    ];
    for datagram in &foreign {
        session.handle(SECOND, datagram);
    }
    session.handle(SECOND, &changed(&device, &question, |header, _, _| header.message_id ^= 1));
    session.handle(SECOND, b"hello");
    session.handle(SECOND, &question);
    assert_eq!(session.next_event(), None);
    session.handle(SECOND, &good);
    assert!(session.next_event().unwrap().result.is_ok());
    session.handle(SECOND, &good);
    let tally = session.tally();
    let counts = (tally.forged, tally.foreign, tally.stale, tally.malformed);
    // Our own question, sent back, is of the right user and no response.
    assert_eq!(counts, (3, 5, 2, 1));
}

#[test]
fn an_answer_of_another_time_is_a_replay() {
    let mut device = Device::new(ENGINE);
    let mut session = session(monitor());
    ask(&mut session, &device, SECOND).unwrap();
    session.submit(get());
    let question = session.transmit(SECOND).unwrap();
    let late = changed(&device, &question, |header, _, _| header.time -= 151);
    session.handle(SECOND, &late);
    let before = changed(&device, &question, |header, _, _| header.boots -= 1);
    session.handle(SECOND, &before);
    assert_eq!((session.tally().forged, session.next_event()), (2, None));
    device.time.seconds -= 149;
    session.handle(SECOND, &device.answer(&question));
    assert!(session.next_event().unwrap().result.is_ok());
}

#[test]
fn a_forged_report_does_not_end_a_request() {
    let device = Device::new(ENGINE);
    let (mut session, question) = waiting(&device);
    let refused = Device {
        authority: Authority::new(ENGINE, &[user("else", "an authentication", "not known")], 1),
        ..Device::new(ENGINE)
    };
    session.handle(SECOND, &refused.answer(&question));
    assert_eq!(session.next_event(), None);
    session.handle(SECOND, &device.answer(&question));
    assert!(session.next_event().unwrap().result.is_ok());
}

#[test]
fn a_forged_report_of_another_engine_ends_no_request_and_sets_no_clock() {
    let device = Device::new(ENGINE);
    let mut session = session(monitor());
    ask(&mut session, &device, SECOND).unwrap();
    session.submit(get());
    let old = device.answer(&session.transmit(SECOND).unwrap());
    session.handle(SECOND, &old);
    assert!(session.next_event().unwrap().result.is_ok());
    session.submit(get());
    let question = session.transmit(SECOND).unwrap();
    let other = b"\x80\x00\x1f\x88\x04forged";
    session.handle(SECOND, &Device::new(other).answer(&question));
    // It asks the engine that it was told of, and then again the one that it knows.
    let question = session.transmit(SECOND).unwrap();
    session.handle(SECOND, &device.answer(&question));
    session.handle(SECOND, &old);
    assert_eq!(session.next_event(), None, "neither a report nor an old answer ends it");
}

#[test]
fn a_report_without_a_better_answer_ends_the_request_soon_and_without_retries() {
    let device = Device::new(ENGINE);
    for (user, report) in [
        (user("stranger", "an authentication", "a privacy secret"), Report::UnknownUser),
        (user("monitor", "a wrong password", "a privacy secret"), Report::WrongDigest),
        (User::new(b"monitor", None, None).unwrap(), Report::UnsupportedLevel),
        (user("monitor", "an authentication", "a wrong password"), Report::DecryptionError),
    ] {
        let mut session = session(user);
        session.submit(get());
        assert_eq!(converse(&mut session, &device, SECOND), None);
        let deadline = session.deadline().unwrap();
        assert_eq!(deadline, SECOND + SECOND / 2, "a quarter of the timeout");
        assert_eq!(session.transmit(deadline), None);
        let error = session.next_event().unwrap().result.unwrap_err();
        assert!(
            matches!(&error, RequestError::Denied { report: r, .. } if *r == report),
            "{error}"
        );
        assert_eq!(session.tally().sent, 2);
    }
}

#[test]
fn an_agent_that_keeps_asking_for_the_same_is_given_up() {
    let mut device = Device::new(ENGINE);
    let mut session = session(monitor());
    ask(&mut session, &device, SECOND).unwrap();
    session.submit(get());
    while let Some(question) = session.transmit(SECOND) {
        // Its clock jumps whenever it is asked.
        device.time.seconds += 1000;
        session.handle(SECOND, &device.answer(&question));
    }
    let error = session.next_event().unwrap().result.unwrap_err();
    assert_eq!(error.to_string(), "user monitor: the agent refuses the time that it has just told");
    assert_eq!(session.tally().sent, 4);
}

#[test]
fn a_report_about_the_time_must_be_authentic() {
    let device = Device::new(ENGINE);
    let (mut session, question) = waiting(&device);
    let header = View::parse(&question).unwrap().header();
    let plain = Header { level: SecurityLevel::Plain, boots: 77, is_reportable: false, ..header };
    let counter: Oid = "1.3.6.1.6.3.15.1.1.2.0".parse().unwrap();
    let pdu = Pdu {
        request_id: 0,
        operation: Operation::Report,
        bindings: vec![VarBind { oid: counter, value: Value::Counter32(1) }],
    };
    let scope = Scope { engine_id: ENGINE, name: b"" };
    session.handle(SECOND, &seal(&plain, &scope, &pdu, &LocalKeys::default(), 0));
    assert_eq!((session.tally().forged, session.transmit(SECOND)), (1, None));
    session.handle(SECOND, &device.answer(&question));
    assert!(session.next_event().unwrap().result.is_ok());
}

#[test]
fn lost_datagrams_are_sent_again_with_their_id_a_new_time_and_a_new_salt() {
    let device = Device::new(ENGINE);
    let (mut session, first) = waiting(&device);
    let second = session.transmit(3 * SECOND).unwrap();
    let (one, two) = (View::parse(&first).unwrap(), View::parse(&second).unwrap());
    assert_eq!(one.header().message_id, two.header().message_id);
    assert_eq!(one.header().time + 2, two.header().time);
    assert_ne!(one.salt(), two.salt());
    // The answer to the first is still an answer.
    session.handle(3 * SECOND, &device.answer(&first));
    assert!(session.next_event().unwrap().result.is_ok());
}

#[test]
fn a_context_reaches_the_agent_and_sessions_do_not_share_salts() {
    let context = Context { engine_id: None, name: (*b"vrf-7").into() };
    let config = Config::with_user(monitor(), context);
    let key = RequestIdKey::new(1);
    let device = Device::new(ENGINE);
    let mut salts = Vec::new();
    for slot in 0..3 {
        let mut session = Session::new(config.clone(), key.ids(slot));
        session.submit(get());
        let discovery = session.transmit(SECOND).unwrap();
        session.handle(SECOND, &device.answer(&discovery));
        let question = session.transmit(SECOND).unwrap();
        let view = View::parse(&question).unwrap();
        salts.push(view.salt().to_vec());
        let text = view.open(&monitor().localize(ENGINE)).unwrap();
        assert_eq!(text.scoped().unwrap().scope().name, b"vrf-7");
        session.handle(SECOND, &device.answer(&question));
        assert!(session.next_event().unwrap().result.is_ok());
    }
    salts.dedup();
    assert_eq!(salts.len(), 3);
}

#[test]
fn an_answer_has_no_more_bytes_than_its_asker_or_the_agent_allows() {
    let device = Device::new(ENGINE);
    let keys = monitor().localize(ENGINE);
    let (_, question) = waiting(&device);
    let header = View::parse(&question).unwrap().header();
    let operation = Operation::GetBulk { non_repeaters: 0, max_repetitions: 90 };
    let bindings = vec![VarBind::asking(name(0))];
    let pdu = Pdu { request_id: header.message_id, operation, bindings };
    let scope = Scope { engine_id: ENGINE, name: b"" };
    for (size_max, agent_max) in [(484, 1472), (1472, 484), (65_507, 800)] {
        let question = seal(&Header { size_max, ..header }, &scope, &pdu, &keys, 1);
        let answer = device.authority.respond(&question, device.time, &device.mib, agent_max);
        let bytes = answer.unwrap().unwrap().len();
        let most = agent_max.min(size_max as usize);
        assert!(bytes <= most && bytes + 120 > most, "{bytes} of {most}");
    }
}
