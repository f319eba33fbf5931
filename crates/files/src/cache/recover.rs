//! What the log had when the cache was opened is brought together with the files: each at its first
//! use, or when its turn comes.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

use store::{Error, Refused};
use tracing_mutex::stdsync::Mutex;

use super::Core;
use super::absent::is_absent;
use super::entry::{Entry, EntryState, Known};
use super::load::{FILES_PER_HELPER, HELPERS_MAX, HeadReader, Seen, taken_anew};
use super::pending::Pending;
use super::replay::Step;
use super::settle::{Head, Settled};
use super::shape::Intake;
use super::unsettled::Unsettled;
use crate::{Access, RrdFile};

impl Core {
    /// Makes the entries of the files that the log has something of, and rrdcached's own journals.
    /// None is opened.
    ///
    /// # Errors
    /// Such a journal cannot be read.
    pub(super) fn find_logged(&self) -> Result<(), Error> {
        let Some(replay) = self.journaled.as_ref().and_then(|journaled| journaled.replay()) else {
            return Ok(());
        };
        self.table.number_from(replay.next_number().0);
        // A file has several numbers where it was forgotten and came back. The one that the log had
        // last goes on: its lines to come are then behind all lines of the others.
        let mut files: Vec<_> = replay.files().collect();
        files.sort_unstable_by_key(|found| Reverse(found.log_pin));
        for found in files {
            let path = Path::new(OsStr::from_bytes(found.path));
            let entry = self.table.get_or_add_numbered(path, found.number.0);
            entry.lock().logged.unsettled.insert(0, (found.number, found.log_pin));
        }
        self.find_legacy()
    }

    fn find_legacy(&self) -> Result<(), Error> {
        let (Some(journaled), Some(options)) = (&self.journaled, &self.options.journal) else {
            return Ok(());
        };
        let note = |text: String| self.options.note(&text);
        let legacy = journaled.read_legacy(&options.directory, &self.options.base, note)?;
        for (path, values) in legacy.values {
            self.table.get_or_add(&path).lock().logged.legacy = values;
        }
        Ok(())
    }

    /// Settles every file that is not, about in the order of their paths, until `stop` says so.
    /// Several threads do it: where nothing is in memory, the disk is asked for many heads at once.
    /// Returns those that cannot be now.
    pub(super) fn settle_all(&self, stop: impl Fn() -> bool + Sync) -> Unsettled {
        let mut entries = self.table.all();
        entries.retain(|entry| !entry.lock().logged.is_settled());
        entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let next = AtomicUsize::new(0);
        let unsettled = Mutex::new(Unsettled::default());
        let settle = || {
            let mut head_reader = HeadReader::default();
            while !stop()
                && let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed))
            {
                let mut state = entry.lock();
                if !state.gone
                    && let Err(error) = self.ensure_settled(entry, &mut state, &mut head_reader)
                {
                    let mut unsettled = unsettled.lock().unwrap_or_else(PoisonError::into_inner);
                    unsettled.add(&entry.path, &error);
                }
            }
        };
        let helpers = entries.len().div_ceil(FILES_PER_HELPER).min(HELPERS_MAX);
        std::thread::scope(|scope| (0..helpers).for_each(|_| drop(scope.spawn(settle))));
        unsettled.into_inner().unwrap_or_else(PoisonError::into_inner)
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
        match head_reader.look_at(&entry.path, &self.shapes) {
            Ok(seen) => {
                if !state.logged.unsettled.is_empty() {
                    self.settle_file(entry, state, seen)?;
                }
                self.take_from_aside(state);
                self.take_legacy(entry, state)
            }
            Err(error) => {
                if is_absent(&error) {
                    self.set_aside(state);
                }
                Err(error)
            }
        }
    }

    fn settle_file(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        seen: Seen<'_>,
    ) -> Result<(), Error> {
        let settled = self.settled(state, seen.file)?;
        let (locked, is_ours) = match settled.head {
            Head::Base => (None, true),
            Head::Foreign => (None, false),
            Head::Ours { .. } => self.put_back(entry, state).map(|(it, ours)| (Some(it), ours))?,
        };
        let now = self.clock.now();
        let mut known = match &locked {
            Some(file) => Known::of(file.header(), file.stamp()?, &self.shapes, now),
            None => seen.known(now),
        };
        let file = locked.as_ref().unwrap_or(seen.file);
        // An earlier life may have ended before the file was on disk.
        self.note_new_file(entry, state, &known.stamp);
        let waiting = pending_of(&settled);
        state.pending = taken_anew(&mut known, &waiting, seen.intake);
        state.known = Some(known);
        state.is_cut_short = is_ours && !state.pending.is_empty();
        self.note_refused(entry, waiting.count() - state.pending.count());
        let is_whole = state.pending.count() == waiting.count() && !state.pending.is_empty();
        if is_ours && is_whole && self.has_one_base(entry, state) {
            self.take_over(state, file);
        } else {
            self.take_over_anew(entry, state, file)?;
        }
        if state.pending.is_empty() {
            self.note_base(entry, state, file);
        } else {
            self.schedule(entry, state);
        }
        Ok(())
    }

    /// Whether all that the log has of a file stands behind one base, as what is logged of pending
    /// samples does: a FORGET takes back what stands behind the last one.
    fn has_one_base(&self, entry: &Entry, state: &EntryState) -> bool {
        let [(number, _)] = state.logged.unsettled[..] else { return false };
        if number.0 != entry.id {
            // New samples get the number of the entry.
            return false;
        }
        if let Some(kept) = &state.logged.aside {
            return kept.steps().filter(|step| matches!(step, Ok(Step::Base(_)))).count() == 1;
        }
        let replay = self.journaled.as_ref().and_then(|journaled| journaled.replay());
        replay.is_some_and(|replay| replay.has_one_base(number))
    }

    /// Puts a head of ours back to that of the base. Gives the file, locked, and whether the head
    /// is ours still: somebody may have written it in between.
    fn put_back(&self, entry: &Entry, state: &EntryState) -> Result<(RrdFile, bool), Error> {
        let mut file = RrdFile::open(&entry.path, Access::Update)?;
        let is_ours = match self.settled(state, &file)?.head {
            Head::Base => true,
            Head::Ours { live, newest_rows } => {
                file.put_back(live, newest_rows)?;
                true
            }
            Head::Foreign => false,
        };
        Ok((file, is_ours))
    }

    /// Takes what rrdcached's own journals have for a file.
    fn take_legacy(&self, entry: &Arc<Entry>, state: &mut EntryState) -> Result<(), Error> {
        let (mut intake, mut head_reader) = (Intake::default(), HeadReader::default());
        let values = std::mem::take(&mut state.logged.legacy);
        let mut refused = 0;
        for (nth, value) in values.iter().enumerate() {
            match self.take(entry, state, &[value], &mut intake, &mut head_reader) {
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
            self.options.note(&format!(
                "{path}: {refused} of the {count} values in rrdcached's journal are not taken: they \
                 are in the file already, or do not fit it"
            ));
        }
        Ok(())
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
