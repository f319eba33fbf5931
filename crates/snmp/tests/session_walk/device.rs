//! An agent with faults, and a session that asks it.

use snmp::agent::respond;
use snmp::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// An agent with faults.
#[derive(Debug, Clone)]
pub(crate) struct Device {
    pub(crate) mib: BTreeMap<Oid, Value>,
    pub(crate) response_bytes_max: usize,
    pub(crate) bulk: BulkFault,
    /// Every nth datagram to it is lost; 0 for none.
    pub(crate) lose_every: usize,
    pub(crate) received: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum BulkFault {
    Works,
    Silent,
    GenErr,
    NoSuchName,
    Empty,
    TooBigFor(u32),
}

impl Device {
    pub(crate) fn new(mib: BTreeMap<Oid, Value>) -> Device {
        let bulk = BulkFault::Works;
        Device { mib, response_bytes_max: 1472, bulk, lose_every: 0, received: 0 }
    }

    pub(crate) fn respond(&mut self, datagram: &[u8]) -> Option<Vec<u8>> {
        self.received += 1;
        if self.lose_every > 0 && self.received.is_multiple_of(self.lose_every) {
            return None;
        }
        let request = Message::decode(datagram).unwrap();
        let mut response = respond(&request, &self.mib, self.response_bytes_max)?;
        if let Operation::GetBulk { max_repetitions, .. } = request.pdu.operation {
            let status = match self.bulk {
                BulkFault::Works => None,
                BulkFault::Silent => return None,
                BulkFault::GenErr => Some(ErrorStatus::GenErr),
                BulkFault::NoSuchName => Some(ErrorStatus::NoSuchName),
                BulkFault::Empty => Some(ErrorStatus::NoError),
                BulkFault::TooBigFor(most) => {
                    (max_repetitions > most).then_some(ErrorStatus::TooBig)
                }
            };
            if let Some(error_status) = status {
                response.pdu.operation = Operation::Response { error_status, error_index: 0 };
                response.pdu.bindings.clear();
            }
        }
        Some(response.encode())
    }

    pub(crate) fn below(&self, root: &Oid) -> Vec<VarBind> {
        let bind =
            |(oid, value): (&Oid, &Value)| VarBind { oid: oid.clone(), value: value.clone() };
        self.mib.iter().filter(|(oid, _)| oid.starts_with(root) && *oid != root).map(bind).collect()
    }
}

pub(crate) fn session(version: Version) -> Session {
    let config = Config { retries: 3, ..Config::new(version, Community::new("public")) };
    Session::new(config, RequestIdKey::new(1).ids(0))
}

/// Runs a session against a device until an event comes; the time jumps to each deadline.
pub(crate) fn run(session: &mut Session, device: &mut Device) -> Result<Answer, RequestError> {
    let mut now = Duration::ZERO;
    for _ in 0..100_000 {
        while let Some(datagram) = session.transmit(now) {
            if let Some(response) = device.respond(&datagram) {
                session.handle(now, &response);
            }
        }
        if let Some(event) = session.next_event() {
            assert!(session.is_idle());
            return event.result;
        }
        now = now.max(session.deadline().unwrap());
    }
    panic!("no end");
}

pub(crate) fn interfaces(count: u32) -> BTreeMap<Oid, Value> {
    let mut mib = BTreeMap::new();
    for index in 1..=count {
        let cell = |column: &Oid| column.extended(&[index]).unwrap();
        mib.insert(cell(&mib::IF_DESCR), Value::OctetString(format!("port {index}").into()));
        mib.insert(cell(&mib::IF_IN_OCTETS), Value::Counter32(index * 1000));
        mib.insert(cell(&mib::IF_HC_IN_OCTETS), Value::Counter64(u64::from(index) << 40));
    }
    mib.insert(mib::SYS_UP_TIME, Value::TimeTicks(5));
    mib
}
