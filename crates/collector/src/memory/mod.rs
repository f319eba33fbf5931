//! What is known of a device from one poll to the next.

mod continuity;

use crate::cell_name::CellName;
use crate::chunk::Chunk;
use crate::group::Group;
use crate::interfaces::{InterfaceId, Interfaces, Place};
use crate::known::Known;
use crate::learnt::Learnt;
use crate::pack::{Room, pack};
use crate::plan::{DevicePlan, Variable};
use crate::report::{Missing, Unfound};
use crate::uptime::Uptime;
use crate::walks::{self, Walked};
use rrd::Timestamp;
use snmp::{Limits, Oid, Value, VarBind};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// What is known of a device.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) plan: Arc<DevicePlan>,
    pub(crate) interfaces: Interfaces,
    variables: Vec<Known>,
    /// The requests for all variables, until a name changes.
    prepared: Option<Requests>,
    /// The number of discontinuities of the device so far. A difference needs two readings of the
    /// same epoch.
    epoch: u32,
    uptime: Option<Uptime>,
    /// The sysUpTime in the answer at hand, which is not always the newest.
    told_ticks: u32,
    pub(crate) walked: Walked,
    /// How often the device's engine has started, with SNMPv3.
    engine_boots: Option<u32>,
    /// Whether the device tells when it last made or removed an interface.
    table_change: Telling,
    /// Whether the device does not tell since when counters count.
    hides_counting_since: bool,
    /// The time of the last answer, on both clocks.
    answered_at: Option<(Duration, Timestamp)>,
}

/// What a device tells of its interfaces' changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Telling {
    Untried,
    Nothing,
    /// The sysUpTime of the last change.
    Ticks(u32),
}

