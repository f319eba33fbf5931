//! Files of which a write-back may be lost though they look whole: a sync of them failed.
//!
//! Linux takes a page that it could not write for clean. It may drop it, and then reads from the
//! disk what stood there before. So nothing that can be read of such a file is the truth: base and
//! samples in the log are. As soon as the file can be opened to be written, its lines are read from
//! the log again, and it is brought together with them as after a crash: its head is put back to
//! the base's, and all samples wait once more. Until then the lines are copied to the end of the
//! log where they have become old, so that one file does not keep what all others logged.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use journal::{JournalError, LogPosition, RrdId};
use store::Error;

use super::absent::is_deleted;
use super::carry::{COPIED_BYTES_A_ROUND, copy_forward, is_half_full, long_ago};
use super::descriptors::Descriptors;
use super::entry::{Entry, EntryState, Guard};
use super::forget::Forgetter;
use super::head_reader::HeadReader;
use super::journaled::Journaled;
use super::kept_records::KeptRecords;
use super::report::Reporter;
use super::schedule::Schedule;
use super::settler::Settler;
use super::table::Table;
use super::{LogPin, Replay};
use crate::rrd_file::HeldFile;

/// Files in doubt that cannot be opened to be written are asked for after so many rounds at most.
const PAUSE_ROUNDS_MAX: u64 = 60;

/// What the log has of the files in doubt: read once for all of them.
struct Reread {
    files: HashSet<RrdId>,
    from: LogPin,
    through: LogPosition,
    lines: Replay,
}

/// The bases of the lines that a file in doubt needs, by the numbers that it had.
struct NeededLines {
    /// The oldest of each number.
    bases: Vec<(RrdId, LogPin)>,
    /// All of them.
    held: Vec<(RrdId, LogPin)>,
}

/// When the files in doubt are asked for next.
#[derive(Debug, Default)]
pub(super) struct InDoubtRetry {
    /// How many there were when they were asked for last.
    files: usize,
    pause_rounds: u64,
    rounds_to_wait: u64,
}

/// Settles files in doubt.
pub(super) struct DoubtSettler {
    pub(super) journaled: Arc<Journaled>,
    pub(super) table: Arc<Table>,
    pub(super) descriptors: Arc<Descriptors>,
    pub(super) schedule: Arc<Schedule>,
    pub(super) settler: Arc<Settler>,
    pub(super) forgetter: Arc<Forgetter>,
    pub(super) reporter: Arc<Reporter>,
}

impl DoubtSettler {
    /// Settles files in doubt; those that cannot be are asked for now and then.
    ///
    /// # Errors
    /// The log cannot be read or written: it keeps what it has.
    pub(super) fn look_after(&self, doubt: &mut InDoubtRetry) -> Result<(), Error> {
        let Journaled { log, write_backs, .. } = &*self.journaled;
        let files = write_backs.count_in_doubt();
        if files == 0 {
            *doubt = InDoubtRetry::default();
            return Ok(());
        }
        let before = long_ago(log);
        doubt.rounds_to_wait = doubt.rounds_to_wait.saturating_sub(1);
        let is_pressing = is_half_full(log) && write_backs.has_doubt_before(before);
        if doubt.rounds_to_wait > 0 && files <= doubt.files && !is_pressing {
            return Ok(());
        }
        let settled = self.settle(before);
        doubt.files = write_backs.count_in_doubt();
        doubt.pause_rounds = if doubt.files < files {
            1
        } else {
            PAUSE_ROUNDS_MAX.min(2 * doubt.pause_rounds.max(1))
        };
        doubt.rounds_to_wait = doubt.pause_rounds;
        settled
    }

    /// Settles the files in doubt that can be written. Where their lines lie before a position they
    /// are copied first.
    ///
    /// # Errors
    /// The log cannot be read or written: it keeps what it has.
    fn settle(&self, before: LogPosition) -> Result<(), Error> {
        let paths = self.journaled.write_backs.in_doubt().paths();
        let entries = paths.iter().filter_map(|path| self.table.get(path));
        let Some(mut reread) = self.reread(entries.map(|entry| RrdId(entry.id)))? else {
            return Ok(());
        };
        let mut copied_bytes = 0;
        for path in &paths {
            copied_bytes += self
                .table
                .hold(path, |entry, state| self.settle_one(entry, state, &mut reread, before))?;
            if copied_bytes > COPIED_BYTES_A_ROUND {
                break;
            }
        }
        Ok(())
    }

    /// Returns the bytes that were copied.
    fn settle_one(
        &self,
        entry: &Arc<Entry>,
        mut state: Guard<'_>,
        reread: &mut Reread,
        before: LogPosition,
    ) -> Result<usize, Error> {
        if !state.logged.is_settled() {
            // What opening found comes first.
            return Ok(0);
        }
        let mut lines = self.lines_of(entry, &state);
        if !self.are_read(&lines.bases, &state, reread)? {
            return Ok(0);
        }
        let opened = HeldFile::open(&entry.path);
        if opened.as_ref().is_err_and(Error::is_missing) && is_deleted(&entry.path, &state) {
            self.forgetter.drop_deleted(entry, &mut state);
            return self.give_up(&entry.path).map(|()| 0);
        }
        let is_old = lines.held.iter().any(|(_, log_pin)| log_pin.is_before(before));
        let copied_bytes = match is_old {
            true => self.copy(entry, &mut state, &mut lines, &reread.lines)?,
            false => 0,
        };
        if opened.is_ok() && !state.suspended {
            // Settling locks it again.
            drop(opened);
            self.unsettle(entry, &mut state, &lines, &reread.lines);
            self.settle_anew(entry, &mut state);
        }
        Ok(copied_bytes)
    }

