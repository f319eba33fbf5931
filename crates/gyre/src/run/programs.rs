//! Runs the programs that are targets, once in each cycle of their interval.
//!
//! ```text
//!  begin ─▶ waiting ─▶ Runner, a few at once ─▶ deliver ─▶ the polling thread: take
//! ```
//!
//! They run in threads of the runner, and their results come back to the polling thread, which
//! waits for none of them. A program that has not ended shortly before the next cycle is killed.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use collector::CycleId;
use mrtg::{Direction, Number, ProgramOutput};
use programs::{Command, Ended, Outcome, Output, Program, RunError, Runner};
use rrd::Timestamp;

use super::secrets::hidden_variables;
use super::wiring::ProgramPlan;

/// Programs that run at the same time. Most wait for a network or a disk, not for a processor.
const AT_ONCE: usize = 16;

/// The part of a cycle before whose end a program must have ended.
const MARGIN_PART: u32 = 20;

/// What is read of a program's output: far more than four lines.
const OUTPUT_BYTES_MAX: usize = 64 << 10;

/// The programs of a configuration, on the polling thread.
pub(super) struct Programs {
    runner: Runner,
    deliver: Arc<dyn Fn(Finished) + Send + Sync>,
    environment: Vec<(OsString, Option<OsString>)>,
    /// The position of each program.
    positions: HashMap<Key, usize>,
    /// At each interval, the programs that are still to start in the present cycle.
    waiting: BTreeMap<Duration, VecDeque<Key>>,
    /// The cycle in which each program is expected to report.
    awaited: HashMap<Key, CycleId>,
    /// Those that were started and have not ended.
    running: HashSet<Key>,
    /// Those of them that were to be killed in an earlier cycle: a kill does not end a process that
    /// waits in the kernel for a device. They take no others' place, and are not started again.
    stuck: HashSet<Key>,
    /// At each interval, when programs of the present cycle must have ended.
    ends_at: HashMap<Duration, Instant>,
}

/// A command that runs at an interval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    command: Arc<OsStr>,
    interval: Duration,
}

/// A program that has ended.
pub(super) struct Finished {
    key: Key,
    cycle: CycleId,
    at: Timestamp,
    took: Duration,
    result: Result<Outcome, RunError>,
}

/// What a program said in a cycle.
#[derive(Clone, Debug)]
pub(super) struct ProgramPoll {
    /// Its position among the programs.
    pub(super) program: usize,
    pub(super) cycle: CycleId,
    /// When it ended.
    pub(super) time: Timestamp,
    pub(super) took: Duration,
    pub(super) values: [Option<Number>; 2],
    /// Why a value is missing, though the program does not say UNKNOWN.
    pub(super) problem: Option<Arc<str>>,
    /// How long its target is up, and the target's name, as it says.
    pub(super) about: Option<Arc<str>>,
}

impl Programs {
    /// `deliver` is called in other threads; what it is given belongs to [`Self::take`].
    pub(super) fn new(deliver: impl Fn(Finished) + Send + Sync + 'static) -> std::io::Result<Self> {
        Ok(Self {
            runner: Runner::new(AT_ONCE, AT_ONCE)?,
            deliver: Arc::new(deliver),
            environment: Vec::new(),
            positions: HashMap::new(),
            waiting: BTreeMap::new(),
            awaited: HashMap::new(),
            running: HashSet::new(),
            stuck: HashSet::new(),
            ends_at: HashMap::new(),
        })
    }

    /// Switches to the programs of another configuration. Those in both go on.
    pub(super) fn adopt(&mut self, plans: &[ProgramPlan], path_add: Option<&Path>) {
        let key =
            |plan: &ProgramPlan| Key { command: plan.command.clone(), interval: plan.interval };
        self.positions = plans.iter().map(key).zip(0..).collect();
        for waiting in self.waiting.values_mut() {
            waiting.retain(|key| self.positions.contains_key(key));
        }
        self.awaited.retain(|key, _| self.positions.contains_key(key));
        self.environment = path_add.map(with_path).into_iter().collect();
    }

    /// Begins a cycle. Returns what is to be said of programs that are still awaited in an earlier
    /// one.
    pub(super) fn begin(&mut self, cycle: CycleId, lasts: Duration) -> Vec<ProgramPoll> {
        let is_own = |key: &&Key| key.interval == cycle.interval;
        let late: HashMap<Key, CycleId> =
            self.awaited.extract_if(|key, _| key.interval == cycle.interval).collect();
        let late = late.iter().filter_map(|(key, cycle)| self.missing(key, *cycle, NOT_IN_TIME));
        let mut late: Vec<_> = late.collect();
        self.ends_at.insert(cycle.interval, Instant::now() + lasts - lasts / MARGIN_PART);
        self.stuck.extend(self.running.iter().filter(is_own).cloned());
        let (stuck, free): (Vec<_>, Vec<_>) = self
            .positions
            .keys()
            .filter(is_own)
            .cloned()
            .partition(|key| self.running.contains(key));
        late.extend(stuck.iter().filter_map(|key| self.missing(key, cycle, STUCK)));
        self.awaited.extend(free.iter().map(|key| (key.clone(), cycle)));
        self.waiting.insert(cycle.interval, free.into());
        late.extend(self.start());
        late
    }

