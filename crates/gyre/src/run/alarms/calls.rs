//! Programs that thresholds call.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use mrtg::{Globals, Target};
use programs::{Command, Full, Output, Program, Runner};
use thresholds::Call;

use super::super::programs::with_path;
use super::super::secrets::hidden_variables;
use super::super::tell;

/// The most programs that run side by side.
const AT_ONCE: usize = 16;

/// The most programs that wait.
const WAITING_MAX: usize = 10_000;

/// A program may take an interval, and in any case this long.
const TIME_AT_LEAST: Duration = Duration::from_secs(60);

/// How long programs may still take when the run ends.
const GRACE: Duration = Duration::from_secs(10);

/// Runs programs side by side; those of one target one after the other.
pub(super) struct Calls {
    /// Made by the first call.
    runner: Option<Runner>,
    lanes: RandomState,
    is_loss_told: bool,
}

impl Calls {
    pub(super) fn new() -> Self {
        Self { runner: None, lanes: RandomState::new(), is_loss_told: false }
    }

    /// Has a program run for a target.
    pub(super) fn call(&mut self, target: &Target, call: Call, globals: &Globals) {
        let interval = Duration::from_secs(target.settings.interval.step_seconds());
        let target = &*target.name;
        let runner = match &self.runner {
            Some(runner) => runner,
            None => match Runner::new(AT_ONCE, WAITING_MAX) {
                Ok(runner) => self.runner.insert(runner),
                Err(error) => return tell(format_args!("target {target}: no program: {error}")),
            },
        };
        let about = format!("target {target}: {}", call.program.to_string_lossy());
        let path = globals.path_add.as_deref().map(with_path);
        let program = Program {
            command: Command::File { name: call.program, arguments: call.arguments },
            environment: hidden_variables()
                .into_iter()
                .chain(call.environment)
                .chain(path)
                .collect(),
            time_max: interval.max(TIME_AT_LEAST),
            output: Output::Shared,
        };
        let lane = self.lanes.hash_one(target);
        let submitted = runner.submit_behind(lane, program, move |outcome| match outcome {
            Ok(outcome) if outcome.ended.is_success() => {}
            Ok(outcome) => tell(format_args!("{about}: {}", outcome.ended)),
            Err(error) => tell(format_args!("{about}: {error}")),
        });
        self.note(target, submitted);
    }

    fn note(&mut self, target: &str, submitted: Result<(), Full>) {
        if let Err(full) = submitted
            && !self.is_loss_told
        {
            tell(format_args!("target {target}: its program, and others, are not run: {full}"));
        }
        self.is_loss_told = submitted.is_err();
    }

    pub(super) fn end(self) {
        if let Some(runner) = self.runner {
            runner.end(GRACE);
        }
    }
}
