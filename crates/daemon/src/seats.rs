//! Places for encrypted connections, each of which holds two descriptors of its own.
//!
//! A connection may outlive its client's place among those whom the daemon hears: what was said last
//! is still to be sent. One that lingers so gives way to a new one.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;

/// How long a new connection waits for one that gives way.
const PATIENCE: Duration = Duration::from_millis(100);

/// The places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seats(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<State>,
    /// A place was left.
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// How many there are; `None` for any number.
    max: Option<usize>,
    /// Those that are taken, with the tasks that work there, once these are known.
    taken: BTreeMap<u64, Option<AbortHandle>>,
    /// Those among them whom the daemon hears no more, in the order in which they left it.
    lingering: VecDeque<u64>,
    next: u64,
}

/// A place that is taken until this is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Seats,
    number: u64,
}

/// What the daemon holds of a connection: once it is dropped, the connection lingers.
#[derive(Debug)]
pub(crate) struct Heard {
    seats: Seats,
    number: u64,
}

impl State {
    fn is_full(&self) -> bool {
        self.max.is_some_and(|max| self.taken.len() >= max)
    }

    /// Ends the connection that has lingered longest, if one does. Its place is left soon.
    fn end_lingering(&mut self) {
        let number = self.lingering.pop_front();
        let task = number.and_then(|number| self.taken.get(&number)).and_then(Option::as_ref);
        task.into_iter().for_each(AbortHandle::abort);
    }
}

impl Seats {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on there are no more than so many.
    pub(crate) fn limit(&self, max: usize) {
        self.state().max = Some(max);
    }

    /// A place; `None` if none was left in time.
    pub(crate) fn take(&self) -> Option<Seat> {
        let mut state = self.state();
        if state.is_full() {
            state.end_lingering();
            let waited = self.0.freed.wait_timeout_while(state, PATIENCE, |state| state.is_full());
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_full() {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.taken.insert(number, None);
        Some(Seat { seats: self.clone(), number })
    }

    /// Waits until all places are left; at most for so long.
    pub(crate) fn wait_until_left(&self, patience: Duration) {
        let is_taken = |state: &mut State| !state.taken.is_empty();
        drop(self.0.freed.wait_timeout_while(self.state(), patience, is_taken));
    }

    /// Notes who works at a place, unless it was left already.
    fn note(&self, number: u64, task: AbortHandle) {
        if let Some(noted) = self.state().taken.get_mut(&number) {
            *noted = Some(task);
        }
    }
}

impl Seat {
    /// The daemon's part of the connection that has this place.
    pub(crate) fn heard(&self) -> Heard {
        Heard { seats: self.seats.clone(), number: self.number }
    }
}

impl Heard {
    /// The task that carries this connection; it holds the place.
    pub(crate) fn carried_by(&self, task: AbortHandle) {
        self.seats.note(self.number, task);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.seats.state();
        state.taken.remove(&self.number);
        state.lingering.retain(|number| *number != self.number);
        self.seats.0.freed.notify_all();
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        let mut state = self.seats.state();
        if state.taken.contains_key(&self.number) {
            state.lingering.push_back(self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::runtime::{Builder, Runtime};

    use super::{Heard, Seats};

    fn connect(seats: &Seats, runtime: &Runtime) -> Option<Heard> {
        let seat = seats.take()?;
        let heard = seat.heard();
        let task = runtime.spawn(async move {
            let _seat = seat;
            std::future::pending::<()>().await;
        });
        heard.carried_by(task.abort_handle());
        Some(heard)
    }

    #[test]
    fn a_new_connection_gets_the_place_of_one_that_lingers_and_of_no_other() {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let seats = Seats::default();
        seats.limit(3);
        let heard: Vec<Heard> = (0..3).map(|_| connect(&seats, &runtime).unwrap()).collect();
        assert!(connect(&seats, &runtime).is_none(), "all are heard");
        drop(heard);
        for _ in 0..3 {
            drop(connect(&seats, &runtime).expect("each lingers"));
        }
        let state = seats.state();
        assert_eq!((state.taken.len(), state.lingering.len()), (3, 3));
        assert_eq!(state.taken.keys().copied().collect::<Vec<_>>(), [3, 4, 5], "the oldest went");
        drop(state);
        drop(runtime);
        seats.wait_until_left(Duration::from_secs(10));
        assert!(seats.state().taken.is_empty() && seats.state().lingering.is_empty());
    }
}
