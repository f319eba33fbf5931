//! Walks, with agents that have different faults.

use crate::device::{BulkFault, Device, interfaces, run, session};
use proptest::prelude::*;
use snmp::agent::{MibView, respond};
use snmp::*;
use std::collections::BTreeMap;
use std::time::Duration;

#[test]
fn every_kind_of_agent_gives_the_whole_table() {
    let faults = [
        BulkFault::Works,
        BulkFault::Silent,
        BulkFault::GenErr,
        BulkFault::NoSuchName,
        BulkFault::Empty,
        BulkFault::TooBigFor(0),
        BulkFault::TooBigFor(3),
    ];
    for fault in faults {
        for version in [Version::V1, Version::V2c] {
            let mut device = Device { bulk: fault, ..Device::new(interfaces(60)) };
            let mut session = session(version);
            session.submit(Request::Walk(mib::IF_TABLE));
            let answer = run(&mut session, &mut device).unwrap();
            assert_eq!(answer.bindings, device.below(&mib::IF_TABLE), "{fault:?} {version:?}");
            // The limits learned from the device are remembered.
            let before = session.tally();
            session.submit(Request::Walk(mib::IF_TABLE));
            let again = run(&mut session, &mut device).unwrap();
            assert_eq!(again.bindings.len(), 120);
            assert_eq!(session.tally().timed_out, before.timed_out);
        }
    }
}

#[test]
fn v1_does_not_see_64_bits() {
    let mut device = Device::new(interfaces(3));
    let mut session = session(Version::V1);
    session.submit(Request::Walk(mib::IF_X_TABLE));
    assert_eq!(run(&mut session, &mut device).unwrap().bindings, []);
    session
        .submit(Request::Get(vec![mib::IF_HC_IN_OCTETS.extended(&[1]).unwrap(), mib::SYS_UP_TIME]));
    let answer = run(&mut session, &mut device).unwrap();
    assert_eq!(answer.bindings[0].value, Value::NoSuchInstance);
    assert_eq!(answer.bindings[1].value, Value::TimeTicks(5));
}

#[test]
fn bulk_takes_few_datagrams() {
    let mut device = Device::new(interfaces(50));
    let mut session = session(Version::V2c);
    session.submit(Request::Walk(mib::IF_TABLE));
    assert_eq!(run(&mut session, &mut device).unwrap().bindings.len(), 100);
    assert_eq!(session.tally().sent, 5, "25 rows a datagram, and the last one is past the end");
}

/// The repetitions that the next datagram asks for.
fn repetitions(session: &mut Session, now: Duration) -> Option<u32> {
    let question = Message::decode(&session.transmit(now)?).unwrap();
    match question.pdu.operation {
        Operation::GetBulk { max_repetitions, .. } => Some(max_repetitions),
        _ => None,
    }
}

#[test]
fn what_is_too_big_is_remembered_and_what_is_lost_is_asked_smaller() {
    let bulk = BulkFault::TooBigFor(7);
    let mut device = Device { bulk, ..Device::new(interfaces(50)) };
    let mut session = session(Version::V2c);
    session.submit(Request::Walk(mib::IF_TABLE));
    run(&mut session, &mut device).unwrap();
    session.submit(Request::Walk(mib::IF_TABLE));
    let mut asked = Vec::new();
    let mut now = Duration::from_secs(100);
    while let Some(count) = repetitions(&mut session, now) {
        asked.push(count);
        now = session.deadline().unwrap();
    }
    assert_eq!(asked, [6, 3, 1, 1], "25, 12, 6 were tried before; then each retry asks for half");
}

#[test]
fn a_dead_device_costs_one_probe_more_than_a_get() {
    let mut device = Device { lose_every: 1, ..Device::new(interfaces(1)) };
    let mut session = session(Version::V2c);
    session.submit(Request::Walk(mib::IF_TABLE));
    let error = run(&mut session, &mut device).unwrap_err();
    assert_eq!(error, RequestError::TimedOut { transmissions: 5, malformed: None });
}

