//! UPDATE: samples are checked, kept, and acknowledged.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use journal::JournalError;
use store::{AtOnce, Error, Refused, Samples, Update};

use super::entry::EntryState;
use super::head_reader::HeadReader;
use super::intake::unlogged;
use super::on_disk::Ticket;
use super::read::Reader;
use super::report::Reporter;
use super::sample_log::SampleLog;
use super::settler::Settler;
use super::shape::SampleChecker;
use super::table::Table;
use super::together::{HELPED_FROM, work_together};

/// Takes updates, and acknowledges them.
pub(super) struct Updates {
    pub(super) table: Arc<Table>,
    pub(super) reader: Arc<Reader>,
    pub(super) settler: Arc<Settler>,
    pub(super) log: Arc<SampleLog>,
    pub(super) reporter: Arc<Reporter>,
}

impl Updates {
    /// Takes updates in their order, and returns once what was taken is as safe as the options
    /// promise. Gives the failures with their positions; the values before a refused one are taken
    /// all the same.
    pub(super) fn append(&self, updates: &[Update<'_>]) -> Vec<(usize, Refused)> {
        if let Err(error) = self.log.admit() {
            return (0..updates.len()).map(|nth| (nth, not_admitted(&error))).collect();
        }
        self.look_together(updates.iter().map(|update| update.name));
        let (mut checker, mut head_reader) = (SampleChecker::default(), HeadReader::default());
        let mut failures = Vec::new();
        let mut awaited = Vec::with_capacity(updates.len());
        let spelled: Vec<Spelled<'_>> = updates.iter().map(|update| self.spell(update)).collect();
        for (nth, (update, spelled)) in updates.iter().zip(&spelled).enumerate() {
            let taken = self.table.hold(update.name, |entry, mut state| {
                let values = spelled.values();
                let taken =
                    self.settler.take(entry, &mut state, &values, &mut checker, &mut head_reader);
                awaited.push(state.on_disk.ticket());
                self.table.remove_if_useless(entry, &mut state);
                taken
            });
            match (taken, &spelled.wrong) {
                (Ok(()), None) => self.reporter.counters.updates_received.add(1),
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

    /// As [`Self::append`], but takes no update that would have to wait for its file, or for a
    /// thread that works on it.
    pub(super) fn append_at_once(&self, updates: &[Update<'_>]) -> AtOnce {
        if let Err(error) = self.log.admit() {
            let refused = (0..updates.len()).map(|nth| (nth, not_admitted(&error)));
            return AtOnce { refused: refused.collect(), left: Vec::new() };
        }
        let (mut checker, mut head_reader) = (SampleChecker::default(), HeadReader::default());
        let (mut batch, mut positions) = (Vec::with_capacity(updates.len()), Vec::new());
        let (mut failures, mut left) = (Vec::new(), Vec::new());
        let mut awaited = Vec::with_capacity(updates.len());
        for (nth, update) in updates.iter().enumerate() {
            let taken = match update.samples {
                Samples::Numbered(values) => {
                    self.table.try_hold_known(update.name, |entry, mut state| {
                        self.settler.is_at_hand(entry, &mut state).then(|| {
                            let (checker, head_reader) = (&mut checker, &mut head_reader);
                            let taken =
                                self.settler.take(entry, &mut state, values, checker, head_reader);
                            // It may have been looked at once more, and be a new file.
                            awaited.push(state.on_disk.ticket());
                            taken
                        })
                    })
                }
                _ => None,
            };
            match taken {
                None => {
                    left.push(nth);
                    continue;
                }
                Some(Ok(())) => self.reporter.counters.updates_received.add(1),
                Some(Err(refused)) => failures.push((batch.len(), refused)),
            }
            batch.push(*update);
            positions.push(nth);
        }
        if batch.is_empty() {
            return AtOnce { refused: Vec::new(), left };
        }
        let spelled: Vec<Spelled<'_>> = batch.iter().map(|update| self.spell(update)).collect();
        let refused = self.acknowledged(&batch, &spelled, failures, &awaited);
        let refused = refused.into_iter().map(|(at, refused)| (positions[at], refused));
        AtOnce { refused: refused.collect(), left }
    }

    /// Waits until what was taken is durable; adds to the failures what is not.
    fn acknowledged(
        &self,
        updates: &[Update<'_>],
        spelled: &[Spelled<'_>],
        failures: Vec<(usize, Refused)>,
        awaited: &[Option<Ticket>],
    ) -> Vec<(usize, Refused)> {
        let mut tickets: Vec<_> = awaited.iter().copied().flatten().collect();
        tickets.sort_unstable();
        tickets.dedup();
        match self.log.acknowledge(&tickets) {
            Ok(unsynced) if unsynced.is_empty() => failures,
            Ok(unsynced) => self.with_unacknowledged(updates, spelled, failures, |nth| {
                let of_update = unsynced.iter().find(|it| awaited[nth] == Some(it.ticket));
                of_update.map(|it| it.cause.clone())
            }),
            Err(error) => {
                let cause = |_| Some(error.to_string());
                self.with_unacknowledged(updates, spelled, failures, cause)
            }
        }
    }

    /// Samples as the journal has them.
    fn spell<'a>(&self, update: &Update<'a>) -> Spelled<'a> {
        if let Samples::Numbered(values) = update.samples {
            return Spelled { texts: Texts::Said(values), wrong: None };
        }
        // Of a file that cannot be read, the refusal of the update tells why.
        let Ok(outline) = self.reader.outline(update.name) else {
            return Spelled { texts: Texts::Own(Vec::new()), wrong: None };
        };
        let (texts, wrong) = update.samples.spelled(&outline.definition, outline.last_update);
        Spelled { texts: Texts::Own(texts), wrong: wrong.err() }
    }

    /// Adds the updates that are not acknowledged to those that failed; `cause_of` tells why one is
    /// not. One of which nothing was taken fails with its own reason; whether the others are safe
    /// is not known.
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

    /// Notes that samples of an update were taken and are not acknowledged.
    fn doubt(&self, path: &Path, values: &[&str]) {
        if !values.is_empty() {
            self.table.hold_known(path, |_, mut state| state.doubt(values));
        }
    }

    /// Has several threads look at files that were not looked at yet: an idle disk answers many
    /// questions in the time of one.
    fn look_together<'a>(&self, paths: impl ExactSizeIterator<Item = &'a Path>) {
        if paths.len() < HELPED_FROM {
            return;
        }
        let unknown: Vec<_> = paths
            .map(|path| self.table.get_or_add(path))
            .filter(|entry| entry.lock().known.is_none())
            .collect();
        let is_wanted = |state: &EntryState| state.known.is_none() && !state.gone;
        work_together(&unknown, is_wanted, |entry, state, head_reader| {
            // The next update of it is told what fails.
            let _ = self.settler.look(entry, state, head_reader);
        });
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
