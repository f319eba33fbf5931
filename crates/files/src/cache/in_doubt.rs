//! Files of which a write-back may be lost though they look whole: a sync of them failed.
//!
//! Linux takes a page that it could not write for clean. It may drop it, and then reads from the
//! disk what stood there before. So nothing that can be read of such a file is the truth: base and
//! samples in the log are. As soon as the file can be opened to be written, its lines are read from
//! the log again, and it is brought together with them as after a crash: its head is put back to
//! the base's, and all samples wait once more. Until then the lines are copied to the end of the
//! log where they have become old, so that one file does not keep what all others logged.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

use journal::{JournalError, LogPosition, RrdId};
use store::Error;

use super::absent::{KeptRecords, is_deleted};
use super::carry::COPIED_BYTES_A_ROUND;
use super::entry::{Entry, EntryState};
use super::journaled::{Journaled, Written};
use super::load::HeadReader;
use super::{Core, Lines, LogPin, Replay};
use crate::{Access, RrdFile};

/// A file in doubt.
#[derive(Debug, Default)]
pub(super) struct InDoubt {
    /// The bases of its write-backs that are not durable, by the numbers that the file had.
    held: Vec<(RrdId, LogPin)>,
}

/// Files in doubt, by their paths.
#[derive(Debug, Default)]
pub(super) struct FilesInDoubt(HashMap<PathBuf, InDoubt>);

impl FilesInDoubt {
    pub(super) fn contains(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    /// Notes a write-back of a file in doubt.
    pub(super) fn add(&mut self, written: &Written) {
        let file = self.0.entry(written.entry.path.to_path_buf()).or_default();
        file.held.push((written.number, written.log_pin));
    }

    fn held(&self) -> impl Iterator<Item = (RrdId, LogPin)> {
        self.0.values().flat_map(|file| file.held.iter().copied())
    }
}

/// What the log has of the files in doubt: read once for all of them.
struct Reread {
    files: HashSet<RrdId>,
    from: LogPin,
    through: LogPosition,
    lines: Replay,
}

impl Journaled {
    /// Notes write-backs whose file is in doubt. Returns the others.
    pub(super) fn keep_in_doubt(&self, written: Vec<Written>) -> Vec<Written> {
        let mut in_doubt = self.in_doubt();
        let (doubtful, others): (Vec<_>, Vec<_>) =
            written.into_iter().partition(|it| in_doubt.contains(&it.entry.path));
        doubtful.iter().for_each(|written| in_doubt.add(written));
        others
    }

    /// Whether the lines of a file in doubt lie before a position.
    pub(super) fn has_doubt_before(&self, position: LogPosition) -> bool {
        self.in_doubt().held().any(|(_, log_pin)| log_pin.is_before(position))
    }

    pub(super) fn count_in_doubt(&self) -> usize {
        self.in_doubt().0.len()
    }

    /// The bases of a file in doubt, by number; its entry is held. They are all in the list of
    /// files in doubt then, and in no other.
    fn gather(&self, path: &Path) -> Vec<(RrdId, LogPin)> {
        let _syncing = self.syncing();
        let of_file = |written: &mut Written| *written.entry.path == *path;
        let mut waiting: Vec<Written> = self.written().extract_if(.., of_file).collect();
        waiting.extend(self.carried().extract_if(.., of_file));
        let mut in_doubt = self.in_doubt();
        waiting.iter().for_each(|written| in_doubt.add(written));
        in_doubt.0.get(path).map(|file| file.held.clone()).unwrap_or_default()
    }