/// An agent whose GETNEXT loops.
struct Circle;

impl MibView for Circle {
    fn get(&self, _: &Oid) -> Value {
        Value::NoSuchObject
    }

    fn next(&self, oid: &Oid) -> Option<VarBind> {
        let index = oid.index_below(&mib::IF_INDEX).unwrap_or(0);
        let oid = mib::IF_INDEX.extended(&[(index + 1) % 7]).unwrap();
        Some(VarBind { oid, value: Value::Integer(1) })
    }
}

/// An agent that always answers the same name.
struct Stuck;

impl MibView for Stuck {
    fn get(&self, _: &Oid) -> Value {
        Value::NoSuchObject
    }

    fn next(&self, _: &Oid) -> Option<VarBind> {
        let oid = mib::IF_INDEX.extended(&[1]).unwrap();
        Some(VarBind { oid, value: Value::Integer(1) })
    }
}

/// An agent with an endless table.
struct Endless;

impl MibView for Endless {
    fn get(&self, _: &Oid) -> Value {
        Value::NoSuchObject
    }

    fn next(&self, oid: &Oid) -> Option<VarBind> {
        let index = oid.index_below(&mib::IF_INDEX).unwrap_or(0);
        let oid = mib::IF_INDEX.extended(&[index + 1]).unwrap();
        Some(VarBind { oid, value: Value::Integer(1) })
    }
}

/// An agent with endless rows of long text.
struct Talkative;

impl MibView for Talkative {
    fn get(&self, _: &Oid) -> Value {
        Value::NoSuchObject
    }

    fn next(&self, oid: &Oid) -> Option<VarBind> {
        let row = Endless.next(oid)?;
        Some(VarBind { value: Value::OctetString(vec![b'x'; 1000]), ..row })
    }
}

fn walk_of(mib: &impl MibView, version: Version) -> Result<Answer, RequestError> {
    let config = session(version).config().clone();
    let config = Config { walk_rows_max: 1000, walk_bytes_max: 100_000, ..config };
    let mut session = Session::new(config, RequestIdKey::new(1).ids(0));
    session.submit(Request::Walk(mib::IF_TABLE));
    loop {
        let request = session.transmit(Duration::ZERO).map(|it| Message::decode(&it).unwrap());
        if let Some(response) = request.and_then(|request| respond(&request, mib, 1472)) {
            session.handle(Duration::ZERO, &response.encode());
        }
        if let Some(event) = session.next_event() {
            return event.result;
        }
    }
}

#[test]
fn circles_and_endless_tables_end() {
    for version in [Version::V1, Version::V2c] {
        let circle = walk_of(&Circle, version).unwrap_err();
        let (after, found) =
            (mib::IF_INDEX.extended(&[6]).unwrap(), mib::IF_INDEX.extended(&[0]).unwrap());
        assert_eq!(circle, RequestError::NotIncreasing { after, found });
        let one = mib::IF_INDEX.extended(&[1]).unwrap();
        let stuck = walk_of(&Stuck, version).unwrap_err();
        assert_eq!(stuck, RequestError::NotIncreasing { after: one.clone(), found: one });
        let endless = walk_of(&Endless, version).unwrap_err();
        assert_eq!(endless, RequestError::TooManyRows { rows_max: 1000 });
        let talkative = walk_of(&Talkative, version).unwrap_err();
        assert_eq!(talkative, RequestError::TooManyBytes { bytes_max: 100_000 });
    }
}

fn any_mib() -> impl Strategy<Value = BTreeMap<Oid, Value>> {
    let arcs = proptest::collection::vec(0..4u32, 1..5);
    let oid = arcs.prop_map(|arcs| Oid::from_arcs(&[&[1, 3], &arcs[..]].concat()).unwrap());
    let value = prop_oneof![
        any::<u32>().prop_map(Value::Counter32),
        any::<u64>().prop_map(Value::Counter64),
        proptest::collection::vec(any::<u8>(), 0..90).prop_map(Value::OctetString),
    ];
    proptest::collection::btree_map(oid, value, 0..60)
}

