//! Files that cannot be written do not keep the log from being freed.
//!
//! The log is freed up to the oldest base that is needed. One file whose lock another process holds
//! for a day would so hold all that a day brings for every other file. Where the log has become
//! long, the base and the samples of such files are logged once more, at its end, and the old ones
//! are given up. Files that are merely not due yet are written early where the log is half full.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::entry::{Entry, EntryState};
use super::journaled::{Journaled, Written};
use super::standing::put_pending;
use super::{Core, Lines, Stake, schedule};
use crate::Error;
use crate::journal::{LogPosition, RrdId};

/// The log is long where it takes this part of what it may take.
const LONG_SHARE: u64 = 8;
/// So many bytes of samples wait at most for a file that cannot be written: what is carried must fit
/// into one frame of the log, so that a crash leaves all of it or nothing.
const STUCK_BYTES_MAX: usize = 4 << 20;

/// Files of which the log has something from long ago.
#[derive(Default)]
struct OldFiles {
    /// They cannot be written.
    stuck: Vec<Arc<Entry>>,
    /// They can, and are not due yet.
    waiting: Vec<Arc<Entry>>,
}

impl Core {
    /// Carries forward what keeps the log from being freed, where it has become long.
    ///
    /// # Errors
    /// It cannot be logged, or a file system cannot be synced; all is kept then.
    pub(super) fn shorten_log(&self) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        let log = &journaled.log;
        let long_bytes = log.bytes_max() / LONG_SHARE;
        let is_due = log.is_full() || journaled.carried_up_to.is_due(log.position());
        if log.held_bytes() < long_bytes || !is_due {
            return Ok(());
        }
        let recent_bytes = long_bytes / 2;
        let before = LogPosition(log.position().0.saturating_sub(recent_bytes));
        let old = self.find_old(before);
        self.carry(journaled, &old.stuck)?;
        if self.is_log_half_full() {
            self.write_early(old.waiting);
        }
        journaled.carried_up_to.set(log.position(), recent_bytes);
        self.sync_files()
    }

    /// Whether the log takes more than half of what it may take.
    pub(super) fn is_log_half_full(&self) -> bool {
        let log = self.journaled.as_ref().map(|journaled| &journaled.log);
        log.is_some_and(|log| log.held_bytes() > log.bytes_max() / 2)
    }

    /// Refuses samples for a file that cannot be written, once too many wait for it.
    ///
    /// # Errors
    /// [`Error::NotTaken`].
    pub(super) fn check_room(&self, entry: &Entry, state: &EntryState) -> Result<(), Error> {
        let Some(journaled) = self.journaled.as_ref().filter(|_| is_stuck(state)) else {
            return Ok(());
        };
        let bytes_max = STUCK_BYTES_MAX.min(journaled.log.record_bytes_max() / 2);
        if state.pending.bytes() <= bytes_max {
            return Ok(());
        }
        let (path, count) = (entry.path.display(), state.pending.count());
        Err(Error::NotTaken(format!("{path}: {count} samples wait, and it cannot be written")))
    }

    fn find_old(&self, before: LogPosition) -> OldFiles {
        let mut old = OldFiles::default();
        for entry in self.table.all() {
            // Somebody at work with it may be about to write it.
            let Some(state) = entry.try_lock() else { continue };
            if state.gone || state.logged.oldest().is_none_or(|stake| !stake.is_before(before)) {
                continue;
            }
            let is_stuck = is_stuck(&state) || state.logged.aside.is_some();
            drop(state);
            if is_stuck { &mut old.stuck } else { &mut old.waiting }.push(entry);
        }
        old
    }

    fn write_early(&self, waiting: Vec<Arc<Entry>>) {
        let now = self.clock.now();
        let waiting = waiting.into_iter().filter(|entry| {
            let mut state = entry.lock();
            // One that is due is queued already: its writer has not come to it yet.
            let is_queued = state.due.is_some_and(|due| due <= now);
            let waits = !state.pending.is_empty() && !state.suspended && !is_queued;
            if waits {
                state.due = Some(now);
            }
            waits
        });
        self.schedule.add_ready(schedule::in_file_order(waiting.collect()));
    }

    fn carry(&self, journaled: &Journaled, files: &[Arc<Entry>]) -> Result<(), Error> {
        let stakes: Vec<Stake> =
            files.iter().filter_map(|entry| entry.lock().logged.standing_stake()).collect();
        let bases = journaled.log.bases(&stakes)?;
        let mut carried = journaled.carried();
        for entry in files {
            let mut state = entry.lock();
            match state.logged.aside.is_some() {
                true => self.carry_aside(journaled, entry, &mut state, &mut carried)?,
                false => carry_pending(journaled, entry, &mut state, &bases, &mut carried)?,
            }
        }
        // Until the copies are durable the old lines are the only ones.
        journaled.log.commit()?;
        journaled.written().append(&mut carried);
        Ok(())
    }

    fn carry_aside(
        &self,
        journaled: &Journaled,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        carried: &mut Vec<Written>,
    ) -> Result<(), Error> {
        let Some(kept) = state.logged.aside.take() else { return Ok(()) };
        let unsettled = std::mem::take(&mut state.logged.unsettled);
        let device = state.place().0;
        let mut left = unsettled.into_iter();
        let mut done = Ok(());
        for (number, stake) in left.by_ref() {
            let through = journaled.log.position();
            let mut lines = Lines::default();
            kept.records().for_each(|record| lines.record_of(number, record));
            match append_whole(journaled, &mut lines) {
                Ok(Some(new)) => {
                    state.logged.unsettled.push((number, new));
                    let entry = Arc::clone(entry);
                    carried.push(Written { entry, device, number, stake, through });
                }
                Ok(None) => state.logged.unsettled.push((number, stake)),
                Err(error) => {
                    state.logged.unsettled.push((number, stake));
                    done = Err(error);
                    break;
                }
            }
        }
        state.logged.unsettled.extend(left);
        state.logged.aside = Some(kept);
        done
    }
}

/// Logs a file's base once more, and its samples behind it.
fn carry_pending(
    journaled: &Journaled,
    entry: &Arc<Entry>,
    state: &mut EntryState,
    bases: &BTreeMap<Stake, Vec<u8>>,
    carried: &mut Vec<Written>,
) -> Result<(), Error> {
    let Some(stake) = state.logged.standing_stake() else { return Ok(()) };
    // It may have been written meanwhile, and stand behind another base.
    let Some(base) = bases.get(&stake).filter(|_| !state.pending.is_empty()) else { return Ok(()) };
    let (number, through) = (RrdId(entry.id), journaled.log.position());
    let mut lines = Lines::default();
    lines.record_of(number, base);
    put_pending(&mut lines, number, &state.pending);
    if let Some(new) = append_whole(journaled, &mut lines)? {
        state.logged.stand_behind(new);
        state.logged.through = journaled.log.position();
        let (device, _) = state.place();
        carried.push(Written { entry: Arc::clone(entry), device, number, stake, through });
    }
    Ok(())
}

/// Appends lines that fit one frame; others stay where they are.
fn append_whole(journaled: &Journaled, lines: &mut Lines) -> Result<Option<Stake>, Error> {
    if lines.is_empty() || lines.bytes() > journaled.log.record_bytes_max() {
        return Ok(None);
    }
    Ok(journaled.log.append(lines)?)
}

/// Whether a file could not be written when it was due.
fn is_stuck(state: &EntryState) -> bool {
    state.failed || state.suspended
}
