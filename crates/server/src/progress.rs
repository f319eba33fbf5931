//! How far one connection is, and when it is given up.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a client may keep its connection without doing what is its part: sending a request,
/// reading an answer.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// From the connection's begin, or from the last byte of an answer that the client took, to the
    /// end of the next request's head.
    pub request: Duration,
    /// From the begin of an answer to its last byte, however fast the client reads.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { request: Duration::from_secs(30), answer: Duration::from_secs(300) }
    }
}

/// What a connection waits for.
#[derive(Debug)]
pub(crate) struct Progress {
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// Answers that are being made.
    in_work: usize,
    /// When the connection began, or its last answer was made.
    since: Instant,
    /// When the client last took bytes of an answer; as `since` before that.
    moved: Instant,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self { state: Mutex::new(State { in_work: 0, since: now, moved: now }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request is there whole; the server is to work.
    pub(crate) fn begin_work(&self) {
        self.state().in_work += 1;
    }

    /// The answer is made; the client is to read it, and to ask again.
    pub(crate) fn end_work(&self) {
        let now = Instant::now();
        let mut state = self.state();
        *state = State { in_work: state.in_work.saturating_sub(1), since: now, moved: now };
    }

    /// The client took bytes of an answer.
    pub(crate) fn moved(&self) {
        self.state().moved = Instant::now();
    }

    /// Since when the client has had its part to do; `None` while the server works.
    pub(crate) fn waits_since(&self) -> Option<Instant> {
        let state = *self.state();
        (state.in_work == 0).then_some(state.since)
    }

    /// When the connection is to be given up as things stand; `None` while the server works.
    pub(crate) fn deadline(&self, patience: Patience) -> Option<Instant> {
        let state = *self.state();
        let deadline = (state.moved + patience.request).min(state.since + patience.answer);
        (state.in_work == 0).then_some(deadline)
    }
}
