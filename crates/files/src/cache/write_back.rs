//! What waits is written to its file.

use std::path::Path;
use std::sync::{Arc, MutexGuard};

use store::Error;

use super::absent::is_deleted;
use super::entry::{Entry, EntryState, Known};
use super::load::HeadReader;
use super::new_files::OnDisk;
use super::read::take_pending;
use super::{Core, FileCache, schedule};
use crate::RrdFile;

/// Files that a thread writes together: their pages are asked for together too.
pub(super) const CHUNK_FILES: usize = 16;

/// How often a file is read again that other programs write all the time.
const WRITE_TRIES: u32 = 20;

/// What a flush found to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flushed {
    /// The file was written.
    Written,
    /// It was up to date.
    Nothing,
    /// It is suspended: what waits waits on, as with rrdcached.
    Suspended,
}

impl FileCache {
    /// Brings a file up to date.
    ///
    /// # Errors
    /// It cannot be written; [`Error::Locked`] where another process holds its lock. What waits
    /// waits on.
    pub fn flush(&self, path: &Path) -> Result<Flushed, Error> {
        self.core.counters.flushes_received.add(1);
        let flushed = self.core.hold_known(path, |entry, state| match state.suspended {
            true => Ok(Flushed::Suspended),
            false => self.core.write_now(entry, state),
        });
        match flushed {
            Some(flushed) => flushed,
            None => match disk::File::stamp_of(path) {
                Ok(_) => Ok(Flushed::Nothing),
                Err(error) => Err(Error::opening(path)(error)),
            },
        }
    }

    /// Begins to bring every file up to date, and does not wait.
    pub fn flush_all(&self) {
        let now = self.core.clock.now();
        let waiting = self.core.table.all().into_iter().filter(|entry| {
            let mut state = entry.lock();
            let waits = !state.pending.is_empty() && !state.suspended;
            if waits {
                state.due = Some(now);
            }
            waits
        });
        self.core.schedule.add_ready(schedule::in_file_order(waiting.collect()));
    }

    /// Waits until everything that was written to files is on disk; the journal then forgets it.
    ///
    /// # Errors
    /// A file system cannot be synced; the journal then forgets nothing.
    pub fn sync(&self) -> Result<(), Error> {
        self.core.sync_files()
    }

    /// The files that wait to be written right now, each with its number of samples.
    #[must_use]
    pub fn queue(&self) -> Vec<(u64, std::path::PathBuf)> {
        let ready = self.core.schedule.ready().into_iter().map(|entry| {
            let count = entry.lock().pending.count();
            (count.into(), entry.path.to_path_buf())
        });
        ready.filter(|(count, _)| *count > 0).collect()
    }
}

/// A file with its pending samples taken, of which nothing is written yet. It is not locked: an
/// update of rrdtool's fails where it cannot have the lock at once.
struct Prepared<'a> {
    entry: &'a Arc<Entry>,
    state: MutexGuard<'a, EntryState>,
    file: RrdFile,
    taken: u32,
}

impl Core {
    /// Writes what waits of each of these entries, if it is due.
    pub(super) fn write_chunk(&self, entries: &[Arc<Entry>]) {
        // A disk answers for all of them in the time of one.
        entries.iter().for_each(|entry| self.descriptors.prefetch_head(entry));
        let mut prepared = Vec::with_capacity(entries.len());
        for entry in entries {
            let mut state = match entry.try_lock() {
                Some(state) => state,
                None => {
                    // Nobody waits for one entry while he holds another.
                    self.finish_all(&mut prepared);
                    entry.lock()
                }
            };
            let is_due = state.due.is_some_and(|due| due <= self.clock.now());
            if state.gone || !is_due || state.pending.is_empty() || state.suspended {
                continue;
            }
            match self.acquire(entry, &mut state) {
                Ok(None) => {}
                Ok(Some(file)) => match self.stand_on(entry, &mut state, &file) {
                    Ok(()) => prepared.push(prepare(entry, state, file)),
                    Err(error) => self.put_off(entry, &mut state, &error),
                },
                Err(error) => self.put_off(entry, &mut state, &error),
            }
        }
        self.finish_all(&mut prepared);
    }

    fn finish_all(&self, prepared: &mut Vec<Prepared<'_>>) {
        // What is not durable in the log must not be in a file.
        let states = prepared.iter().map(|each| &*each.state);
        let committed = self.commit_log_of(states).map_err(|error| error.to_string());
        for mut ready in prepared.drain(..) {
            let committed = committed.clone().map_err(Error::Unacknowledged);
            if let Err(error) = committed.and_then(|()| self.finish(&mut ready)) {
                self.put_off(ready.entry, &mut ready.state, &error);
            }
            self.descriptors.release(ready.entry, ready.file);
        }
    }