    /// Takes what has become of a program. Returns what it said, and what is to be said of others
    /// that cannot be started any more.
    pub(super) fn take(&mut self, finished: Finished) -> Vec<ProgramPoll> {
        self.running.remove(&finished.key);
        self.stuck.remove(&finished.key);
        let mut polls = Vec::new();
        if self.awaited.get(&finished.key) == Some(&finished.cycle) {
            self.awaited.remove(&finished.key);
            let position = self.positions.get(&finished.key).copied();
            polls.extend(position.map(|position| finished.understand(position)));
        }
        polls.extend(self.start());
        polls
    }

    /// Whether a program is still to report in this cycle.
    pub(super) fn is_awaited(&self, cycle: CycleId) -> bool {
        self.awaited.values().any(|awaited| *awaited == cycle)
    }

    /// Starts programs while few enough run, those of the shortest interval first. Returns what is
    /// to be said of those for which the cycle has no time left.
    fn start(&mut self) -> Vec<ProgramPoll> {
        let mut missing = Vec::new();
        while self.running.len() - self.stuck.len() < AT_ONCE
            && let Some(key) = self.waiting.values_mut().find_map(VecDeque::pop_front)
        {
            let Some(cycle) = self.awaited.get(&key).copied() else { continue };
            if let Err(why) = self.submit(key.clone(), cycle) {
                self.awaited.remove(&key);
                missing.extend(self.missing(&key, cycle, why));
            }
        }
        missing
    }

    fn missing(&self, key: &Key, cycle: CycleId, why: &str) -> Option<ProgramPoll> {
        let position = self.positions.get(key)?;
        Some(ProgramPoll::missing(*position, cycle, why))
    }

    fn submit(&mut self, key: Key, cycle: CycleId) -> Result<(), &'static str> {
        let ends_at = self.ends_at.get(&key.interval).copied().ok_or(NO_TIME)?;
        let time_max = ends_at.saturating_duration_since(Instant::now());
        if time_max.is_zero() {
            return Err(NO_TIME);
        }
        let program = Program {
            command: Command::Shell(key.command.as_ref().into()),
            // What a configuration sets comes last, and wins.
            environment: [hidden_variables(), self.environment.clone()].concat(),
            time_max,
            output: Output::Collected { bytes_max: OUTPUT_BYTES_MAX },
        };
        let (deliver, started) = (self.deliver.clone(), Instant::now());
        let own = key.clone();
        let then = move |result| {
            let (at, took) = (wall(), started.elapsed());
            deliver(Finished { key, cycle, at, took, result });
        };
        self.runner.submit(program, then).map_err(|_| NO_TIME)?;
        self.running.insert(own);
        Ok(())
    }
}

const STUCK: &str = "it was killed in an earlier cycle and has not ended: it waits in the kernel, and is \
                     not started again until it ends";
const NOT_IN_TIME: &str = "it has not ended within the cycle";
const NO_TIME: &str = "other programs have left it no time in this cycle";

impl Finished {
    fn understand(self, program: usize) -> ProgramPoll {
        let output = self.result.as_ref().map_or(&[][..], |outcome| &outcome.output);
        let said = ProgramOutput::parse(output);
        let about = [&said.name, &said.uptime];
        let about: Vec<&str> = about.into_iter().flatten().map(String::as_str).collect();
        ProgramPoll {
            program,
            cycle: self.cycle,
            time: self.at,
            took: self.took,
            values: Direction::BOTH.map(|direction| said.value(direction).ok().flatten()),
            problem: self.problem(&said).map(Into::into),
            about: (!about.is_empty()).then(|| about.join(", up ").into()),
        }
    }

    /// MRTG takes no heed of a program's exit code if there are numbers, and neither does this.
    fn problem(&self, said: &ProgramOutput) -> Option<String> {
        let ended = match &self.result {
            Err(error) => return Some(error.to_string()),
            Ok(outcome) => outcome.ended,
        };
        let fault = said.first_fault()?;
        Some(match ended {
            Ended::Code(0) => fault.to_string(),
            _ => format!("{fault}; {ended}"),
        })
    }
}

impl ProgramPoll {
    fn missing(program: usize, cycle: CycleId, why: &str) -> Self {
        Self {
            program,
            cycle,
            time: wall(),
            took: Duration::ZERO,
            values: [None; 2],
            problem: Some(why.into()),
            about: None,
        }
    }

    pub(super) fn value(&self, direction: Direction) -> Option<Number> {
        let [incoming, outgoing] = self.values;
        match direction {
            Direction::In => incoming,
            Direction::Out => outgoing,
        }
    }

    pub(super) fn has_value(&self) -> bool {
        self.values.iter().any(Option::is_some)
    }
}

/// PATH with a directory before all others.
pub(super) fn with_path(first: &Path) -> (OsString, Option<OsString>) {
    let mut path = first.as_os_str().to_owned();
    if let Some(rest) = std::env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    ("PATH".into(), Some(path))
}

/// The clock of the samples.
fn wall() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp { seconds: since.as_secs() as i64, micros: since.subsec_micros() }
}
