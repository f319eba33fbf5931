//! Which polls are made how often.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;
use std::time::Duration;

use mrtg::{Configuration, Poll, PollIndex, Position, Target};

/// A poll at an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PollAt {
    pub(super) interval_seconds: u16,
    pub(super) poll: PollIndex,
}

/// A program that is a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::run) struct ProgramPlan {
    /// The command for the shell. It may hold passwords.
    pub(in crate::run) command: Arc<OsStr>,
    /// How often it runs.
    pub(in crate::run) interval: Duration,
    /// The first target that has it.
    pub(in crate::run) target: Arc<str>,
    /// The place of that target.
    pub(in crate::run) position: Position,
}

impl ProgramPlan {
    /// Its name on pages and in messages, which does not show the command.
    pub(in crate::run) fn name(&self) -> Arc<str> {
        format!("the program of {}", self.target).into()
    }
}

/// The interval of a target, which is at most an hour.
pub(super) fn interval_seconds(target: &Target) -> u16 {
    u16::try_from(target.settings.interval.step_seconds()).unwrap_or(u16::MAX)
}

/// The polls of all targets that can be measured, in order and each once. Others are not made: nobody
/// waits for their values, as for those of other parts of the site.
pub(super) fn wanted(configuration: &Configuration) -> Vec<PollAt> {
    let mut wanted: Vec<PollAt> = supported(configuration)
        .flat_map(|target| {
            let interval_seconds = interval_seconds(target);
            target.expression.polls().map(move |poll| PollAt { interval_seconds, poll })
        })
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

/// The interval that most of these have.
pub(super) fn usual_seconds(wanted: &[PollAt]) -> u16 {
    let runs = wanted.chunk_by(|left, right| left.interval_seconds == right.interval_seconds);
    let longest = runs.max_by_key(|run| run.len());
    longest.and_then(|run| run.first()).map_or(0, |first| first.interval_seconds)
}

/// The programs among them, in the same order.
pub(super) fn programs(configuration: &Configuration) -> Vec<ProgramPlan> {
    let mut of_poll = BTreeMap::new();
    for target in supported(configuration) {
        let interval_seconds = interval_seconds(target);
        for poll in target.expression.polls() {
            if let Poll::Script(script) = configuration.poll(poll) {
                of_poll.entry(PollAt { interval_seconds, poll }).or_insert_with(|| ProgramPlan {
                    command: OsStr::from_bytes(&script.command).into(),
                    interval: Duration::from_secs(interval_seconds.into()),
                    target: target.name.clone(),
                    position: target.position.clone(),
                });
            }
        }
    }
    of_poll.into_values().collect()
}

/// The targets that can be measured, as far as their language goes.
fn supported(configuration: &Configuration) -> impl Iterator<Item = &Target> {
    configuration.targets.iter().filter(|target| target.unsupported.is_none())
}