#[test]
fn rows_of_a_table_take_one_short_question_once_the_device_has_answered() {
    let columns = [mib::IF_IN_OCTETS, mib::IF_HC_IN_OCTETS].into();
    let scalars = [mib::SYS_UP_TIME].into();
    let names = Names::Table(TableNames { scalars, columns, rows: (10..34).collect() });
    let mut device = Device::new(interfaces(48));
    let config = Config { bindings_max: 60, ..session(Version::V2c).config().clone() };
    let mut session = Session::new(config, RequestIdKey::new(1).ids(0));
    let mut questions_bytes = Vec::new();
    for _ in 0..2 {
        session.submit(Request::Values(std::sync::Arc::new(names.clone())));
        while let Some(question) = session.transmit(Duration::ZERO) {
            questions_bytes.push(question.len());
            session.handle(Duration::ZERO, &device.respond(&question).unwrap());
        }
        let answer = session.next_event().unwrap().result.unwrap();
        assert!(answer.values.iter().all(Result::is_ok) && answer.values.len() == 49);
    }
    let [first, second] = questions_bytes[..] else { panic!("{questions_bytes:?}") };
    assert!(first > 700 && second < 100, "{questions_bytes:?}");
}

fn any_fault() -> impl Strategy<Value = BulkFault> {
    prop_oneof![
        4 => Just(BulkFault::Works),
        1 => Just(BulkFault::Silent),
        1 => Just(BulkFault::GenErr),
        1 => Just(BulkFault::NoSuchName),
        1 => Just(BulkFault::Empty),
        2 => (0..20u32).prop_map(BulkFault::TooBigFor),
    ]
}

