//! Programs side by side, up to a limit.

use std::cell::Cell;
use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::cut::Cut;
use crate::program::{Ended, Outcome, Program, RunError};
use crate::running::{STUCK_AFTER, run_until};

/// Runs programs in threads of its own, so that the caller never waits for one.
///
/// Threads are started when they are first needed, and kept.
#[derive(Debug)]
pub struct Runner {
    shared: Arc<Shared>,
}

/// As many programs wait already as may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{waiting} programs wait already")]
pub struct Full {
    /// How many wait.
    pub waiting: usize,
}

/// The most threads that wait for programs that are stuck, besides those that run others.
const STUCK_MAX: usize = 64;

type Then = Box<dyn FnOnce(Result<Outcome, RunError>) + Send>;

struct Job {
    lane: Option<u64>,
    program: Program,
    then: Then,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    cut: Cut,
    threads_max: usize,
    waiting_max: usize,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    threads: usize,
    /// Threads that wait for a job.
    idle: usize,
    /// Threads besides those above, each of which waits for a program that even SIGKILL did not end.
    stuck: usize,
    /// The lanes of the programs that run.
    taken: HashSet<u64>,
    has_ended: bool,
}

impl State {
    /// Takes the first job whose lane is free.
    fn next(&mut self) -> Option<Job> {
        let is_free = |job: &Job| job.lane.is_none_or(|lane| !self.taken.contains(&lane));
        let place = self.waiting.iter().position(is_free)?;
        let job = self.waiting.remove(place)?;
        self.taken.extend(job.lane);
        Some(job)
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { waiting, threads, idle, has_ended, .. } = self;
        write!(out, "{} waiting, {threads} threads, {idle} idle, {has_ended}", waiting.len())
    }
}

impl Runner {
    /// At most `at_once` programs run side by side, and at most `waiting_max` wait.
    ///
    /// # Errors
    ///
    /// The system has no descriptor left.
    pub fn new(at_once: usize, waiting_max: usize) -> io::Result<Self> {
        let shared = Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            cut: Cut::new()?,
            threads_max: at_once.max(1),
            waiting_max,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Has a program run as soon as fewer than the limit do. `then` is called once, in a thread of the
    /// runner. It must not take long.
    ///
    /// A program that is killed and does not end, because it waits in the kernel, does not count for
    /// the limit any more (64 of them at most). `then` is called when it ends.
    ///
    /// # Errors
    ///
    /// Too many programs wait; this one is not run, and `then` is not called.
    pub fn submit(
        &self,
        program: Program,
        then: impl FnOnce(Result<Outcome, RunError>) + Send + 'static,
    ) -> Result<(), Full> {
        self.queue(Job { lane: None, program, then: Box::new(then) })
    }

    /// The same, behind all programs that were submitted before with the same lane, so that they
    /// run one after the other.
    ///
    /// # Errors
    ///
    /// As [`Runner::submit`].
    pub fn submit_behind(
        &self,
        lane: u64,
        program: Program,
        then: impl FnOnce(Result<Outcome, RunError>) + Send + 'static,
    ) -> Result<(), Full> {
        self.queue(Job { lane: Some(lane), program, then: Box::new(then) })
    }

    fn queue(&self, job: Job) -> Result<(), Full> {
        let mut state = self.shared.state();
        let waiting = state.waiting.len();
        let free = self.shared.threads_max.saturating_sub(state.threads - state.idle);
        if waiting >= self.shared.waiting_max.saturating_add(free) {
            return Err(Full { waiting });
        }
        state.waiting.push_back(job);
        hire(&self.shared, &mut state);
        if state.threads == 0 {
            state.waiting.pop_back();
            return Err(Full { waiting });
        }
        drop(state);
        self.shared.changed.notify_one();
        Ok(())
    }

    /// How many programs wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.shared.state().waiting.len()
    }

    /// Waits for all programs, but no longer than `grace`. Those that still run then are killed;
    /// those that still wait are not started any more, and end as [`Ended::Stopped`].
    pub fn end(self, grace: Duration) {
        self.shared.end(grace);
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.shared.end(Duration::ZERO);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What each thread does until the runner ends.
    fn work(self: &Arc<Self>) {
        let seat = Seat { shared: self, is_given_up: Cell::new(false) };
        let mut state = self.state();
        loop {
            if let Some(job) = state.next() {
                drop(state);
                let Job { lane, program, then } = job;
                let lane = Lane { shared: self, lane };
                then(run_until(&program, Some(&self.cut), &|| seat.give_up()));
                drop(lane);
                if seat.is_given_up.get() {
                    return;
                }
                state = self.state();
            } else if state.has_ended && state.waiting.is_empty() {
                return;
            } else {
                state.idle += 1;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }

    fn end(&self, grace: Duration) {
        let until = Instant::now() + grace;
        let mut state = self.state();
        state.has_ended = true;
        self.changed.notify_all();
        let mut left = grace;
        while state.threads > 0 && !left.is_zero() {
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            left = until.saturating_duration_since(Instant::now());
        }
        let dropped = std::mem::take(&mut state.waiting);
        drop(state);
        self.cut.make();
        self.changed.notify_all();
        for job in dropped {
            let never_started = Outcome {
                ended: Ended::Stopped,
                output: Vec::new(),
                is_output_cut: false,
                took: Duration::ZERO,
            };
            (job.then)(Ok(never_started));
        }
        // Those that were killed end now, except for what is stuck.
        let are_left = |state: &mut State| state.threads > 0;
        let _ = self.changed.wait_timeout_while(self.state(), 2 * STUCK_AFTER, are_left);
    }
}

/// Frees a lane when its program has ended, even if the function that it called panicked.
struct Lane<'a> {
    shared: &'a Shared,
    lane: Option<u64>,
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        if let Some(lane) = self.lane {
            self.shared.state().taken.remove(&lane);
            self.shared.changed.notify_all();
        }
    }
}

/// Starts a thread if jobs wait that no idle thread will take.
fn hire(shared: &Arc<Shared>, state: &mut State) {
    if state.waiting.len() > state.idle && state.threads < shared.threads_max {
        let own = shared.clone();
        let thread = thread::Builder::new().name("gyre-program".to_owned());
        // Without it, the threads that there are do it later.
        if thread.spawn(move || own.work()).is_ok() {
            state.threads += 1;
        }
    }
}

/// A thread's place among those that run programs. It is free when this goes, even if the function
/// that the thread called panicked.
struct Seat<'a> {
    shared: &'a Arc<Shared>,
    is_given_up: Cell<bool>,
}

impl Seat<'_> {
    /// Its program is stuck: another thread may take its place.
    fn give_up(&self) {
        let mut state = self.shared.state();
        if state.stuck < STUCK_MAX {
            state.stuck += 1;
            state.threads -= 1;
            self.is_given_up.set(true);
            hire(self.shared, &mut state);
            self.shared.changed.notify_all();
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        *if self.is_given_up.get() { &mut state.stuck } else { &mut state.threads } -= 1;
        self.shared.changed.notify_all();
    }
}