    /// Writes what waits of one entry, due or not.
    pub(super) fn write_now<'a>(
        &self,
        entry: &'a Arc<Entry>,
        mut state: MutexGuard<'a, EntryState>,
    ) -> Result<Flushed, Error> {
        self.ensure_settled(entry, &mut state, &mut HeadReader::default())?;
        if state.pending.is_empty() {
            return Ok(Flushed::Nothing);
        }
        let mut tries = 0;
        loop {
            let Some(file) = self.acquire(entry, &mut state)? else {
                return Err(Error::missing(&entry.path));
            };
            self.stand_on(entry, &mut state, &file)?;
            let mut prepared = prepare(entry, state, file);
            let committed = self.commit_log_of(std::iter::once(&*prepared.state));
            let finished = committed.and_then(|()| self.finish(&mut prepared));
            self.descriptors.release(entry, prepared.file);
            tries += 1;
            match finished {
                // Another program wrote it since it was read.
                Err(Error::Changed(_)) if tries < WRITE_TRIES => state = prepared.state,
                finished => return finished.map(|()| Flushed::Written),
            }
        }
    }

    /// The file of an entry; `None` if it was deleted, and what waited for it is dropped.
    /// Where its directory is not there either, what waits waits on.
    fn acquire(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
    ) -> Result<Option<RrdFile>, Error> {
        match self.descriptors.acquire(entry) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.is_missing() && is_deleted(&entry.path, state) => {
                self.drop_deleted(entry, state);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Drops what waits for a file that was deleted.
    pub(super) fn drop_deleted(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        let samples = state.pending.count();
        if samples > 0 {
            self.counters.orphaned.add(samples.into());
            let path = entry.path.display();
            self.options
                .note(&format!("{path}: the file is gone; {samples} waiting samples were dropped"));
        }
        self.let_go(entry, state);
    }

    /// Writes rows and head, and holds the file's lock for that alone.
    fn finish(&self, prepared: &mut Prepared<'_>) -> Result<(), Error> {
        let Prepared { entry, state, file, taken } = prepared;
        file.lock_as_read()?;
        let _until_noted = self.journaled.as_ref().map(|journaled| journaled.lost_pages.write());
        let written = file.commit();
        file.release()?;
        match written {
            Ok(()) => {}
            Err(error @ Error::Update { .. }) => self.options.note(&error.to_string()),
            Err(error) => {
                // What the file is like now is to be seen again.
                state.known = None;
                state.is_cut_short = true;
                return Err(error);
            }
        }
        self.counters.updates_written.add(1);
        self.counters.data_sets_written.add((*taken).into());
        self.note_refused(entry, state.pending.count() - *taken);
        self.note_written(entry, state, file);
        state.pending.clear();
        (state.due, state.failed, state.is_cut_short) = (None, false, false);
        let now = self.clock.now();
        let stamp = file.stamp();
        let before = state.known.as_ref().map(|known| known.stamp.identity);
        if stamp.as_ref().ok().map(|stamp| stamp.identity) != before {
            state.on_disk = OnDisk::Unknown;
        }
        state.known = stamp.ok().map(|it| Known::of(file.header(), it, &self.shapes, now));
        Ok(())
    }

    /// Tries again later.
    fn put_off(&self, entry: &Arc<Entry>, state: &mut EntryState, error: &Error) {
        state.failed = !matches!(error, Error::Changed(_));
        match error {
            // Another program wrote it since it was read: once more, with what it made of it.
            Error::Changed(_) => self.retry(entry, state, 0),
            Error::Locked(_) => {
                self.counters.lock_waits.add(1);
                self.retry(entry, state, schedule::LOCKED_SECONDS);
            }
            error => {
                self.counters.write_failures.add(1);
                let line = format!("{error}; what waits for it waits on");
                let tell = |line: &str| self.options.note(line);
                self.failure_notes.note(self.clock.now(), &line, tell);
                self.retry(entry, state, schedule::FAILED_SECONDS);
            }
        }
    }

    /// Forgets an entry and what waits for it.
    pub(super) fn let_go(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        self.note_dropped(entry, state);
        state.logged.forget_base();
        state.pending.clear();
        state.is_cut_short = false;
        state.known = None;
        self.descriptors.close(entry);
        self.table.remove(entry, state);
    }
}

fn prepare<'a>(
    entry: &'a Arc<Entry>,
    state: MutexGuard<'a, EntryState>,
    mut file: RrdFile,
) -> Prepared<'a> {
    let taken = take_pending(&mut file, &state.pending);
    // Only haste is lost where this fails.
    let _ = file.prefetch_rows();
    Prepared { entry, state, file, taken }
}
