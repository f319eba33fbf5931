//! The last request of a poll: what the readings have left open.
//!
//! - If the values of one request came in several responses, a restart or a renumbering may lie
//!   between them. Then sysUpTime and the properties of the interfaces are asked for once more: what
//!   holds before the values and after them held when they were read.
//! - Where a counter's difference is doubtful, the device is asked since when it counts.
//! - Once, the device is asked whether it tells when its interfaces changed.

use crate::chunk::{Ask, Chunk};
use crate::interfaces::InterfaceId;
use crate::known::Since;
use crate::memory::Memory;
use crate::report::{Missing, Reading, Unfound};
use crate::uptime::Uptime;
use snmp::{Answer, Names, Oid, Value, mib};
use std::collections::{BTreeMap, BTreeSet};

/// What the readings of a poll leave open.
#[derive(Debug, Default)]
pub(crate) struct Proving {
    /// Variables whose values came in another response than sysUpTime or what verifies their
    /// interface.
    loose: Vec<u32>,
    /// Since when counters count, by the index of their interface.
    since: BTreeMap<u32, Since>,
    is_asked: bool,
    /// When it was told, in sysUpTime.
    told_ticks: u32,
    /// The newest sysUpTime when the device was asked.
    asked_ticks: u32,
    /// What was told in another response than sysUpTime: it may be that of a restart since.
    unconfirmed: BTreeMap<u32, Since>,
    /// The same, while sysUpTime is asked for once more.
    confirming: BTreeMap<u32, Since>,
}

/// The request that settles it.
#[derive(Debug)]
pub(crate) struct Proof {
    names: Vec<Oid>,
    asks: Vec<Evidence>,
}

/// What an answer is evidence of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    Uptime,
    TableChange,
    Check(InterfaceId),
    /// Since when the counters of the interface with this index count.
    CountingSince(u32),
}

type Readings = [Result<Reading, Missing>];

impl Proving {
    /// The values of this request came in several responses.
    pub(crate) fn note_loose(&mut self, chunk: &Chunk) {
        for ask in &*chunk.asks {
            match ask {
                Ask::Variable(variable) => self.loose.push(*variable),
                Ask::Variables(several) => self.loose.extend(several),
                Ask::Uptime | Ask::TableChange | Ask::Verification(_) => {}
            }
        }
    }

    /// The request, if anything is left open. It is made once, and sysUpTime is asked for behind it
    /// if that is needed.
    pub(crate) fn request(&mut self, memory: &Memory, readings: &Readings) -> Option<Proof> {
        if std::mem::replace(&mut self.is_asked, true) {
            self.confirming = std::mem::take(&mut self.unconfirmed);
            return (!self.confirming.is_empty()).then(Proof::of_uptime);
        }
        self.asked_ticks = memory.newest_ticks();
        let doubts = memory.doubts(readings);
        let tries_table = memory.has_untried_table();
        if self.loose.is_empty() && doubts.is_empty() && !tries_table {
            return None;
        }
        let mut proof = Proof::of_uptime();
        if tries_table {
            proof.push(mib::IF_TABLE_LAST_CHANGE, Evidence::TableChange);
        }
        let loose = self.loose.iter().filter_map(|nth| memory.interface_of(*nth as usize));
        for interface in loose.collect::<BTreeSet<_>>() {
            if let Some(name) = memory.verification(interface) {
                proof.push(name, Evidence::Check(interface));
            }
        }
        for index in doubts {
            self.since.insert(index, Since::NoAnswer);
            if let Ok(name) = mib::IF_COUNTER_DISCONTINUITY_TIME.extended(&[index]) {
                proof.push(name, Evidence::CountingSince(index));
            }
        }
        Some(proof)
    }

    /// Takes the answer. `has_begun_anew`: the device is known to have restarted before it. Returns
    /// whether it has.
    pub(crate) fn take(
        &mut self,
        proof: &Proof,
        answer: Answer,
        memory: &mut Memory,
        readings: &mut Readings,
        has_begun_anew: bool,
    ) -> bool {
        let at = answer.finished_at;
        let Some(Ok(Value::TimeTicks(ticks))) = answer.values.first() else {
            return has_begun_anew;
        };
        let now = Uptime { ticks: *ticks, at };
        let restarted = memory.note_uptime(now, answer.started_at) || has_begun_anew;
        if !restarted && !self.confirming.is_empty() {
            self.told_ticks = self.asked_ticks;
            self.since.append(&mut self.confirming);
        }
        let mut moved = BTreeSet::new();
        for (value, ask) in answer.values.into_iter().zip(&proof.asks) {
            let value = value.ok();
            match (ask, value) {
                (Evidence::Check(interface), value)
                    if !value.as_ref().is_some_and(|value| memory.verify(*interface, value)) =>
                {
                    moved.insert(*interface);
                }
                (Evidence::TableChange, Some(value)) => memory.note_table_change(&value, at),
                (Evidence::CountingSince(index), Some(value)) => {
                    let told = match answer.responses {
                        1 => &mut self.since,
                        _ => &mut self.unconfirmed,
                    };
                    told.insert(*index, since(&value));
                    self.told_ticks = now.ticks;
                }
                _ => {}
            }
        }
        let tells = |since: &Since| matches!(since, Since::Ticks(_));
        let hides = |since: &Since| *since == Since::Unknown;
        if self.since.values().any(hides) && !self.since.values().any(tells) {
            memory.note_no_counting_since();
        }
        if !restarted {
            for variable in self.loose.drain(..).map(|variable| variable as usize) {
                if memory.interface_of(variable).is_some_and(|id| moved.contains(&id)) {
                    readings[variable] = Err(Missing::Interface(Unfound::Moved));
                }
            }
        }
        restarted
    }

    /// Ends the poll: what could not be settled is unknown.
    pub(crate) fn settle(mut self, memory: &mut Memory, readings: &mut Readings) {
        for variable in self.loose.drain(..) {
            readings[variable as usize] = Err(Missing::NoAnswer);
        }
        // Those that came up after the device was asked are not settled either.
        for index in memory.doubts(readings) {
            self.since.entry(index).or_insert(Since::NoAnswer);
        }
        memory.settle(readings, &self.since, self.told_ticks);
    }
}

impl Proof {
    fn of_uptime() -> Self {
        Self { names: vec![mib::SYS_UP_TIME], asks: vec![Evidence::Uptime] }
    }

    /// The names that it asks for.
    pub(crate) fn names(&self) -> Names {
        Names::Each(self.names.clone().into())
    }

    fn push(&mut self, name: Oid, evidence: Evidence) {
        self.names.push(name);
        self.asks.push(evidence);
    }
}

fn since(value: &Value) -> Since {
    match value {
        Value::TimeTicks(ticks) => Since::Ticks(*ticks),
        _ => Since::Unknown,
    }
}
