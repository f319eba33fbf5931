//! When which file is to be written.
//!
//! A file is due once its oldest pending sample has waited for as long as the options say. Files
//! whose samples come together would all be due together; so the first time a file is due early, by
//! a share that its place on disk decides, and from then on one whole interval after it was due
//! last. Each file is then written once an interval, with all that the interval brought, and at any
//! moment there is about as much to write as at any other. Neighbours on disk are due together.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tracing_mutex::stdsync::{Condvar, Mutex, MutexGuard};

use super::entry::{Entry, EntryState};
use super::options::CacheOptions;
use super::{Core, write_back};

/// Seconds since the cache was opened.
pub(super) type Second = u32;

/// Of the interval, the part that the earliest first write waits.
const EARLIEST: f64 = 0.1;
/// Neighbours by number that are due together: what shares a block of the inode table does.
const NEIGHBOURS: u64 = 32;
/// How long a file waits whose lock another process holds.
pub(super) const LOCKED_SECONDS: Second = 1;
/// How long a file waits that could not be written: thousands may be on a disk that is full.
pub(super) const FAILED_SECONDS: Second = 30;

/// Tells the time.
#[derive(Debug)]
pub(super) struct Clock {
    start: Instant,
    /// Chance that is the same for a place as long as the process lives.
    chance: RandomState,
}

/// A time of the wall clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallTime {
    /// Since 1970.
    seconds: i64,
    /// By a clock that nobody sets.
    steady_seconds: i64,
}

/// Rounding, and a clock that is slowed down or hurried.
const UNSTEADY_SECONDS: i64 = 2;

impl WallTime {
    /// Since 1970.
    pub(super) fn seconds(&self) -> i64 {
        self.seconds
    }

    fn is_steady_since(&self, then: &Self) -> bool {
        let passed = self.seconds - then.seconds;
        passed.abs_diff(self.steady_seconds - then.steady_seconds)
            <= UNSTEADY_SECONDS.cast_unsigned()
    }
}

impl Clock {
    #[allow(clippy::disallowed_methods)] // files are written as time passes, not as somebody calls
    pub(super) fn start() -> Self {
        Self { start: Instant::now(), chance: RandomState::new() }
    }

    pub(super) fn now(&self) -> Second {
        self.start.elapsed().as_secs() as Second
    }

    /// How long it is until a second begins.
    fn until(&self, second: Second) -> Duration {
        Duration::from_secs(second.into()).saturating_sub(self.start.elapsed())
    }

    /// The time of the wall clock, with the time of this clock beside it.
    #[allow(clippy::disallowed_methods)] // held against the times that file systems note
    pub(super) fn wall_time(&self) -> WallTime {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seconds = since_1970.map_or(0, |it| it.as_secs().cast_signed());
        WallTime { seconds, steady_seconds: self.start.elapsed().as_secs().cast_signed() }
    }

    /// Whether the wall clock went as fast as this clock since a time: nobody set it.
    pub(super) fn ran_steadily_since(&self, then: &WallTime) -> bool {
        self.wall_time().is_steady_since(then)
    }

    /// A number from 0 to 1.
    fn share(&self, what: impl std::hash::Hash) -> f64 {
        self.chance.hash_one(what) as f64 / u64::MAX as f64
    }

    /// When a file is due whose oldest pending sample came now.
    pub(super) fn due(&self, state: &EntryState, options: &CacheOptions) -> Second {
        self.due_from(self.now(), state.was_due, state.place(), options)
    }

