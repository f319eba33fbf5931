//! The collector with a device that answers anything: the readers of the interfaces' tables, the
//! checks of a poll, and the schedule, which must go on.
//!
//! The input says, a few bytes a binding, what each answer holds: the name that was asked for, one
//! behind it or one before it, and a value of any kind.
#![no_main]

use std::net::Ipv4Addr;
use std::time::Duration;

use collector::{
    AnswersFrom, DevicePlan, Family, InterfaceReference, Output, Plan, Scheduler, Transport,
    Variable,
};
use libfuzzer_sys::fuzz_target;
use rrd::Timestamp;
use snmp::{Community, Config, ErrorStatus, Message, Oid, Operation, Value, VarBind, Version, mib};

/// After so many cycles the input's last bytes have been used, or never will be.
const CYCLES: u64 = 4;
const INTERVAL: Duration = Duration::from_secs(60);
/// More datagrams for one device in a cycle would be a loop without an end.
const DATAGRAMS_MAX: usize = 2_000;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let version = if input.byte() % 4 == 0 { Version::V1 } else { Version::V2c };
    let variables = variables();
    let count = variables.len();
    let plan = Plan { intervals: vec![INTERVAL], devices: vec![device(version, variables).into()] };
    let mut now = Duration::from_secs(1000);
    let wall = |now: Duration| Timestamp::from_seconds(now.as_secs() as i64);
    let mut scheduler = Scheduler::new(plan, 1, now, wall(now));
    let mut reported = 0;
    let mut datagrams = 0;
    while reported < CYCLES {
        scheduler.observe(now, wall(now));
        while let Some(outgoing) = scheduler.transmit(now) {
            datagrams += 1;
            assert!(datagrams < DATAGRAMS_MAX, "a cycle has no end");
            if let Some(answer) = answer(&outgoing.datagram, &mut input) {
                scheduler.handle(now, outgoing.to, &answer);
            }
        }
        while let Some(output) = scheduler.next_output() {
            match output {
                Output::Device(poll) => assert_eq!(poll.readings.len(), count),
                Output::Cycle(_) => {
                    reported += 1;
                    datagrams = 0;
                }
            }
        }
        let next = scheduler.deadline(now).expect("a cycle follows");
        assert!(now <= next && next <= now + INTERVAL, "the schedule goes on");
        now = next.max(now + Duration::from_millis(1));
    }
});

/// Counters of interfaces that are referred to in every way, and a bare object.
fn variables() -> Vec<Variable> {
    let references = [
        InterfaceReference::Index(1),
        InterfaceReference::Name(b"a".into()),
        InterfaceReference::Description(b"b".into()),
        InterfaceReference::Alias(b"c".into()),
        InterfaceReference::Address(Ipv4Addr::new(10, 0, 0, 1)),
        InterfaceReference::Physical(vec![1, 2, 3, 4, 5, 6]),
        InterfaceReference::Type(6),
    ];
    let octets =
        |reference| Variable::column(reference, mib::IF_HC_IN_OCTETS, Some(mib::IF_IN_OCTETS));
    let columns = references.into_iter().map(octets);
    columns.chain([Variable::object(mib::SYS_SERVICES)]).collect()
}

fn device(version: Version, variables: Vec<Variable>) -> DevicePlan {
    let mut snmp = Config::new(version, Community::new("public"));
    snmp.walk_rows_max = 500;
    DevicePlan {
        name: "device".into(),
        host: "192.0.2.1".into(),
        interval: INTERVAL,
        family: Family::Any,
        transport: Transport::Udp,
        port: 161,
        snmp,
        answers_from: AnswersFrom::Asked,
        variables,
        walks: Vec::new(),
    }
}

/// The bytes that are left.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    /// The next byte, and zeros at the end.
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> u32 {
        u32::from_be_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    fn text(&mut self) -> Vec<u8> {
        let length = self.byte() % 9;
        (0..length).map(|_| self.byte()).collect()
    }

    fn value(&mut self) -> Value {
        match self.byte() % 10 {
            0 => Value::NoSuchInstance,
            1 => Value::OctetString(self.text()),
            2 => Value::Counter32(self.number()),
            3 => Value::Counter64(u64::from(self.number()) << 32 | u64::from(self.number())),
            4 => Value::TimeTicks(self.number()),
            5 => Value::Gauge32(self.number()),
            6 => Value::Integer(i32::from(self.byte())),
            7 => Value::OctetString([b'a' + self.byte() % 3].into()),
            8 => Value::OctetString(vec![1, 2, 3, 4, 5, 6]),
            _ => Value::EndOfMibView,
        }
    }

    /// A name in place of the one that was asked for.
    fn name(&mut self, asked: &Oid) -> Oid {
        let other = match self.byte() % 6 {
            0 | 1 => return asked.clone(),
            2 => asked.extended(&[u32::from(self.byte())]).ok(),
            3 => asked.extended(&[10, 0, 0, 1]).ok(),
            4 => asked.parent().and_then(|parent| parent.extended(&[u32::from(self.byte())]).ok()),
            _ => asked.parent(),
        };
        other.unwrap_or_else(|| asked.clone())
    }
}

/// An answer to a question; none once the input is used up.
fn answer(question: &[u8], input: &mut Input<'_>) -> Option<Vec<u8>> {
    if input.0.is_empty() {
        return None;
    }
    let mut message = Message::decode(question).expect("what the collector asks is SNMP");
    let repetitions = match message.pdu.operation {
        Operation::GetBulk { .. } => usize::from(input.byte() % 8),
        _ => 1,
    };
    let status = match input.byte() {
        255 => ErrorStatus::TooBig,
        254 => ErrorStatus::NoSuchName,
        253 => ErrorStatus::GenErr,
        _ => ErrorStatus::NoError,
    };
    let error_index = if status == ErrorStatus::NoError { 0 } else { u32::from(input.byte()) };
    message.pdu.operation = Operation::Response { error_status: status, error_index };
    let mut asked: Vec<Oid> = message.pdu.bindings.drain(..).map(|binding| binding.oid).collect();
    for _ in 0..repetitions {
        for name in &mut asked {
            *name = input.name(name);
            message.pdu.bindings.push(VarBind { oid: name.clone(), value: input.value() });
        }
    }
    Some(message.encode())
}
