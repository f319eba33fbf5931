//! From readings to samples: evaluates every target when the last of its devices has reported.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use collector::{CycleReport, DevicePlan, DevicePoll, Missing, Sink};
use mrtg::{Configuration, Direction, Number, PollIndex};
use rrd::{SourceKind, Timestamp};
use snmp::{Community, Value, Version};

use super::board::Board;
use super::databases::Database;
use super::queue::{Count, Cycle, Message, Queue, ReadingKept, Write};
use super::stamp::Precision;
use super::wiring::{Operand, Wiring};

/// A database may have been updated so long after its device restarted and still lack nothing: the
/// two clocks are not one.
const RESTART_SLACK_SECONDS: i64 = 10;

/// Takes what the collector finds out; runs on the polling thread and never waits.
pub(super) struct Measurer {
    measured: Measured,
    queue: Queue,
    board: Arc<Board>,
    counts: BTreeMap<u64, Count>,
}

/// A configuration being measured.
pub(super) struct Measured {
    configuration: Arc<Configuration>,
    wiring: Wiring,
    precision: Precision,
    targets: Vec<Target>,
    /// The targets that need each device.
    of_device: Vec<Vec<usize>>,
    /// The last poll of each device.
    latest: Vec<Option<DevicePoll>>,
}

struct Target {
    database: Option<Database>,
    kind: SourceKind,
    /// The devices it needs, and whether each has reported since its last sample.
    reported: Vec<(usize, bool)>,
}

impl Measurer {
    pub(super) fn new(measured: Measured, queue: Queue, board: Arc<Board>) -> Self {
        Self { measured, queue, board, counts: BTreeMap::new() }
    }

    /// Goes on with another configuration.
    pub(super) fn adopt(&mut self, mut measured: Measured) {
        measured.inherit(&mut self.measured);
        self.measured = measured;
    }

    /// Waits until every sample is with the writing thread.
    pub(super) fn finish(self) {
        self.queue.finish();
    }
}

impl Sink for Measurer {
    fn device(&mut self, poll: DevicePoll) {
        self.board.device(&poll);
        let (cycle, device) = (poll.cycle, poll.device);
        let (writes, count) = self.measured.take(device, poll);
        let total = self.counts.entry(cycle).or_default();
        total.polled += count.polled;
        total.missed += count.missed;
        if !writes.is_empty() {
            self.queue.push(Message::Samples(writes));
        }
    }

    fn cycle(&mut self, report: CycleReport) {
        let targets = self.counts.remove(&report.cycle).unwrap_or_default();
        let samples_lost = self.queue.take_samples_lost();
        self.queue.push(Message::Cycle(Box::new(Cycle { report, targets, samples_lost })));
    }
}

impl Measured {
    pub(super) fn new(
        configuration: Arc<Configuration>,
        wiring: Wiring,
        databases: Vec<Result<Database, Arc<str>>>,
    ) -> Self {
        let mut of_device = vec![Vec::new(); wiring.plan.devices.len()];
        let mut targets = Vec::with_capacity(databases.len());
        let needs = wiring.devices_of_target.iter();
        for ((nth, said), (database, needs)) in
            configuration.targets.iter().enumerate().zip(databases.into_iter().zip(needs))
        {
            let needs: &[usize] = needs.as_ref().map_or(&[], |devices| devices);
            for device in needs {
                of_device[*device].push(nth);
            }
            targets.push(Target {
                database: database.ok(),
                kind: mrtg::database::source_kind(said.options),
                reported: needs.iter().map(|device| (*device, false)).collect(),
            });
        }
        Self {
            precision: Precision::of(wiring.plan.interval),
            latest: wiring.plan.devices.iter().map(|_| None).collect(),
            configuration,
            wiring,
            targets,
            of_device,
        }
    }

    /// Takes a device's poll; gives the samples of the targets that it completes.
    fn take(&mut self, device: usize, poll: DevicePoll) -> (Vec<Write>, Count) {
        self.latest[device] = Some(poll);
        let mut writes = Vec::new();
        let mut count = Count::default();
        for nth in self.of_device[device].clone() {
            let target = &mut self.targets[nth];
            for (each, has_reported) in &mut target.reported {
                *has_reported |= *each == device;
            }
            if !target.reported.iter().all(|(_, has_reported)| *has_reported) {
                continue;
            }
            for (_, has_reported) in &mut target.reported {
                *has_reported = false;
            }
            let sample = self.sample(nth);
            let is_known = sample.readings.iter().any(Option::is_some);
            count.polled += usize::from(is_known);
            count.missed += usize::from(!is_known);
            writes.extend(self.write(nth, sample));
        }
        (writes, count)
    }

    /// Evaluates a target.
    fn sample(&self, nth: usize) -> Sample {
        let target = &self.configuration.targets[nth];
        let mut sample = Sample::default();
        for (direction, place) in Direction::BOTH.into_iter().zip(0..) {
            sample.readings[place] = target
                .reading(direction, |poll, direction| self.value(poll, direction, &mut sample));
        }
        if sample.time.is_none() {
            // Nothing was read: unknown since the devices were asked.
            let polls = self.targets[nth].reported.iter();
            let asked = polls.filter_map(|(device, _)| self.latest[*device].as_ref()?.began);
            sample.time = asked.max();
        }
        sample
    }

