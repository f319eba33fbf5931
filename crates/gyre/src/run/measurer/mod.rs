//! Turns readings into samples: a target is evaluated when the last of its sources, devices and
//! programs, has reported.

mod plain;
mod sample;
mod inheritance;
mod speeds;
mod succession;
mod writing;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use collector::{CycleId, CycleReport, DevicePoll, Sink};
use mrtg::{Configuration, Direction, Number, PollIndex};
use rrd::Timestamp;
use snmp::Value;

use super::board::Board;
use super::database_names::DatabaseNames;
use super::databases::Database;
use super::learnt::LearntLimits;
use super::programs::{Finished, ProgramPoll, Programs};
use super::queue::{Count, Cycle, Message, Queue, Write};
use super::reading_kept::ReadingKept;
use super::stamp::Precision;
use super::wiring::{Becomes, Operand, Wiring};
use plain::Plain;
use sample::Sample;
use speeds::Speeds;
use writing::{Takes, storable};

pub(super) use succession::{Outgoing, Succession};

/// Receives the collector's polls. It runs on the polling thread and never waits.
pub(super) struct Measurer {
    measured: Measured,
    queue: Queue,
    board: Arc<Board>,
    limits: Arc<LearntLimits>,
    counts: BTreeMap<CycleId, Count>,
    /// The programs in the running; `None` until the poller exists.
    programs: Option<Programs>,
    /// Reports on cycles in which programs are still to report.
    held: VecDeque<CycleReport>,
}

/// A configuration that is being measured.
pub(super) struct Measured {
    configuration: Arc<Configuration>,
    wiring: Wiring,
    database_names: Arc<DatabaseNames>,
    targets: Vec<Target>,
    /// For each source, the targets that need it.
    of_source: Vec<Vec<u32>>,
    /// For each source, whether targets need its last poll beside that of others.
    is_waited_for: Vec<bool>,
    /// For each device, its last poll, as long as it is needed.
    latest: Vec<Option<DevicePoll>>,
    /// For each program, what it said last.
    said: Vec<Option<ProgramPoll>>,
    /// The targets whose maxima follow the speed of their interfaces.
    speeds: Speeds,
    /// What the operator should know.
    remarks: Vec<String>,
}

struct Target {
    database: Option<Database>,
    takes: Takes,
    precision: Precision,
    /// The time of the last sample, in seconds since 1970, for `MaxAge`.
    written_seconds: Option<i64>,
    /// Whether a difference to what was written last would be meaningless.
    is_broken: bool,
    /// Whether it was told that the database is too old.
    is_told_old: bool,
    /// Its variables, if it calculates nothing.
    plain: Option<Plain>,
    /// The sources that it needs, if these are several, and whether each has reported since the
    /// target's last sample.
    reported: Box<[(u32, bool)]>,
}

impl Measurer {
    pub(super) fn new(
        measured: Measured,
        queue: Queue,
        board: Arc<Board>,
        limits: Arc<LearntLimits>,
    ) -> Self {
        let (counts, held) = (BTreeMap::new(), VecDeque::new());
        Self { measured, queue, board, limits, counts, programs: None, held }
    }

    /// Runs programs from now on.
    pub(super) fn run_programs(&mut self, programs: Programs) {
        self.programs = Some(programs);
        self.plan_programs();
    }

    /// A program has ended.
    pub(super) fn program(&mut self, finished: Finished) {
        let polls = self.programs.as_mut().map(|programs| programs.take(finished));
        self.take_said(polls.unwrap_or_default());
    }

    /// Switches to another configuration; returns the old one, whose memory takes long to free.
    pub(super) fn adopt(&mut self, mut measured: Measured, succession: &Succession) -> Measured {
        measured.inherit(&mut self.measured, succession);
        let old = std::mem::replace(&mut self.measured, measured);
        self.plan_programs();
        old
    }

    fn plan_programs(&mut self) {
        if let Some(programs) = &mut self.programs {
            let path_add = self.measured.configuration.globals.path_add.as_deref();
            programs.adopt(&self.measured.wiring.programs, path_add);
        }
    }

    fn take_said(&mut self, polls: Vec<ProgramPoll>) {
        for poll in polls {
            self.board.program(self.measured.wiring.source_of_program(poll.program), &poll);
            if let Some(words) = self.measured.new_problem(&poll) {
                self.queue.push(Message::Remark(words));
            }
            let cycle = poll.cycle;
            let taken = self.measured.take_said(poll);
            self.pass_on(cycle, taken);
        }
        self.report_cycles();
    }

