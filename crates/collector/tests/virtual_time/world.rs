//! A network in virtual time: agents that answer real SNMP datagrams, late or never, around a
//! scheduler.

use crate::router::Router;
use collector::{
    AnswersFrom, CycleReport, DevicePlan, DevicePoll, Family, InterfaceReference, Output, Plan,
    Scheduler, Transport, Variable,
};
use rrd::Timestamp;
use snmp::agent::{Authority, EngineTime, MibView, Responder};
use snmp::{Community, Config, MessageView, Oid, Operation, Value, VarBind, Version, mib};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

/// The clocks' times at the start. They are arbitrary: the schedule must not depend on them.
pub(crate) const START: Duration = Duration::from_secs(5_000);
pub(crate) const START_SECONDS: i64 = 1_700_000_123;
pub(crate) const COMMUNITY: &str = "very-secret";

pub(crate) fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

pub(crate) fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// A simulated device. A counter among its rows is a rate for each second since its boot.
#[derive(Clone)]
pub(crate) struct Agent {
    pub(crate) rows: BTreeMap<Oid, Value>,
    pub(crate) booted_at: Duration,
    pub(crate) latency: Duration,
    pub(crate) is_dead: bool,
    pub(crate) knows_wide: bool,
    /// Whether it does not answer GETBULK.
    pub(crate) ignores_bulk: bool,
    pub(crate) requests: usize,
    pub(crate) answers_from: Option<SocketAddr>,
    /// Its engine, if it has users of SNMPv3.
    pub(crate) authority: Option<Arc<Authority>>,
    /// What it answers instead of its rows.
    pub(crate) router: Option<Router>,
    pub(crate) response_bytes_max: usize,
    /// So many of a hundred datagrams are lost on their way back.
    pub(crate) loss_percent: u32,
}

pub(crate) const RATE: u64 = 1000;

impl Agent {
    /// A device with ports 1 to `ports`, named `port1` and so on, that booted an hour before the
    /// start.
    pub(crate) fn new(ports: u32) -> Self {
        let mut agent = Self {
            rows: BTreeMap::new(),
            booted_at: START - seconds(3600),
            latency: millis(2),
            is_dead: false,
            knows_wide: true,
            ignores_bulk: false,
            requests: 0,
            answers_from: None,
            authority: None,
            router: None,
            response_bytes_max: 1472,
            loss_percent: 0,
        };
        agent.rows.insert(mib::SYS_UP_TIME, Value::TimeTicks(0));
        for port in 1..=ports {
            agent.add_port(port, &format!("port{port}"));
        }
        agent
    }

    pub(crate) fn add_port(&mut self, index: u32, name: &str) {
        let row = |column: Oid| column.extended(&[index]).unwrap();
        self.rows.insert(row(mib::IF_NAME), Value::OctetString(name.into()));
        for column in [mib::IF_IN_OCTETS, mib::IF_OUT_OCTETS] {
            self.rows.insert(row(column), Value::Counter32(RATE as u32));
        }
        for column in [mib::IF_HC_IN_OCTETS, mib::IF_HC_OUT_OCTETS] {
            self.rows.insert(row(column), Value::Counter64(RATE));
        }
    }

    fn answer(&mut self, datagram: &[u8], now: Duration) -> Option<Vec<u8>> {
        let is_bulk = |view: MessageView<'_>| matches!(view.operation(), Operation::GetBulk { .. });
        if self.ignores_bulk && MessageView::parse(datagram).is_ok_and(is_bulk) {
            return None;
        }
        let response_bytes_max = self.response_bytes_max;
        let responder = Responder { community: Community::new(COMMUNITY), response_bytes_max };
        if let Some(router) = &mut self.router {
            let answer = responder.respond(datagram, &router.rows(now));
            router.has_answered(now);
            return answer.expect("the collector sends good SNMP");
        }
        let view = At { agent: self, now };
        let answer = match &self.authority {
            None => responder.respond(datagram, &view),
            Some(authority) => {
                // A later start has a larger number, which is all that boots must be.
                let boots = self.booted_at.as_secs() as u32;
                let uptime = now.saturating_sub(self.booted_at);
                let time = EngineTime { boots, seconds: uptime.as_secs() as u32 };
                authority.respond(datagram, time, &view, 1472)
            }
        };
        answer.expect("the collector sends good SNMP")
    }
}

