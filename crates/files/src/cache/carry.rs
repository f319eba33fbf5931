//! Files that cannot be written do not keep the log from being freed.
//!
//! The log is freed up to the oldest base that is needed. One file whose lock another process holds
//! for a day would so hold all that a day brings for every other file. Where the log has become
//! long, the base and the samples of such files are logged once more, at its end, and the old ones
//! are given up. Files that are merely not due yet are written early where the log is half full.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use disk::PosixMedium;
use journal::{LogPosition, RrdId};
use store::Error;

use super::entry::{Entry, EntryState};
use super::journaled::Journaled;
use super::kept_records::KeptRecords;
use super::logged::put_pending;
use super::schedule::Schedule;
use super::table::Table;
use super::write_backs::Written;
use super::{Lines, Log, LogPin};

/// The log is long where it takes this part of what it may take.
const LONG_SHARE: u64 = 8;
/// A round ends once it has copied so many bytes.
pub(super) const COPIED_BYTES_A_ROUND: usize = 64 << 20;

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

/// Keeps the log short.
pub(super) struct Carrier {
    journaled: Arc<Journaled>,
    table: Arc<Table>,
    schedule: Arc<Schedule>,
    carried_up_to: CarriedUpTo,
}

/// Where the log ended when files that cannot be written were carried forward last.
#[derive(Debug, Default)]
struct CarriedUpTo(AtomicU64);

impl CarriedUpTo {
    /// Whether the log has grown enough since then.
    fn is_due(&self, position: LogPosition) -> bool {
        self.0.load(Ordering::Relaxed) <= position.0
    }

    /// Files were just carried forward. The next time is so many bytes later.
    fn set(&self, position: LogPosition, bytes: u64) {
        self.0.store(position.0 + bytes / 2, Ordering::Relaxed);
    }
}

impl Carrier {
    pub(super) fn new(
        journaled: Arc<Journaled>,
        table: Arc<Table>,
        schedule: Arc<Schedule>,
    ) -> Self {
        Self { journaled, table, schedule, carried_up_to: CarriedUpTo::default() }
    }

    /// Carries forward what keeps the log from being freed, where it has become long.
    ///
    /// # Errors
    /// It cannot be logged, or a file system cannot be synced; all is kept then.
    pub(super) fn shorten_log(&self) -> Result<(), Error> {
        let log = &self.journaled.log;
        let long_bytes = log.bytes_max() / LONG_SHARE;
        let is_due = log.is_full() || self.carried_up_to.is_due(log.position());
        if log.held_bytes() < long_bytes || !is_due {
            return Ok(());
        }
        let old = self.find_old(long_ago(log));
        let is_all = self.carry(old.stuck)?;
        if is_half_full(log) {
            // One that is due is queued already: its writer has not come to it yet.
            let is_queued = |state: &EntryState, now| state.due.is_some_and(|due| due <= now);
            self.schedule.hasten(old.waiting, |state, now| !is_queued(state, now));
        }
        if is_all {
            self.carried_up_to.set(log.position(), long_bytes / 2);
        }
        self.journaled.sync_files()
    }

    fn find_old(&self, before: LogPosition) -> OldFiles {
        let mut old = OldFiles::default();
        for entry in self.table.all() {
            // The thread that holds it may be about to write it.
            let Some(state) = entry.try_lock() else { continue };
            let Some(oldest) = state.logged.oldest().filter(|log_pin| log_pin.is_before(before))
            else {
                continue;
            };
            let bytes =
                state.pending.bytes() + state.logged.aside.as_ref().map_or(0, |it| it.bytes());
            let is_stuck = state.is_stuck() || state.logged.aside.is_some();
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

    /// Copies the lines of files, the oldest first, until a round has its share. Returns whether
    /// all were copied.
    fn carry(&self, mut stuck: Vec<Stuck>) -> Result<bool, Error> {
        let journaled = &self.journaled;
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
        let mut carried = journaled.write_backs.carried();
        for entry in &files {
            let mut state = entry.lock();
            if state.logged.aside.is_some() {
                carry_aside(journaled, &mut state)?;
            } else if !journaled.write_backs.in_doubt().contains(&entry.path) {
                carry_pending(journaled, entry, &mut state, &bases, &mut carried)?;
            }
        }
        // Until the copies are durable the old lines are the only ones.
        journaled.log.commit()?;
        journaled.write_backs.written().append(&mut carried);
        Ok(files.len() == stuck.len())
    }
}

/// Copies the lines of a file that cannot be settled: nothing is written to it meanwhile, so that
/// the old ones need not wait for a sync of it.
fn carry_aside(journaled: &Journaled, state: &mut EntryState) -> Result<(), Error> {
    let Some(kept) = &state.logged.aside else { return Ok(()) };
    let copies = state.logged.unsettled.iter().map(|(number, _)| (*number, &**kept));
    state.logged.unsettled = copy_forward(&journaled.log, copies, &state.logged.unsettled)?;
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
    if lines.bytes() > journaled.log.record_bytes_max()
        && journaled.write_backs.is_being_written(entry)
    {
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

/// Lines before this position are old: where the log is long, they are not to hold it.
pub(super) fn long_ago(log: &Log<PosixMedium>) -> LogPosition {
    let recent_bytes = log.bytes_max() / LONG_SHARE / 2;
    LogPosition(log.position().0.saturating_sub(recent_bytes))
}

/// Whether the log takes more than half of what it may take.
pub(super) fn is_half_full(log: &Log<PosixMedium>) -> bool {
    log.held_bytes() > log.bytes_max() / 2
}

/// Copies lines of a file to the end of the log, in place of those that some bases hold, which
/// are given up. Returns the bases of the copies.
///
/// # Errors
/// The copies are not durable: the old lines are still the ones that are needed.
pub(super) fn copy_forward<'a>(
    log: &Log<PosixMedium>,
    copies: impl Iterator<Item = (RrdId, &'a KeptRecords)>,
    held: &[(RrdId, LogPin)],
) -> Result<Vec<(RrdId, LogPin)>, Error> {
    let before = log.position();
    let mut new = Vec::new();
    let mut appended = Ok(());
    for (number, records) in copies {
        let mut lines = Lines::default();
        records.records().for_each(|record| lines.record_of(number, record));
        match log.append_copy(number, &mut lines) {
            Ok(log_pin) => new.push((number, log_pin)),
            Err(error) => appended = Err(error),
        }
    }
    if let Err(error) = appended.and_then(|()| log.commit()) {
        new.iter().for_each(|(_, log_pin)| log.release(*log_pin));
        return Err(error.into());
    }
    log.written(held.iter().map(|(number, log_pin)| (*number, *log_pin, before)))?;
    Ok(new)
}
