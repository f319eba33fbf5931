//! What is known of a device from one poll to the next.

use crate::chunk::{self, Chunk, Group};
use crate::interfaces::{InterfaceId, Interfaces};
use crate::plan::{DevicePlan, Variable};
use crate::report::{Missing, Reading, Unfound};
use crate::uptime::Uptime;
use crate::walks::{self, Walked};
use rrd::Timestamp;
use snmp::{Oid, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// What is known of a device.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) plan: Arc<DevicePlan>,
    pub(crate) interfaces: Interfaces,
    variables: Vec<Known>,
    /// The number of discontinuities of the device so far. A difference needs two readings of the
    /// same epoch.
    epoch: u32,
    uptime: Option<Uptime>,
    pub(crate) walked: Walked,
    /// The time of the last answer, on both clocks.
    answered_at: Option<(Duration, Timestamp)>,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
struct Known {
    interface: Option<InterfaceId>,
    /// Whether the device has only the 32-bit counter.
    narrow: bool,
    /// The epoch of its last reading.
    read_in: Option<u32>,
    /// The epoch in which the poll in progress read it. A later datagram of the same poll may begin
    /// another epoch.
    taken_in: u32,
    /// The last reading, if it was a 64-bit counter.
    counter64: u64,
}

/// An epoch that no reading has, so that the next reading is a discontinuity.
const NEVER: u32 = u32::MAX;

/// What to do with the answer to a variable.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    Value,
    /// Ask for the 32-bit counter, which the device may have.
    AskNarrow,
    Missing(Missing),
}

impl Memory {
    /// The memory of a device that has not been polled.
    pub(crate) fn new(plan: Arc<DevicePlan>) -> Self {
        let (interfaces, ids) = Interfaces::of(&plan.variables);
        let known = |interface| Known {
            interface,
            narrow: false,
            read_in: None,
            taken_in: 0,
            counter64: 0,
        };
        Self {
            variables: ids.into_iter().map(known).collect(),
            interfaces,
            walked: Walked::new(plan.walks.len()),
            plan,
            epoch: 0,
            uptime: None,
            answered_at: None,
        }
    }

    /// Switches to another plan. Returns, for each variable of the new plan, its position in the
    /// old one.
    pub(crate) fn adopt(&mut self, plan: Arc<DevicePlan>) -> Vec<Option<usize>> {
        let walked = self.walked.rearranged(&walks::came_from(&plan.walks, &self.plan.walks));
        if plan.variables == self.plan.variables {
            self.walked = walked;
            self.plan = plan;
            return (0..self.variables.len()).map(Some).collect();
        }
        let old = std::mem::replace(self, Self::new(plan));
        self.epoch = old.epoch;
        self.walked = walked;
        self.uptime = old.uptime;
        self.answered_at = old.answered_at;
        self.interfaces.inherit(old.interfaces);
        let position = |(position, variable)| (variable, position);
        let positions: HashMap<&Variable, usize> =
            old.plan.variables.iter().enumerate().map(position).collect();
        let mut came_from = Vec::with_capacity(self.variables.len());
        for (known, variable) in self.variables.iter_mut().zip(&self.plan.variables) {
            let before = positions.get(variable).copied();
            if let Some(before) = before {
                let interface = known.interface;
                *known = old.variables[before].clone();
                known.interface = interface;
            }
            came_from.push(before);
        }
        came_from
    }

    /// The requests for these variables, and the variables that cannot be asked for.
    pub(crate) fn chunks(&self, which: &[usize]) -> (Vec<Chunk>, Vec<(usize, Missing)>) {
        let mut groups: BTreeMap<Option<InterfaceId>, Group> = BTreeMap::new();
        let mut singles: HashMap<Oid, Group> = HashMap::new();
        let mut order = Vec::new();
        let mut missing = Vec::new();
        for variable in which.iter().copied() {
            let interface = self.variables[variable].interface;
            match (self.name(variable), interface) {
                (Err(error), _) => missing.push((variable, error)),
                (Ok(oid), Some(_)) => groups.entry(interface).or_default().add(oid, variable),
                (Ok(oid), None) => {
                    let group = singles.entry(oid.clone()).or_insert_with(|| {
                        order.push(oid.clone());
                        Group::default()
                    });
                    group.add(oid, variable);
                }
            }
        }
        let mut all: Vec<Group> = order.iter().filter_map(|oid| singles.remove(oid)).collect();
        for (interface, mut group) in groups {
            let verification = interface.and_then(|id| {
                let oid = self.interfaces.verification(id)?.ok()?;
                Some((oid, id))
            });
            group.verification = verification;
            all.push(group);
        }
        (chunk::pack(all, self.plan.snmp.bindings_max), missing)
    }

    /// The variables of these interfaces.
    pub(crate) fn variables_of(&self, interfaces: &[InterfaceId]) -> Vec<usize> {
        let wanted: HashSet<InterfaceId> = interfaces.iter().copied().collect();
        let is_wanted = |known: &Known| known.interface.is_some_and(|id| wanted.contains(&id));
        let all = self.variables.iter().zip(0..);
        all.filter(|(known, _)| is_wanted(known)).map(|(_, nth)| nth).collect()
    }

    pub(crate) fn interface_of(&self, variable: usize) -> Option<InterfaceId> {
        self.variables[variable].interface
    }

    /// The index of a variable's interface.
    pub(crate) fn index_of(&self, variable: usize) -> Option<Result<u32, Unfound>> {
        Some(self.interfaces.index(self.interface_of(variable)?))
    }

