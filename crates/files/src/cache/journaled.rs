//! A cache's log, and the write-backs that hold it until they are durable.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use disk::{File, HeldLock, Mode, PosixMedium};
use journal::{JournalError, LogPosition, RrdId};
use store::Error;
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::entry::{Entry, EntryState};
use super::in_doubt::FilesInDoubt;
use super::lost_pages::LostPages;
use super::new_files::{NewFiles, Ticket, Unsynced};
use super::options::{CacheOptions, Journaling};
use super::report::Gauge;
use super::{Acknowledge, Core, Legacy, Log, LogOptions, LogPin, Replay};

/// Is locked by the process that has the log open.
pub(super) const LOCK_NAME: &str = "journal.lock";

/// The daemon before may be about to end, or a process that it started has not left its files yet.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// A cache's log.
#[derive(Debug)]
pub(super) struct Journaled {
    pub(super) log: Log<PosixMedium>,
    /// What opening found, until every file of it is settled.
    replay: Mutex<Option<Arc<Replay>>>,
    /// The names of rrdcached's own journals that are being taken over.
    legacy: Mutex<Vec<String>>,
    pub(super) new_files: NewFiles,
    /// Files that wait for samples of the log and are not there.
    pub(super) absent: Gauge,
    written: Mutex<Vec<Written>>,
    /// Lines that were logged once more, and are given up once their copies are durable.
    carried: Mutex<Vec<Written>>,
    pub(super) carried_up_to: CarriedUpTo,
    /// Files of which a write-back may be lost though they look whole: the log keeps what it has
    /// for them until they are settled from it.
    in_doubt: Mutex<FilesInDoubt>,
    /// Held while files are synced.
    syncing: Mutex<()>,
    pub(super) lost_pages: LostPages,
    _lock: HeldLock,
}

/// Where the log ended when files that cannot be written were carried forward last.
#[derive(Debug, Default)]
pub(super) struct CarriedUpTo(AtomicU64);

impl CarriedUpTo {
    /// Whether the log has grown enough since then.
    pub(super) fn is_due(&self, position: LogPosition) -> bool {
        self.0.load(Ordering::Relaxed) <= position.0
    }

    /// Files were just carried forward. The next time is so many bytes later.
    pub(super) fn set(&self, position: LogPosition, bytes: u64) {
        self.0.store(position.0 + bytes / 2, Ordering::Relaxed);
    }
}

/// A write-back that may not be durable.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) entry: Arc<Entry>,
    pub(super) device: u64,
    pub(super) number: RrdId,
    pub(super) log_pin: LogPin,
    /// What was logged of the file before here is in it.
    pub(super) through: LogPosition,
    /// Whether samples were written to the file, and not merely logged once more.
    pub(super) is_write_back: bool,
}

impl Journaled {
    /// Opens the log of a directory, which is made if there is none.
    ///
    /// # Errors
    /// [`Error::Locked`]: another process has it; [`Error::Io`], [`Error::Journal`].
    pub(super) fn open(options: &Journaling, cache: &CacheOptions) -> Result<Self, Error> {
        let directory = &options.directory;
        disk::create_directory(directory).map_err(Error::io("creating", directory))?;
        let lock = lock(&directory.join(LOCK_NAME))?;
        let medium = PosixMedium::open(directory).map_err(Error::io("opening", directory))?;
        let acknowledge = match options.sync_every {
            None => Acknowledge::Durable,
            Some(_) => Acknowledge::Written,
        };
        let mut log_options = LogOptions { acknowledge, ..LogOptions::default() };
        log_options.journal.segment_bytes = cache.journal_segment_bytes;
        let opened = Log::open(medium, log_options).map_err(Error::from);
        let (log, replay) = opened.map_err(Error::refused(directory))?;
        let log = log.limited(cache.journal_bytes_max);
        let replay = Mutex::new(Some(Arc::new(replay)));
        let legacy = Mutex::default();
        Ok(Self {
            log,
            replay,
            legacy,
            new_files: NewFiles::default(),
            absent: Gauge::default(),
            written: Mutex::default(),
            carried: Mutex::default(),
            carried_up_to: CarriedUpTo::default(),
            in_doubt: Mutex::default(),
            syncing: Mutex::default(),
            lost_pages: LostPages::default(),
            _lock: lock,
        })
    }

