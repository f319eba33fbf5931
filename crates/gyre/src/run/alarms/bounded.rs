//! A queue with an end, which its filler never waits for.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A queue of at most so many things.
pub(super) struct Bounded<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    most: usize,
}

struct State<T> {
    waiting: VecDeque<T>,
    is_closed: bool,
}

impl<T> Bounded<T> {
    pub(super) fn new(most: usize) -> Self {
        let state = State { waiting: VecDeque::new(), is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new(), most }
    }

    /// Appends as many as there is room for. Returns how many are dropped.
    pub(super) fn push_all(&self, all: Vec<T>) -> usize {
        let mut state = self.state();
        let room = self.most.saturating_sub(state.waiting.len());
        let dropped = all.len().saturating_sub(room);
        state.waiting.extend(all.into_iter().take(room));
        drop(state);
        self.changed.notify_all();
        dropped
    }

    /// Takes at most `most` as soon as there are any; `None` when the queue is closed and empty.
    pub(super) fn take(&self, most: usize) -> Option<Vec<T>> {
        let mut state = self.state();
        while state.waiting.is_empty() {
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let count = state.waiting.len().min(most);
        Some(state.waiting.drain(..count).collect())
    }

    /// Takes one if there is one within that time.
    pub(super) fn take_within(&self, time: Duration) -> Option<T> {
        let waits = |state: &mut State<T>| state.waiting.is_empty() && !state.is_closed;
        let waited = self.changed.wait_timeout_while(self.state(), time, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.waiting.pop_front()
    }

    /// Waits for that time, or until the queue is closed, or something is true that is tried again
    /// with each push. Returns whether the queue is closed.
    pub(super) fn wait_closed_or(&self, time: Duration, or: impl Fn() -> bool) -> bool {
        let waits = |state: &mut State<T>| !state.is_closed && !or();
        let waited = self.changed.wait_timeout_while(self.state(), time, waits);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_closed
    }

    /// Nothing more comes.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exceeds_the_end_is_dropped_and_counted() {
        let queue = Bounded::new(3);
        assert_eq!(queue.push_all(vec![1, 2]), 0);
        assert_eq!(queue.push_all(vec![3, 4, 5]), 2);
        assert_eq!(queue.take(2), Some(vec![1, 2]));
        assert_eq!(queue.take_within(Duration::ZERO), Some(3));
        assert_eq!(queue.take_within(Duration::ZERO), None);
        queue.push_all(vec![6]);
        queue.close();
        assert_eq!(queue.take(9), Some(vec![6]));
        assert_eq!(queue.take(9), None);
        assert!(queue.wait_closed_or(Duration::from_secs(60), || false));
    }
}
