//! A file is brought together with what the log had of it when the cache was opened: at its first
//! use, or when its turn comes.

use std::sync::Arc;

use store::{Error, Refused};

use super::absent::is_absent;
use super::clock::Clock;
use super::entry::{Entry, EntryState, Known};
use super::found::Found;
use super::head_reader::{HeadReader, Seen, taken_anew};
use super::intake::Intake;
use super::pending::Pending;
use super::report::Reporter;
use super::sample_log::SampleLog;
use super::schedule::Schedule;
use super::settle::{Head, Settled};
use super::shape::{SampleChecker, Shapes};
use crate::rrd_file::HeldFile;

/// Settles one file at a time, whose entry is held, before anything else is done with it.
pub(super) struct Settler {
    pub(super) clock: Clock,
    /// None where the cache has no log: then every file is settled.
    pub(super) found: Option<Arc<Found>>,
    pub(super) shapes: Arc<Shapes>,
    pub(super) intake: Arc<Intake>,
    pub(super) log: Arc<SampleLog>,
    pub(super) schedule: Arc<Schedule>,
    pub(super) reporter: Arc<Reporter>,
}

impl Settler {
    /// Settles a file, and takes the values of one update.
    #[inline]
    pub(super) fn take(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        values: &[&str],
        checker: &mut SampleChecker,
        head_reader: &mut HeadReader,
    ) -> Result<(), Refused> {
        self.ensure_settled(entry, state, head_reader).map_err(Refused::first)?;
        self.intake.take(entry, state, values, checker, head_reader)
    }

    /// Whether an update of a file has to wait for nothing but the log.
    pub(super) fn is_at_hand(&self, entry: &Entry, state: &mut EntryState) -> bool {
        state.logged.is_settled() && self.intake.is_at_hand(entry, state)
    }

    /// Settles a file, and makes sure that its entry knows what it is like.
    ///
    /// # Errors
    /// The file cannot be read, or not updated by this machine.
    pub(super) fn look(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        head_reader: &mut HeadReader,
    ) -> Result<(), Error> {
        self.ensure_settled(entry, state, head_reader)?;
        self.intake.look(entry, state, head_reader)
    }

    /// Brings together what the log had of a file and the file.
    ///
    /// # Errors
    /// It cannot be now: the file cannot be read, or is locked. What the log has waits on.
    pub(super) fn ensure_settled(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        head_reader: &mut HeadReader,
    ) -> Result<(), Error> {
        if state.logged.is_settled() {
            return Ok(());
        }
        let Some(found) = &self.found else { return Ok(()) };
        match head_reader.look_at(&entry.path, &self.shapes) {
            Ok(seen) => {
                if !state.logged.unsettled.is_empty() {
                    self.settle_file(found, entry, state, seen)?;
                }
                found.take_from_aside(state);
                self.take_legacy(entry, state)
            }
            Err(error) => {
                if is_absent(&error) {
                    found.set_aside(state);
                }
                Err(error)
            }
        }
    }

    /// Computes what was in the file at its last base, and what waits for it since.
    fn settle_file(
        &self,
        found: &Found,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        seen: Seen<'_>,
    ) -> Result<(), Error> {
        let settled = found.settled(state, seen.file)?;
        let PutBack { locked, is_ours } = match settled.head {
            Head::Base => PutBack { locked: None, is_ours: true },
            Head::Foreign => PutBack { locked: None, is_ours: false },
            Head::Ours { .. } => PutBack::to_base(found, entry, state)?,
        };
        let now = self.clock.now();
        let mut known = match &locked {
            Some(file) => Known::of(file.header(), file.stamp()?, &self.shapes, now),
            None => seen.known(now),
        };
        let file = locked.as_deref().unwrap_or(seen.file);
        // An earlier process may have ended before the file was on disk.
        self.log.note_new_file(entry, state, &known.stamp);
        let waiting = pending_of(&settled);
        state.pending = taken_anew(&mut known, &waiting, seen.checker);
        state.known = Some(known);
        state.is_cut_short = is_ours && !state.pending.is_empty();
        self.reporter.note_refused(&entry.path, waiting.count() - state.pending.count());
        let is_whole = state.pending.count() == waiting.count() && !state.pending.is_empty();
        match is_ours && is_whole && found.has_one_base(entry, state) {
            true => self.log.take_over(state, file),
            false => self.log.take_over_anew(entry, state, file)?,
        }
        if state.pending.is_empty() {
            self.log.note_base(state, file);
        } else {
            self.schedule.begin(entry, state);
        }
        Ok(())
    }

    /// Takes what rrdcached's own journals have for a file.
    fn take_legacy(&self, entry: &Arc<Entry>, state: &mut EntryState) -> Result<(), Error> {
        let (mut checker, mut head_reader) = (SampleChecker::default(), HeadReader::default());
        let values = std::mem::take(&mut state.logged.legacy);
        let mut refused = 0;
        for (nth, value) in values.iter().enumerate() {
            match self.intake.take(entry, state, &[value], &mut checker, &mut head_reader) {
                Ok(()) => {}
                Err(Refused { error, .. })
                    if !matches!(error, Error::Update { .. } | Error::Sample { .. }) =>
                {
                    state.logged.legacy = values[nth..].to_vec();
                    return Err(error);
                }
                // What was written after all is refused for its time.
                Err(_) => refused += 1,
            }
        }
        if refused > 0 {
            let (path, count) = (entry.path.display(), values.len());
            self.reporter.note(&format!(
                "{path}: {refused} of the {count} values in rrdcached's journal are not taken: they \
                 are in the file already, or do not fit it"
            ));
        }
        Ok(())
    }
}

/// A file after its head was put back to that of the base, where that was needed.
struct PutBack {
    /// The file, if it was needed.
    locked: Option<HeldFile>,
    /// Whether the head is ours.
    is_ours: bool,
}

impl PutBack {
    /// Puts a head of ours back. Another program may have written it in between: it stays then.
    fn to_base(found: &Found, entry: &Entry, state: &EntryState) -> Result<Self, Error> {
        let mut file = HeldFile::open(&entry.path)?;
        let is_ours = match found.settled(state, &file)?.head {
            Head::Base => true,
            Head::Ours { live, newest_rows } => {
                file.put_back(live, newest_rows)?;
                true
            }
            Head::Foreign => false,
        };
        Ok(Self { locked: Some(file), is_ours })
    }
}

fn pending_of(settled: &Settled) -> Pending {
    let mut pending = Pending::default();
    for sample in &settled.samples {
        pending.push(&sample.argument);
        if sample.end.is_some() {
            pending.end_command(&sample.argument);
        }
    }
    pending
}
