//! What tells whether a counter goes on: restarts, changes of the tables, jumps of the clock.

use super::{Memory, Telling};
use crate::interfaces::Place;
use crate::known::{Mark, Since};
use crate::report::{Missing, Reading};
use crate::uptime::Uptime;
use rrd::Timestamp;
use snmp::{Value, mib};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

impl Memory {
    /// Records sysUpTime, which was asked for at `asked_at`; returns whether the device has
    /// restarted.
    pub(crate) fn note_uptime(&mut self, now: Uptime, asked_at: Duration) -> bool {
        self.told_ticks = now.ticks;
        // Requests may be on their way at the same time: the later answer may tell the earlier time.
        if self.uptime.is_some_and(|newest| newest.is_overtaken_by(now, asked_at)) {
            return false;
        }
        let before = self.uptime.replace(now);
        let restarted = before.is_some_and(|before| before.restarted_before(now));
        if restarted {
            self.begin_anew();
        }
        restarted
    }

    /// The answer at hand came in several responses within this time: its values may have been read
    /// so much before the sysUpTime in it.
    pub(crate) fn note_several_responses(&mut self, took: Duration) {
        self.told_ticks = self.told_ticks.wrapping_sub((took.as_millis() / 10) as u32 + 1);
    }

    /// Records how often the engine has started; returns whether the device has restarted.
    pub(crate) fn note_engine_boots(&mut self, boots: u32) -> bool {
        let restarted = self.engine_boots.replace(boots).is_some_and(|before| before != boots);
        if restarted {
            self.begin_anew();
        }
        restarted
    }

    /// The number of discontinuities so far.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
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
            // What verifies an interface tells whether it is another one.
            let changed = changed.filter(|_| !self.is_verified(known.place));
            known.is_doubtful(&reading.value, changed, now).then(|| self.row_of(nth))?
        });
        doubtful.collect()
    }

    /// Marks the discontinuities among the readings of a poll. They are known only at its end,
    /// because the last datagram may reveal a restart. Readings from before that datagram cannot be
    /// the start of the next difference either.
    ///
    /// `since` is what the device said, at `told_ticks` of its sysUpTime. A value that was read later
    /// is not settled by it.
    pub(crate) fn settle(
        &mut self,
        readings: &mut [Result<Reading, Missing>],
        since: &BTreeMap<u32, Since>,
        told_ticks: u32,
    ) {
        let now = self.mark();
        for (nth, reading) in readings.iter_mut().enumerate() {
            let Ok(reading) = reading else { continue };
            let since = match since.is_empty() {
                true => Since::Unknown,
                false => {
                    let told = self.row_of(nth).and_then(|row| since.get(&row));
                    let is_later = self.variables[nth].was_taken_after(told_ticks, now);
                    match told {
                        Some(Since::Ticks(_)) if is_later => Since::NoAnswer,
                        told => told.copied().unwrap_or(Since::Unknown),
                    }
                }
            };
            reading.discontinuity = self.variables[nth].settle(&reading.value, since, now);
        }
    }

    fn is_verified(&self, place: Place) -> bool {
        matches!(place, Place::Of(interface) if self.interfaces.is_verified(interface))
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { epoch: self.epoch, ticks: self.newest_ticks() }
    }

    /// The newest sysUpTime.
    pub(crate) fn newest_ticks(&self) -> u32 {
        self.uptime.map_or(0, |uptime| uptime.ticks)
    }

    /// When the values of the answer at hand were read. It may have been overtaken by one that tells
    /// a later time: what happened between the two is not in its values.
    pub(super) fn mark_of_answer(&self) -> Mark {
        Mark { epoch: self.epoch, ticks: self.told_ticks }
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
    pub(super) fn watches_table(&self) -> bool {
        matches!(self.table_change, Telling::Ticks(_))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Taken;
    use super::*;
    use crate::plan::{AnswersFrom, DevicePlan, Family, Transport, Variable};
    use snmp::{Community, Version};
    use std::sync::Arc;

    fn memory_of_two_counters() -> Memory {
        Memory::new(Arc::new(DevicePlan {
            name: "a".into(),
            interval: Duration::from_secs(60),
            host: "192.0.2.1".into(),
            family: Family::Any,
            transport: Transport::Udp,
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
            memory.note_uptime(Uptime { ticks: uptime_seconds * 100, at }, at);
            assert_eq!(memory.note_value(variable, &value), Taken::Value);
        }
        let time = Timestamp::from_seconds(at_seconds as i64);
        let reading = Ok(Reading { time, value, discontinuity: false });
        let mut readings = [reading.clone(), reading];
        memory.settle(&mut readings, &BTreeMap::new(), 0);
        readings.map(|reading| reading.unwrap().discontinuity)
    }

    #[test]
    fn what_was_read_just_before_a_restart_is_no_start_for_a_difference() {
        let mut memory = memory_of_two_counters();
        assert_eq!(poll(&mut memory, 1000, [9000, 9000]), [false, false]);
        // The device restarts between the two datagrams.
        assert_eq!(poll(&mut memory, 1300, [9300, 20]), [true, true]);
        assert_eq!(poll(&mut memory, 1600, [320, 320]), [true, false]);
        assert_eq!(poll(&mut memory, 1900, [620, 620]), [false, false]);
    }

    #[test]
    fn an_engine_that_started_again_breaks_what_sys_up_time_does_not() {
        let mut memory = memory_of_two_counters();
        assert!(!memory.note_engine_boots(3));
        poll(&mut memory, 1000, [9000, 9000]);
        assert!(!memory.note_engine_boots(3));
        assert_eq!(poll(&mut memory, 1300, [9300, 9300]), [false, false]);
        assert!(memory.note_engine_boots(4));
        assert_eq!(poll(&mut memory, 1600, [9600, 9600]), [true, true]);
    }
}
