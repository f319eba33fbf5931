//! The state of one connection, and when to close it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a client may take for its part: to send a request, or to read an answer.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// From the start of the connection, or from the last byte of an answer that the client read,
    /// to the end of the next request's head.
    pub request: Duration,
    /// From the start of an answer to its last byte, however fast the client reads.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { request: Duration::from_secs(30), answer: Duration::from_secs(300) }
    }
}

/// What a connection is waiting for.
#[derive(Debug)]
pub(crate) struct Progress {
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// Answers that are being made.
    in_work: usize,
    /// When the connection began, or its last answer was complete.
    since: Instant,
    /// When the client last read bytes of an answer; the same as `since` before that.
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

    /// A request is complete: the server makes the answer.
    pub(crate) fn begin_work(&self) {
        self.state().in_work += 1;
    }

    /// The answer is made: the client reads it and sends the next request.
    pub(crate) fn end_work(&self) {
        let now = Instant::now();
        let mut state = self.state();
        *state = State { in_work: state.in_work.saturating_sub(1), since: now, moved: now };
    }

    /// The client read bytes of an answer.
    pub(crate) fn moved(&self) {
        self.state().moved = Instant::now();
    }

    /// Since when the connection has waited for its client; `None` while the server makes an
    /// answer.
    pub(crate) fn waits_since(&self) -> Option<Instant> {
        let state = *self.state();
        (state.in_work == 0).then_some(state.since)
    }

    /// When to close the connection if its client does nothing; `None` while the server makes an
    /// answer.
    pub(crate) fn deadline(&self, patience: Patience) -> Option<Instant> {
        let state = *self.state();
        let deadline = (state.moved + patience.request).min(state.since + patience.answer);
        (state.in_work == 0).then_some(deadline)
    }
}