    /// What opening found.
    pub(super) fn replay(&self) -> Option<Arc<Replay>> {
        self.replay.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gives the memory of it back: every file is settled.
    pub(super) fn drop_replay(&self) {
        *self.replay.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Reads what rrdcached's own journals have: values for each file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn read_legacy(
        &self,
        directory: &Path,
        base: &Path,
        note: impl Fn(String),
    ) -> Result<Legacy, Error> {
        let medium = PosixMedium::open(directory).map_err(Error::io("opening", directory))?;
        let mut legacy = Legacy::read(&medium, base, note)
            .map_err(|(name, error)| Error::io("reading", &directory.join(name))(error))?;
        *self.legacy.lock().unwrap_or_else(PoisonError::into_inner) =
            std::mem::take(&mut legacy.names);
        Ok(legacy)
    }

    /// Takes rrdcached's own journals away: the log has durably what they had.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Journal`]; they are taken over again then, which changes nothing.
    pub(super) fn remove_legacy(&self, directory: &Path) -> Result<(), Error> {
        let names =
            std::mem::take(&mut *self.legacy.lock().unwrap_or_else(PoisonError::into_inner));
        if names.is_empty() {
            return Ok(());
        }
        self.log.commit()?;
        let medium = PosixMedium::open(directory).map_err(Error::io("opening", directory))?;
        super::legacy::remove(&medium, &names).map_err(Error::io("removing", directory))
    }

    pub(super) fn wait_for_sync(&self) {
        drop(self.syncing());
    }

    /// Whether a write-back of an entry's file is not known to be durable; the entry is held.
    pub(super) fn is_being_written(&self, entry: &Entry) -> bool {
        self.wait_for_sync();
        let is_written = self.written().iter().any(|written| written.entry.id == entry.id);
        is_written || self.in_doubt().contains(&entry.path)
    }

    /// Keeps others from syncing files.
    pub(super) fn syncing(&self) -> MutexGuard<'_, ()> {
        self.syncing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn carried(&self) -> MutexGuard<'_, Vec<Written>> {
        self.carried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn written(&self) -> MutexGuard<'_, Vec<Written>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn in_doubt(&self) -> MutexGuard<'_, FilesInDoubt> {
        self.in_doubt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until every write-back so far is durable, and frees what of the log it needs no more.
    ///
    /// # Errors
    /// A file system could not be synced: what its files need is kept.
    pub(super) fn sync_files(&self, syncs: &impl SyncsFiles) -> Result<(), Error> {
        let _syncing = self.syncing();
        let waiting = std::mem::take(&mut *self.written());
        let mut waiting = self.keep_in_doubt(waiting);
        let mut failed = Ok(());
        while let Some(device) = waiting.first().map(|first| first.device) {
            let (of_device, others) =
                waiting.into_iter().partition::<Vec<_>, _>(|each| each.device == device);
            waiting = others;
            let (durable, synced) = self.sync_files_of_device(of_device, syncs);
            let noted = self.log.written(
                durable.iter().map(|written| (written.number, written.log_pin, written.through)),
            );
            match noted {
                Ok(()) => note_durable(&durable),
                Err(error) => {
                    self.written().extend(durable);
                    failed = Err(error.into());
                }
            }
            failed = failed.and(synced);
        }
        failed
    }

    /// Syncs a device. Returns the write-backs that are durable then.
    ///
    /// Linux tells once that it could not write a page, and takes the page for clean from then on:
    /// the next sync succeeds without it. So after a failure each file is asked for by itself,
    /// those that were written meanwhile too; one that failed, here or where updates were to be
    /// acknowledged, is in doubt.
    fn sync_files_of_device(
        &self,
        mut of_device: Vec<Written>,
        syncs: &impl SyncsFiles,
    ) -> (Vec<Written>, Result<(), Error>) {
        let device = of_device.first().map(|first| first.device);
        if syncs.sync_device(&of_device).is_ok() {
            return (of_device, Ok(()));
        }
        self.lost_pages.wait_for_writes();
        of_device.extend(self.written().extract_if(.., |written| Some(written.device) == device));
        let lost = self.lost_pages.take();
        let mut failures: HashMap<Box<Path>, Error> = HashMap::new();
        for written in &of_device {
            let path = &*written.entry.path;
            let synced = match lost.contains(path) {
                true => Err(Error::io("syncing", path)(std::io::ErrorKind::Other.into())),
                false => syncs.sync_file(path),
            };
            if let Err(error) = synced {
                failures.entry(path.into()).or_insert(error);
            }
        }
        let (failed, durable): (Vec<_>, Vec<_>) =
            of_device.into_iter().partition(|it| failures.contains_key(&it.entry.path));
        let mut in_doubt = self.in_doubt();
        failed.iter().for_each(|written| in_doubt.add(written));
        drop(in_doubt);
        let files = failures.len();
        let synced = failures
            .into_values()
            .next()
            .map_or(Ok(()), |cause| Err(Error::InDoubt { files, cause: cause.to_string() }));
        (durable, synced)
    }
}

/// Files whose samples are on disk again may take as many as others.
fn note_durable(durable: &[Written]) {
    for written in durable.iter().filter(|it| it.is_write_back) {
        written.entry.is_in_doubt.store(false, Ordering::Relaxed);
        written.entry.undurable_bytes.store(0, Ordering::Relaxed);
    }
}

/// How write-backs are made durable.
pub(super) trait SyncsFiles {
    /// Syncs the file system that these were written to.
    fn sync_device(&self, written: &[Written]) -> Result<(), Error>;

    /// Syncs one file; one that is gone needs no sync.
    fn sync_file(&self, path: &Path) -> Result<(), Error>;
}

pub(super) fn lock(path: &Path) -> Result<HeldLock, Error> {
    let file = match File::create(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            File::open(path, Mode::Update)
        }
        created => created,
    };
    let file = file.map_err(Error::io("creating", path))?;
    match file.lock_within(Mode::Update, LOCK_PATIENCE).map_err(Error::io("locking", path))? {
        true => Ok(HeldLock::of(file)),
        false => Err(Error::Locked(path.into())),
    }
}

impl Core {
    /// Whether updates may be taken.
    ///
    /// # Errors
    /// The log has no room.
    pub(super) fn admit(&self) -> Result<(), JournalError> {
        self.journaled.as_ref().map_or(Ok(()), |journaled| journaled.log.admit())
    }

