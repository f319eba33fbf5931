//! The cache as its users see it; the parts do the work.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use rrd::fetch::Query;
use rrd::{Series, Snapshot, Stretch, Timestamp};
use rrdfile::Header;
use store::{Error, Follower, Refused, RowsSince, Update};
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::append::Updates;
use super::change::Changes;
use super::found_files::FoundFiles;
use super::journaled::Journaled;
use super::keeper::Keeper;
use super::read::Reader;
use super::report::{Report, Reporter};
use super::schedule::Schedule;
use super::table::Table;
use super::tidy::Tidier;
use super::write_back::{Flushed, Writer};

/// `.rrd` files served in place. Threads share it.
pub struct FileCache {
    pub(super) updates: Updates,
    pub(super) reader: Arc<Reader>,
    pub(super) changes: Changes,
    pub(super) table: Arc<Table>,
    pub(super) schedule: Arc<Schedule>,
    pub(super) writer: Arc<Writer>,
    pub(super) tidier: Arc<Tidier>,
    pub(super) journaled: Option<Arc<Journaled>>,
    pub(super) found_files: Option<Arc<FoundFiles>>,
    pub(super) keeper: Option<Arc<Keeper>>,
    pub(super) reporter: Arc<Reporter>,
    pub(super) threads: Threads,
    pub(super) flush_on_close: bool,
    pub(super) follower: Follower,
}

/// The threads of a cache.
#[derive(Debug, Default)]
pub(super) struct Threads {
    /// They write files.
    writers: Mutex<Vec<JoinHandle<()>>>,
    /// They keep the log, and settle files.
    keepers: Mutex<Vec<JoinHandle<()>>>,
}

impl FileCache {
    /// Starts the threads.
    ///
    /// # Errors
    /// One could not be started.
    pub(super) fn start(&self, writer_threads: usize) -> Result<(), Error> {
        self.start_keepers()?;
        for _ in 0..writer_threads.max(1) {
            let (writer, tidier) = (Arc::clone(&self.writer), Arc::clone(&self.tidier));
            let started = start("gyre-write", "files", move || writer.run(&tidier));
            lock(&self.threads.writers).push(started?);
        }
        Ok(())
    }

    /// Starts the threads that keep the log; none where there is no log.
    fn start_keepers(&self) -> Result<(), Error> {
        if let Some(keeper) = self.keeper.clone() {
            let started = start("gyre-journal", "the journal", move || keeper.run());
            lock(&self.threads.keepers).push(started?);
        }
        if let Some(found_files) = self.found_files.clone() {
            let started = start("gyre-settle", "the journal", move || found_files.run());
            lock(&self.threads.keepers).push(started?);
        }
        Ok(())
    }

    /// Ends the threads; first everything is written if `flush` says so. What could not be written
    /// is told by the options' `note`.
    pub fn close(&self, flush: bool) {
        let writers = std::mem::take(&mut *lock(&self.threads.writers));
        if writers.is_empty() && lock(&self.threads.keepers).is_empty() {
            return;
        }
        if flush {
            if let Some(found_files) = &self.found_files {
                let _ = found_files.settle_all(|| false); // told when they were looked for first
            }
            self.resume_all();
            self.flush_all();
        }
        self.schedule.end(flush);
        for writer in writers {
            if writer.join().is_err() {
                self.reporter.note("a thread that writes files panicked");
            }
        }
        if let Some(journaled) = &self.journaled {
            journaled.ending.end();
        }
        for keeper in std::mem::take(&mut *lock(&self.threads.keepers)) {
            if keeper.join().is_err() {
                self.reporter.note("a thread that keeps the journal panicked");
            }
        }
        if let Some(keeper) = &self.keeper {
            keeper.end_log();
        }
    }