/// Requests, and the variables that cannot be asked for. A clone shares them.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    pub(crate) chunks: Arc<[Chunk]>,
    pub(crate) missing: Arc<[(usize, Missing)]>,
}

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
        let (interfaces, places) = Interfaces::of(&plan.variables);
        Self {
            variables: places.into_iter().map(Known::new).collect(),
            interfaces,
            walked: Walked::new(plan.walks.len()),
            plan,
            prepared: None,
            epoch: 0,
            uptime: None,
            told_ticks: 0,
            engine_boots: None,
            table_change: Telling::Untried,
            hides_counting_since: false,
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
        self.engine_boots = old.engine_boots;
        self.table_change = old.table_change;
        self.hides_counting_since = old.hides_counting_since;
        self.answered_at = old.answered_at;
        self.interfaces.inherit(old.interfaces);
        let position = |(position, variable)| (variable, position);
        let positions: HashMap<&Variable, usize> =
            old.plan.variables.iter().enumerate().map(position).collect();
        let mut came_from = Vec::with_capacity(self.variables.len());
        for (known, variable) in self.variables.iter_mut().zip(&self.plan.variables) {
            let before = positions.get(variable).copied();
            if let Some(before) = before {
                let place = known.place;
                *known = old.variables[before].clone();
                known.place = place;
            }
            came_from.push(before);
        }
        came_from
    }

    /// The requests for all variables.
    pub(crate) fn requests_for_all(&mut self) -> Requests {
        if let Some(prepared) = &self.prepared {
            return prepared.clone();
        }
        let all: Vec<usize> = (0..self.variables.len()).collect();
        let requests = self.requests(&all);
        self.prepared = Some(requests.clone());
        requests
    }

    /// The requests for these variables.
    pub(crate) fn requests(&self, which: &[usize]) -> Requests {
        let mut of_interface: BTreeMap<Place, Group> = BTreeMap::new();
        let mut of_none: HashMap<Oid, usize> = HashMap::new();
        let mut groups: Vec<Group> = Vec::new();
        let mut missing = Vec::new();
        for variable in which.iter().copied() {
            let name = match self.name(variable) {
                Ok(name) => name,
                Err(why) => {
                    missing.push((variable, why));
                    continue;
                }
            };
            let group = match (self.variables[variable].place, &name) {
                (Place::None, CellName::Column(oid) | CellName::Whole(oid)) => {
                    let nth = *of_none.entry(oid.clone()).or_insert_with(|| {
                        groups.push(Group::default());
                        groups.len() - 1
                    });
                    &mut groups[nth]
                }
                (place, _) => of_interface.entry(place).or_default(),
            };
            group.add(name, variable as u32);
        }
        for (place, mut group) in of_interface {
            group.row = self.index(place).and_then(Result::ok);
            if let Place::Of(id) = place {
                group.verification = self.interfaces.verification(id).map(|name| (name, id));
            }
            groups.push(group);
        }
        let snmp = &self.plan.snmp;
        let bytes_max = snmp.response_bytes_max.saturating_sub(snmp.security.overhead_bytes());
        let rows_max = snmp.repetitions_max.map_or(usize::MAX, |most| most as usize);
        let room = Room { bindings_max: snmp.bindings_max, rows_max, bytes_max };
        let chunks = pack(groups, room, self.watches_table());
        Requests { chunks: chunks.into(), missing: missing.into() }
    }

    /// Takes the answer to the check of an interface; says whether it is still there.
    pub(crate) fn verify(&mut self, interface: InterfaceId, answer: &Value) -> bool {
        let is_there = self.interfaces.verify(interface, answer);
        if !is_there {
            self.note_move(interface);
        }
        is_there
    }

    /// Takes the rows of a walked column. Returns the variables whose interfaces are found.
    pub(crate) fn look_up(
        &mut self,
        column: &Oid,
        rows: &Result<Vec<VarBind>, Unfound>,
        now: Duration,
    ) -> Vec<usize> {
        self.prepared = None;
        let found = self.interfaces.look_up(column, rows, now);
        self.variables_of(&found)
    }

    /// The variables of these interfaces.
    fn variables_of(&self, interfaces: &[InterfaceId]) -> Vec<usize> {
        let wanted: HashSet<InterfaceId> = interfaces.iter().copied().collect();
        let is_wanted =
            |known: &Known| matches!(known.place, Place::Of(id) if wanted.contains(&id));
        let all = self.variables.iter().zip(0..);
        all.filter(|(known, _)| is_wanted(known)).map(|(_, nth)| nth).collect()
    }

    /// The interface of a variable, if it is looked up.
    pub(crate) fn interface_of(&self, variable: usize) -> Option<InterfaceId> {
        match self.variables[variable].place {
            Place::Of(id) => Some(id),
            Place::None | Place::Index(_) => None,
        }
    }

    /// The index of a variable's interface.
    pub(crate) fn index_of(&self, variable: usize) -> Option<Result<u32, Unfound>> {
        self.index(self.variables[variable].place)
    }

    fn index(&self, place: Place) -> Option<Result<u32, Unfound>> {
        match place {
            Place::None => None,
            Place::Index(index) => Some(Ok(index)),
            Place::Of(id) => Some(self.interfaces.index(id)),
        }
    }

    /// An interface has got another index.
    fn note_move(&mut self, interface: InterfaceId) {
        self.prepared = None;
        for known in &mut self.variables {
            if known.place == Place::Of(interface) {
                known.break_off();
                known.narrow = false;
            }
        }
    }

    /// Records the answer for a variable.
    pub(crate) fn note_value(&mut self, variable: usize, value: &Value) -> Taken {
        let has_narrow = self.plan.variables[variable].object.narrow.is_some();
        let forced = self.narrow_is_forced(variable);
        let mark = self.mark_of_answer();
        let known = &mut self.variables[variable];
        if !value.is_exception() {
            known.note_taken(mark);
            return Taken::Value;
        }
        let was_narrow = std::mem::replace(&mut known.narrow, has_narrow);
        self.prepared = None;
        if has_narrow && !was_narrow && !forced {
            // If the 32-bit counter answers, its value does not continue that of the 64-bit
            // counter.
            known.break_off();
            return Taken::AskNarrow;
        }
        known.narrow = false;
        Taken::Missing(Missing::NotThere)
    }

    /// What is known of the device's limits; `None` before it has answered.
    pub(crate) fn learnt(&self, limits: Limits) -> Option<Learnt> {
        let (_, at) = self.answered_at?;
        let mut twins = self.variables.iter().zip(&self.plan.variables);
        let has_twin = |(_, asked): &(&Known, &Variable)| asked.object.narrow.is_some();
        let has_twins = twins.clone().any(|each| has_twin(&each));
        Some(Learnt {
            limits,
            has_only_narrow: has_twins && twins.all(|each| !has_twin(&each) || each.0.narrow),
            at,
            uptime_ticks: self.uptime.map(|uptime| uptime.ticks),
            engine_boots: self.engine_boots,
        })
    }

    /// Asks for 32-bit counters where there are such, or for 64-bit ones again.
    pub(crate) fn recall_narrow(&mut self, has_only_narrow: bool) {
        self.prepared = None;
        for (known, asked) in self.variables.iter_mut().zip(&self.plan.variables) {
            known.narrow = has_only_narrow && asked.object.narrow.is_some();
        }
    }

    /// The name that verifies an interface.
    pub(crate) fn verification(&self, interface: InterfaceId) -> Option<Oid> {
        let row = self.interfaces.index(interface).ok();
        self.interfaces.verification(interface)?.whole(row).ok()
    }

    fn narrow_is_forced(&self, variable: usize) -> bool {
        self.plan.snmp.security.is_v1() && self.plan.variables[variable].object.narrow.is_some()
    }

    fn name(&self, variable: usize) -> Result<CellName, Missing> {
        let known = &self.variables[variable];
        let object = &self.plan.variables[variable].object;
        let wants_narrow = known.narrow || self.narrow_is_forced(variable);
        let name = match &object.narrow {
            Some(narrow) if wants_narrow => narrow,
            _ => &object.name,
        };
        let Some(index) = self.index(known.place) else {
            return Ok(CellName::Whole(name.prefix.clone()));
        };
        let index = index.map_err(Missing::Interface)?;
        let whole = name.with_index(index).map_err(|_| Missing::NameTooLong)?;
        Ok(match name.suffix[..] {
            [] => CellName::Column(name.prefix.clone()),
            _ => CellName::Whole(whole),
        })
    }
}
