//! Runs the programs that are targets, once in each cycle.
//!
//! ```text
//!  begin ─▶ waiting ─▶ Runner, a few at once ─▶ deliver ─▶ the polling thread: take
//! ```
//!
//! They run in threads of the runner, and their results come back to the polling thread, which
//! waits for none of them. A program that has not ended shortly before the next cycle is killed.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
    /// The position of each command.
    positions: HashMap<Arc<OsStr>, usize>,
    /// The programs that are still to start in this cycle.
    waiting: VecDeque<Arc<OsStr>>,
    /// The cycle in which each program is expected to report.
    awaited: HashMap<Arc<OsStr>, u64>,
    /// Those that were started and have not ended.
    running: HashSet<Arc<OsStr>>,
    /// Those of them that were to be killed in an earlier cycle: a kill does not end a process that
    /// waits in the kernel for a device. They take no others' place, and are not started again.
    stuck: HashSet<Arc<OsStr>>,
    ends_at: Instant,
}

/// A program that has ended.
pub(super) struct Finished {
    command: Arc<OsStr>,
    cycle: u64,
    at: Timestamp,
    took: Duration,
    result: Result<Outcome, RunError>,
}

/// What a program said in a cycle.
#[derive(Clone, Debug)]
pub(super) struct ProgramPoll {
    /// Its position among the programs.
    pub(super) program: usize,
    pub(super) cycle: u64,
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
            waiting: VecDeque::new(),
            awaited: HashMap::new(),
            running: HashSet::new(),
            stuck: HashSet::new(),
            ends_at: Instant::now(),
        })
    }

    /// Switches to the programs of another configuration. Those in both go on.
    pub(super) fn adopt(&mut self, plans: &[ProgramPlan], path_add: Option<&Path>) {
        let commands = plans.iter().map(|plan| plan.command.clone());
        self.positions = commands.zip(0..).collect();
        self.waiting.retain(|command| self.positions.contains_key(command));
        self.awaited.retain(|command, _| self.positions.contains_key(command));
        self.environment = path_add.map(with_path).into_iter().collect();
    }

    /// Begins a cycle. Returns what is to be said of programs that are still awaited in an earlier
    /// one.
    pub(super) fn begin(&mut self, cycle: u64, lasts: Duration) -> Vec<ProgramPoll> {
        let late = std::mem::take(&mut self.awaited);
        let late = late.iter();
        let late = late.filter_map(|(command, cycle)| self.missing(command, *cycle, NOT_IN_TIME));
        let mut late: Vec<_> = late.collect();
        self.ends_at = Instant::now() + lasts - lasts / MARGIN_PART;
        self.stuck.clone_from(&self.running);
        let (stuck, free): (Vec<_>, Vec<_>) =
            self.positions.keys().cloned().partition(|command| self.running.contains(command));
        let blocked = stuck.iter().filter_map(|command| self.missing(command, cycle, STUCK));
        late.extend(blocked);
        self.awaited = free.iter().map(|command| (command.clone(), cycle)).collect();
        self.waiting = free.into();
        late.extend(self.start(cycle));
        late
    }

    /// Takes what has become of a program. Returns what it said, and what is to be said of others
    /// that cannot be started any more.
    pub(super) fn take(&mut self, finished: Finished) -> Vec<ProgramPoll> {
        self.running.remove(&finished.command);
        self.stuck.remove(&finished.command);
        let mut polls = Vec::new();
        if self.awaited.get(&finished.command) == Some(&finished.cycle) {
            self.awaited.remove(&finished.command);
            let position = self.positions.get(&finished.command).copied();
            polls.extend(position.map(|position| finished.understand(position)));
        }
        let cycle = self.awaited.values().max().copied();
        polls.extend(cycle.map(|cycle| self.start(cycle)).unwrap_or_default());
        polls
    }

    /// Whether a program is still to report in this cycle.
    pub(super) fn is_awaited(&self, cycle: u64) -> bool {
        self.awaited.values().any(|awaited| *awaited == cycle)
    }

    /// Starts programs while few enough run. Returns what is to be said of those for which the
    /// cycle has no time left.
    fn start(&mut self, cycle: u64) -> Vec<ProgramPoll> {
        let mut missing = Vec::new();
        while self.running.len() - self.stuck.len() < AT_ONCE
            && let Some(command) = self.waiting.pop_front()
        {
            if let Err(why) = self.submit(command.clone(), cycle) {
                self.awaited.remove(&command);
                missing.extend(self.missing(&command, cycle, why));
            }
        }
        missing
    }

    fn missing(&self, command: &OsStr, cycle: u64, why: &str) -> Option<ProgramPoll> {
        let position = self.positions.get(command)?;
        Some(ProgramPoll::missing(*position, cycle, why))
    }

    fn submit(&mut self, command: Arc<OsStr>, cycle: u64) -> Result<(), &'static str> {
        let time_max = self.ends_at.saturating_duration_since(Instant::now());
        if time_max.is_zero() {
            return Err(NO_TIME);
        }
        let program = Program {
            command: Command::Shell(command.as_ref().into()),
            // What a configuration sets comes last, and wins.
            environment: [hidden_variables(), self.environment.clone()].concat(),
            time_max,
            output: Output::Collected { bytes_max: OUTPUT_BYTES_MAX },
        };
        let (deliver, started) = (self.deliver.clone(), Instant::now());
        let own = command.clone();
        let then = move |result| {
            let (at, took) = (wall(), started.elapsed());
            deliver(Finished { command, cycle, at, took, result });
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
    fn missing(program: usize, cycle: u64, why: &str) -> Self {
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