/// An agent's values at a time.
struct At<'a> {
    agent: &'a Agent,
    now: Duration,
}

impl At<'_> {
    fn shown(&self, oid: &Oid, value: &Value) -> Option<Value> {
        let uptime = self.now.saturating_sub(self.agent.booted_at);
        let hidden =
            oid.starts_with(&mib::IF_HC_IN_OCTETS) || oid.starts_with(&mib::IF_HC_OUT_OCTETS);
        if hidden && !self.agent.knows_wide {
            return None;
        }
        Some(match value {
            Value::TimeTicks(start) => {
                Value::TimeTicks(start.wrapping_add((uptime.as_millis() / 10) as u32))
            }
            Value::Counter32(rate) => {
                Value::Counter32((u128::from(*rate) * uptime.as_millis() / 1000) as u32)
            }
            Value::Counter64(rate) => {
                Value::Counter64((u128::from(*rate) * uptime.as_millis() / 1000) as u64)
            }
            other => other.clone(),
        })
    }
}

impl MibView for At<'_> {
    fn get(&self, oid: &Oid) -> Value {
        let value = self.agent.rows.get(oid).and_then(|value| self.shown(oid, value));
        value.unwrap_or(Value::NoSuchInstance)
    }

    fn next(&self, oid: &Oid) -> Option<VarBind> {
        let behind = (Bound::Excluded(oid), Bound::Unbounded);
        let mut rows = self.agent.rows.range::<Oid, _>(behind);
        rows.find_map(|(oid, value)| {
            let value = self.shown(oid, value)?;
            Some(VarBind { oid: oid.clone(), value })
        })
    }
}

type Arrival = Reverse<(Duration, u64, SocketAddr, Vec<u8>)>;

pub(crate) struct World {
    pub(crate) scheduler: Scheduler,
    pub(crate) now: Duration,
    /// The wall clock at `START`, in microseconds. Changing it makes the clock step.
    pub(crate) wall_micros: i64,
    pub(crate) agents: HashMap<SocketAddr, Agent>,
    pub(crate) polls: Vec<(Duration, DevicePoll)>,
    pub(crate) reports: Vec<(Duration, CycleReport)>,
    /// When each datagram was sent.
    pub(crate) sent_at: Vec<Duration>,
    arrivals: BinaryHeap<Arrival>,
    sequence: u64,
}

impl World {
    pub(crate) fn new(plan: Plan, agents: Vec<Agent>) -> Self {
        let wall = Timestamp::from_seconds(START_SECONDS);
        let addresses = (0..agents.len()).map(address);
        Self {
            scheduler: Scheduler::new(plan, 42, START, wall),
            now: START,
            wall_micros: START_SECONDS * 1_000_000,
            agents: addresses.zip(agents).collect(),
            polls: Vec::new(),
            reports: Vec::new(),
            sent_at: Vec::new(),
            arrivals: BinaryHeap::new(),
            sequence: 0,
        }
    }

    pub(crate) fn agent(&mut self, number: usize) -> &mut Agent {
        self.agents.get_mut(&address(number)).unwrap()
    }

    /// Runs until this time after the start.
    pub(crate) fn run_until(&mut self, end: Duration) {
        let end = START + end;
        loop {
            self.observe();
            self.settle();
            let arrival = self.arrivals.peek().map(|Reverse((at, ..))| *at);
            let deadline = self.scheduler.deadline(self.now);
            let next = [arrival, deadline].into_iter().flatten().min().unwrap_or(end);
            // A deadline that is not in the future would make the loop endless.
            assert!(Some(self.now) < deadline || arrival.is_some(), "the scheduler spins");
            if next > end {
                self.now = end;
                self.observe();
                return;
            }
            self.now = self.now.max(next);
            self.observe();
            self.deliver();
        }
    }

    /// The collector does not run for this time, as if it were stopped; the devices do.
    pub(crate) fn pause(&mut self, length: Duration) {
        self.now += length;
        self.observe();
        self.deliver();
    }

