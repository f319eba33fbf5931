//! Turns readings into samples: a target is evaluated when the last of its devices has reported.

mod succession;

use std::collections::BTreeMap;
use std::sync::Arc;

use collector::{CycleReport, DevicePoll, Sink};
use mrtg::{Configuration, Direction, Number, PollIndex};
use rrd::{SourceKind, Timestamp};
use snmp::Value;

use super::board::Board;
use super::databases::Database;
use super::queue::{Count, Cycle, Message, Queue, ReadingKept, Write};
use super::stamp::Precision;
use super::wiring::{Operand, Wiring};

pub(super) use succession::{Outgoing, Succession};

/// A restart that seems to lie up to this long after a database's last update may in fact precede
/// it, because the clocks of device and machine differ. Such a restart needs no unknown sample.
const RESTART_SLACK_SECONDS: i64 = 10;

/// Receives the collector's polls. It runs on the polling thread and never waits.
pub(super) struct Measurer {
    measured: Measured,
    queue: Queue,
    board: Arc<Board>,
    counts: BTreeMap<u64, Count>,
}

/// A configuration that is being measured.
pub(super) struct Measured {
    configuration: Arc<Configuration>,
    wiring: Wiring,
    precision: Precision,
    targets: Vec<Target>,
    /// For each device, the targets that need it.
    of_device: Vec<Vec<usize>>,
    /// For each device, its last poll.
    latest: Vec<Option<DevicePoll>>,
}

struct Target {
    database: Option<Database>,
    kind: SourceKind,
    /// The devices that the target needs, and whether each has reported since the target's last
    /// sample.
    reported: Vec<(usize, bool)>,
}

impl Measurer {
    pub(super) fn new(measured: Measured, queue: Queue, board: Arc<Board>) -> Self {
        Self { measured, queue, board, counts: BTreeMap::new() }
    }

    /// Switches to another configuration; returns the old one, whose memory takes long to free.
    pub(super) fn adopt(&mut self, mut measured: Measured, succession: &Succession) -> Measured {
        measured.inherit(&mut self.measured, succession);
        std::mem::replace(&mut self.measured, measured)
    }

    /// Waits until the writing thread has received every sample.
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

    /// Takes a device's poll. Returns the samples of the targets for which it was the last missing
    /// poll.
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
            // No value was read: the sample is unknown from the time when the devices were asked.
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
        // gyre may have been restarted: then only the database knows when the target was updated
        // last.
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

    /// Takes over from the old configuration what a reload must not lose: the reports of devices
    /// whose targets still wait for other devices, and what is known of databases.
    fn inherit(&mut self, old: &mut Self, succession: &Succession) {
        let mut reported = vec![false; self.latest.len()];
        for (new, before) in succession.devices.iter().enumerate() {
            let Some(before) = before else { continue };
            let poll = old.latest[before.position].take();
            reported[new] = poll.is_some();
            self.latest[new] = poll.map(|poll| before.rearranged(poll, new));
        }
        let waiting = |target: &Target| target.reported.iter().any(|(_, reported)| *reported);
        for (target, before) in self.targets.iter_mut().zip(&succession.targets) {
            let Some(before) = before.and_then(|at| old.targets.get(at as usize)) else { continue };
            if let (Some(database), Some(before)) = (&mut target.database, &before.database) {
                database.last_update = before.last_update;
            }
            if target.reported.len() > 1 && waiting(before) {
                for (device, has_reported) in &mut target.reported {
                    *has_reported = reported[*device];
                }
            }
        }
    }
}

/// The result of evaluating a target.
#[derive(Default)]
struct Sample {
    readings: [Option<Number>; 2],
    /// The time of the latest reading.
    time: Option<Timestamp>,
    discontinuity: bool,
    /// The latest restart of any of its devices, in seconds since 1970.
    booted_seconds: Option<i64>,
}

/// A value as a number. Text counts as a number if it looks like one: scripts of agents answer with
/// text.
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

/// A reading in the form that the database takes.
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
