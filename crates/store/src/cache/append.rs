//! UPDATE: samples are judged, kept, and acknowledged.

use std::path::Path;
use std::sync::Arc;

use rrd::number::{self, Parsed};
use rrd::sample::{SampleError, TimeText};
use rrd::{Reading, Sample, SampleReader, Timestamp};

use super::entry::{Entry, EntryState};
use super::load::Glass;
use super::shape::Intake;
use super::{Core, FileCache};
use crate::Error;
use crate::journal::JournalError;

/// Samples for one file, as the protocol has them.
#[derive(Clone, Copy, Debug)]
pub struct CacheUpdate<'a> {
    /// The file.
    pub path: &'a Path,
    /// Each a time and readings, `TIME:READING[:READING...]`.
    pub values: &'a [&'a str],
}

/// Why not every value of an update was taken.
#[derive(Debug)]
pub struct Failure {
    /// What is wrong with the first that was not.
    pub refusal: Refusal,
    /// How many values before it were taken.
    pub values_taken: usize,
}

/// Why a value is refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It does not begin with a time in numbers; the words are rrdcached's.
    #[error("Cannot find timestamp in '{0}'!")]
    Timestamp(String),
    /// It has too few readings or too many.
    #[error(transparent)]
    Readings(SampleError),
    /// The file cannot be read, or does not take it.
    #[error(transparent)]
    Store(#[from] Error),
}