    fn reread(&self, numbers: impl Iterator<Item = RrdId>) -> Result<Option<Reread>, JournalError> {
        let (mut files, mut from) = (HashSet::new(), None);
        for (number, log_pin) in self.in_doubt().held() {
            files.insert(number);
            from = from.into_iter().chain([log_pin]).min();
        }
        let Some(from) = from else { return Ok(None) };
        files.extend(numbers);
        let (lines, through) = self.log.lines_of(&files, from)?;
        Ok(Some(Reread { files, from, through, lines }))
    }
}

impl Core {
    /// Settles the files in doubt that can be written. Where their lines lie before a position they
    /// are copied first.
    ///
    /// # Errors
    /// The log cannot be read or written: it keeps what it has.
    pub(super) fn settle_in_doubt(&self, before: LogPosition) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        let paths: Vec<PathBuf> = journaled.in_doubt().0.keys().cloned().collect();
        let entries = paths.iter().filter_map(|path| self.table.get(path));
        let Some(mut reread) = journaled.reread(entries.map(|entry| RrdId(entry.id)))? else {
            return Ok(());
        };
        let mut copied_bytes = 0;
        for path in &paths {
            copied_bytes += self.hold(path, |entry, state| {
                self.settle_one_in_doubt(journaled, entry, state, &mut reread, before)
            })?;
            if copied_bytes > COPIED_BYTES_A_ROUND {
                break;
            }
        }
        Ok(())
    }

    /// Returns the bytes that were copied.
    fn settle_one_in_doubt(
        &self,
        journaled: &Journaled,
        entry: &Arc<Entry>,
        mut state: MutexGuard<'_, EntryState>,
        reread: &mut Reread,
        before: LogPosition,
    ) -> Result<usize, Error> {
        if !state.logged.is_settled() {
            // What opening found comes first.
            return Ok(0);
        }
        let held = journaled.gather(&entry.path);
        let logged = state.logged.log_pin().map(|log_pin| (RrdId(entry.id), log_pin));
        let bases = oldest_of(held.iter().copied().chain(logged));
        let is_read = |(number, log_pin): &(RrdId, LogPin)| {
            reread.files.contains(number) && *log_pin >= reread.from
        };
        if bases.is_empty() || !bases.iter().all(is_read) {
            // It came in doubt just now, or another file has its name: the next round reads for it.
            return Ok(0);
        }
        if state.logged.through > reread.through {
            let Reread { files, through, lines, .. } = reread;
            *through = journaled.log.further_lines_of(files, *through, lines)?;
        }
        if bases.iter().any(|(number, _)| !reread.lines.knows(*number)) {
            // Its lines cannot be told from those that are over: they stay until a restart.
            return Ok(0);
        }
        let opened = RrdFile::open(&entry.path, Access::Update);
        if opened.as_ref().is_err_and(Error::is_missing) && is_deleted(&entry.path, &state) {
            self.drop_deleted(entry, &mut state);
            return journaled.give_up_doubt(&entry.path).map(|()| 0);
        }
        let mut held: Vec<_> = held.into_iter().chain(logged).collect();
        let is_old = held.iter().any(|(_, log_pin)| log_pin.is_before(before));
        let mut copied_bytes = 0;
        if is_old {
            let numbers = bases.iter().map(|(number, _)| *number);
            let copies: Vec<_> =
                numbers.map(|number| (number, records_of(&reread.lines, number))).collect();
            copied_bytes = copies.iter().map(|(_, records)| records.bytes()).sum();
            let copies = copies.iter().map(|(number, records)| (*number, records));
            held = journaled.copy_forward(copies, &held)?;
            journaled.stand_on_copies(entry, &mut state, &held);
            held.extend(state.logged.log_pin().map(|log_pin| (RrdId(entry.id), log_pin)));
        }
        if opened.is_ok() && !state.suspended {
            // Settling locks it again.
            drop(opened);
            let mut records = KeptRecords::default();
            bases.iter().for_each(|(number, _)| reread.lines.copy_records(*number, &mut records));
            journaled.unsettle(&entry.path, &mut state, (records, &held));
            self.descriptors.close(entry);
            // All its samples wait once more.
            entry.is_in_doubt.store(true, Ordering::Relaxed);
            entry.undurable_bytes.store(0, Ordering::Relaxed);
            self.settle_anew(entry, &mut state);
        }
        Ok(copied_bytes)
    }

