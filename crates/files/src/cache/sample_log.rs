//! What is logged of each file: nothing where a cache has no journal.

use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use disk::Stamp;
use journal::{JournalError, LogPosition, RrdId};
use store::Error;
use tracing_mutex::stdsync::RwLockReadGuard;

use super::entry::{Entry, EntryState};
use super::journaled::Journaled;
use super::logged::{LoggedBase, Noted, mark, noted, put_pending};
use super::new_files::Unsynced;
use super::on_disk::{OnDisk, Ticket};
use super::report::Reporter;
use super::write_backs::Written;
use super::{Lines, LogPin};
use crate::RrdFile;

/// So many bytes of samples wait at most for a file that cannot be written: they are held in
/// memory, and copied each time that the log has become long.
const STUCK_BYTES_MAX: usize = 4 << 20;

/// Logs the samples of files, and notes what of them the files hold.
pub(super) struct SampleLog {
    journaled: Option<Arc<Journaled>>,
    reporter: Arc<Reporter>,
}

impl SampleLog {
    pub(super) fn new(journaled: Option<Arc<Journaled>>, reporter: Arc<Reporter>) -> Self {
        Self { journaled, reporter }
    }

    /// Whether updates may be taken.
    ///
    /// # Errors
    /// The log has no room.
    pub(super) fn admit(&self) -> Result<(), JournalError> {
        self.journaled.as_ref().map_or(Ok(()), |journaled| journaled.log.admit())
    }

    /// Makes what was logged as safe as was promised; see [`Journaled::acknowledge`].
    ///
    /// # Errors
    /// Nothing is acknowledged.
    pub(super) fn acknowledge(&self, awaited: &[Ticket]) -> Result<Vec<Unsynced>, Error> {
        let Some(journaled) = &self.journaled else { return Ok(Vec::new()) };
        journaled.acknowledge(awaited)
    }