    fn pass_on(&mut self, cycle: CycleId, (writes, count): (Vec<Write>, Count)) {
        for words in std::mem::take(&mut self.measured.remarks) {
            self.queue.push(Message::Remark(words));
        }
        let total = self.counts.entry(cycle).or_default();
        total.polled += count.polled;
        total.missed += count.missed;
        if !writes.is_empty() {
            self.queue.push(Message::Samples(writes));
        }
    }

    /// Reports cycles in which no program is awaited any more.
    fn report_cycles(&mut self) {
        let is_awaited = |cycle| self.programs.as_ref().is_some_and(|it| it.is_awaited(cycle));
        let is_over = |report: &CycleReport| !is_awaited(report.cycle);
        while let Some(nth) = self.held.iter().position(is_over) {
            let Some(report) = self.held.remove(nth) else { return };
            let targets = self.counts.remove(&report.cycle).unwrap_or_default();
            let samples_lost = self.queue.take_samples_lost();
            self.queue.push(Message::Cycle(Box::new(Cycle { report, targets, samples_lost })));
        }
    }

    /// Waits until the writing thread has received every sample.
    pub(super) fn finish(self) {
        self.queue.finish();
    }
}

impl Sink for Measurer {
    fn began(&mut self, cycle: CycleId, lasts: Duration) {
        let late = self.programs.as_mut().map(|programs| programs.begin(cycle, lasts));
        self.take_said(late.unwrap_or_default());
    }

    fn device(&mut self, mut poll: DevicePoll) {
        self.board.device(&poll);
        if let Some(learnt) = poll.learnt.take() {
            self.limits.note(&self.measured.wiring.plan.devices[poll.device], &learnt);
        }
        let (cycle, device) = (poll.cycle, poll.device);
        let changed = self.measured.follow_speeds(&poll);
        if !changed.is_empty() {
            self.queue.push(Message::Maxima(changed));
        }
        let taken = self.measured.take(device, poll);
        self.pass_on(cycle, taken);
    }

    fn cycle(&mut self, report: CycleReport) {
        self.held.push_back(report);
        self.report_cycles();
    }
}

impl Measured {
    pub(super) fn new(
        configuration: Arc<Configuration>,
        wiring: Wiring,
        database_names: Arc<DatabaseNames>,
        databases: Vec<Result<Database, Arc<str>>>,
    ) -> Self {
        let mut of_source = vec![Vec::new(); wiring.sources()];
        let mut targets = Vec::with_capacity(databases.len());
        let needs = wiring.sources_of_target.iter();
        for ((nth, said), (database, needs)) in
            configuration.targets.iter().enumerate().zip(databases.into_iter().zip(needs))
        {
            let needs: &[u32] = needs.as_ref().map_or(&[], |sources| sources);
            for source in needs {
                of_source[*source as usize].push(nth as u32);
            }
            let waits_for: &[u32] = if needs.len() > 1 { needs } else { &[] };
            targets.push(Target {
                database: database.ok(),
                takes: Takes::of(mrtg::database::source_kind(said.settings.options)),
                precision: Precision::of(said.settings.interval),
                written_seconds: None,
                is_broken: false,
                is_told_old: false,
                plain: Plain::of(said, &wiring),
                reported: waits_for.iter().map(|source| (*source, false)).collect(),
            });
        }
        let waits = |nth: &u32| !targets[*nth as usize].reported.is_empty();
        let is_waited_for = of_source.iter().map(|needed: &Vec<u32>| needed.iter().any(waits));
        Self {
            is_waited_for: is_waited_for.collect(),
            latest: wiring.plan.devices.iter().map(|_| None).collect(),
            said: wiring.programs.iter().map(|_| None).collect(),
            speeds: Speeds::of(&wiring),
            remarks: Vec::new(),
            configuration,
            wiring,
            database_names,
            targets,
            of_source,
        }
    }

    /// Takes a device's poll. Returns the samples of the targets for which it was the last missing
    /// poll.
    fn take(&mut self, device: usize, poll: DevicePoll) -> (Vec<Write>, Count) {
        self.latest[device] = Some(poll);
        self.evaluate(device)
    }

    /// The same for what a program said.
    fn take_said(&mut self, poll: ProgramPoll) -> (Vec<Write>, Count) {
        let program = poll.program;
        self.said[program] = Some(poll);
        self.evaluate(self.wiring.source_of_program(program))
    }

    /// The problem of a program in words, if it is not the one that it had in its last cycle.
    fn new_problem(&self, poll: &ProgramPoll) -> Option<String> {
        let before = self.said[poll.program].as_ref().and_then(|before| before.problem.as_ref());
        let problem = poll.problem.as_ref().filter(|problem| before != Some(problem))?;
        let plan = &self.wiring.programs[poll.program];
        Some(format!("{}: target {}: its program: {problem}", plan.position, plan.target))
    }

