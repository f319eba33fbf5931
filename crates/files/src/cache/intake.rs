//! Samples of one file are checked, kept, and logged.

use std::sync::Arc;
use std::time::Duration;

use disk::File;
use rrd::{Reading, Sample, SampleReader};
use store::{Error, Refused};

use super::clock::Clock;
use super::entry::{Entry, EntryState};
use super::head_reader::{HeadReader, taken_anew};
use super::on_disk::OnDisk;
use super::report::Reporter;
use super::sample_log::SampleLog;
use super::schedule::Schedule;
use super::shape::{SampleChecker, Shapes};

/// Takes the samples of one file at a time, whose entry is held.
pub(super) struct Intake {
    pub(super) clock: Clock,
    /// How long a file is not looked at again.
    pub(super) look_every: Duration,
    pub(super) shapes: Arc<Shapes>,
    pub(super) log: Arc<SampleLog>,
    pub(super) schedule: Arc<Schedule>,
    pub(super) reporter: Arc<Reporter>,
}

impl Intake {
    /// Takes the values of one update; the entry is settled.
    pub(super) fn take(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        values: &[&str],
        checker: &mut SampleChecker,
        head_reader: &mut HeadReader,
    ) -> Result<(), Refused> {
        self.look(entry, state, head_reader)
            .and_then(|()| self.log.check_room(entry, state))
            .map_err(Refused::first)?;
        let was_empty = state.pending.is_empty();
        let forecasts = state.known.as_ref().is_some_and(|known| known.shape.forecasts);
        let repeated = values.iter().take_while(|value| state.repeats(value)).count();
        state.used = self.clock.now();
        let Kept { count, wrong } = keep(entry, state, &values[repeated..], checker);
        let taken = repeated + count;
        let new = &values[repeated..taken];
        if !new.is_empty() {
            // The client went on: it repeats nothing any more.
            state.doubtful = None;
        }
        self.log
            .log_samples(entry, state, new, forecasts)
            .map_err(|error| unlogged(Error::from(error).to_string()))?;
        if taken > 0 {
            // Another file with the same head may have come here since the base was logged.
            self.log.note_known_file(entry, state);
        }
        if was_empty && !state.pending.is_empty() {
            self.schedule.begin(entry, state);
        }
        match wrong {
            None => Ok(()),
            Some(error) => Err(Refused { error, taken }),
        }
    }

    /// Whether an entry, which is settled, knows what its file is like; it is looked at again here
    /// where that takes no wait.
    pub(super) fn is_at_hand(&self, entry: &Entry, state: &mut EntryState) -> bool {
        let now = self.clock.now();
        if !self.log.is_ready(state) || self.log.waits_for_file(state) {
            return false;
        }
        let Some(known) = &mut state.known else { return false };
        if u64::from(now - known.looked) < self.look_every.as_secs() {
            return true;
        }
        let is_same = File::stamp_at_once(&entry.path) == Some(known.stamp);
        if is_same {
            known.looked = now;
        }
        is_same
    }

    /// Makes sure that an entry, which is settled, knows what its file is like: looks at it the
    /// first time, and again where it has changed. To look now and then is enough, since what is
    /// written is never made from what was seen here.
    ///
    /// # Errors
    /// The file cannot be read, or not updated by this machine.
    pub(super) fn look(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        head_reader: &mut HeadReader,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        let is_ready = self.log.is_ready(state);
        if let Some(known) = state.known.as_mut().filter(|_| is_ready) {
            if u64::from(now - known.looked) < self.look_every.as_secs() {
                return Ok(());
            }
            let stamp = File::stamp_of(&entry.path).map_err(Error::io("opening", &entry.path))?;
            known.looked = now;
            if stamp == known.stamp {
                return Ok(());
            }
        }
        self.load(entry, state, head_reader)
    }

    /// Looks at the file itself; pending samples that it does not take any more are dropped.
    fn load(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        head_reader: &mut HeadReader,
    ) -> Result<(), Error> {
        self.log.check_doubt(entry)?;
        let before = state.known.take().map(|known| known.stamp);
        state.logged.forget_base();
        let seen = head_reader.look_at(&entry.path, &self.shapes)?;
        let (mut known, file) = (seen.known(self.clock.now()), seen.file);
        if before != Some(known.stamp) {
            state.on_disk = OnDisk::Unknown;
        }
        let before = state.pending.count();
        if before > 0 {
            state.pending = taken_anew(&mut known, &state.pending, seen.checker);
            self.reporter.note_refused(&entry.path, before - state.pending.count());
        }
        state.known = Some(known);
        self.log.stand_on(entry, state, file)?;
        if before > 0 && state.pending.is_empty() {
            // Nothing is left of what was logged.
            self.log.note_dropped(entry, state);
        }
        if state.pending.is_empty() {
            self.log.note_base(state, file);
        }
        Ok(())
    }
}

/// The values of an update that were kept.
struct Kept {
    count: usize,
    /// What is wrong with the one behind them.
    wrong: Option<Error>,
}

/// Keeps values that wait to be written, up to the first that is refused.
fn keep(
    entry: &Entry,
    state: &mut EntryState,
    values: &[&str],
    checker: &mut SampleChecker,
) -> Kept {
    let EntryState { known, pending, .. } = state;
    let known = known.as_mut().expect("its file was just looked at");
    checker.begin(&known.shape, &known.sources);
    let mut readings = Vec::new();
    let (mut count, mut wrong) = (0, None);
    for value in values {
        if let Err(error) = take_one(entry, &known.shape.reader, value, &mut readings, checker) {
            wrong = Some(error);
            break;
        }
        pending.push(value);
        count += 1;
    }
    checker.end(&mut known.sources);
    if let Some(last) = values[..count].last()
        && known.shape.forecasts
    {
        // What was refused counts as never said, so the command ends with what was taken.
        pending.end_command(last);
    }
    Kept { count, wrong }
}

fn take_one<'a>(
    entry: &Entry,
    reader: &SampleReader,
    value: &'a str,
    readings: &mut Vec<Reading<'a>>,
    checker: &mut SampleChecker,
) -> Result<(), Error> {
    let path = || entry.path.to_path_buf();
    let time = reader.read_numbered(value, readings);
    let time = time.map_err(|source| Error::Sample { path: path(), source })?;
    let taken = checker.take(&Sample { time, readings });
    taken.map_err(|source| Error::Update { path: path(), source })
}

/// The failure of an update that may be lost, or turn out to be taken.
pub(super) fn unlogged(cause: String) -> Refused {
    Refused::first(Error::Unacknowledged(cause))
}