    /// Makes what was logged of files durable, before any of it is written to them. That of others
    /// is not waited for.
    ///
    /// # Errors
    /// None of them must be written.
    pub(super) fn commit_of<'a>(
        &self,
        files: impl Iterator<Item = &'a EntryState>,
    ) -> Result<(), Error> {
        let through = files.map(|state| state.logged.through).max();
        match (&self.journaled, through) {
            (Some(journaled), Some(through)) => Ok(journaled.log.commit_before(through)?),
            _ => Ok(()),
        }
    }

    /// To be held from the write to a file on until [`SampleLog::note_written`].
    pub(super) fn begin_write(&self) -> Option<RwLockReadGuard<'_, ()>> {
        self.journaled.as_ref().map(|journaled| journaled.write_backs.lost_pages.write())
    }

    /// Whether the next sample of a file can be logged.
    pub(super) fn is_ready(&self, state: &EntryState) -> bool {
        self.journaled.is_none() || state.logged.is_ready()
    }

    /// Whether the next sample of a file is acknowledged only once the file itself was synced.
    pub(super) fn waits_for_file(&self, state: &EntryState) -> bool {
        let waits = self.journaled.as_ref().is_some_and(|journaled| journaled.log.waits_for_disk());
        waits && state.on_disk != OnDisk::Yes
    }

    /// Sees to it that a file for which samples were just logged will be synced, unless it is on
    /// disk. It is the one that the entry knows.
    #[inline]
    pub(super) fn note_known_file(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        if self.journaled.is_some()
            && state.on_disk == OnDisk::Unknown
            && let Some(stamp) = state.known.as_ref().map(|known| known.stamp)
        {
            self.note_new_file(entry, state, &stamp);
        }
    }

    /// The same of a file that the entry does not know yet.
    pub(super) fn note_new_file(&self, entry: &Arc<Entry>, state: &mut EntryState, stamp: &Stamp) {
        let Some(journaled) = &self.journaled else { return };
        if state.on_disk == OnDisk::Unknown {
            journaled.new_files.note(entry, state, stamp);
            journaled.ending.wake();
        }
    }

    /// Refuses samples for a file that cannot be written, once too many wait for it.
    ///
    /// # Errors
    /// [`Error::NotTaken`].
    pub(super) fn check_room(&self, entry: &Entry, state: &EntryState) -> Result<(), Error> {
        let is_in_doubt = entry.is_in_doubt.load(Ordering::Relaxed);
        let is_stuck = state.is_stuck() || is_in_doubt;
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

    /// Notes what a file holds, for the base of samples to come.
    pub(super) fn note_base(&self, state: &mut EntryState, file: &RrdFile) {
        if self.journaled.is_some() {
            state.logged.base = Some(Box::new(noted(file)));
        }
    }

    /// Logs samples that were just taken; their acknowledgement is the caller's.
    ///
    /// # Errors
    /// They cannot be logged.
    #[inline]
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
            lines.base(number, &noted.body.view(entry.path.as_os_str().as_bytes()));
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
            self.note_known_file(entry, state);
        }
        Ok(())
    }

    /// Sees to it that pending samples stand behind what the file holds now, before any of them is
    /// taken into it: another program may have changed it since.
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
                // Of one in doubt the kernel may show an older head that no program wrote.
                self.make_durable(entry)?;
                // Another program wrote the file: it may be another one.
                state.on_disk = OnDisk::Unknown;
                self.note_new_file(entry, state, &file.stamp()?);
                self.log_anew(entry, state, &noted(file))
            }
        }
    }

    /// Logs a base and all pending samples; earlier lines of them are no longer needed.
    fn log_anew(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        Noted { body, mark }: &Noted,
    ) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        let before = journaled.log.position();
        let number = RrdId(entry.id);
        let mut lines = Lines::default();
        lines.base(number, &body.view(entry.path.as_os_str().as_bytes()));
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
        state.logged.base = Some(Box::new(noted(file)));
        let through = journaled.log.position();
        if let Some(stands) = state.logged.stands.take() {
            let (entry, (device, _)) = (Arc::clone(entry), state.place());
            let (number, log_pin) = (RrdId(entry.id), stands.log_pin);
            let written = Written { entry, device, number, log_pin, through, is_write_back: true };
            journaled.note_written(written);
        }
    }

    /// Makes what was written of a file durable, and the log void for it: after a crash its samples
    /// must not be taken into another file that has its name by then.
    ///
    /// # Errors
    /// The file system or the log cannot be synced.
    pub(super) fn make_durable(&self, entry: &Entry) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        let write_backs = &journaled.write_backs;
        write_backs.wait_for_sync();
        if write_backs.is_written(entry) {
            let synced = journaled.sync_files();
            if write_backs.is_written(entry) {
                return synced;
            }
            journaled.log.commit()?;
        }
        self.check_doubt(entry)
    }

    /// Refuses to go by what can be read of a file in doubt.
    ///
    /// # Errors
    /// [`Error::InDoubt`]; it is settled soon.
    pub(super) fn check_doubt(&self, entry: &Entry) -> Result<(), Error> {
        let in_doubt = self.journaled.as_ref().map(|journaled| journaled.write_backs.in_doubt());
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
            self.reporter.note(&format!("{}: {error}", entry.path.display()));
        }
        let through = journaled.log.position();
        self.over(entry, state, number, stands.log_pin, through);
    }

    /// Lines of a file before a position are no longer needed, once all write-backs so far are
    /// durable.
    fn over(
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
        journaled.note_written(written);
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
            self.log_anew(entry, state, &noted(file))?;
        }
        for (number, log_pin) in std::mem::take(&mut state.logged.unsettled) {
            self.over(entry, state, number, log_pin, before);
        }
        Ok(())
    }

    /// Drops what the log has of a file that is not there, and that opening found.
    pub(super) fn drop_found(&self, entry: &Entry, state: &mut EntryState) {
        let Some(journaled) = &self.journaled else { return };
        let position = journaled.log.position();
        let dropped = std::mem::take(&mut state.logged.unsettled);
        let dropped = dropped.into_iter().map(|(number, log_pin)| (number, log_pin, position));
        if let Err(error) = journaled.log.written(dropped) {
            self.reporter.note(&format!("{}: {error}", entry.path.display()));
        }
        state.logged.legacy.clear();
        journaled.found.take_from_aside(state);
    }
}
