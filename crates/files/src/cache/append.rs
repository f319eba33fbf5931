//! UPDATE: samples are checked, kept, and acknowledged.

use std::borrow::Cow;
use std::sync::Arc;

use journal::JournalError;
use rrd::{Reading, Sample, SampleReader};
use store::{Error, Refused, Samples, Store as _, Update};

use super::entry::{Entry, EntryState};
use super::load::HeadReader;
use super::new_files::Ticket;
use super::shape::Intake;
use super::{Core, FileCache};

impl FileCache {
    /// Takes updates in their order, and returns once what was taken is as safe as the options
    /// promise. Gives the failures with their positions; the values before a refused one are taken
    /// all the same.
    pub fn append(&self, updates: &[Update<'_>]) -> Vec<(usize, Refused)> {
        let core = &self.core;
        if let Err(error) = core.admit() {
            return (0..updates.len()).map(|nth| (nth, not_admitted(&error))).collect();
        }
        core.look_together(updates.iter().map(|update| update.name));
        let (mut intake, mut head_reader) = (Intake::default(), HeadReader::default());
        let mut failures = Vec::new();
        let mut awaited = Vec::with_capacity(updates.len());
        let spelled: Vec<Spelled<'_>> = updates.iter().map(|update| self.spell(update)).collect();
        for (nth, (update, spelled)) in updates.iter().zip(&spelled).enumerate() {
            let taken = core.hold(update.name, |entry, mut state| {
                let values = spelled.values();
                let taken = core.take(entry, &mut state, &values, &mut intake, &mut head_reader);
                awaited.push(state.on_disk.ticket());
                core.drop_if_useless(entry, &mut state);
                taken
            });
            match (taken, &spelled.wrong) {
                (Ok(()), None) => core.counters.updates_received.add(1),
                (Ok(()), Some(source)) => {
                    let (path, source) = (update.name.into(), source.clone());
                    let taken = spelled.values().len();
                    failures.push((nth, Refused { error: Error::Sample { path, source }, taken }));
                }
                (Err(refused), _) => failures.push((nth, refused)),
            }
        }
        self.acknowledged(updates, &spelled, failures, &awaited)
    }

    /// Waits until what was taken is durable; adds to the failures what is not.
    fn acknowledged(
        &self,
        updates: &[Update<'_>],
        spelled: &[Spelled<'_>],
        failures: Vec<(usize, Refused)>,
        awaited: &[Option<Ticket>],
    ) -> Vec<(usize, Refused)> {
        let core = &self.core;
        let mut tickets: Vec<_> = awaited.iter().copied().flatten().collect();
        tickets.sort_unstable();
        tickets.dedup();
        match core.acknowledge(&tickets) {
            Ok(unsynced) if unsynced.is_empty() => failures,
            Ok(unsynced) => core.with_unacknowledged(updates, spelled, failures, |nth| {
                let of_update = unsynced.iter().find(|it| awaited[nth] == Some(it.ticket));
                of_update.map(|it| it.cause.clone())
            }),
            Err(error) => {
                let cause = |_| Some(error.to_string());
                core.with_unacknowledged(updates, spelled, failures, cause)
            }
        }
    }

    /// Samples as the journal has them.
    fn spell<'a>(&self, update: &Update<'a>) -> Spelled<'a> {
        if let Samples::Numbered(values) = update.samples {
            return Spelled { texts: Texts::Said(values), wrong: None };
        }
        // Of a file that cannot be read, the refusal of the update tells why.
        let Ok(outline) = self.outline(update.name) else {
            return Spelled { texts: Texts::Own(Vec::new()), wrong: None };
        };
        let (texts, wrong) = update.samples.spelled(&outline.definition, outline.last_update);
        Spelled { texts: Texts::Own(texts), wrong: wrong.err() }
    }
}

/// The samples of an update as text, and what is wrong with the first that has none.
struct Spelled<'a> {
    texts: Texts<'a>,
    wrong: Option<rrd::sample::SampleError>,
}

enum Texts<'a> {
    Said(&'a [&'a str]),
    Own(Vec<String>),
}

impl Spelled<'_> {
    fn values(&self) -> Cow<'_, [&str]> {
        match &self.texts {
            Texts::Said(values) => Cow::Borrowed(values),
            Texts::Own(texts) => Cow::Owned(texts.iter().map(String::as_str).collect()),
        }
    }
}

/// The failure of an update of which nothing was taken.
fn not_admitted(error: &JournalError) -> Refused {
    Refused::first(Error::NotTaken(error.to_string()))
}

/// The failure of an update that may be lost, or turn out to be taken.
fn unlogged(cause: String) -> Refused {
    Refused::first(Error::Unacknowledged(cause))
}

impl Core {
    /// Adds the updates that are not acknowledged to those that failed; `cause_of` tells why one is
    /// not. One of which nothing was taken is told why that is so; of the others nobody knows.
    fn with_unacknowledged(
        &self,
        updates: &[Update<'_>],
        spelled: &[Spelled<'_>],
        failures: Vec<(usize, Refused)>,
        cause_of: impl Fn(usize) -> Option<String>,
    ) -> Vec<(usize, Refused)> {
        let mut failures = failures.into_iter().peekable();
        let mut all = Vec::new();
        for (nth, (update, spelled)) in updates.iter().zip(spelled).enumerate() {
            let values = spelled.values();
            let failure =
                failures.next_if(|(failed, _)| *failed == nth).map(|(_, failure)| failure);
            let taken = failure.as_ref().map_or(values.len(), |it| it.taken);
            match (cause_of(nth), failure) {
                (None, None) => {}
                (None, Some(failure)) => all.push((nth, failure)),
                (Some(_), Some(failure)) if taken == 0 => all.push((nth, failure)),
                (Some(cause), _) => {
                    self.doubt(update.name, &values[..taken]);
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
        head_reader: &mut HeadReader,
    ) -> Result<(), Refused> {
        self.look(entry, state, head_reader)
            .and_then(|()| self.check_room(entry, state))
            .map_err(Refused::first)?;
        let was_empty = state.pending.is_empty();
        let forecasts = state.known.as_ref().is_some_and(|known| known.shape.forecasts);
        let repeated = values.iter().take_while(|value| state.repeats(value)).count();
        let EntryState { known, pending, used, .. } = state;
        let known = known.as_mut().expect("it was just looked at");
        *used = self.clock.now();
        intake.begin(&known.shape, &known.sources);
        let mut readings = Vec::new();
        let mut taken = repeated;
        let mut wrong = None;
        for value in &values[repeated..] {
            if let Err(error) = take_one(entry, &known.shape.reader, value, &mut readings, intake) {
                wrong = Some(error);
                break;
            }
            pending.push(value);
            taken += 1;
        }
        intake.end(&mut known.sources);
        let stamp = known.stamp;
        let new = &values[repeated..taken];
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
        if taken > 0 {
            // Somebody may have put another file with the same head here since the base was logged.
            self.note_new_file(entry, state, &stamp);
        }
        if was_empty && !state.pending.is_empty() {
            self.schedule(entry, state);
        }
        match wrong {
            None => Ok(()),
            Some(error) => Err(Refused { error, taken }),
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
) -> Result<(), Error> {
    let path = || entry.path.to_path_buf();
    let time = reader.read_numbered(value, readings);
    let time = time.map_err(|source| Error::Sample { path: path(), source })?;
    let taken = intake.take(&Sample { time, readings });
    taken.map_err(|source| Error::Update { path: path(), source })
}
