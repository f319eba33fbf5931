//! What a session learns of a device's limits, and when it forgets that.

use crate::device::{BulkFault, Device, interfaces, run, session};
use snmp::*;
use std::sync::Arc;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

fn cells(rows: u32) -> Request {
    let columns = [mib::IF_IN_OCTETS, mib::IF_HC_IN_OCTETS].into();
    let scalars = [mib::SYS_UP_TIME].into();
    let table = TableNames { scalars, columns, rows: (1..=rows).collect() };
    Request::Values(Arc::new(Names::Table(table)))
}

/// The operations of the datagrams that a request takes of a device that answers at once.
fn operations(session: &mut Session, device: &mut Device, now: Duration) -> Vec<Operation> {
    session.submit(cells(9));
    let mut operations = Vec::new();
    while let Some(question) = session.transmit(now) {
        operations.push(Message::decode(&question).unwrap().pdu.operation);
        if let Some(answer) = device.respond(&question) {
            session.handle(now, &answer);
        }
    }
    assert!(session.next_event().unwrap().result.is_ok());
    operations
}

fn bulks(operations: &[Operation]) -> usize {
    operations.iter().filter(|each| matches!(each, Operation::GetBulk { .. })).count()
}

#[test]
fn what_one_session_learns_the_next_one_starts_from() {
    let mut device = Device { bulk: BulkFault::TooBigFor(7), ..Device::new(interfaces(50)) };
    let mut first = session(Version::V2c);
    assert_eq!(first.limits(), Limits::default());
    first.submit(Request::Walk(mib::IF_TABLE));
    run(&mut first, &mut device).unwrap();
    let limits = first.limits();
    assert_eq!((limits.repetitions_max, limits.answered_max), (Some(6), 6));
    let mut second = session(Version::V2c);
    second.recall(&limits);
    device.received = 0;
    second.submit(Request::Walk(mib::IF_TABLE));
    assert_eq!(run(&mut second, &mut device).unwrap().bindings.len(), 100);
    assert_eq!(device.received, 100 / 6 + 1, "nothing is refused any more");
    second.forget_limits();
    assert_eq!(second.limits(), Limits::default());
}

#[test]
fn answers_that_are_too_big_are_remembered() {
    let mut device = Device { response_bytes_max: 400, ..Device::new(interfaces(50)) };
    let mut first = session(Version::V1);
    let names = (1..=50).map(|index| mib::IF_IN_OCTETS.extended(&[index]).unwrap()).collect();
    first.submit(Request::Get(names));
    run(&mut first, &mut device).unwrap();
    let limits = first.limits();
    assert_eq!((limits.bindings_max, limits.has_broken_bulk), (Some(10), false), "v1 has no bulk");
    let mut second = session(Version::V1);
    // Absurd limits are none.
    second.recall(&Limits { bindings_max: Some(0), repetitions_max: Some(0), ..limits });
    assert_eq!(second.limits().bindings_max, Some(1));
}

#[test]
fn broken_bulk_is_tried_again_after_a_day_and_after_a_restart() {
    let mut device = Device { bulk: BulkFault::GenErr, ..Device::new(interfaces(20)) };
    let mut session = session(Version::V2c);
    let start = Duration::from_secs(1000);
    let tried = operations(&mut session, &mut device, start);
    assert_eq!(bulks(&tried), 0, "the first question is no trial");
    assert_eq!(bulks(&operations(&mut session, &mut device, start)), 1);
    assert!(session.limits().has_broken_bulk);
    let late = start + DAY - Duration::from_secs(1);
    assert_eq!(bulks(&operations(&mut session, &mut device, late)), 0);
    assert_eq!(bulks(&operations(&mut session, &mut device, start + DAY)), 1);
    assert_eq!(bulks(&operations(&mut session, &mut device, start + DAY)), 0, "for another day");
    // The device gets other software.
    device.bulk = BulkFault::Works;
    session.forget_limits();
    assert_eq!(bulks(&operations(&mut session, &mut device, start + DAY)), 0);
    assert_eq!(operations(&mut session, &mut device, start + DAY).len(), 1);
    assert_eq!(session.limits(), Limits::default());
}

#[test]
fn an_operator_bounds_the_rows_of_walks_and_tables() {
    let mut device = Device::new(interfaces(50));
    let config = Config { repetitions_max: Some(8), ..session(Version::V2c).config().clone() };
    let config = Config { bindings_max: 100, ..config };
    let mut session = Session::new(config, RequestIdKey::new(1).ids(0));
    let mut asked = Vec::new();
    for request in [cells(20), cells(20), Request::Walk(mib::IF_TABLE)] {
        session.submit(request);
        while let Some(question) = session.transmit(Duration::ZERO) {
            let operation = Message::decode(&question).unwrap().pdu.operation;
            if let Operation::GetBulk { max_repetitions, .. } = operation {
                asked.push(max_repetitions);
            }
            session.handle(Duration::ZERO, &device.respond(&question).unwrap());
        }
    }
    // Two of 8 and one of 4 rows; 100 rows of the walk, and what is behind them.
    assert_eq!(asked[..3], [8, 8, 4]);
    assert_eq!(asked[3..], [8; 13]);
}