    /// Makes what was logged as safe as was promised, and before that the files on disk that are
    /// awaited. Gives those of the awaited files that are not on disk: their updates are not
    /// acknowledged, all others are.
    ///
    /// # Errors
    /// Nothing is acknowledged.
    pub(super) fn acknowledge(&self, awaited: &[Ticket]) -> Result<Vec<Unsynced>, Error> {
        let Some(journaled) = &self.journaled else { return Ok(Vec::new()) };
        // Where updates may be lost for a while, their file may be too: it is synced with the log.
        let unsynced = match awaited.is_empty() || !journaled.log.waits_for_disk() {
            true => Vec::new(),
            false => self.sync_new_files(awaited),
        };
        if journaled.log.is_due() {
            // Segments are made, and made free, before they are missed.
            self.ending.call();
        }
        self.ending.wake();
        journaled.log.acknowledge()?;
        Ok(unsynced)
    }

    /// Makes what was logged of files durable, before any of it is written to them. That of others
    /// is not waited for.
    ///
    /// # Errors
    /// None of them must be written.
    pub(super) fn commit_log_of<'a>(
        &self,
        files: impl Iterator<Item = &'a EntryState>,
    ) -> Result<(), Error> {
        let through = files.map(|state| state.logged.through).max();
        match (&self.journaled, through) {
            (Some(journaled), Some(through)) => Ok(journaled.log.commit_before(through)?),
            _ => Ok(()),
        }
    }

    /// Makes what was logged durable.
    ///
    /// # Errors
    /// It may not be.
    pub(super) fn commit_log(&self) -> Result<(), Error> {
        match &self.journaled {
            Some(journaled) => Ok(journaled.log.commit().map(drop)?),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_mutex::stdsync::Mutex;

    use super::{Journaled, SyncsFiles, Written};
    use crate::cache::Base;
    use crate::cache::entry::Entry;
    use crate::cache::{CacheOptions, Journaling, Lines};
    use journal::RrdId;
    use store::Error;

    /// A file system of which a sync fails while a file is being written; of that file it tells
    /// once.
    struct Failing<'a> {
        journaled: &'a Journaled,
        written_meanwhile: Mutex<Option<Written>>,
    }

    impl SyncsFiles for Failing<'_> {
        fn sync_device(&self, _: &[Written]) -> Result<(), Error> {
            match self.written_meanwhile.lock().unwrap().take() {
                Some(written) => {
                    self.journaled.written().push(written);
                    Err(Error::Unacknowledged("a page is lost".into()))
                }
                None => Ok(()),
            }
        }

        fn sync_file(&self, path: &std::path::Path) -> Result<(), Error> {
            match path.ends_with("meanwhile.rrd") {
                true => Err(Error::Unacknowledged("it was of this file".into())),
                false => Ok(()),
            }
        }
    }

    fn written(journaled: &Journaled, name: &str, id: u32) -> Written {
        let (path, state) = (name.as_bytes().to_vec(), vec![0]);
        let base = Base { path, fingerprint: 0, newest_rows: Vec::new(), state };
        let (number, mut lines) = (RrdId(id), Lines::default());
        lines.base(number, &base.view());
        let log_pin = journaled.log.append(&mut lines).unwrap().expect("there is a base");
        let entry = std::sync::Arc::new(Entry::new(name.as_ref(), id));
        let through = journaled.log.position();
        Written { entry, device: 7, number, log_pin, through, is_write_back: true }
    }

    #[test]
    fn a_write_back_that_comes_while_a_sync_fails_is_in_doubt() {
        let room = tempfile::tempdir().unwrap();
        let journaling = Journaling { directory: room.path().into(), sync_every: None };
        let journaled = Journaled::open(&journaling, &CacheOptions::default()).unwrap();
        journaled.written().push(written(&journaled, "before.rrd", 1));
        let written_meanwhile = Mutex::new(Some(written(&journaled, "meanwhile.rrd", 2)));
        let failing = Failing { journaled: &journaled, written_meanwhile };
        journaled.sync_files(&failing).unwrap_err();
        let doubtful = |name: &str| journaled.in_doubt().contains(name.as_ref());
        assert!(doubtful("meanwhile.rrd") && !doubtful("before.rrd"));
        assert!(journaled.written().is_empty());
    }
}