    fn observe(&mut self) {
        let micros = self.wall_micros + (self.now - START).as_micros() as i64;
        let wall = Timestamp {
            seconds: micros.div_euclid(1_000_000),
            micros: micros.rem_euclid(1_000_000) as u32,
        };
        self.scheduler.observe(self.now, wall);
    }

    fn settle(&mut self) {
        while let Some(outgoing) = self.scheduler.transmit(self.now) {
            self.carry(outgoing.to, &outgoing.datagram);
        }
        while let Some(output) = self.scheduler.next_output() {
            match output {
                Output::Device(poll) => self.polls.push((self.now, poll)),
                Output::Cycle(report) => self.reports.push((self.now, report)),
            }
        }
    }

    fn carry(&mut self, to: SocketAddr, datagram: &[u8]) {
        let Some(agent) = self.agents.get_mut(&to) else {
            return;
        };
        agent.requests += 1;
        self.sent_at.push(self.now);
        if agent.is_dead {
            return;
        }
        let Some(answer) = agent.answer(datagram, self.now) else {
            return;
        };
        // Numbers that look random, but are the same in every run.
        let mixed = (agent.requests as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        if mixed % 100 < u64::from(agent.loss_percent) {
            return;
        }
        let from = agent.answers_from.unwrap_or(to);
        self.sequence += 1;
        let arrival = (self.now + agent.latency, self.sequence, from, answer);
        self.arrivals.push(Reverse(arrival));
    }

    fn deliver(&mut self) {
        while let Some(Reverse((at, ..))) = self.arrivals.peek() {
            if *at > self.now {
                return;
            }
            let Some(Reverse((_, _, from, datagram))) = self.arrivals.pop() else {
                return;
            };
            self.scheduler.handle(self.now, from, &datagram);
        }
    }

    /// The polls of a device, oldest first, with their ends.
    pub(crate) fn polls_of_device(&self, device: usize) -> Vec<&(Duration, DevicePoll)> {
        self.polls.iter().filter(|(_, poll)| poll.device == device).collect()
    }

    /// The polls of a device, oldest first.
    pub(crate) fn polls_of(&self, device: usize) -> Vec<&DevicePoll> {
        let all = self.polls.iter().map(|(_, poll)| poll);
        all.filter(|poll| poll.device == device).collect()
    }
}

pub(crate) fn address(number: usize) -> SocketAddr {
    let ip = Ipv4Addr::from(0x0a00_0000 + number as u32);
    SocketAddr::new(IpAddr::V4(ip), 161)
}

pub(crate) fn device(number: usize, variables: Vec<Variable>) -> DevicePlan {
    DevicePlan {
        name: format!("device{number}").into(),
        interval: seconds(60),
        host: address(number).ip().to_string().into(),
        family: Family::Any,
        transport: Transport::Udp,
        port: 161,
        snmp: Config::new(Version::V2c, Community::new(COMMUNITY)),
        answers_from: AnswersFrom::Asked,
        variables,
        walks: Vec::new(),
    }
}

pub(crate) fn plan(interval: Duration, devices: Vec<DevicePlan>) -> Plan {
    let at_interval = |device| Arc::new(DevicePlan { interval, ..device });
    Plan { intervals: vec![interval], devices: devices.into_iter().map(at_interval).collect() }
}

/// In and out octets of a port, by its name.
pub(crate) fn by_name(name: &str) -> Vec<Variable> {
    columns(&InterfaceReference::Name(name.into()))
}

/// In and out octets of a port, by its index.
pub(crate) fn by_index(index: u32) -> Vec<Variable> {
    columns(&InterfaceReference::Index(index))
}

fn columns(interface: &InterfaceReference) -> Vec<Variable> {
    let column = |wide: Oid, narrow: Oid| Variable::column(interface.clone(), wide, Some(narrow));
    vec![
        column(mib::IF_HC_IN_OCTETS, mib::IF_IN_OCTETS),
        column(mib::IF_HC_OUT_OCTETS, mib::IF_OUT_OCTETS),
    ]
}

/// The names in a report.
pub(crate) fn names(list: &[Arc<str>]) -> Vec<&str> {
    list.iter().map(|name| &**name).collect()
}
