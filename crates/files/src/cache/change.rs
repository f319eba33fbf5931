//! What is not an update: whole files changed, entries forgotten, write-backs suspended.

use std::path::Path;
use std::sync::Arc;

use store::Error;

use super::absent::{is_absent, is_deleted};
use super::entry::{Entry, EntryState};
use super::load::HeadReader;
use super::schedule::Second;
use super::{Core, FileCache};

impl FileCache {
    /// Lets `work` change the file itself: make it, tune it, put another in its place. Samples that
    /// wait for it are written first. Until `work` returns no other thread updates or reads the
    /// file; afterwards its head is read anew.
    ///
    /// # Errors
    /// What waits cannot be written; [`Error::Awaited`] where it waits for a file that is not
    /// there. `work` is not called then. What `work` returns comes inside.
    pub fn change<T>(&self, path: &Path, work: impl FnOnce() -> T) -> Result<T, Error> {
        let core = &self.core;
        loop {
            let entry = core.table.get_or_add(path);
            let state = entry.lock();
            if state.gone {
                continue;
            }
            let mut state = state;
            if let Err(error) = core.ensure_settled(&entry, &mut state, &mut HeadReader::default())
            {
                let is_aside = state.logged.aside.is_some();
                return Err(if is_aside { core.awaited(&entry, &state) } else { error });
            }
            if !state.pending.is_empty() && disk::File::stamp_of(path).is_ok() {
                core.write_now(&entry, state)?;
                // An update may have come between; it is written in the next round.
                continue;
            }
            if !state.pending.is_empty() && !is_deleted(path, &state) {
                return Err(core.awaited(&entry, &state));
            }
            core.make_durable(&entry)?;
            return Ok(core.change_held(&entry, state, work));
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
    pub fn forget(&self, path: &Path) -> Result<bool, Error> {
        let core = &self.core;
        let known = core.hold_known(path, |entry, mut state| {
            match core.ensure_settled(entry, &mut state, &mut HeadReader::default()) {
                Err(error) if is_absent(&error) => core.forget_aside(entry, &mut state),
                Err(error) => return Err(error),
                Ok(()) if !state.is_cut_short => {
                    core.make_durable(entry)?;
                    core.let_go(entry, &mut state);
                }
                Ok(()) if state.suspended => {
                    let path = path.display();
                    return Err(Error::NotTaken(format!("{path} is suspended, and half written")));
                }
                Ok(()) => drop(core.write_now(entry, state)?),
            }
            Ok(())
        });
        let known = known.transpose()?;
        // Where nothing is known of it, an earlier call may have dropped that, and been refused
        // here.
        core.acknowledge(&[]).map_err(|error| Error::Unacknowledged(error.to_string()))?;
        Ok(known.is_some())
    }

    /// Keeps a file from being written until it is resumed; false if it was before, `None` if
    /// nothing is known of it.
    pub fn suspend(&self, path: &Path) -> Option<bool> {
        self.core.hold_known(path, |_, mut state| !std::mem::replace(&mut state.suspended, true))
    }

    /// Lets a file be written again; false if it was not suspended, `None` if nothing is known of
    /// it.
    pub fn resume(&self, path: &Path) -> Option<bool> {
        self.core.hold_known(path, |entry, mut state| self.core.resume(entry, &mut state))
    }

    /// Suspends every file that is known. Returns how many were not yet.
    pub fn suspend_all(&self) -> u64 {
        let all = self.core.table.all();
        let suspended = all.iter().filter(|entry| {
            let mut state = entry.lock();
            !state.gone && !std::mem::replace(&mut state.suspended, true)
        });
        suspended.count() as u64
    }

    /// Resumes every file that is known. Returns how many were suspended.
    pub fn resume_all(&self) -> u64 {
        let all = self.core.table.all();
        all.iter().filter(|entry| self.core.resume(entry, &mut entry.lock())).count() as u64
    }
}

impl Core {
    fn change_held<T>(
        &self,
        entry: &Arc<Entry>,
        mut state: std::sync::MutexGuard<'_, EntryState>,
        work: impl FnOnce() -> T,
    ) -> T {
        if !state.pending.is_empty() {
            self.counters.orphaned.add(state.pending.count().into());
            self.note_dropped(entry, &mut state);
            state.pending.clear();
            state.is_cut_short = false;
        }
        self.descriptors.close(entry);
        state.known = None;
        state.logged.forget_base();
        let done = work();
        self.drop_if_useless(entry, &mut state);
        done
    }

    /// Returns whether it was suspended.
    fn resume(&self, entry: &Arc<Entry>, state: &mut EntryState) -> bool {
        let was_suspended = std::mem::replace(&mut state.suspended, false);
        if was_suspended && !state.pending.is_empty() {
            // It may have been due meanwhile.
            self.retry(entry, state, 0);
        }
        was_suspended
    }

    /// How long a file may go unused before it is forgotten, which is also how often one looks.
    pub(super) fn tidy_every(&self) -> Second {
        u32::try_from(self.options.forget_after.as_secs()).unwrap_or(u32::MAX)
    }

    /// Forgets files that are up to date and that nobody used for long.
    pub(super) fn tidy(&self) {
        let now = self.clock.now();
        let patience = self.tidy_every();
        if !self.schedule.is_time_to_tidy(now, patience) {
            return;
        }
        for entry in self.table.all() {
            let mut state = entry.lock();
            let idle = now.saturating_sub(state.used) > patience;
            if idle
                && state.pending.is_empty()
                && !state.logged.is_needed()
                && !state.suspended
                && !state.gone
            {
                self.let_go(&entry, &mut state);
            }
        }
        self.shapes.tidy();
    }
}
