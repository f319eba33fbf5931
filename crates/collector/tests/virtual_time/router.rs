//! A router whose ports are renumbered, reset and renamed, and what each port truly carried.

use crate::world::{START, START_SECONDS};
use rrd::Timestamp;
use snmp::{Oid, Value, mib};
use std::collections::BTreeMap;
use std::time::Duration;

/// A router with a few ports.
#[derive(Clone, Debug)]
pub(crate) struct Router {
    pub(crate) ports: Vec<Port>,
    pub(crate) booted_at: Duration,
    pub(crate) knows_wide: bool,
    /// Whether it tells since when its counters count.
    pub(crate) knows_since: bool,
    /// When it last made or removed an interface; `None` if it does not tell.
    pub(crate) table_changed_at: Option<Duration>,
    /// What happens once it has answered so many further requests.
    pub(crate) next: Option<(usize, Event)>,
    /// Which port had which index, from when on.
    pub(crate) indices: Vec<(Duration, Vec<u32>)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Port {
    /// Its rates in octets a second, and from when on.
    rates: Vec<(Duration, u64)>,
    /// The counter at its last reset, and when that was.
    base: u64,
    reset_at: Duration,
    /// When its counters began anew, with and without a restart.
    resets: Vec<Duration>,
    /// When its counters last began anew without a restart.
    since: Option<Duration>,
}

#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A restart, after which every port has the index of the port so many further.
    Reboot(usize),
    /// New indices without a restart.
    Renumber(usize),
    /// One port's counters begin anew.
    Reset(usize),
    /// One port carries more or less.
    Rate(usize, u64),
    LoseWide,
}

impl Router {
    /// Ports whose 32-bit counters wrap soon.
    pub(crate) fn new(ports: usize) -> Self {
        let port = |number: usize| Port {
            rates: vec![(Duration::ZERO, 1000 * (number as u64 + 1))],
            base: (7 << 32) - 20_000 * (number as u64 + 1),
            reset_at: START,
            resets: Vec::new(),
            since: None,
        };
        Self {
            ports: (0..ports).map(port).collect(),
            booted_at: START - Duration::from_secs(3600),
            knows_wide: true,
            knows_since: true,
            table_changed_at: None,
            next: None,
            indices: vec![(Duration::ZERO, (1..=ports as u32).collect())],
        }
    }

    pub(crate) fn name(number: usize) -> String {
        format!("port{number}")
    }

    pub(crate) fn physical(number: usize) -> Vec<u8> {
        vec![2, 0, 0, 0, 0, number as u8]
    }

    pub(crate) fn happen(&mut self, event: &Event, now: Duration) {
        match event {
            Event::Reboot(by) => {
                self.booted_at = now;
                self.table_changed_at = self.table_changed_at.map(|_| now);
                for port in &mut self.ports {
                    port.reset(now);
                    port.since = None;
                }
                self.rotate(*by, now);
            }
            Event::Renumber(by) => {
                self.table_changed_at = self.table_changed_at.map(|_| now);
                for port in &mut self.ports {
                    port.since = Some(now);
                }
                self.rotate(*by, now);
            }
            Event::Reset(number) => {
                self.ports[*number].reset(now);
                self.ports[*number].since = Some(now);
            }
            Event::Rate(number, rate) => self.ports[*number].rates.push((now, *rate)),
            Event::LoseWide => self.knows_wide = false,
        }
    }

    /// Counts an answer, after which something may happen.
    pub(crate) fn has_answered(&mut self, now: Duration) {
        match self.next.take() {
            Some((0, event)) => self.happen(&event, now),
            Some((after, event)) => self.next = Some((after - 1, event)),
            None => {}
        }
    }

    fn rotate(&mut self, by: usize, now: Duration) {
        let mut indices = self.indices.last().unwrap().1.clone();
        let count = indices.len();
        indices.rotate_right(by % count);
        self.indices.push((now, indices));
    }

    /// What it answers now.
    pub(crate) fn rows(&self, now: Duration) -> BTreeMap<Oid, Value> {
        let ticks = |at: Duration| {
            Value::TimeTicks((at.saturating_sub(self.booted_at).as_millis() / 10) as u32)
        };
        let mut rows = BTreeMap::from([(mib::SYS_UP_TIME, ticks(now))]);
        if let Some(at) = self.table_changed_at {
            rows.insert(mib::IF_TABLE_LAST_CHANGE, ticks(at));
        }
        let indices = &self.indices.last().unwrap().1;
        for (number, (port, index)) in self.ports.iter().zip(indices).enumerate() {
            let mut add = |column: Oid, value| {
                rows.insert(column.extended(&[*index]).unwrap(), value);
            };
            add(mib::IF_NAME, Value::OctetString(Self::name(number).into()));
            add(mib::IF_ALIAS, Value::OctetString(format!("to {number}").into()));
            add(mib::IF_PHYS_ADDRESS, Value::OctetString(Self::physical(number)));
            let count = port.count(now);
            add(mib::IF_IN_OCTETS, Value::Counter32(count as u32));
            if self.knows_wide {
                add(mib::IF_HC_IN_OCTETS, Value::Counter64(count));
            }
            if self.knows_since {
                let since = port.since.map_or(Value::TimeTicks(0), ticks);
                add(mib::IF_COUNTER_DISCONTINUITY_TIME, since);
            }
        }
        rows
    }

    /// The ports that had this index between two times. What happens just behind an answer happens
    /// at the same time.
    pub(crate) fn ports_at(&self, index: u32, from: Duration, to: Duration) -> Vec<usize> {
        let ends = self.indices[1..].iter().map(|(at, _)| *at).chain([Duration::MAX]);
        let valid =
            self.indices.iter().zip(ends).filter(|((at, _), end)| *at <= to && *end >= from);
        valid
            .filter_map(|((_, indices), _)| indices.iter().position(|other| *other == index))
            .collect()
    }
}

impl Port {
    fn reset(&mut self, now: Duration) {
        self.base = 0;
        self.reset_at = now;
        self.resets.push(now);
    }

    /// Whether it began anew between two times.
    pub(crate) fn was_reset_between(&self, from: Duration, to: Duration) -> bool {
        self.resets.iter().any(|at| (from..=to).contains(at))
    }

    fn count(&self, now: Duration) -> u64 {
        self.base + (self.carried(now) - self.carried(self.reset_at))
    }

    /// What it has truly carried until a time.
    pub(crate) fn carried(&self, until: Duration) -> u64 {
        let ends = self.rates[1..].iter().map(|(at, _)| *at).chain([Duration::MAX]);
        let spans = self.rates.iter().zip(ends);
        let of_span = spans.map(|((from, rate), end)| {
            let micros = end.min(until).saturating_sub(*from).as_micros() as u64;
            rate * micros / 1_000_000
        });
        of_span.sum()
    }
}

/// The time of a stamp on the monotonic clock, while the wall clock does not step.
pub(crate) fn monotonic(stamp: Timestamp) -> Duration {
    let seconds = u64::try_from(stamp.seconds - START_SECONDS).unwrap();
    START + Duration::from_secs(seconds) + Duration::from_micros(stamp.micros.into())
}