impl FileCache {
    /// Takes updates in their order, and returns once what was taken is as safe as the options
    /// promise. Gives the failures with their positions; the values before a refused one are taken
    /// all the same.
    pub fn append(&self, updates: &[CacheUpdate<'_>]) -> Vec<(usize, Failure)> {
        let core = &self.core;
        if let Err(error) = core.admit() {
            return (0..updates.len()).map(|nth| (nth, not_admitted(&error))).collect();
        }
        core.look_together(updates.iter().map(|update| update.path));
        let (mut intake, mut glass) = (Intake::default(), Glass::default());
        let mut failures = Vec::new();
        let mut awaited = Vec::with_capacity(updates.len());
        for (nth, update) in updates.iter().enumerate() {
            let taken = core.hold(update.path, |entry, mut state| {
                let taken = core.take(entry, &mut state, update.values, &mut intake, &mut glass);
                awaited.push(state.on_disk.ticket());
                core.drop_if_useless(entry, &mut state);
                taken
            });
            match taken {
                Ok(()) => core.counters.updates_received.add(1),
                Err(failure) => failures.push((nth, failure)),
            }
        }
        let mut tickets: Vec<_> = awaited.iter().copied().flatten().collect();
        tickets.sort_unstable();
        tickets.dedup();
        match core.acknowledge(&tickets) {
            Ok(unsynced) if unsynced.is_empty() => failures,
            Ok(unsynced) => core.with_unacknowledged(updates, failures, |nth| {
                let of_update = unsynced.iter().find(|it| awaited[nth] == Some(it.ticket));
                of_update.map(|it| it.cause.clone())
            }),
            Err(error) => core.with_unacknowledged(updates, failures, |_| Some(error.to_string())),
        }
    }
}

/// The failure of an update of which nothing was taken.
fn not_admitted(error: &JournalError) -> Failure {
    Failure { refusal: Error::NotTaken(error.to_string()).into(), values_taken: 0 }
}

/// The failure of an update that may be lost, or turn out to be taken.
fn unlogged(cause: String) -> Failure {
    let refusal = Error::Unacknowledged(cause).into();
    Failure { refusal, values_taken: 0 }
}

impl Core {
    /// Adds the updates that are not acknowledged to those that failed; `cause_of` tells why one is
    /// not. One of which nothing was taken is told why that is so; of the others nobody knows.
    fn with_unacknowledged(
        &self,
        updates: &[CacheUpdate<'_>],
        failures: Vec<(usize, Failure)>,
        cause_of: impl Fn(usize) -> Option<String>,
    ) -> Vec<(usize, Failure)> {
        let mut failures = failures.into_iter().peekable();
        let mut all = Vec::new();
        for (nth, update) in updates.iter().enumerate() {
            let failure =
                failures.next_if(|(failed, _)| *failed == nth).map(|(_, failure)| failure);
            let taken = failure.as_ref().map_or(update.values.len(), |it| it.values_taken);
            match (cause_of(nth), failure) {
                (None, None) => {}
                (None, Some(failure)) => all.push((nth, failure)),
                (Some(_), Some(failure)) if taken == 0 => all.push((nth, failure)),
                (Some(cause), _) => {
                    self.doubt(update.path, &update.values[..taken]);
                    all.push((nth, unlogged(cause)));
                }
            }
        }
        all
    }

    /// Takes the values of one update.
    pub(super) fn take(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        values: &[&str],
        intake: &mut Intake,
        glass: &mut Glass,
    ) -> Result<(), Failure> {
        self.look(entry, state, glass)
            .and_then(|()| self.check_room(entry, state))
            .map_err(|error| Failure { refusal: error.into(), values_taken: 0 })?;
        let was_empty = state.pending.is_empty();
        let forecasts = state.known.as_ref().is_some_and(|known| known.shape.forecasts);
        let repeated = values.iter().take_while(|value| state.repeats(value)).count();
        let EntryState { known, pending, used, .. } = state;
        let known = known.as_mut().expect("it was just looked at");
        *used = self.clock.now();
        intake.begin(&known.shape, &known.sources);
        let mut readings = Vec::new();
        let mut values_taken = repeated;
        let mut refusal = None;
        for value in &values[repeated..] {
            if let Err(refused) = take_one(entry, &known.shape.reader, value, &mut readings, intake)
            {
                refusal = Some(refused);
                break;
            }
            pending.push(value);
            values_taken += 1;
        }
        intake.end(&mut known.sources);
        let stamp = known.stamp;
        let new = &values[repeated..values_taken];
        if let Some(last) = new.last()
            && known.shape.forecasts
        {
            // What was refused counts as never said, so the command ends with what was taken.
            pending.end_command(last);
        }
        if !new.is_empty() {
            // The client went on: it repeats nothing any more.
            state.doubtful = None;
        }
        self.log_samples(entry, state, new, forecasts)
            .map_err(|error| unlogged(Error::from(error).to_string()))?;
        if values_taken > 0 {
            // Somebody may have put another file with the same head here since the base was logged.
            self.note_new_file(entry, state, &stamp);
        }
        if was_empty && !state.pending.is_empty() {
            self.schedule(entry, state);
        }
        match refusal {
            None => Ok(()),
            Some(refusal) => Err(Failure { refusal, values_taken }),
        }
    }

    /// Forgets an entry that nothing is known of: it was made to ask for a file that is not there.
    pub(super) fn drop_if_useless(&self, entry: &Entry, state: &mut EntryState) {
        if state.known.is_none()
            && state.pending.is_empty()
            && !state.logged.is_needed()
            && !state.suspended
            && !state.gone
        {
            self.table.remove(entry, state);
        }
    }
}

fn take_one<'a>(
    entry: &Entry,
    reader: &SampleReader,
    value: &'a str,
    readings: &mut Vec<Reading<'a>>,
    intake: &mut Intake,
) -> Result<(), Refusal> {
    let time = parse(reader, value, readings)?;
    let taken = intake.take(&Sample { time, readings });
    taken.map_err(|source| Error::Update { path: entry.path.to_path_buf(), source }.into())
}

/// Splits a value. Its time is a number: the protocol knows neither `N` nor AT-style times.
pub(super) fn parse<'a>(
    reader: &SampleReader,
    value: &'a str,
    readings: &mut Vec<Reading<'a>>,
) -> Result<Timestamp, Refusal> {
    let no_time = || Refusal::Timestamp(value.to_owned());
    match reader.split(value, readings) {
        // A negative one is before any last update.
        Ok(time @ TimeText::Number(seconds)) if seconds.is_finite() => {
            time.moment(Timestamp::default()).ok_or_else(no_time)
        }
        Ok(_) | Err(SampleError::NoTime(_) | SampleError::Time(_)) => Err(no_time()),
        // rrdcached looks at the time before anything else.
        Err(_) if !begins_with_time(value) => Err(no_time()),
        Err(error) => Err(Refusal::Readings(error)),
    }
}

fn begins_with_time(value: &str) -> bool {
    matches!(number::parse(value), Parsed::Partial(_, tail) if tail.starts_with(':'))
}
