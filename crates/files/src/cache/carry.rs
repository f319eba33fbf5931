//! Files that cannot be written do not keep the log from being freed.
//!
//! The log is freed up to the oldest base that is needed. One file whose lock another process holds
//! for a day would so hold all that a day brings for every other file. Where the log has become
//! long, the base and the samples of such files are logged once more, at its end, and the old ones
//! are given up. Files that are merely not due yet are written early where the log is half full.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use disk::PosixMedium;
use journal::{LogPosition, RrdId};
use store::Error;

use super::entry::{Entry, EntryState};
use super::journaled::{Journaled, Written};
use super::logged::put_pending;
use super::{Core, Lines, Log, LogPin, schedule};

/// The log is long where it takes this part of what it may take.
const LONG_SHARE: u64 = 8;
/// A round ends once it has copied so many bytes.
pub(super) const COPIED_BYTES_A_ROUND: usize = 64 << 20;
/// So many bytes of samples wait at most for a file that cannot be written: they are held in
/// memory, and copied each time that the log has become long.
const STUCK_BYTES_MAX: usize = 4 << 20;

/// Files of which the log has something from long ago.
#[derive(Default)]
struct OldFiles {
    /// They cannot be written. Each with the oldest base of it and about how many bytes would be
    /// copied.
    stuck: Vec<Stuck>,
    /// They can, and are not due yet.
    waiting: Vec<Arc<Entry>>,
}

/// A file that cannot be written.
struct Stuck {
    oldest: LogPin,
    bytes: usize,
    entry: Arc<Entry>,
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
        let old = self.find_old(self.long_ago(log));
        let is_all = self.carry(journaled, old.stuck)?;
        if self.is_log_half_full() {
            self.write_early(old.waiting);
        }
        if is_all {
            journaled.carried_up_to.set(log.position(), long_bytes / 2);
        }
        self.sync_files()
    }

    /// Lines before this position are old: where the log is long, they are not to hold it.
    pub(super) fn long_ago(&self, log: &Log<PosixMedium>) -> LogPosition {
        let recent_bytes = log.bytes_max() / LONG_SHARE / 2;
        LogPosition(log.position().0.saturating_sub(recent_bytes))
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
        let is_in_doubt = entry.is_in_doubt.load(Ordering::Relaxed);
        let is_stuck = is_stuck(state) || is_in_doubt;
        let Some(journaled) = self.journaled.as_ref().filter(|_| is_stuck) else {
            return Ok(());
        };
        let bytes_max = STUCK_BYTES_MAX.min(journaled.log.record_bytes_max() / 2);
        let undurable_bytes =
            if is_in_doubt { entry.undurable_bytes.load(Ordering::Relaxed) } else { 0 };
        let bytes = state.pending.bytes() + undurable_bytes;
        if bytes <= bytes_max {
            return Ok(());
        }
        let path = entry.path.display();
        Err(Error::NotTaken(format!(
            "{path}: {bytes} bytes of samples wait, and it cannot be written"
        )))
    }

    fn find_old(&self, before: LogPosition) -> OldFiles {
        let mut old = OldFiles::default();
        for entry in self.table.all() {
            // Somebody at work with it may be about to write it.
            let Some(state) = entry.try_lock() else { continue };
            let Some(oldest) = state.logged.oldest().filter(|log_pin| log_pin.is_before(before))
            else {
                continue;
            };
            let bytes =
                state.pending.bytes() + state.logged.aside.as_ref().map_or(0, |it| it.bytes());
            let is_stuck = is_stuck(&state) || state.logged.aside.is_some();
            let is_gone = state.gone;
            drop(state);
            match is_stuck {
                _ if is_gone => {}
                true => old.stuck.push(Stuck { oldest, bytes, entry }),
                false => old.waiting.push(entry),
            }
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

    /// Copies the lines of files, the oldest first, until a round has its share. Returns whether
    /// all were copied.
    fn carry(&self, journaled: &Journaled, mut stuck: Vec<Stuck>) -> Result<bool, Error> {
        stuck.sort_unstable_by_key(|file| file.oldest);
        let mut bytes = 0;
        let of_round = stuck.iter().take_while(|file| {
            let has_room = bytes < COPIED_BYTES_A_ROUND;
            bytes += file.bytes;
            has_room
        });
        let files: Vec<_> = of_round.map(|file| &file.entry).collect();
        let log_pins: Vec<LogPin> =
            files.iter().filter_map(|entry| entry.lock().logged.log_pin()).collect();
        let bases = journaled.log.bases(&log_pins)?;
        let mut carried = journaled.carried();
        for entry in &files {
            let mut state = entry.lock();
            if state.logged.aside.is_some() {
                carry_aside(journaled, &mut state)?;
            } else if !journaled.in_doubt().contains(&entry.path) {
                carry_pending(journaled, entry, &mut state, &bases, &mut carried)?;
            }
        }
        // Until the copies are durable the old lines are the only ones.
        journaled.log.commit()?;
        journaled.written().append(&mut carried);
        Ok(files.len() == stuck.len())
    }
}

/// Copies the lines of a file that cannot be settled: nothing is written to it meanwhile, so that
/// the old ones need not wait for a sync of it.
fn carry_aside(journaled: &Journaled, state: &mut EntryState) -> Result<(), Error> {
    let Some(kept) = &state.logged.aside else { return Ok(()) };
    let copies = state.logged.unsettled.iter().map(|(number, _)| (*number, &**kept));
    state.logged.unsettled = journaled.copy_forward(copies, &state.logged.unsettled)?;
    Ok(())
}

/// Logs a file's base once more, and its samples behind it.
fn carry_pending(
    journaled: &Journaled,
    entry: &Arc<Entry>,
    state: &mut EntryState,
    bases: &BTreeMap<LogPin, Vec<u8>>,
    carried: &mut Vec<Written>,
) -> Result<(), Error> {
    let Some(log_pin) = state.logged.log_pin() else { return Ok(()) };
    // It may have been written meanwhile, and stand behind another base.
    let Some(base) = bases.get(&log_pin).filter(|_| !state.pending.is_empty()) else {
        return Ok(());
    };
    let (number, through) = (RrdId(entry.id), journaled.log.position());
    let mut lines = Lines::default();
    lines.record_of(number, base);
    put_pending(&mut lines, number, &state.pending);
    if lines.bytes() > journaled.log.record_bytes_max() && journaled.is_being_written(entry) {
        // Such a copy takes the place of all lines before it, and an earlier write-back needs some.
        return Ok(());
    }
    let new = journaled.log.append_copy(number, &mut lines)?;
    state.logged.stand_behind(new);
    state.logged.through = journaled.log.position();
    let (entry, (device, _)) = (Arc::clone(entry), state.place());
    carried.push(Written { entry, device, number, log_pin, through, is_write_back: false });
    Ok(())
}

/// Whether a file could not be written when it was due.
fn is_stuck(state: &EntryState) -> bool {
    state.failed || state.suspended
}
