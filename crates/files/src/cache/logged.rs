//! Where the samples of a file stand in the log: behind a base, what the file held before them.

use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use journal::{JournalError, LogPosition, RrdId};
use store::Error;

use super::absent::KeptRecords;
use super::entry::{Entry, EntryState};
use super::journaled::Written;
use super::new_files::OnDisk;
use super::pending::{End, Pending};
use super::record::Base;
use super::{Core, Lines, LogPin, base_of};
use crate::RrdFile;

/// What the log has of an entry.
#[derive(Debug, Default)]
pub(super) struct Logged {
    /// What the file held when it was looked at, for the log before the first sample.
    base: Option<Box<Noted>>,
    /// The base that the pending samples stand behind.
    stands: Option<LoggedBase>,
    /// All lines of the pending samples are before here.
    pub(super) through: LogPosition,
    /// What opening found, not yet brought together with the file: the numbers that the file had,
    /// in the order of their lines.
    pub(super) unsettled: Vec<(RrdId, LogPin)>,
    /// What opening found, copied: the file was not there.
    pub(super) aside: Option<Box<KeptRecords>>,
    /// What rrdcached's own journals have, to be taken after that.
    pub(super) legacy: Vec<String>,
}

/// What a file held when it was looked at.
#[derive(Debug)]
pub(super) struct Noted {
    base: Base,
    mark: u64,
}

/// A base in the log.
#[derive(Clone, Copy, Debug)]
struct LoggedBase {
    log_pin: LogPin,
    mark: u64,
}

impl Logged {
    /// Whether something is left of an entry that the log holds.
    pub(super) fn is_needed(&self) -> bool {
        self.stands.is_some() || !self.is_settled()
    }

    /// Whether all that opening found has been brought together with the file.
    pub(super) fn is_settled(&self) -> bool {
        self.unsettled.is_empty() && self.legacy.is_empty()
    }

    /// All lines of the file, which are copied here, are to be brought together with it.
    pub(super) fn unsettle(&mut self, bases: Vec<(RrdId, LogPin)>, lines: KeptRecords) {
        (self.base, self.stands) = (None, None);
        (self.unsettled, self.aside) = (bases, Some(Box::new(lines)));
    }

    /// Whether what opening found is needed for it: it is neither settled nor copied.
    pub(super) fn needs_replay(&self) -> bool {
        !self.unsettled.is_empty() && self.aside.is_none()
    }

    /// The base that the pending samples stand behind.
    pub(super) fn log_pin(&self) -> Option<LogPin> {
        self.stands.map(|stands| stands.log_pin)
    }

    /// The pending samples stand behind a copy of their base.
    pub(super) fn stand_behind(&mut self, log_pin: LogPin) {
        if let Some(stands) = &mut self.stands {
            stands.log_pin = log_pin;
        }
    }

    /// The oldest base that is needed.
    pub(super) fn oldest(&self) -> Option<LogPin> {
        let unsettled = self.unsettled.iter().map(|(_, log_pin)| *log_pin);
        unsettled.chain(self.log_pin()).min()
    }

    /// Whether the next sample can be logged.
    pub(super) fn is_ready(&self) -> bool {
        self.stands.is_some() || self.base.is_some()
    }

    /// What the file held when it was looked at is no longer so.
    pub(super) fn forget_base(&mut self) {
        self.base = None;
    }
}

impl Core {
    /// Notes what a file holds, for the base of samples to come.
    pub(super) fn note_base(&self, entry: &Entry, state: &mut EntryState, file: &RrdFile) {
        if self.journaled.is_some() {
            state.logged.base = Some(Box::new(noted(entry, file)));
        }
    }

    /// Logs samples that were just taken; their acknowledgement is the caller's.
    ///
    /// # Errors
    /// They cannot be logged.
    pub(super) fn log_samples(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        values: &[&str],
        ends_command: bool,
    ) -> Result<(), JournalError> {
        let Some(journaled) = self.journaled.as_ref().filter(|_| !values.is_empty()) else {
            return Ok(());
        };
        let number = RrdId(entry.id);
        let mut lines = Lines::default();
        let mut begun = None;
        if state.logged.stands.is_none() {
            let noted =
                state.logged.base.take().expect("a file was looked at before it is updated");
            lines.base(number, &noted.base.view());
            begun = Some(noted.mark);
        }
        values.iter().for_each(|value| lines.sample(number, value));
        if ends_command {
            lines.end(number, false);
        }
        let log_pin = journaled.log.append(&mut lines)?;
        state.logged.through = journaled.log.position();
        if let (Some(mark), Some(log_pin)) = (begun, log_pin) {
            state.logged.stands = Some(LoggedBase { log_pin, mark });
            if let Some(stamp) = state.known.as_ref().map(|known| known.stamp) {
                self.note_new_file(entry, state, &stamp);
            }
        }
        Ok(())
    }

    /// Sees to it that pending samples stand behind what the file holds now, before any of them is
    /// taken into it: somebody else may have changed it since.
    ///
    /// # Errors
    /// They cannot be logged.
    pub(super) fn stand_on(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        file: &RrdFile,
    ) -> Result<(), Error> {
        if self.journaled.is_none() || state.pending.is_empty() {
            return Ok(());
        }
        match state.logged.stands {
            Some(stands) if stands.mark == mark(file) => Ok(()),
            _ => {
                // Of one in doubt the kernel may show an older head, and nobody wrote it.
                self.make_durable(entry)?;
                // Somebody wrote the file: it may be another one.
                state.on_disk = OnDisk::Unknown;
                self.note_new_file(entry, state, &file.stamp()?);
                self.log_anew(entry, state, &noted(entry, file))
            }
        }
    }