    /// Takes updates in their order, and returns once what was taken is as safe as the options
    /// promise. Gives the failures with their positions; the values before a refused one are taken
    /// all the same.
    pub fn append(&self, updates: &[Update<'_>]) -> Vec<(usize, Refused)> {
        self.updates.append(updates)
    }

    /// Definition and live state.
    ///
    /// # Errors
    /// The file cannot be read; as with all reads.
    pub fn header(&self, path: &Path) -> Result<Header, Error> {
        self.reader.header(path)
    }

    /// When the last update was.
    ///
    /// # Errors
    /// As [`FileCache::header`].
    pub fn last_update(&self, path: &Path) -> Result<Timestamp, Error> {
        self.reader.last_update(path)
    }

    /// The rows that answer a query.
    ///
    /// # Errors
    /// As [`FileCache::header`]; no archive answers it.
    pub fn fetch(&self, path: &Path, query: &Query) -> Result<Series, Error> {
        self.reader.read(path, |file| file.fetch(query))
    }

    /// The same without the rows that no archive holds.
    ///
    /// # Errors
    /// As [`FileCache::fetch`].
    pub fn fetch_stretch(&self, path: &Path, query: &Query) -> Result<Stretch, Error> {
        self.reader.read(path, |file| file.fetch_stretch(query))
    }

    /// The rows that became final after a mark, with those of the samples that wait.
    ///
    /// # Errors
    /// As [`FileCache::header`].
    pub fn rows_since(&self, path: &Path, mark_seconds: i64) -> Result<RowsSince, Error> {
        self.reader.read(path, |file| file.rows_since(mark_seconds))
    }

    /// The whole database.
    ///
    /// # Errors
    /// As [`FileCache::header`].
    pub fn snapshot(&self, path: &Path) -> Result<(Header, Snapshot), Error> {
        self.reader.read(path, |file| Ok((file.header().clone(), file.snapshot()?)))
    }

    /// The samples that are not in the file yet, as they came; `None` if nothing is known of it.
    #[must_use]
    pub fn pending(&self, path: &Path) -> Option<Vec<String>> {
        self.reader.pending(path)
    }

    /// Brings a file up to date.
    ///
    /// # Errors
    /// It cannot be written; [`Error::Locked`] where another process holds its lock. What waits
    /// waits on.
    pub fn flush(&self, path: &Path) -> Result<Flushed, Error> {
        self.reporter.counters.flushes_received.add(1);
        self.changes.flush(path)
    }

    /// Begins to bring every file up to date, and does not wait.
    pub fn flush_all(&self) {
        self.schedule.hasten(self.table.all(), |_, _| true);
    }

    /// Waits until everything that was written to files is on disk; the journal then forgets it.
    ///
    /// # Errors
    /// A file system cannot be synced; the journal then forgets nothing.
    pub fn sync(&self) -> Result<(), Error> {
        self.journaled.as_ref().map_or(Ok(()), |journaled| journaled.sync_files())
    }

    /// The files that wait to be written right now, each with its number of samples.
    #[must_use]
    pub fn queue(&self) -> Vec<(u64, PathBuf)> {
        let ready = self.schedule.ready().into_iter().map(|entry| {
            let count = entry.lock().pending.count();
            (count.into(), entry.path.to_path_buf())
        });
        ready.filter(|(count, _)| *count > 0).collect()
    }

    /// Lets `work` change the file itself: make it, tune it, put another in its place. Samples that
    /// wait for it are written first. Until `work` returns no other thread updates or reads the
    /// file; afterwards its head is read anew.
    ///
    /// # Errors
    /// What waits cannot be written; [`Error::Awaited`] where it waits for a file that is not
    /// there. `work` is not called then. What `work` returns comes inside.
    pub fn change<T>(&self, path: &Path, work: impl FnOnce() -> T) -> Result<T, Error> {
        self.changes.change(path, work)
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
        self.changes.forget(path)
    }

    /// Keeps a file from being written until it is resumed; false if it was before, `None` if
    /// nothing is known of it.
    pub fn suspend(&self, path: &Path) -> Option<bool> {
        self.changes.suspend(path)
    }

    /// Lets a file be written again; false if it was not suspended, `None` if nothing is known of
    /// it.
    pub fn resume(&self, path: &Path) -> Option<bool> {
        self.changes.resume(path)
    }

    /// Suspends every file that is known. Returns how many were not yet.
    pub fn suspend_all(&self) -> u64 {
        self.changes.suspend_all()
    }

    /// Resumes every file that is known. Returns how many were suspended.
    pub fn resume_all(&self) -> u64 {
        self.changes.resume_all()
    }

    /// What the cache says of itself.
    #[must_use]
    pub fn report(&self) -> Report {
        let journaled = self.journaled.as_ref();
        let written = journaled.map(|it| it.log.written_since_opening());
        let (journal_bytes, journal_rotations) = written.unwrap_or_default();
        Report {
            files: self.table.len() as u64,
            queue: self.schedule.ready_count() as u64,
            journal_bytes,
            journal_held_bytes: journaled.map_or(0, |it| it.log.held_bytes()),
            journal_rotations,
            unsettled: self.found_files.as_ref().map_or(0, |it| it.count_unsettled()),
            absent: journaled.map_or(0, |it| it.found.count_absent()),
            ..self.reporter.counters.report()
        }
    }
}

fn start(
    name: &str,
    subject: &str,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, Error> {
    let thread = std::thread::Builder::new().name(name.into());
    thread.spawn(work).map_err(Error::io("starting a thread for", Path::new(subject)))
}

fn lock(threads: &Mutex<Vec<JoinHandle<()>>>) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
    threads.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for FileCache {
    fn drop(&mut self) {
        self.close(self.flush_on_close);
    }
}

impl fmt::Debug for FileCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileCache")
            .field("files", &self.table.len())
            .field("flush_on_close", &self.flush_on_close)
            .finish_non_exhaustive()
    }
}