    /// Records sysUpTime; returns whether the device has restarted.
    pub(crate) fn note_uptime(&mut self, now: Uptime) -> bool {
        let before = self.uptime.replace(now);
        let restarted = before.is_some_and(|before| before.restarted_before(now));
        if restarted {
            self.epoch += 1;
            // After a restart, the device's tables may be renumbered, and new software may have
            // other counters.
            self.interfaces.forget();
            for known in &mut self.variables {
                known.narrow = false;
            }
        }
        restarted
    }

    /// The number of discontinuities so far.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Records the time of an answer on both clocks. If the wall clock has jumped, a difference
    /// would be divided by a wrong time, so a new epoch begins.
    pub(crate) fn note_time(&mut self, at: Duration, stamp: Timestamp) {
        let before = self.answered_at.replace((at, stamp));
        let Some((before_at, before_stamp)) = before else {
            return;
        };
        let passed = at.saturating_sub(before_at).as_micros() as i64;
        let stamped = crate::stamp::micros_of(stamp) - crate::stamp::micros_of(before_stamp);
        // A tenth is far more than slewing changes, and small in a graph.
        if passed.abs_diff(stamped) > (passed.unsigned_abs() / 10).max(50_000) {
            self.epoch += 1;
        }
    }

    /// An interface has got another index.
    pub(crate) fn note_move(&mut self, interface: InterfaceId) {
        for known in &mut self.variables {
            if known.interface == Some(interface) {
                known.break_off();
                known.narrow = false;
            }
        }
    }

    /// Records the answer for a variable.
    pub(crate) fn note_value(&mut self, variable: usize, value: &Value) -> Taken {
        let has_narrow = self.plan.variables[variable].narrow.is_some();
        let forced = self.narrow_is_forced(variable);
        let known = &mut self.variables[variable];
        if !value.is_exception() {
            known.taken_in = self.epoch;
            return Taken::Value;
        }
        let was_narrow = std::mem::replace(&mut known.narrow, has_narrow);
        if has_narrow && !was_narrow && !forced {
            // If the 32-bit counter answers, its value does not continue that of the 64-bit
            // counter.
            known.break_off();
            return Taken::AskNarrow;
        }
        known.narrow = false;
        Taken::Missing(Missing::NotThere)
    }

    /// Marks the discontinuities among the readings of a poll. They are known only at its end,
    /// because the last datagram may reveal a restart. Readings from before that datagram cannot be
    /// the start of the next difference either.
    pub(crate) fn settle(&mut self, readings: &mut [Result<Reading, Missing>]) {
        for (known, reading) in self.variables.iter_mut().zip(readings) {
            let Ok(reading) = reading else { continue };
            let before = known.read_in.replace(known.taken_in);
            reading.discontinuity = before.is_some_and(|before| before != self.epoch);
            if let Value::Counter64(count) = reading.value {
                // A 64-bit counter takes years to wrap, so a smaller value means a reset.
                reading.discontinuity |= before.is_some() && count < known.counter64;
                known.counter64 = count;
            }
        }
    }

    fn narrow_is_forced(&self, variable: usize) -> bool {
        self.plan.snmp.security.is_v1() && self.plan.variables[variable].narrow.is_some()
    }

    fn name(&self, variable: usize) -> Result<Oid, Missing> {
        let known = &self.variables[variable];
        let plan = &self.plan.variables[variable];
        let wants_narrow = known.narrow || self.narrow_is_forced(variable);
        let name = match &plan.narrow {
            Some(narrow) if wants_narrow => narrow,
            _ => &plan.name,
        };
        match known.interface {
            None => Ok(name.prefix.clone()),
            Some(id) => {
                let index = self.interfaces.index(id).map_err(Missing::Interface)?;
                name.with_index(index).map_err(|_| Missing::NameTooLong)
            }
        }
    }
}

impl Known {
    fn break_off(&mut self) {
        if self.read_in.is_some() {
            self.read_in = Some(NEVER);
        }
        self.counter64 = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{AnswersFrom, Family};
    use snmp::{Community, Version, mib};

    fn memory_of_two_counters() -> Memory {
        Memory::new(Arc::new(DevicePlan {
            name: "a".into(),
            host: "192.0.2.1".into(),
            family: Family::Any,
            port: 161,
            snmp: snmp::Config::new(Version::V2c, Community::new("public")),
            answers_from: AnswersFrom::Asked,
            variables: vec![Variable::object(mib::IF_NUMBER), Variable::object(mib::SYS_UP_TIME)],
            walks: Vec::new(),
        }))
    }

    /// A poll of two datagrams with these uptimes, in seconds, and one counter each. Returns
    /// whether each reading is a discontinuity.
    fn poll(memory: &mut Memory, at_seconds: u64, uptimes_seconds: [u32; 2]) -> [bool; 2] {
        let value = Value::Counter32(7);
        for (variable, uptime_seconds) in uptimes_seconds.into_iter().enumerate() {
            let at = Duration::from_secs(at_seconds);
            memory.note_uptime(Uptime { ticks: uptime_seconds * 100, at });
            assert_eq!(memory.note_value(variable, &value), Taken::Value);
        }
        let time = Timestamp::from_seconds(at_seconds as i64);
        let reading = Ok(Reading { time, value, discontinuity: false });
        let mut readings = [reading.clone(), reading];
        memory.settle(&mut readings);
        readings.map(|reading| reading.unwrap().discontinuity)
    }

    #[test]
    fn what_was_read_just_before_a_restart_is_no_start_for_a_difference() {
        let mut memory = memory_of_two_counters();
        assert_eq!(poll(&mut memory, 1000, [9000, 9000]), [false, false]);
        // The device restarts between the two datagrams.
        assert_eq!(poll(&mut memory, 1300, [9300, 1]), [true, true]);
        assert_eq!(poll(&mut memory, 1600, [301, 301]), [true, false]);
        assert_eq!(poll(&mut memory, 1900, [601, 601]), [false, false]);
    }
}
