//! A cache's log, with what it is kept for: files that wait for samples of it, files that are not
//! on disk yet, write-backs that may not be durable.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use disk::{File, HeldLock, Mode, PosixMedium};
use store::Error;

use super::clock::Clock;
use super::ending::Ending;
use super::found::Found;
use super::lost_pages::LostPages;
use super::new_files::{NewFiles, Unsynced};
use super::on_disk::Ticket;
use super::options::{CacheOptions, Journaling};
use super::write_backs::{SyncsFiles, WriteBacks, Written};
use super::{Acknowledge, Log, LogOptions};

/// Is locked by the process that has the log open.
pub(super) const LOCK_NAME: &str = "journal.lock";

/// The daemon before may be about to end, or a process that it started has not left its files yet.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// A cache's log. Threads share it.
pub(super) struct Journaled {
    pub(super) log: Log<PosixMedium>,
    pub(super) found: Arc<Found>,
    pub(super) new_files: NewFiles,
    pub(super) write_backs: WriteBacks,
    pub(super) ending: Ending,
    /// Is told that write-backs became durable.
    synced: Option<Arc<dyn Fn() + Send + Sync>>,
    _lock: HeldLock,
}

impl Journaled {
    /// Opens the log of a directory, which is made if there is none.
    ///
    /// # Errors
    /// [`Error::Locked`]: another process has it; [`Error::Io`], [`Error::Journal`].
    pub(super) fn open(
        options: &Journaling,
        cache: &CacheOptions,
        clock: Clock,
    ) -> Result<Self, Error> {
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
        let lost_pages = Arc::new(LostPages::default());
        Ok(Self {
            log: log.limited(cache.journal_bytes_max),
            found: Arc::new(Found::new(replay)),
            new_files: NewFiles::new(clock, Arc::clone(&lost_pages)),
            write_backs: WriteBacks::new(lost_pages),
            ending: Ending::default(),
            synced: cache.synced.clone(),
            _lock: lock,
        })
    }

    /// Makes what was logged as safe as was promised, and before that the files on disk that are
    /// awaited. Gives those of the awaited files that are not on disk: their updates are not
    /// acknowledged, all others are.
    ///
    /// # Errors
    /// Nothing is acknowledged.
    pub(super) fn acknowledge(&self, awaited: &[Ticket]) -> Result<Vec<Unsynced>, Error> {
        // Where updates may be lost for a while, their file may be too: it is synced with the log.
        let unsynced = match awaited.is_empty() || !self.log.waits_for_disk() {
            true => Vec::new(),
            false => self.new_files.sync(awaited),
        };
        if self.log.is_due() {
            // Segments are made, and made free, before they are missed.
            self.ending.call();
        }
        self.ending.wake();
        self.log.acknowledge()?;
        Ok(unsynced)
    }

    /// Waits until every write-back so far is durable.
    ///
    /// # Errors
    /// A file system cannot be synced; what the log has for its files stays there.
    pub(super) fn sync_files(&self) -> Result<(), Error> {
        let syncs = FileSyncs { new_files: &self.new_files, synced: self.synced.as_deref() };
        self.write_backs.sync(&self.log, &syncs)
    }

    /// Notes a write-back that waits for a sync.
    pub(super) fn note_written(&self, written: Written) {
        self.write_backs.written().push(written);
        self.ending.wake();
    }
}

/// Syncs the files that were written.
struct FileSyncs<'a> {
    new_files: &'a NewFiles,
    synced: Option<&'a (dyn Fn() + Send + Sync)>,
}

impl SyncsFiles for FileSyncs<'_> {
    fn sync_device(&self, written: &[Written]) -> Result<(), Error> {
        let Some(Written { device, entry, .. }) = written.first() else { return Ok(()) };
        let failed_before = self.new_files.take_failed(*device);
        self.new_files.sync_device(*device, written.iter().map(|it| &*it.entry.path))?;
        if failed_before {
            let error = std::io::Error::other("an earlier sync of its file system failed");
            return Err(Error::io("syncing", &entry.path)(error));
        }
        if let Some(synced) = self.synced {
            synced();
        }
        Ok(())
    }

    fn sync_file(&self, path: &Path) -> Result<(), Error> {
        match File::open(path, Mode::Read) {
            Ok(file) => file.sync_all().map_err(Error::io("syncing", path)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("syncing", path)(error)),
        }
    }
}

/// Locks the file of a journal's directory that says that a process has it open.
///
/// # Errors
/// [`Error::Locked`]: another process has it; [`Error::Io`].
pub(super) fn lock(path: &Path) -> Result<HeldLock, Error> {
    let file = match File::create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => File::open(path, Mode::Update),
        created => created,
    };
    let file = file.map_err(Error::io("creating", path))?;
    match file.lock_within(Mode::Update, LOCK_PATIENCE).map_err(Error::io("locking", path))? {
        true => Ok(HeldLock::of(file)),
        false => Err(Error::Locked(path.into())),
    }
}