    /// Logs a base and all pending samples; what was logged of them before is no longer needed.
    fn log_anew(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        Noted { base, mark }: &Noted,
    ) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        let before = journaled.log.position();
        let number = RrdId(entry.id);
        let mut lines = Lines::default();
        lines.base(number, &base.view());
        put_pending(&mut lines, number, &state.pending);
        let log_pin = journaled.log.append_copy(number, &mut lines)?;
        // Until the new lines are durable the old ones are the only copy. They stay the ones that
        // are needed where that fails, and the new base must not hold the log beside them.
        if let Err(error) = journaled.log.commit() {
            journaled.log.release(log_pin);
            return Err(error.into());
        }
        if let Some(old) = state.logged.stands.replace(LoggedBase { log_pin, mark: *mark }) {
            self.over(entry, state, number, old.log_pin, before);
        }
        Ok(())
    }

    /// The pending samples were written to the file.
    pub(super) fn note_written(&self, entry: &Arc<Entry>, state: &mut EntryState, file: &RrdFile) {
        let Some(journaled) = &self.journaled else { return };
        if entry.is_in_doubt.load(Ordering::Relaxed) {
            entry.undurable_bytes.fetch_add(state.pending.bytes(), Ordering::Relaxed);
        }
        state.logged.base = Some(Box::new(noted(entry, file)));
        let through = journaled.log.position();
        if let Some(stands) = state.logged.stands.take() {
            let (entry, (device, _)) = (Arc::clone(entry), state.place());
            let (number, log_pin) = (RrdId(entry.id), stands.log_pin);
            let written = Written { entry, device, number, log_pin, through, is_write_back: true };
            journaled.written().push(written);
            self.ending.wake();
        }
    }

    /// Makes what was written of a file durable, and the log void for it: after a crash its samples
    /// must not be taken into another file that has its name by then.
    ///
    /// # Errors
    /// The file system or the log cannot be synced.
    pub(super) fn make_durable(&self, entry: &Entry) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        // What is being synced right now is in no list.
        journaled.wait_for_sync();
        let is_logged = journaled.written().iter().any(|written| written.entry.id == entry.id);
        if is_logged {
            let synced = self.sync_files();
            if journaled.written().iter().any(|written| written.entry.id == entry.id) {
                return synced;
            }
            self.commit_log()?;
        }
        self.check_doubt(entry)
    }

    /// Refuses to go by what can be read of a file in doubt.
    ///
    /// # Errors
    /// [`Error::InDoubt`]; it is settled soon.
    pub(super) fn check_doubt(&self, entry: &Entry) -> Result<(), Error> {
        let in_doubt = self.journaled.as_ref().map(|journaled| journaled.in_doubt());
        if in_doubt.is_none_or(|in_doubt| !in_doubt.contains(&entry.path)) {
            return Ok(());
        }
        let cause = format!("{}: an earlier sync of it failed", entry.path.display());
        Err(Error::InDoubt { files: 1, cause })
    }

    /// The pending samples are dropped, and none of them shall come back.
    pub(super) fn note_dropped(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        let Some(journaled) = &self.journaled else { return };
        let Some(stands) = state.logged.stands.take() else { return };
        let number = RrdId(entry.id);
        let mut lines = Lines::default();
        lines.forget(number);
        if let Err(error) = journaled.log.append(&mut lines) {
            self.options.note(&format!("{}: {error}", entry.path.display()));
        }
        let through = journaled.log.position();
        self.over(entry, state, number, stands.log_pin, through);
    }

    /// What was logged of a file before a position is no longer needed, once all that was written
    /// so far is durable.
    pub(super) fn over(
        &self,
        entry: &Arc<Entry>,
        state: &EntryState,
        number: RrdId,
        log_pin: LogPin,
        through: LogPosition,
    ) {
        let Some(journaled) = &self.journaled else { return };
        let (device, _) = state.place();
        let entry = Arc::clone(entry);
        let written = Written { entry, device, number, log_pin, through, is_write_back: false };
        journaled.written().push(written);
        self.ending.wake();
    }

    /// What opening found of an entry has been brought together with its file, whose head is that
    /// of the last base: the samples stand behind it.
    pub(super) fn take_over(&self, state: &mut EntryState, file: &RrdFile) {
        let [(_, log_pin)] = state.logged.unsettled[..] else { return };
        state.logged.unsettled.clear();
        state.logged.stands = Some(LoggedBase { log_pin, mark: mark(file) });
    }

    /// The same, where it stands behind another head than the log says.
    ///
    /// # Errors
    /// It cannot be logged anew; nothing is settled then.
    pub(super) fn take_over_anew(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        file: &RrdFile,
    ) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        let before = journaled.log.position();
        if !state.pending.is_empty() {
            self.log_anew(entry, state, &noted(entry, file))?;
        }
        for (number, log_pin) in std::mem::take(&mut state.logged.unsettled) {
            self.over(entry, state, number, log_pin, before);
        }
        Ok(())
    }
}

/// Tells a head from those that the same file had before.
fn mark(file: &RrdFile) -> u64 {
    let seconds = file.header().live.last_update.seconds.cast_unsigned();
    u64::from(crc32fast::hash(file.header_bytes())) << 32 | seconds & u64::from(u32::MAX)
}

fn noted(entry: &Entry, file: &RrdFile) -> Noted {
    let path = entry.path.as_os_str().as_bytes();
    let base = base_of(path, file.header(), file.header_bytes());
    Noted { base, mark: mark(file) }
}

pub(super) fn put_pending(lines: &mut Lines, number: RrdId, pending: &Pending) {
    for (text, end) in pending.iter() {
        lines.sample(number, text);
        if end == End::Command {
            lines.end(number, false);
        }
    }
}