    fn due_from(
        &self,
        now: Second,
        was_due: Option<Second>,
        (device, inode): (u64, u64),
        options: &CacheOptions,
    ) -> Second {
        let now = f64::from(now);
        let (after, spread) = (options.write_after.as_secs_f64(), options.spread.as_secs_f64());
        let (earliest, latest) = (now + after * EARLIEST, now + after + spread);
        if let Some(was_due) = was_due {
            let again = f64::from(was_due) + after;
            if (earliest..=latest).contains(&again) {
                return again as Second;
            }
        }
        let share = self.share((device, inode / NEIGHBOURS));
        let due = match spread {
            0.0 => earliest + share * (latest - earliest),
            // A file that asks for a spread gets this one.
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
        let mut agenda = self.agenda();
        let is_first = agenda.due.first_key_value().is_none_or(|(first, _)| due < *first);
        agenda.due.entry(due).or_default().push(Arc::clone(entry));
        drop(agenda);
        // The writers sleep until what was first before.
        if is_first {
            self.changed.notify_one();
        }
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
        let is_time = now >= agenda.tidy_due(every);
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

    /// Waits for something to do; `None` once the writers are to end.
    fn next(&self, clock: &Clock, chunk: usize, tidy_every: Second) -> Option<Work> {
        let mut agenda = self.agenda();
        loop {
            if agenda.ending == Some(Ending::AtOnce) {
                return None;
            }
            let ripe = agenda.ripe(clock.now());
            if !ripe.is_empty() {
                return Some(Work::Sort(ripe));
            }
            if !agenda.ready.is_empty() {
                let count = chunk.min(agenda.ready.len());
                return Some(Work::Write(agenda.ready.drain(..count).collect()));
            }
            if agenda.ending.is_some() {
                return None;
            }
            let tidy_due = agenda.tidy_due(tidy_every);
            if clock.now() >= tidy_due {
                return Some(Work::Tidy);
            }
            let first_due = agenda.due.first_key_value().map_or(tidy_due, |(due, _)| *due);
            let pause = clock.until(first_due.min(tidy_due));
            let waited = self.changed.wait_timeout(agenda, pause);
            agenda = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn agenda(&self) -> MutexGuard<'_, Agenda> {
        self.agenda.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a writing thread does next.
#[derive(Debug)]
enum Work {
    /// These have become due. They are put in order outside of the agenda's lock, since whoever
    /// holds an entry may ask for that.
    Sort(Vec<Arc<Entry>>),
    Write(Vec<Arc<Entry>>),
    Tidy,
}

impl Agenda {
    /// When entries that nobody uses are looked for next.
    fn tidy_due(&self, every: Second) -> Second {
        self.tidied.saturating_add(every.max(1)).saturating_add(1)
    }

    /// Takes out what is due.
    fn ripe(&mut self, now: Second) -> Vec<Arc<Entry>> {
        if self.due.first_key_value().is_none_or(|(due, _)| *due > now) {
            return Vec::new();
        }
        let later = self.due.split_off(&(now + 1));
        std::mem::replace(&mut self.due, later).into_values().flatten().collect()
    }
}

impl Core {
    /// What a writing thread does.
    pub(super) fn write_what_is_due(&self) {
        let tidy_every = self.tidy_every();
        while let Some(work) = self.schedule.next(&self.clock, write_back::CHUNK_FILES, tidy_every)
        {
            match work {
                Work::Sort(due) => self.schedule.add_ready(in_file_order(due)),
                Work::Write(entries) => {
                    self.write_chunk(&entries);
                    if self.schedule.ready_count() == 0 {
                        self.tidy();
                    }
                }
                Work::Tidy => self.tidy(),
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

    /// Puts an entry on the agenda again that could not be written, so many seconds later.
    pub(super) fn retry(&self, entry: &Arc<Entry>, state: &mut EntryState, seconds: Second) {
        let due = self.clock.now() + seconds;
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Clock, Second, WallTime};
    use crate::cache::CacheOptions;

    const HOUR: Second = 3600;

    fn options() -> CacheOptions {
        CacheOptions { write_after: Duration::from_secs(HOUR.into()), ..CacheOptions::default() }
    }

    #[test]
    fn files_updated_together_are_due_evenly_and_none_late() {
        let clock = Clock::start();
        let dues = (0..32_000).map(|inode| clock.due_from(0, None, (1, inode), &options()));
        let mut tenths = [0; 10];
        for due in dues {
            assert!((HOUR / 10..=HOUR).contains(&due), "{due}");
            tenths[(due / (HOUR / 10)).min(9) as usize] += 1;
        }
        assert_eq!(tenths[0], 0);
        // A ninth of the thousand neighbourhoods each, give or take five deviations.
        assert!(tenths[1..].iter().all(|it| (1_900..5_200).contains(it)), "{tenths:?}");
    }

    #[test]
    fn neighbours_are_due_together_and_again_an_interval_later() {
        let clock = Clock::start();
        let first = clock.due_from(0, None, (1, 64), &options());
        assert_eq!(clock.due_from(0, None, (1, 95), &options()), first);
        // The first update after the write comes within a cycle of 300 seconds.
        for gap in [0, 150, 300] {
            let again = clock.due_from(first + gap, Some(first), (1, 64), &options());
            assert_eq!(again, first + HOUR);
        }
    }

    #[test]
    fn a_clock_that_was_set_is_noticed() {
        let time = |seconds, steady_seconds| WallTime { seconds, steady_seconds };
        let then = time(1_000_000, 50);
        assert!(time(1_000_600, 650).is_steady_since(&then));
        assert!(time(1_000_601, 650).is_steady_since(&then));
        assert!(!time(1_000_610, 650).is_steady_since(&then));
        assert!(!time(999_000, 650).is_steady_since(&then));
    }

    #[test]
    fn a_spread_that_is_asked_for_comes_behind_the_interval() {
        let clock = Clock::start();
        let options = CacheOptions { spread: Duration::from_secs(600), ..options() };
        for inode in 0..1000 {
            let due = clock.due_from(0, None, (1, 32 * inode), &options);
            assert!((HOUR..=HOUR + 600).contains(&due), "{due}");
        }
    }
}