    /// The lines that a file in doubt needs; its entry is held.
    fn lines_of(&self, entry: &Entry, state: &EntryState) -> NeededLines {
        let mut held = self.journaled.write_backs.gather(&entry.path);
        held.extend(pending_base(entry, state));
        NeededLines { bases: oldest_of(held.iter().copied()), held }
    }

    /// Whether all lines of a file were read from the log. Those that were logged since are read
    /// now.
    fn are_read(
        &self,
        bases: &[(RrdId, LogPin)],
        state: &EntryState,
        reread: &mut Reread,
    ) -> Result<bool, Error> {
        let is_read = |(number, log_pin): &(RrdId, LogPin)| {
            reread.files.contains(number) && *log_pin >= reread.from
        };
        if bases.is_empty() || !bases.iter().all(is_read) {
            // It came in doubt just now, or another file has its name: the next round reads for it.
            return Ok(false);
        }
        if state.logged.through > reread.through {
            let Reread { files, through, lines, .. } = reread;
            *through = self.journaled.log.further_lines_of(files, *through, lines)?;
        }
        // Lines of an unknown number cannot be told from those that are over: they stay until a
        // restart.
        Ok(bases.iter().all(|(number, _)| reread.lines.knows(*number)))
    }

    /// Copies the lines of a file to the end of the log; they and its pending samples are held by
    /// the copies. Returns how many bytes were copied.
    fn copy(
        &self,
        entry: &Entry,
        state: &mut EntryState,
        needed: &mut NeededLines,
        lines: &Replay,
    ) -> Result<usize, Error> {
        let numbers = needed.bases.iter().map(|(number, _)| *number);
        let copies: Vec<_> = numbers.map(|number| (number, records_of(lines, number))).collect();
        let copied_bytes = copies.iter().map(|(_, records)| records.bytes()).sum();
        let copies = copies.iter().map(|(number, records)| (*number, records));
        needed.held = copy_forward(&self.journaled.log, copies, &needed.held)?;
        self.stand_on_copies(entry, state, &needed.held);
        needed.held.extend(pending_base(entry, state));
        Ok(copied_bytes)
    }

    /// Brings a file together with what the log had of it when a sync failed.
    fn settle_anew(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        let path = entry.path.display();
        match self.settler.ensure_settled(entry, state, &mut HeadReader::default()) {
            Ok(()) => {
                if !state.pending.is_empty() && !state.suspended {
                    self.schedule.retry(entry, state, 0);
                }
                self.reporter.note(&format!(
                    "{path}: a sync of it failed; what it may lack is written anew from the journal"
                ));
            }
            // It is settled when it is used next.
            Err(error) => self.reporter.note(&format!("{path}: a sync of it failed, and {error}")),
        }
    }

    fn reread(&self, numbers: impl Iterator<Item = RrdId>) -> Result<Option<Reread>, JournalError> {
        let (mut files, mut from) = (HashSet::new(), None);
        for (number, log_pin) in self.journaled.write_backs.in_doubt().held() {
            files.insert(number);
            from = from.into_iter().chain([log_pin]).min();
        }
        let Some(from) = from else { return Ok(None) };
        files.extend(numbers);
        let (lines, through) = self.journaled.log.lines_of(&files, from)?;
        Ok(Some(Reread { files, from, through, lines }))
    }

    fn stand_on_copies(&self, entry: &Entry, state: &mut EntryState, copies: &[(RrdId, LogPin)]) {
        let log = &self.journaled.log;
        let own = copies.iter().find(|(number, _)| number.0 == entry.id);
        if let (Some((_, log_pin)), Some(_)) = (own, state.logged.log_pin()) {
            log.hold(*log_pin);
            state.logged.stand_behind(*log_pin);
        }
        state.logged.through = log.position();
        self.journaled.write_backs.in_doubt().put(&entry.path, copies.to_vec());
    }

    /// Makes a file one that is to be settled, as if the log had just been opened: `lines` has all
    /// that there is of it.
    fn unsettle(
        &self,
        entry: &Entry,
        state: &mut EntryState,
        needed: &NeededLines,
        lines: &Replay,
    ) {
        let mut records = KeptRecords::default();
        needed.bases.iter().for_each(|(number, _)| lines.copy_records(*number, &mut records));
        let log = &self.journaled.log;
        let bases = oldest_of(needed.held.iter().copied());
        bases.iter().for_each(|(_, log_pin)| log.hold(*log_pin));
        needed.held.iter().for_each(|(_, log_pin)| log.release(*log_pin));
        self.journaled.write_backs.in_doubt().remove(&entry.path);
        state.logged.unsettle(bases, records);
        state.pending.clear();
        (state.known, state.due, state.failed) = (None, None, false);
        self.descriptors.close(entry);
        // All its samples wait once more.
        entry.is_in_doubt.store(true, Ordering::Relaxed);
        entry.undurable_bytes.store(0, Ordering::Relaxed);
    }

    /// A file in doubt was deleted: nothing is left to be written.
    fn give_up(&self, path: &Path) -> Result<(), Error> {
        let Journaled { log, write_backs, .. } = &*self.journaled;
        let held = write_backs.gather(path);
        write_backs.in_doubt().remove(path);
        let through = log.position();
        Ok(log.written(held.into_iter().map(|(number, log_pin)| (number, log_pin, through)))?)
    }
}

/// The base that the pending samples of a file stand behind.
fn pending_base(entry: &Entry, state: &EntryState) -> Option<(RrdId, LogPin)> {
    state.logged.log_pin().map(|log_pin| (RrdId(entry.id), log_pin))
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
