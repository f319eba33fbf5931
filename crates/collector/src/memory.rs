//! What is known of a device from one poll to the next.

use crate::chunk::Chunk;
use crate::group::{CellName, Group};
use crate::interfaces::{InterfaceId, Interfaces, Place};
use crate::known::{Known, Mark, Since};
use crate::pack::{Room, pack};
use crate::plan::{DevicePlan, Variable};
use crate::report::{Missing, Reading, Unfound};
use crate::uptime::Uptime;
use rrd::Timestamp;
use snmp::{Oid, Value, VarBind, mib};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
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
            plan,
            prepared: None,
            epoch: 0,
            uptime: None,
            engine_boots: None,
            table_change: Telling::Untried,
            hides_counting_since: false,
            answered_at: None,
        }
    }

    /// Switches to another plan. Returns, for each variable of the new plan, its position in the
    /// old one.
    pub(crate) fn adopt(&mut self, plan: Arc<DevicePlan>) -> Vec<Option<usize>> {
        if plan.variables == self.plan.variables {
            self.plan = plan;
            return (0..self.variables.len()).map(Some).collect();
        }
        let old = std::mem::replace(self, Self::new(plan));
        self.epoch = old.epoch;
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
        let chunks =
            pack(groups, Room { bindings_max: snmp.bindings_max, bytes_max }, self.watches_table());
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

    /// Records sysUpTime; returns whether the device has restarted.
    pub(crate) fn note_uptime(&mut self, now: Uptime) -> bool {
        let before = self.uptime.replace(now);
        let restarted = before.is_some_and(|before| before.restarted_before(now));
        if restarted {
            self.begin_anew();
        }
        restarted
    }

    /// Records how often the engine has started; returns whether the device has restarted.
    pub(crate) fn note_engine_boots(&mut self, boots: u32) -> bool {
        let restarted = self.engine_boots.replace(boots).is_some_and(|before| before != boots);
        if restarted {
            self.begin_anew();
        }
        restarted
    }

    /// Records when the device last made or removed an interface, or that it does not tell.
    pub(crate) fn note_table_change(&mut self, value: &Value, now: Duration) {
        let told = match value {
            Value::TimeTicks(ticks) => Telling::Ticks(*ticks),
            _ => Telling::Nothing,
        };
        let before = std::mem::replace(&mut self.table_change, told);
        if matches!((before, told), (Telling::Ticks(before), Telling::Ticks(now)) if before != now)
        {
            self.interfaces.doubt(now);
            self.prepared = None;
        }
        if matches!(before, Telling::Ticks(_)) != matches!(told, Telling::Ticks(_)) {
            self.prepared = None;
        }
    }

    /// Records that the device does not tell since when counters count.
    pub(crate) fn note_no_counting_since(&mut self) {
        self.hides_counting_since = true;
    }

    /// The device has restarted: its tables may be renumbered, and new software may have other
    /// counters.
    fn begin_anew(&mut self) {
        self.epoch += 1;
        self.prepared = None;
        self.interfaces.forget();
        self.hides_counting_since = false;
        for known in &mut self.variables {
            known.narrow = false;
        }
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
        let mark = self.mark();
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

    /// The name that verifies an interface.
    pub(crate) fn verification(&self, interface: InterfaceId) -> Option<Oid> {
        let row = self.interfaces.index(interface).ok();
        self.interfaces.verification(interface)?.whole(row).ok()
    }

    /// Whether it is not known if the device tells when it last made or removed an interface. That
    /// matters from the second poll on.
    pub(crate) fn has_untried_table(&self) -> bool {
        let matters = |variable: usize| {
            self.variables[variable].was_read() && self.row_of(variable).is_some()
        };
        self.table_change == Telling::Untried && (0..self.variables.len()).any(matters)
    }

    /// The indices of interfaces whose counters may have begun anew.
    pub(crate) fn doubts(&self, readings: &[Result<Reading, Missing>]) -> BTreeSet<u32> {
        if self.hides_counting_since {
            return BTreeSet::new();
        }
        let changed = match self.table_change {
            Telling::Ticks(ticks) => Some(ticks),
            Telling::Untried | Telling::Nothing => None,
        };
        let now = self.mark();
        let all = self.variables.iter().zip(readings).zip(0..);
        let doubtful = all.filter_map(|((known, reading), nth)| {
            let reading = reading.as_ref().ok()?;
            known.is_doubtful(&reading.value, changed, now).then(|| self.row_of(nth))?
        });
        doubtful.collect()
    }

    /// Marks the discontinuities among the readings of a poll. They are known only at its end,
    /// because the last datagram may reveal a restart. Readings from before that datagram cannot be
    /// the start of the next difference either.
    pub(crate) fn settle(
        &mut self,
        readings: &mut [Result<Reading, Missing>],
        since: &BTreeMap<u32, Since>,
    ) {
        let now = self.mark();
        for (nth, reading) in readings.iter_mut().enumerate() {
            let Ok(reading) = reading else { continue };
            let since = match since.is_empty() {
                true => Since::Unknown,
                false => {
                    let told = self.row_of(nth).and_then(|row| since.get(&row));
                    told.copied().unwrap_or(Since::Unknown)
                }
            };
            reading.discontinuity = self.variables[nth].settle(&reading.value, since, now);
        }
    }

    fn mark(&self) -> Mark {
        Mark { epoch: self.epoch, ticks: self.uptime.map_or(0, |uptime| uptime.ticks) }
    }

    /// The index of the interface that a counter of the interfaces' tables belongs to.
    fn row_of(&self, variable: usize) -> Option<u32> {
        let prefix = &self.plan.variables[variable].object.name.prefix;
        let tables = [mib::IF_TABLE, mib::IF_X_TABLE];
        let mut below = tables.iter().find_map(|table| prefix.below(table))?;
        match self.variables[variable].place {
            // The entry and the column come before the index.
            Place::None => below.nth(2),
            place => self.index(place)?.ok(),
        }
    }

    /// Whether requests ask when the device last made or removed an interface.
    fn watches_table(&self) -> bool {
        matches!(self.table_change, Telling::Ticks(_))
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
        memory.settle(&mut readings, &BTreeMap::new());
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
