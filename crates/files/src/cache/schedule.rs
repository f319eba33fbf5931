//! When which file is to be written.
//!
//! A file is due once its oldest pending sample has waited for as long as the options say. Files
//! whose samples come together would all be due together; so the first time a file is due early, by
//! a share that its place on disk decides, and from then on one whole interval after it was due
//! last. Each file is then written once an interval, with all that the interval brought, and at any
//! moment there is about as much to write as at any other. Neighbours on disk are due together.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tracing_mutex::stdsync::{Condvar, Mutex, MutexGuard};

use super::clock::{Clock, Second};
use super::entry::{Entry, EntryState};

/// Of the interval, the part that the earliest first write waits.
const EARLIEST: f64 = 0.1;
/// Neighbours by number that are due together: what shares a block of the inode table does.
const NEIGHBOURS: u64 = 32;
/// How long a file waits whose lock another process holds.
pub(super) const LOCKED_SECONDS: Second = 1;
/// How long a file waits that could not be written: thousands may be on a disk that is full.
pub(super) const FAILED_SECONDS: Second = 30;

/// How long samples wait before their file is written.
#[derive(Debug)]
struct Pace {
    write_after: Duration,
    /// A random time up to this is added to it.
    spread: Duration,
}

impl Pace {
    /// When a file is due whose oldest pending sample came now.
    fn due(
        &self,
        clock: &Clock,
        now: Second,
        was_due: Option<Second>,
        (device, inode): (u64, u64),
    ) -> Second {
        let now = f64::from(now);
        let (after, spread) = (self.write_after.as_secs_f64(), self.spread.as_secs_f64());
        let (earliest, latest) = (now + after * EARLIEST, now + after + spread);
        if let Some(was_due) = was_due {
            let again = f64::from(was_due) + after;
            if (earliest..=latest).contains(&again) {
                return again as Second;
            }
        }
        let share = clock.share((device, inode / NEIGHBOURS));
        let due = match spread {
            0.0 => earliest + share * (latest - earliest),
            // A file that asks for a spread gets this one.
            _ => now + after + share * spread,
        };
        due as Second
    }
}

/// What is due when, and what waits to be written right now.
#[derive(Debug)]
pub(super) struct Schedule {
    clock: Clock,
    pace: Pace,
    agenda: Mutex<Agenda>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Agenda {
    due: BTreeMap<Second, Vec<Arc<Entry>>>,
    /// In file order as far as they became ready together.
    ready: VecDeque<Arc<Entry>>,
    ending: Option<Ending>,
    /// When entries that are not used were last looked for.
    tidied: Second,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    AtOnce,
    WhenWritten,
}

impl Schedule {
    pub(super) fn new(clock: Clock, write_after: Duration, spread: Duration) -> Self {
        let pace = Pace { write_after, spread };
        Self { clock, pace, agenda: Mutex::default(), changed: Condvar::new() }
    }

    /// Has an entry written when its time comes: it got its first pending sample.
    pub(super) fn begin(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        let due = self.pace.due(&self.clock, self.clock.now(), state.was_due, state.place());
        state.due = Some(due);
        state.was_due = Some(due);
        self.add(entry, due);
    }

    /// Has an entry written so many seconds from now: it could not be written, or was suspended.
    pub(super) fn retry(&self, entry: &Arc<Entry>, state: &mut EntryState, seconds: Second) {
        let due = self.clock.now() + seconds;
        state.due = Some(due);
        self.add(entry, due);
    }

    /// Has those of these entries written now that have pending samples, are not suspended and
    /// that `is_wanted` accepts.
    pub(super) fn hasten(
        &self,
        entries: Vec<Arc<Entry>>,
        is_wanted: impl Fn(&EntryState, Second) -> bool,
    ) {
        let now = self.clock.now();
        let waiting = entries.into_iter().filter(|entry| {
            let mut state = entry.lock();
            let waits = !state.pending.is_empty() && !state.suspended && is_wanted(&state, now);
            if waits {
                state.due = Some(now);
            }
            waits
        });
        self.add_ready(in_file_order(waiting.collect()));
    }

    /// Has an entry written at its time, `due` in its state.
    fn add(&self, entry: &Arc<Entry>, due: Second) {
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

    /// Whether entries that are not used are to be looked for; it then counts as done.
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
    pub(super) fn next(&self, chunk: usize, tidy_every: Second) -> Option<Work> {
        let mut agenda = self.agenda();
        loop {
            if agenda.ending == Some(Ending::AtOnce) {
                return None;
            }
            let ripe = agenda.ripe(self.clock.now());
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
            if self.clock.now() >= tidy_due {
                return Some(Work::Tidy);
            }
            let first_due = agenda.due.first_key_value().map_or(tidy_due, |(due, _)| *due);
            let pause = self.clock.until(first_due.min(tidy_due));
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
pub(super) enum Work {
    /// These have become due. They are put in order outside of the agenda's lock: a thread that
    /// holds an entry may wait for that lock.
    Sort(Vec<Arc<Entry>>),
    /// These are to be written.
    Write(Vec<Arc<Entry>>),
    /// Entries that are not used are to be looked for.
    Tidy,
}

impl Agenda {
    /// When entries that are not used are looked for next.
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

    use super::{Clock, Pace, Second};

    const HOUR: Second = 3600;

    fn pace(spread: Duration) -> Pace {
        Pace { write_after: Duration::from_secs(HOUR.into()), spread }
    }

    #[test]
    fn files_updated_together_are_due_evenly_and_none_late() {
        let clock = Clock::start();
        let pace = pace(Duration::ZERO);
        let dues = (0..32_000).map(|inode| pace.due(&clock, 0, None, (1, inode)));
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
        let pace = pace(Duration::ZERO);
        let first = pace.due(&clock, 0, None, (1, 64));
        assert_eq!(pace.due(&clock, 0, None, (1, 95)), first);
        // The first update after the write comes within a cycle of 300 seconds.
        for gap in [0, 150, 300] {
            let again = pace.due(&clock, first + gap, Some(first), (1, 64));
            assert_eq!(again, first + HOUR);
        }
    }

    #[test]
    fn a_spread_that_is_asked_for_comes_behind_the_interval() {
        let clock = Clock::start();
        let pace = pace(Duration::from_secs(600));
        for inode in 0..1000 {
            let due = pace.due(&clock, 0, None, (1, 32 * inode));
            assert!((HOUR..=HOUR + 600).contains(&due), "{due}");
        }
    }
}
