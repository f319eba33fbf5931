//! What waits is written to its file.

use std::sync::Arc;

use store::Error;

use super::absent::is_deleted;
use super::clock::Clock;
use super::descriptors::Descriptors;
use super::entry::{Entry, EntryState, Guard, Known};
use super::forget::Forgetter;
use super::head_reader::HeadReader;
use super::on_disk::OnDisk;
use super::read::take_pending;
use super::report::Reporter;
use super::sample_log::SampleLog;
use super::schedule::{FAILED_SECONDS, LOCKED_SECONDS, Schedule, Work, in_file_order};
use super::settler::Settler;
use super::shape::Shapes;
use super::tidy::Tidier;
use crate::RrdFile;

/// Files that a thread writes together: their pages are asked for together too.
const CHUNK_FILES: usize = 16;

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

/// A file with its pending samples taken, of which nothing is written yet. It is not locked: an
/// update of rrdtool's fails where it cannot have the lock at once.
struct Prepared<'a> {
    entry: &'a Arc<Entry>,
    state: Guard<'a>,
    file: RrdFile,
    taken: u32,
}

/// Writes what waits of files.
pub(super) struct Writer {
    pub(super) clock: Clock,
    pub(super) schedule: Arc<Schedule>,
    pub(super) descriptors: Arc<Descriptors>,
    pub(super) shapes: Arc<Shapes>,
    pub(super) settler: Arc<Settler>,
    pub(super) log: Arc<SampleLog>,
    pub(super) forgetter: Arc<Forgetter>,
    pub(super) reporter: Arc<Reporter>,
}

impl Writer {
    /// What a writing thread does.
    pub(super) fn run(&self, tidier: &Tidier) {
        while let Some(work) = self.schedule.next(CHUNK_FILES, tidier.every()) {
            match work {
                Work::Sort(due) => self.schedule.add_ready(in_file_order(due)),
                Work::Write(entries) => {
                    self.write_chunk(&entries);
                    if self.schedule.ready_count() == 0 {
                        tidier.tidy();
                    }
                }
                Work::Tidy => tidier.tidy(),
            }
        }
    }

    /// Writes what waits of each of these entries, if it is due.
    fn write_chunk(&self, entries: &[Arc<Entry>]) {
        // A disk answers for all of them in the time of one.
        entries.iter().for_each(|entry| self.descriptors.prefetch_head(entry));
        let mut prepared = Vec::with_capacity(entries.len());
        for entry in entries {
            let mut state = match entry.try_lock() {
                Some(state) => state,
                None => {
                    // A thread never waits for one entry while it holds another.
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
                Ok(Some(file)) => match self.log.stand_on(entry, &mut state, &file) {
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
        let committed = self.log.commit_of(states).map_err(|error| error.to_string());
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
        mut state: Guard<'a>,
    ) -> Result<Flushed, Error> {
        self.settler.ensure_settled(entry, &mut state, &mut HeadReader::default())?;
        if state.pending.is_empty() {
            return Ok(Flushed::Nothing);
        }
        let mut tries = 0;
        loop {
            let Some(file) = self.acquire(entry, &mut state)? else {
                return Err(Error::missing(&entry.path));
            };
            self.log.stand_on(entry, &mut state, &file)?;
            let mut prepared = prepare(entry, state, file);
            let committed = self.log.commit_of(std::iter::once(&*prepared.state));
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
                self.forgetter.drop_deleted(entry, state);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Writes rows and head, and holds the file's lock for that alone.
    fn finish(&self, prepared: &mut Prepared<'_>) -> Result<(), Error> {
        let Prepared { entry, state, file, taken } = prepared;
        file.lock_as_read()?;
        let _until_noted = self.log.begin_write();
        let written = file.commit();
        file.release()?;
        match written {
            Ok(()) => {}
            Err(error @ Error::Update { .. }) => self.reporter.note(&error.to_string()),
            Err(error) => {
                // The file has to be looked at again.
                state.known = None;
                state.is_cut_short = true;
                return Err(error);
            }
        }
        self.reporter.counters.updates_written.add(1);
        self.reporter.counters.data_sets_written.add((*taken).into());
        self.reporter.note_refused(&entry.path, state.pending.count() - *taken);
        self.log.note_written(entry, state, file);
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
            Error::Changed(_) => self.schedule.retry(entry, state, 0),
            Error::Locked(_) => {
                self.reporter.counters.lock_waits.add(1);
                self.schedule.retry(entry, state, LOCKED_SECONDS);
            }
            error => {
                self.reporter.counters.write_failures.add(1);
                self.reporter.note_write_failure(self.clock.now(), error);
                self.schedule.retry(entry, state, FAILED_SECONDS);
            }
        }
    }
}

fn prepare<'a>(entry: &'a Arc<Entry>, state: Guard<'a>, mut file: RrdFile) -> Prepared<'a> {
    let taken = take_pending(&mut file, &state.pending);
    // Only haste is lost where this fails.
    let _ = file.prefetch_rows();
    Prepared { entry, state, file, taken }
}
