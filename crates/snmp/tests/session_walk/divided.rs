//! Walks that are divided into parts, which are asked for side by side.

use crate::device::{BulkFault, Device};
use proptest::prelude::*;
use snmp::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn session(in_flight_max: usize, repetitions_max: Option<u32>) -> Session {
    let config = Config::new(Version::V2c, Community::new("public"));
    let config = Config { retries: 3, in_flight_max, repetitions_max, ..config };
    Session::new(config, RequestIdKey::new(1).ids(0))
}

fn root() -> Oid {
    "1.3.6.1.2.1.2.2.1.10".parse().unwrap()
}

/// A table with these rows, between two others.
fn table(rows: impl Iterator<Item = Vec<u32>>) -> BTreeMap<Oid, Value> {
    let cell = |arcs: Vec<u32>| (root().extended(&arcs).unwrap(), Value::Counter32(arcs[0]));
    let mut table: BTreeMap<Oid, Value> = rows.map(cell).collect();
    for index in 1..40 {
        for column in ["1.3.6.1.2.1.2.2.1.9", "1.3.6.1.2.1.2.2.1.11"] {
            let column: Oid = column.parse().unwrap();
            table.insert(column.extended(&[index]).unwrap(), Value::Counter32(index));
        }
    }
    table
}

/// What a walk took: rounds are how often all that could be sent was sent, and then answered.
#[derive(Debug)]
struct Took {
    result: Result<Vec<VarBind>, RequestError>,
    requests: usize,
    rounds: usize,
}

/// A network that loses a part of the questions, but none twice, and answers in any order.
struct Network<'a> {
    device: &'a mut Device,
    mixed: &'a [usize],
    is_lossy: bool,
    asked: usize,
    lost: BTreeSet<i32>,
    answers: Vec<Vec<u8>>,
}

impl Network<'_> {
    fn send_all(&mut self, session: &mut Session, now: Duration) {
        while let Some(question) = session.transmit(now) {
            self.asked += 1;
            let id = peek_request_id(&question).unwrap();
            let is_unlucky = self.is_lossy && self.chance().is_multiple_of(7);
            if !(is_unlucky && self.lost.insert(id)) {
                self.answers.extend(self.device.respond(&question));
            }
        }
    }

    fn chance(&self) -> usize {
        self.mixed[self.asked % self.mixed.len()].wrapping_add(self.asked)
    }

    fn walk(&mut self, session: &mut Session) -> Result<Vec<VarBind>, RequestError> {
        session.submit(Request::Walk(root()));
        let mut now = Duration::ZERO;
        for _ in 0..200_000 {
            self.send_all(session, now);
            if let Some(event) = session.next_event() {
                assert!(session.is_idle());
                self.answers.clear();
                let late = now + Duration::from_secs(100);
                assert_eq!(session.transmit(late), None, "nothing is left");
                return event.result.map(|answer| answer.bindings);
            }
            match self.answers.len() {
                0 => now = now.max(session.deadline().unwrap()),
                count => {
                    let answer = self.answers.swap_remove(self.chance() % count);
                    session.handle(now, &answer);
                }
            }
        }
        panic!("no end");
    }
}

/// The rounds of a walk whose answers take equally long.
fn round_trips(session: &mut Session, device: &mut Device) -> Took {
    session.submit(Request::Walk(root()));
    let (mut requests, mut rounds) = (0, 0);
    loop {
        let mut answers = Vec::new();
        while let Some(question) = session.transmit(Duration::ZERO) {
            answers.extend(device.respond(&question));
        }
        rounds += 1;
        requests += answers.len();
        for answer in answers {
            session.handle(Duration::ZERO, &answer);
        }
        if let Some(event) = session.next_event() {
            let result = event.result.map(|answer| answer.bindings);
            return Took { result, requests, rounds };
        }
    }
}

#[test]
fn a_large_table_takes_a_quarter_of_the_round_trips() {
    let dense = || table((1..=50_000).map(|index| vec![index]));
    let slots = || table((0..50_000).map(|nth| vec![(nth / 500 + 1) * 1_000_000 + nth % 500]));
    let addresses = || table((0..50_000).map(|nth| vec![10, nth >> 16, nth >> 8 & 255, nth & 255]));
    for (name, mib) in [("dense", dense()), ("slots", slots()), ("addresses", addresses())] {
        let mut device = Device::new(mib);
        let one = round_trips(&mut session(1, None), &mut device);
        let four = round_trips(&mut session(4, None), &mut device);
        let rows = one.result.unwrap();
        assert_eq!(rows.len(), 50_000);
        assert!(four.result.unwrap() == rows, "{name}");
        let words = format!(
            "{name}: {} requests in {} round trips, alone {}",
            four.requests, four.rounds, one.rounds
        );
        assert!(four.requests * 100 < one.requests * 110, "{words}");
        assert!(four.rounds * 10 < one.rounds * 4, "{words}");
        println!("{words}");
    }
}

#[test]
fn a_small_table_is_walked_as_before() {
    for rows in [0, 1, 24, 25, 60] {
        let mut device = Device::new(table((1..=rows).map(|index| vec![index])));
        let one = round_trips(&mut session(1, None), &mut device);
        let four = round_trips(&mut session(4, None), &mut device);
        assert_eq!((four.requests, four.result), (one.requests, one.result), "{rows}");
    }
}