    /// Brings a file together with what the log had of it when a sync failed.
    fn settle_anew(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        let path = entry.path.display();
        match self.ensure_settled(entry, state, &mut HeadReader::default()) {
            Ok(()) => {
                if !state.pending.is_empty() && !state.suspended {
                    self.retry(entry, state, 0);
                }
                self.options.note(&format!(
                    "{path}: a sync of it failed; what it may lack is written anew from the journal"
                ));
            }
            // It is settled when it is used next.
            Err(error) => self.options.note(&format!("{path}: a sync of it failed, and {error}")),
        }
    }
}

impl Journaled {
    /// Copies lines of a file to the end of the log, in place of those that some bases hold, which
    /// are given up. Returns the bases of the copies.
    ///
    /// # Errors
    /// The copies are not durable: the old lines are still the ones that are needed.
    pub(super) fn copy_forward<'a>(
        &self,
        copies: impl Iterator<Item = (RrdId, &'a KeptRecords)>,
        held: &[(RrdId, LogPin)],
    ) -> Result<Vec<(RrdId, LogPin)>, Error> {
        let before = self.log.position();
        let mut new = Vec::new();
        let mut appended = Ok(());
        for (number, records) in copies {
            let mut lines = Lines::default();
            records.records().for_each(|record| lines.record_of(number, record));
            match self.log.append_copy(number, &mut lines) {
                Ok(log_pin) => new.push((number, log_pin)),
                Err(error) => appended = Err(error),
            }
        }
        if let Err(error) = appended.and_then(|()| self.log.commit()) {
            new.iter().for_each(|(_, log_pin)| self.log.release(*log_pin));
            return Err(error.into());
        }
        self.log.written(held.iter().map(|(number, log_pin)| (*number, *log_pin, before)))?;
        Ok(new)
    }

    /// The lines of a file in doubt are copied: they and its pending samples are held by the
    /// copies.
    fn stand_on_copies(&self, entry: &Entry, state: &mut EntryState, copies: &[(RrdId, LogPin)]) {
        let own = copies.iter().find(|(number, _)| number.0 == entry.id);
        if let (Some((_, log_pin)), Some(_)) = (own, state.logged.log_pin()) {
            self.log.hold(*log_pin);
            state.logged.stand_behind(*log_pin);
        }
        state.logged.through = self.log.position();
        let file = InDoubt { held: copies.to_vec() };
        self.in_doubt().0.insert(entry.path.to_path_buf(), file);
    }

    /// Makes a file one that is to be settled, as if the log had just been opened: `records` are
    /// all that it has of it.
    fn unsettle(
        &self,
        path: &Path,
        state: &mut EntryState,
        (records, held): (KeptRecords, &[(RrdId, LogPin)]),
    ) {
        let bases = oldest_of(held.iter().copied());
        bases.iter().for_each(|(_, log_pin)| self.log.hold(*log_pin));
        held.iter().for_each(|(_, log_pin)| self.log.release(*log_pin));
        self.in_doubt().0.remove(path);
        state.logged.unsettle(bases, records);
        state.pending.clear();
        (state.known, state.due, state.failed) = (None, None, false);
    }

    /// A file in doubt was deleted: nothing is left to be written.
    fn give_up_doubt(&self, path: &Path) -> Result<(), Error> {
        let held = self.gather(path);
        self.in_doubt().0.remove(path);
        let through = self.log.position();
        Ok(self
            .log
            .written(held.into_iter().map(|(number, log_pin)| (number, log_pin, through)))?)
    }
}

/// The oldest base of each number, in their order.
fn oldest_of(held: impl Iterator<Item = (RrdId, LogPin)>) -> Vec<(RrdId, LogPin)> {
    let mut oldest: BTreeMap<u32, LogPin> = BTreeMap::new();
    for (number, log_pin) in held {
        let known = oldest.entry(number.0).or_insert(log_pin);
        *known = log_pin.min(*known);
    }
    let mut oldest: Vec<_> =
        oldest.into_iter().map(|(number, log_pin)| (RrdId(number), log_pin)).collect();
    oldest.sort_unstable_by_key(|(_, log_pin)| *log_pin);
    oldest
}

fn records_of(lines: &Replay, number: RrdId) -> KeptRecords {
    let mut records = KeptRecords::default();
    lines.copy_records(number, &mut records);
    records
}
