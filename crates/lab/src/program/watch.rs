//! The progress of all experiments, and the remaining time.

use std::cell::RefCell;
use std::io::{IsTerminal as _, Write as _};
use std::time::Instant;

use lab::Experiment;

/// A line on a terminal. Nothing is drawn if standard error is not a terminal.
pub(crate) struct Watch {
    state: RefCell<State>,
    is_seen: bool,
}

struct State {
    /// The start of the current experiment.
    begun: Instant,
    name: &'static str,
    /// The expected seconds of the current experiment, and of those after it.
    expected_seconds: f64,
    left_seconds: f64,
    is_quick: bool,
}

impl Watch {
    pub(crate) fn new(experiments: &[&'static Experiment], is_quick: bool) -> Self {
        let left_seconds = experiments.iter().map(|it| expected(it, is_quick)).sum();
        let begun = Instant::now();
        let state = State { begun, name: "", expected_seconds: 0.0, left_seconds, is_quick };
        Self { state: RefCell::new(state), is_seen: std::io::stderr().is_terminal() }
    }

    pub(crate) fn begin(&self, experiment: &'static Experiment) {
        let mut state = self.state.borrow_mut();
        state.begun = Instant::now();
        state.name = experiment.name;
        state.expected_seconds = expected(experiment, state.is_quick);
        state.left_seconds -= state.expected_seconds;
    }

    /// Shows the progress of the current experiment.
    pub(crate) fn show(&self, done: usize, all: usize) {
        if self.is_seen {
            let state = self.state.borrow();
            let left = state.left(done, all);
            // A terminal that was closed needs no line.
            let _ = write!(
                std::io::stderr(),
                "\r\x1b[K{}: {done} of {all} steps, about {} left",
                state.name,
                span(left)
            );
        }
    }

    /// Clears the line.
    pub(crate) fn end(&self) {
        if self.is_seen {
            let _ = write!(std::io::stderr(), "\r\x1b[K"); // as above
        }
    }
}

impl State {
    /// The remaining seconds.
    fn left(&self, done: usize, all: usize) -> f64 {
        let spent = self.begun.elapsed().as_secs_f64();
        let share = done as f64 / all.max(1) as f64;
        // The more of an experiment is done, the more its own pace counts.
        let by_pace = if done > 0 { spent / share - spent } else { 0.0 };
        let by_table = (self.expected_seconds - spent).max(0.0);
        by_pace * share + by_table * (1.0 - share) + self.left_seconds
    }
}

fn expected(experiment: &Experiment, is_quick: bool) -> f64 {
    experiment.seconds[usize::from(is_quick)] as f64
}

fn span(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
