//! When which file is to be written.
//!
//! A file is due once its oldest pending sample has waited for as long as the options say. Files
//! whose samples come together would all be due together; so the first time a file is due early, by
//! a share that its place on disk decides, and from then on one whole interval after it was due
//! last. Each file is then written once an interval, with all that the interval brought, and at any
//! moment there is about as much to write as at any other. Neighbours on disk are due together.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::entry::{Entry, EntryState};
use super::options::CacheOptions;
use super::{Core, write_back};

/// Seconds since the cache was opened.
pub(super) type Second = u32;

/// Of the interval, the part that the earliest first write waits.
const EARLIEST: f64 = 0.1;
/// Neighbours by number that are due together: what shares a block of the inode table does.
const NEIGHBOURS: u64 = 32;
/// How long a writer waits at most before it looks what is due.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long a file waits that could not be written.
pub(super) const RETRY_SECONDS: Second = 1;

/// Tells the time.
#[derive(Debug)]
pub(super) struct Clock {
    start: Instant,
    /// Chance that is the same for a place as long as the process lives.
    chance: RandomState,
}

impl Clock {
    #[allow(clippy::disallowed_methods)] // files are written as time passes, not as somebody calls
    pub(super) fn start() -> Self {
        Self { start: Instant::now(), chance: RandomState::new() }
    }

    pub(super) fn now(&self) -> Second {
        self.start.elapsed().as_secs() as Second
    }

    /// A number from 0 to 1.
    fn share(&self, what: impl std::hash::Hash) -> f64 {
        self.chance.hash_one(what) as f64 / u64::MAX as f64
    }

    /// When a file is due whose oldest pending sample came now.
    pub(super) fn due(&self, state: &EntryState, options: &CacheOptions) -> Second {
        let now = f64::from(self.now());
        let (after, spread) = (options.write_after.as_secs_f64(), options.spread.as_secs_f64());
        let (earliest, latest) = (now + after * EARLIEST, now + after + spread);
        if let Some(was_due) = state.was_due {
            let again = f64::from(was_due) + after;
            if (earliest..=latest).contains(&again) {
                return again as Second;
            }
        }
        let (device, inode) = state.place();
        let share = self.share((device, inode / NEIGHBOURS));
        let due = match spread {
            0.0 => earliest + share * (latest - earliest),
            // Whoever asks for a spread gets this one.
            _ => now + after + share * spread,
        };
        due as Second
    }
}

/// What is due when, and what waits to be written right now.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    agenda: Mutex<Agenda>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Agenda {
    due: BTreeMap<Second, Vec<Arc<Entry>>>,
    /// In file order as far as they became ready together.
    ready: VecDeque<Arc<Entry>>,
    ending: Option<Ending>,
    /// When entries were last looked through for such as nobody uses.
    tidied: Second,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    AtOnce,
    WhenWritten,
}

impl Schedule {
    /// Has an entry written at its time, `due` in its state.
    pub(super) fn add(&self, entry: &Arc<Entry>, due: Second) {
        self.agenda().due.entry(due).or_default().push(Arc::clone(entry));
    }

    /// Has entries written now, in this order.
    pub(super) fn add_ready(&self, entries: impl IntoIterator<Item = Arc<Entry>>) {
        self.agenda().ready.extend(entries);
        self.changed.notify_all();
    }

    /// What waits to be written right now.
    pub(super) fn ready(&self) -> Vec<Arc<Entry>> {
        self.agenda().ready.iter().cloned().collect()
    }

    /// How much waits to be written right now.
    pub(super) fn ready_count(&self) -> usize {
        self.agenda().ready.len()
    }

    /// Whether entries that nobody uses are to be looked for; it then counts as done.
    pub(super) fn is_time_to_tidy(&self, now: Second, every: Second) -> bool {
        let mut agenda = self.agenda();
        let is_time = now.saturating_sub(agenda.tidied) > every.max(1);
        if is_time {
            agenda.tidied = now;
        }
        is_time
    }

    /// Lets the writers end, once what is ready is written or at once.
    pub(super) fn end(&self, when_written: bool) {
        let ending = if when_written { Ending::WhenWritten } else { Ending::AtOnce };
        self.agenda().ending = Some(ending);
        self.changed.notify_all();
    }

    /// Waits for something to write; `None` once the writers are to end.
    fn next(&self, clock: &Clock, chunk: usize) -> Option<Vec<Arc<Entry>>> {
        let mut agenda = self.agenda();
        loop {
            if agenda.ending == Some(Ending::AtOnce) {
                return None;
            }
            agenda.ripen(clock.now());
            if !agenda.ready.is_empty() {
                let count = chunk.min(agenda.ready.len());
                return Some(agenda.ready.drain(..count).collect());
            }
            if agenda.ending.is_some() {
                return None;
            }
            let waited = self.changed.wait_timeout(agenda, PATIENCE);
            let timed_out;
            (agenda, timed_out) = waited.unwrap_or_else(PoisonError::into_inner);
            if timed_out.timed_out() && agenda.due.is_empty() {
                // Nothing to write: there may be something to tidy.
                return Some(Vec::new());
            }
        }
    }

    fn agenda(&self) -> MutexGuard<'_, Agenda> {
        self.agenda.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agenda {
    /// Moves what is due to what is ready.
    fn ripen(&mut self, now: Second) {
        if self.due.first_key_value().is_none_or(|(due, _)| *due > now) {
            return;
        }
        let later = self.due.split_off(&(now + 1));
        let due = std::mem::replace(&mut self.due, later);
        self.ready.extend(due.into_values().flatten());
    }
}

impl Core {
    /// What a writing thread does.
    pub(super) fn write_what_is_due(&self) {
        while let Some(entries) = self.schedule.next(&self.clock, write_back::CHUNK_FILES) {
            self.write_chunk(&in_file_order(entries));
            if self.schedule.ready_count() == 0 {
                self.tidy();
            }
        }
    }

    /// Puts an entry on the agenda that got its first pending sample.
    pub(super) fn schedule(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        let due = self.clock.due(state, &self.options);
        state.due = Some(due);
        state.was_due = Some(due);
        self.schedule.add(entry, due);
    }

    /// Puts an entry on the agenda again that could not be written.
    pub(super) fn retry(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        let due = self.clock.now() + RETRY_SECONDS;
        state.due = Some(due);
        self.schedule.add(entry, due);
    }
}

/// By device and number on it, each once.
pub(super) fn in_file_order(entries: Vec<Arc<Entry>>) -> Vec<Arc<Entry>> {
    let placed = entries.into_iter().map(|entry| {
        let place = entry.lock().place();
        (place, entry.id, entry)
    });
    let mut placed: Vec<_> = placed.collect();
    placed.sort_by_key(|(place, id, _)| (*place, *id));
    placed.dedup_by_key(|(_, id, _)| *id);
    placed.into_iter().map(|(_, _, entry)| entry).collect()
}