    /// A source has reported.
    fn evaluate(&mut self, source: usize) -> (Vec<Write>, Count) {
        let mut count = Count::default();
        let needed = std::mem::take(&mut self.of_source[source]);
        let mut writes = Vec::with_capacity(needed.len());
        for nth in needed.iter().map(|nth| *nth as usize) {
            let target = &mut self.targets[nth];
            for (each, has_reported) in &mut target.reported {
                *has_reported |= *each as usize == source;
            }
            if !target.reported.iter().all(|(_, has_reported)| *has_reported) {
                continue;
            }
            for (_, has_reported) in &mut target.reported {
                *has_reported = false;
            }
            let sample = match self.targets[nth].plain {
                Some(plain) => self.plain_sample(nth, plain),
                None => self.sample(nth, source),
            };
            count.polled += usize::from(sample.is_known);
            count.missed += usize::from(!sample.is_known);
            writes.extend(self.write(nth, sample));
        }
        self.of_source[source] = needed;
        if !self.is_waited_for[source]
            && let Some(latest) = self.latest.get_mut(source)
        {
            *latest = None;
        }
        (writes, count)
    }

    /// The sample of a target that calculates nothing.
    fn plain_sample(&self, nth: usize, plain: Plain) -> Sample {
        let mut sample = Sample::default();
        let Some(latest) = &self.latest[plain.device as usize] else { return sample };
        for (place, variable) in plain.variables.into_iter().enumerate() {
            let Some(Ok(reading)) = latest.readings.get(variable as usize) else { continue };
            sample.note(latest, reading);
            let takes = self.targets[nth].takes;
            sample.readings[place] = plain::kept(reading).unwrap_or_else(|| {
                let number = number(&reading.value);
                let rounded = self.configuration.targets[nth].rounding(number);
                sample.is_known |= rounded.is_some();
                storable(takes, rounded)
            });
            sample.is_known |= sample.readings[place] != ReadingKept::UNKNOWN;
        }
        sample.time = sample.time.or(latest.began);
        sample
    }

    /// Evaluates a target, for which `source` was the last one to report.
    fn sample(&self, nth: usize, source: usize) -> Sample {
        let target = &self.configuration.targets[nth];
        let mut sample = Sample::default();
        for (direction, place) in Direction::BOTH.into_iter().zip(0..) {
            let reading = target.reading(direction, |poll, direction| {
                self.value(nth, poll, direction, &mut sample)
            });
            sample.is_known |= reading.is_some();
            sample.readings[place] = storable(self.targets[nth].takes, reading);
        }
        if sample.time.is_none() {
            // No value was read: the sample is unknown from the time when the devices were asked.
            let others = self.targets[nth].reported.iter().map(|(source, _)| *source as usize);
            sample.time = others.chain([source]).filter_map(|source| self.asked(source)).max();
        }
        sample
    }

    /// When a source was asked; for a program, when it ended.
    fn asked(&self, source: usize) -> Option<Timestamp> {
        match source.checked_sub(self.latest.len()) {
            None => self.latest[source].as_ref()?.began,
            Some(program) => Some(self.said[program].as_ref()?.time),
        }
    }

    fn value(
        &self,
        nth: usize,
        poll: PollIndex,
        direction: Direction,
        sample: &mut Sample,
    ) -> Option<Number> {
        let target = &self.configuration.targets[nth];
        let (device, reading, becomes) = match self.wiring.operand(target, poll, direction) {
            Operand::Nothing => return None,
            Operand::Constant(number) => return Some(Number::from(u64::from(number))),
            Operand::Program { program } => {
                let said = self.said[program as usize].as_ref()?;
                let number = said.value(direction)?;
                sample.time = sample.time.max(Some(said.time));
                return Some(number);
            }
            Operand::Reading { device, variable, becomes } => (
                device,
                self.latest[device as usize].as_ref()?.readings.get(variable as usize)?,
                becomes,
            ),
            Operand::Walked { device, walk, becomes } => {
                (device, self.latest[device as usize].as_ref()?.walked.get(walk as usize)?, becomes)
            }
        };
        let latest = self.latest[device as usize].as_ref()?;
        let reading = reading.as_ref().ok()?;
        sample.note(latest, reading);
        match (becomes, &reading.value) {
            (Becomes::Converted(conversion), Value::OctetString(text)) => conversion.number(text),
            (Becomes::OneIfUp, value) => {
                Some(Number::from(u64::from(number(value)?.as_integer() == Some(1))))
            }
            (_, value) => number(value),
        }
    }
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

#[cfg(test)]
mod reloads;
#[cfg(test)]
mod tests;
