//! A table of the newest rates that is read again while somebody asks.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use store::Store;

use crate::subject::Subjects;
use crate::sweep::Progress;
use crate::table::Table;

/// How long the table is kept current after somebody asked.
const ASKED_WITHIN: Duration = Duration::from_secs(5 * 60);
/// The bounds of the time between two readings.
const PERIOD_SECONDS: std::ops::RangeInclusive<u64> = 5..=60;
/// A table is read again so many times in the shortest step: devices are polled at any time of it.
const READINGS_A_STEP: u64 = 5;
/// Reading takes at most one part in so many of the time.
const SHARE: u32 = 10;

/// What the table is read from.
pub struct Reading<S> {
    /// The store of the databases.
    pub store: Arc<dyn Store>,
    /// Says what is ranked at present.
    pub subjects: Box<dyn Fn() -> Arc<S> + Send>,
    /// The wall clock, in seconds since 1970.
    pub now: fn() -> i64,
}

/// A table that is read again while somebody asks.
pub struct Newest<S> {
    shared: Arc<Shared<S>>,
}

struct Shared<S> {
    state: Mutex<State<S>>,
    changed: Condvar,
}

struct State<S> {
    table: Option<Arc<Table<S>>>,
    asked: Instant,
    is_read: bool,
    progress: Arc<Progress>,
}

/// What is known when somebody asks.
pub enum Asked<S> {
    /// The newest rates.
    Known(Arc<Table<S>>),
    /// They are being read for the first time.
    Reading(Arc<Progress>),
}

impl<S> Default for Newest<S> {
    fn default() -> Self {
        let state =
            State { table: None, asked: Instant::now(), is_read: false, progress: Arc::default() };
        Self { shared: Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() }) }
    }
}

impl<S: Subjects + 'static> Newest<S> {
    /// The table. If there is none, a thread begins to read it, and the caller waits for it, but no
    /// longer than `patience`. Who asks while it is read for the first time is told how far that is.
    pub fn ask(&self, begin: impl FnOnce() -> Reading<S>, patience: Duration) -> Asked<S> {
        let mut state = self.shared.state();
        state.asked = Instant::now();
        let is_first = !state.is_read;
        if is_first {
            state.is_read = true;
            state.progress = Arc::default();
            let (shared, reading) = (Arc::clone(&self.shared), begin());
            let thread = thread::Builder::new().name("gyre-newest".to_owned());
            if thread.spawn(move || shared.keep_current(&reading)).is_err() {
                state.is_read = false; // the next one who asks tries again
            }
        }
        if is_first {
            let is_waited_for = |state: &mut State<S>| state.table.is_none() && state.is_read;
            let waited = self.shared.changed.wait_timeout_while(state, patience, is_waited_for);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        match &state.table {
            Some(table) => Asked::Known(Arc::clone(table)),
            None => Asked::Reading(Arc::clone(&state.progress)),
        }
    }
}

impl<S> Drop for Newest<S> {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.asked = Instant::now().checked_sub(ASKED_WITHIN).unwrap_or(state.asked);
        state.progress.end();
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl<S> Shared<S> {
    fn state(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Subjects> Shared<S> {
    /// Reads the table again and again, until nobody asks any more; then it is forgotten.
    fn keep_current(&self, reading: &Reading<S>) {
        let _ended = EndedIfPanicking(self);
        let progress = Arc::clone(&self.state().progress);
        loop {
            let begun = Instant::now();
            let (subjects, now_seconds) = ((reading.subjects)(), (reading.now)());
            let table = Table::read(reading.store.as_ref(), subjects, now_seconds, &progress);
            let period = match &table {
                Some(table) => period(table.shortest_step_seconds()).max(begun.elapsed() * SHARE),
                None => Duration::ZERO,
            };
            let mut state = self.state();
            if let Some(table) = table {
                state.table = Some(Arc::new(table));
            }
            self.changed.notify_all();
            let is_asked = |state: &State<S>| state.asked.elapsed() < ASKED_WITHIN;
            let waited = self
                .changed
                .wait_timeout_while(state, period, |state| is_asked(state) && !progress.is_over());
            let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if !is_asked(&state) || progress.is_over() {
                (state.table, state.is_read) = (None, false);
                return;
            }
        }
    }
}

fn period(shortest_step_seconds: u64) -> Duration {
    let seconds = shortest_step_seconds / READINGS_A_STEP;
    Duration::from_secs(seconds.clamp(*PERIOD_SECONDS.start(), *PERIOD_SECONDS.end()))
}

/// If the thread dies, the next one who asks starts another.
struct EndedIfPanicking<'s, S>(&'s Shared<S>);

impl<S> Drop for EndedIfPanicking<'_, S> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().is_read = false;
            self.0.changed.notify_all();
        }
    }
}