proptest! {
    #[test]
    fn any_table_arrives_whole_over_any_agent(
        mib in any_mib(), bulk in any_fault(), response_bytes_max in 180..1500usize, root in 0..4u32,
        lose_every in prop_oneof![Just(0), 3..9usize],
    ) {
        // Silence together with losses may look like a dead device, because the one probe can be
        // lost.
        let lose_every = if bulk == BulkFault::Silent { 0 } else { lose_every };
        let mut device = Device { response_bytes_max, bulk, lose_every, ..Device::new(mib) };
        let root = Oid::from_arcs(&[1, 3, root]).unwrap();
        let mut session = session(Version::V2c);
        session.submit(Request::Walk(root.clone()));
        let walked = run(&mut session, &mut device).unwrap();
        prop_assert_eq!(&walked.bindings, &device.below(&root));

        let mut names: Vec<Oid> = device.mib.keys().cloned().collect();
        names.push("1.3.9.9".parse().unwrap());
        session.submit(Request::Get(names.clone()));
        let got = run(&mut session, &mut device).unwrap();
        prop_assert_eq!(got.failed, []);
        for (binding, name) in got.bindings.iter().zip(&names) {
            prop_assert_eq!(&binding.oid, name);
            prop_assert_eq!(&binding.value, &MibView::get(&device.mib, name));
        }
    }

    #[test]
    fn any_cells_arrive_right_over_any_agent(
        rows in proptest::collection::btree_set(1..90u32, 1..40),
        holes in proptest::collection::btree_set((0..3usize, 1..90u32), 0..20),
        also_wanted in proptest::collection::btree_set(1..90u32, 0..6),
        bulk in any_fault(), response_bytes_max in 180..1500usize,
        lose_every in prop_oneof![Just(0), 3..9usize],
    ) {
        let lose_every = if bulk == BulkFault::Silent { 0 } else { lose_every };
        let columns = [mib::IF_DESCR, mib::IF_IN_OCTETS, mib::IF_HC_IN_OCTETS];
        let mut table = interfaces(90);
        table.retain(|oid, _| columns.iter().enumerate().all(|(nth, column)| {
            let index = oid.index_below(column);
            index.is_none_or(|index| rows.contains(&index) && !holes.contains(&(nth, index)))
        }));
        let wanted: Vec<u32> = rows.union(&also_wanted).copied().collect();
        let scalars = [mib::SYS_UP_TIME].into();
        let table_names = TableNames { scalars, columns: columns.into(), rows: wanted.into() };
        let names = std::sync::Arc::new(Names::Table(table_names));
        let mut device = Device { response_bytes_max, bulk, lose_every, ..Device::new(table) };
        let config = Config::new(Version::V2c, Community::new("public"));
        let config = Config { retries: 3, bindings_max: 60, in_flight_max: 3, ..config };
        let mut session = Session::new(config, RequestIdKey::new(1).ids(0));
        for _ in 0..4 {
            session.submit(Request::Values(names.clone()));
            let answer = run(&mut session, &mut device).unwrap();
            prop_assert_eq!(answer.values.len(), names.len());
            for (place, value) in answer.values.iter().enumerate() {
                let name = names.get(place).unwrap();
                prop_assert_eq!(value, &Ok(MibView::get(&device.mib, &name)), "{}", name);
            }
        }
    }

    #[test]
    fn no_bytes_upset_a_session(
        datagrams in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..20),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..60),
    ) {
        let mut device = Device::new(interfaces(10));
        let mut session = session(Version::V2c);
        session.submit(Request::Walk(mib::IF_TABLE));
        session.submit(Request::Get(device.mib.keys().cloned().collect()));
        for datagram in datagrams {
            session.handle(Duration::ZERO, &datagram);
        }
        let mut now = Duration::ZERO;
        for (at, octet) in changes {
            if let Some(question) = session.transmit(now) {
                let mut response = device.respond(&question).unwrap();
                let at = at.index(response.len());
                response[at] = octet;
                session.handle(now, &response);
            }
            while session.next_event().is_some() {}
            now += Duration::from_secs(3);
        }
    }
}

/// The names that an agent gives to a request, and how many requests it took.
fn names_of(mib: BTreeMap<Oid, Value>, version: Version, request: Request) -> (Vec<Oid>, usize) {
    let mut session = session(version);
    let mut device = Device::new(mib);
    session.submit(request);
    loop {
        let datagram = session.transmit(Duration::ZERO).unwrap();
        session.handle(Duration::ZERO, &device.respond(&datagram).unwrap());
        if let Some(event) = session.next_event() {
            let bindings = event.result.unwrap().bindings;
            let names = bindings.into_iter().map(|binding| binding.oid).collect();
            return (names, device.received);
        }
    }
}

#[test]
fn the_first_rows_and_what_follows_take_no_more_than_they_need() {
    let row = |nth: u32| mib::IF_INDEX.extended(&[nth]).unwrap();
    let rows = (1..=100).map(|nth| (row(nth), Value::Integer(nth as i32)));
    let mib: BTreeMap<Oid, Value> = rows.collect();
    let first = |rows| Request::First { root: mib::IF_INDEX, rows };
    let three: Vec<Oid> = (1..=3).map(row).collect();
    assert_eq!(names_of(mib.clone(), Version::V2c, first(3)), (three.clone(), 1));
    assert_eq!(names_of(mib.clone(), Version::V1, first(3)), (three, 3));
    assert_eq!(names_of(mib.clone(), Version::V2c, first(200)).0.len(), 100);
    for version in [Version::V1, Version::V2c] {
        let next = |oid: Oid| names_of(mib.clone(), version, Request::Next(oid));
        assert_eq!(next(row(5)), (vec![row(6)], 1));
        // What follows is elsewhere.
        assert_eq!(next(mib::SYS_UP_TIME), (vec![row(1)], 1));
        assert_eq!(next(row(100)), (vec![], 1));
    }
}
