//! What is not an update: whole files changed, entries forgotten, write-backs suspended.

use std::path::Path;
use std::sync::Arc;

use store::Error;

use super::absent::{is_absent, is_deleted};
use super::descriptors::Descriptors;
use super::entry::{Entry, EntryState, Guard};
use super::forget::Forgetter;
use super::head_reader::HeadReader;
use super::sample_log::SampleLog;
use super::schedule::Schedule;
use super::settler::Settler;
use super::table::Table;
use super::write_back::{Flushed, Writer};

/// Changes files and what is known of them, as it is asked for.
pub(super) struct Changes {
    pub(super) table: Arc<Table>,
    pub(super) descriptors: Arc<Descriptors>,
    pub(super) schedule: Arc<Schedule>,
    pub(super) settler: Arc<Settler>,
    pub(super) writer: Arc<Writer>,
    pub(super) log: Arc<SampleLog>,
    pub(super) forgetter: Arc<Forgetter>,
}

impl Changes {
    /// Brings a file up to date; see [`FileCache::flush`](super::FileCache::flush).
    pub(super) fn flush(&self, path: &Path) -> Result<Flushed, Error> {
        let flushed = self.table.hold_known(path, |entry, state| match state.suspended {
            true => Ok(Flushed::Suspended),
            false => self.writer.write_now(entry, state),
        });
        match flushed {
            Some(flushed) => flushed,
            None => match disk::File::stamp_of(path) {
                Ok(_) => Ok(Flushed::Nothing),
                Err(error) => Err(Error::opening(path)(error)),
            },
        }
    }

    /// Lets `work` change the file itself: make it, tune it, put another in its place. Samples that
    /// wait for it are written first. Until `work` returns no other thread updates or reads the
    /// file; afterwards its head is read anew.
    ///
    /// # Errors
    /// What waits cannot be written; [`Error::Awaited`] where it waits for a file that is not
    /// there. `work` is not called then. What `work` returns comes inside.
    pub(super) fn change<T>(&self, path: &Path, work: impl FnOnce() -> T) -> Result<T, Error> {
        loop {
            let entry = self.table.get_or_add(path);
            let state = entry.lock();
            if state.gone {
                continue;
            }
            let mut state = state;
            if let Err(error) =
                self.settler.ensure_settled(&entry, &mut state, &mut HeadReader::default())
            {
                let is_aside = state.logged.aside.is_some();
                return Err(if is_aside { state.awaited(&entry) } else { error });
            }
            if !state.pending.is_empty() && disk::File::stamp_of(path).is_ok() {
                self.writer.write_now(&entry, state)?;
                // An update may have come between; it is written in the next round.
                continue;
            }
            if !state.pending.is_empty() && !is_deleted(path, &state) {
                return Err(state.awaited(&entry));
            }
            self.log.make_durable(&entry)?;
            return Ok(self.change_held(&entry, state, work));
        }
    }

    /// Drops what waits for a file, and all that is known of it; false if that is nothing. Where a
    /// write was cut short, by a kill or an error, what waits is written first. What was written
    /// before is made durable first: the log, from which it could be written once more, goes by
    /// what is known.
    ///
    /// # Errors
    /// [`Error::Unacknowledged`]: the log did not reach the disk, and what waited may come back
    /// with the next start. So say all further calls until it does. Others: nothing is forgotten,
    /// for the file cannot be read, written or synced now.
    pub(super) fn forget(&self, path: &Path) -> Result<bool, Error> {
        let known = self.table.hold_known(path, |entry, mut state| {
            match self.settler.ensure_settled(entry, &mut state, &mut HeadReader::default()) {
                Err(error) if is_absent(&error) => self.forgetter.forget_absent(entry, &mut state),
                Err(error) => return Err(error),
                Ok(()) if !state.is_cut_short => {
                    self.log.make_durable(entry)?;
                    self.forgetter.let_go(entry, &mut state);
                }
                Ok(()) if state.suspended => {
                    let path = path.display();
                    return Err(Error::NotTaken(format!("{path} is suspended, and half written")));
                }
                Ok(()) => drop(self.writer.write_now(entry, state)?),
            }
            Ok(())
        });
        let known = known.transpose()?;
        // Where nothing is known of it, an earlier call may have dropped that, and been refused
        // here.
        self.log.acknowledge(&[]).map_err(|error| Error::Unacknowledged(error.to_string()))?;
        Ok(known.is_some())
    }

    /// Keeps a file from being written until it is resumed; false if it was before, `None` if
    /// nothing is known of it.
    pub(super) fn suspend(&self, path: &Path) -> Option<bool> {
        self.table.hold_known(path, |_, mut state| !std::mem::replace(&mut state.suspended, true))
    }

    /// Lets a file be written again; false if it was not suspended, `None` if nothing is known of
    /// it.
    pub(super) fn resume(&self, path: &Path) -> Option<bool> {
        self.table.hold_known(path, |entry, mut state| self.resume_held(entry, &mut state))
    }

    /// Suspends every file that is known. Returns how many were not yet.
    pub(super) fn suspend_all(&self) -> u64 {
        let all = self.table.all();
        let suspended = all.iter().filter(|entry| {
            let mut state = entry.lock();
            !state.gone && !std::mem::replace(&mut state.suspended, true)
        });
        suspended.count() as u64
    }

    /// Resumes every file that is known. Returns how many were suspended.
    pub(super) fn resume_all(&self) -> u64 {
        let all = self.table.all();
        all.iter().filter(|entry| self.resume_held(entry, &mut entry.lock())).count() as u64
    }

    fn change_held<T>(
        &self,
        entry: &Arc<Entry>,
        mut state: Guard<'_>,
        work: impl FnOnce() -> T,
    ) -> T {
        self.forgetter.drop_orphans(entry, &mut state);
        self.descriptors.close(entry);
        state.known = None;
        state.logged.forget_base();
        let done = work();
        self.table.remove_if_useless(entry, &mut state);
        done
    }

    /// Returns whether it was suspended.
    fn resume_held(&self, entry: &Arc<Entry>, state: &mut EntryState) -> bool {
        let was_suspended = std::mem::replace(&mut state.suspended, false);
        if was_suspended && !state.pending.is_empty() {
            // It may have been due meanwhile.
            self.schedule.retry(entry, state, 0);
        }
        was_suspended
    }
}