    fn value(&self, poll: PollIndex, direction: Direction, sample: &mut Sample) -> Option<Number> {
        let (device, variable, one_if_up) = match self.wiring.operand(poll, direction) {
            Operand::Nothing => return None,
            Operand::Constant(number) => return Some(Number::from(u64::from(number))),
            Operand::Reading { device, variable, one_if_up } => (device, variable, one_if_up),
        };
        let latest = self.latest[device].as_ref()?;
        let reading = latest.readings.get(variable)?.as_ref().ok()?;
        sample.time = sample.time.max(Some(reading.time));
        sample.discontinuity |= reading.discontinuity;
        let booted = latest.uptime.map(|uptime| reading.time.seconds - uptime.as_secs() as i64);
        sample.booted_seconds = sample.booted_seconds.max(booted);
        let number = number(&reading.value)?;
        Some(match one_if_up {
            true => Number::from(u64::from(number.as_integer() == Some(1))),
            false => number,
        })
    }

    fn write(&mut self, nth: usize, sample: Sample) -> Option<Write> {
        let target = &mut self.targets[nth];
        let database = target.database.as_mut()?;
        let time = self.precision.round(sample.time?);
        let is_difference = !matches!(target.kind, SourceKind::Gauge | SourceKind::Absolute);
        let just_before = is_difference.then(|| self.precision.just_before(time));
        // Of what was counted before a start of gyre the database alone knows.
        let last_update = database.last_update.take();
        let restarted_unseen = last_update.is_some_and(|last| {
            let unharmed_until = last.seconds + RESTART_SLACK_SECONDS;
            sample.booted_seconds.is_some_and(|booted| booted > unharmed_until)
        });
        let is_broken = sample.discontinuity || restarted_unseen;
        Some(Write {
            database: database.name.clone(),
            time,
            readings: sample.readings.map(|reading| storable(target.kind, reading)),
            unknown_until: just_before.filter(|_| is_broken),
            just_before,
        })
    }

    /// Takes over what a reload must not lose: the reports of devices whose targets wait for
    /// other devices, and what is known of databases.
    fn inherit(&mut self, old: &mut Self) {
        let mut reported = vec![false; self.latest.len()];
        let old_plans = old.wiring.plan.devices.iter().zip(0_usize..);
        let known: HashMap<_, _> = old_plans.map(|(plan, at)| (identity(plan), at)).collect();
        for (new, plan) in self.wiring.plan.devices.iter().enumerate() {
            if let Some(before) = known.get(&identity(plan)).copied() {
                let old_plan = &old.wiring.plan.devices[before];
                let poll = old.latest[before].take();
                reported[new] = poll.is_some();
                self.latest[new] = poll.map(|poll| rearrange(poll, new, old_plan, plan));
            }
        }
        let waiting = |target: &Target| target.reported.iter().any(|(_, reported)| *reported);
        let names = old.configuration.targets.iter().map(|target| &target.name);
        let old: HashMap<&String, &Target> = names.zip(&old.targets).collect();
        for (target, said) in self.targets.iter_mut().zip(&self.configuration.targets) {
            let Some(before) = old.get(&said.name) else { continue };
            if let (Some(database), Some(before)) = (&mut target.database, &before.database) {
                database.last_update = before.last_update;
            }
            if waiting(before) && target.reported.len() > 1 {
                for (device, has_reported) in &mut target.reported {
                    *has_reported = reported[*device];
                }
            }
        }
    }
}

/// What a target came to.
#[derive(Default)]
struct Sample {
    readings: [Option<Number>; 2],
    /// The latest of the readings' times.
    time: Option<Timestamp>,
    discontinuity: bool,
    /// When the device that restarted last did, in seconds since 1970.
    booted_seconds: Option<i64>,
}

/// What makes it the same device, as the collector sees it.
fn identity(plan: &DevicePlan) -> (&str, u16, Version, &Community) {
    (&plan.host, plan.port, plan.snmp.version, &plan.snmp.community)
}

/// A poll by an old plan, in the order of the new one.
fn rearrange(poll: DevicePoll, device: usize, old: &DevicePlan, new: &DevicePlan) -> DevicePoll {
    if old.variables == new.variables {
        return DevicePoll { device, ..poll };
    }
    let mut known: HashMap<_, _> = old.variables.iter().zip(poll.readings).collect();
    let readings = new
        .variables
        .iter()
        .map(|variable| known.remove(variable).unwrap_or(Err(Missing::NotAsked)));
    DevicePoll { readings: readings.collect(), device, ..poll }
}

/// A value as a number; text is a number if it looks like one, as agents' scripts answer.
fn number(value: &Value) -> Option<Number> {
    if let Some(number) = value.as_number() {
        return u64::try_from(number)
            .map(Number::from)
            .or_else(|_| i64::try_from(number).map(Number::from))
            .ok();
    }
    let Value::OctetString(text) = value else {
        return None;
    };
    let text = std::str::from_utf8(text)
        .ok()?
        .trim_matches(|each: char| each.is_ascii_whitespace() || each == '\0');
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    text.parse::<i64>().map(Number::from).ok().or_else(|| Number::from_f64(text.parse().ok()?))
}

/// A reading as the database takes it.
fn storable(kind: SourceKind, reading: Option<Number>) -> ReadingKept {
    let storable = reading.filter(|number| match kind {
        SourceKind::Counter => {
            number.as_integer().is_some_and(|integer| u64::try_from(integer).is_ok())
        }
        SourceKind::Derive => number.as_integer().is_some(),
        _ => true,
    });
    storable.map_or(ReadingKept::UNKNOWN, ReadingKept::of)
}

#[cfg(test)]
mod tests;