/// How an agent answers what follows a name that it does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unknown {
    Right,
    Error,
    Silent,
    /// It begins its tables anew.
    First,
}

fn asks_for_unknown(device: &Device, question: &[u8]) -> bool {
    let message = Message::decode(question).unwrap();
    let asked = &message.pdu.bindings[0].oid;
    *asked != root() && !device.mib.contains_key(asked)
}

#[test]
fn agents_that_know_only_their_own_names_are_walked_as_one() {
    let rows: Vec<Vec<u32>> = (1..=400).map(|index| vec![index * 3]).collect();
    for unknown in [Unknown::Right, Unknown::Error, Unknown::Silent, Unknown::First] {
        let mut device = Device::new(table(rows.iter().cloned()));
        let mut session = session(4, None);
        for nth in 0..2 {
            session.submit(Request::Walk(root()));
            let mut now = Duration::from_secs(nth * 1000);
            let mut odd = 0;
            let event = loop {
                while let Some(question) = session.transmit(now) {
                    let is_odd = asks_for_unknown(&device, &question);
                    odd += usize::from(is_odd);
                    let mut answer = device.respond(&question).unwrap();
                    if is_odd && unknown != Unknown::Right {
                        let mut message = Message::decode(&answer).unwrap();
                        let status = ErrorStatus::GenErr;
                        match unknown {
                            Unknown::Error => {
                                message.pdu.operation =
                                    Operation::Response { error_status: status, error_index: 1 };
                            }
                            Unknown::First => {
                                let oid = "1.3.6.1.2.1.1.1.0".parse().unwrap();
                                let value = Value::Integer(1);
                                message.pdu.bindings = vec![VarBind { oid, value }];
                            }
                            Unknown::Right | Unknown::Silent => continue,
                        }
                        answer = message.encode();
                    }
                    session.handle(now, &answer);
                }
                if let Some(event) = session.next_event() {
                    break event;
                }
                now = now.max(session.deadline().unwrap());
            };
            let walked = event.result.unwrap().bindings;
            assert_eq!(walked, device.below(&root()), "{unknown:?}");
            let may_divide = unknown == Unknown::Right || nth == 0;
            assert_eq!(odd > 0, may_divide, "{unknown:?}: it is not tried again");
        }
    }
}

fn any_rows() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let gap = prop_oneof![8 => Just(1u32), 2 => 1..5u32, 1 => 1..100_000u32, 1 => any::<u32>()];
    let deeper = prop_oneof![
        3 => Just(Vec::new()),
        1 => proptest::collection::vec(prop_oneof![0..3u32, any::<u32>()], 0..4),
    ];
    proptest::collection::vec((gap, deeper), 0..300).prop_map(|steps| {
        let mut index = 0u32;
        let rows = steps.into_iter().map(|(gap, deeper)| {
            index = index.saturating_add(gap);
            [vec![index], deeper].concat()
        });
        rows.collect()
    })
}

fn any_fault() -> impl Strategy<Value = BulkFault> {
    prop_oneof![
        4 => Just(BulkFault::Works),
        1 => Just(BulkFault::GenErr),
        1 => Just(BulkFault::Empty),
        1 => (0..6u32).prop_map(BulkFault::TooBigFor),
    ]
}

proptest! {
    #[test]
    fn parts_bring_the_rows_of_a_single_walk(
        rows in any_rows(), bulk in any_fault(), in_flight_max in 1..9usize,
        repetitions in 1..12u32, mixed in proptest::collection::vec(any::<usize>(), 1..40),
        is_lossy in any::<bool>(),
    ) {
        let mut device = Device { bulk, ..Device::new(table(rows.into_iter())) };
        let expected = device.below(&root());
        let mut session = session(in_flight_max, Some(repetitions));
        let (asked, lost, answers) = (0, BTreeSet::new(), Vec::new());
        let device = &mut device;
        let mut network = Network { device, mixed: &mixed, is_lossy, asked, lost, answers };
        for _ in 0..2 {
            prop_assert_eq!(&network.walk(&mut session).unwrap(), &expected);
        }
    }

    #[test]
    fn a_table_that_changes_meanwhile_still_rises(
        rows in any_rows(), repetitions in 1..8u32, changes in any::<u32>(),
    ) {
        let mut device = Device::new(table(rows.into_iter()));
        let mut session = session(4, Some(repetitions));
        session.submit(Request::Walk(root()));
        let mut changes = changes;
        for _ in 0..5_000 {
            while let Some(question) = session.transmit(Duration::ZERO) {
                let answer = device.respond(&question).unwrap();
                session.handle(Duration::ZERO, &answer);
                changes = changes.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let row = root().extended(&[changes >> 20]).unwrap();
                if device.mib.remove(&row).is_none() {
                    device.mib.insert(row, Value::Counter32(0));
                }
            }
            if let Some(event) = session.next_event() {
                let walked = event.result.unwrap().bindings;
                prop_assert!(walked.is_sorted_by(|one, next| one.oid < next.oid));
                return Ok(());
            }
        }
        prop_assert!(false, "no end");
    }
}
