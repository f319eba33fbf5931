//! A cache's log, and the write-backs that hold it until they are durable.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use disk::{File, Mode, PosixMedium};

use super::entry::{Entry, EntryState};
use super::options::Journaling;
use super::pending::{End, Pending};
use super::{Acknowledge, Core, Legacy, Lines, Log, LogOptions, Replay, Stake, base_of};
use crate::journal::record::Base;
use crate::journal::{JournalError, LogPosition, RrdId};
use crate::{Error, RrdFile};

/// Is locked by whoever has the log open.
const LOCK_NAME: &str = "journal.lock";

/// The daemon before may be about to end, or a process that it started has not left its files yet.
const LOCK_TRIES: u32 = 40;
const LOCK_PAUSE: Duration = Duration::from_millis(25);

/// A cache's log.
#[derive(Debug)]
pub(super) struct Journaled {
    pub(super) log: Log<PosixMedium>,
    /// What opening found, until every file of it is settled.
    replay: Mutex<Option<Arc<Replay>>>,
    /// The names of rrdcached's own journals that are being taken over.
    legacy: Mutex<Vec<String>>,
    written: Mutex<Vec<Written>>,
    /// Held while files are synced.
    syncing: Mutex<()>,
    _lock: File,
}

/// A write-back that may not be durable.
#[derive(Debug)]
struct Written {
    entry: Arc<Entry>,
    device: u64,
    number: RrdId,
    stake: Stake,
    /// What was logged of the file before here is in it.
    through: LogPosition,
}

/// What the log has of an entry.
#[derive(Debug, Default)]
pub(super) struct Logged {
    /// What the file held when it was looked at, for the log before the first sample.
    base: Option<Box<Noted>>,
    /// The base that the pending samples stand behind.
    stands: Option<Standing>,
    /// All lines of the pending samples are before here.
    through: LogPosition,
    /// What opening found, not yet brought together with the file.
    pub(super) unsettled: Vec<(RrdId, Stake)>,
    /// What rrdcached's own journals have, to be taken after that.
    pub(super) legacy: Vec<String>,
}

/// What a file held when it was looked at.
#[derive(Debug)]
struct Noted {
    base: Base,
    mark: u64,
}

/// A base in the log.
#[derive(Clone, Copy, Debug)]
struct Standing {
    stake: Stake,
    mark: u64,
}

impl Journaled {
    /// Opens the log of a directory, which is made if there is none.
    ///
    /// # Errors
    /// [`Error::Locked`]: another process has it; [`Error::Io`], [`Error::Journal`].
    pub(super) fn open(options: &Journaling) -> Result<Self, Error> {
        let directory = &options.directory;
        disk::create_directory(directory).map_err(Error::io("creating", directory))?;
        let lock = lock(&directory.join(LOCK_NAME))?;
        let medium = PosixMedium::open(directory).map_err(Error::io("opening", directory))?;
        let acknowledge = match options.sync_every {
            None => Acknowledge::Durable,
            Some(_) => Acknowledge::Written,
        };
        let (log, replay) = Log::open(medium, LogOptions { acknowledge, ..LogOptions::default() })?;
        let replay = Mutex::new(Some(Arc::new(replay)));
        let legacy = Mutex::default();
        Ok(Self {
            log,
            replay,
            legacy,
            written: Mutex::default(),
            syncing: Mutex::default(),
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

    fn wait_for_sync(&self) {
        drop(self.syncing.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn written(&self) -> MutexGuard<'_, Vec<Written>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until every write-back so far is durable, and frees what of the log it needs no more.
    ///
    /// # Errors
    /// A file system could not be synced: what its files need is kept.
    pub(super) fn sync_files(&self, synced: impl Fn()) -> Result<(), Error> {
        let _syncing = self.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = std::mem::take(&mut *self.written());
        let mut failed = Ok(());
        while let Some(device) = waiting.first().map(|first| first.device) {
            let (of_device, others) =
                waiting.into_iter().partition::<Vec<_>, _>(|each| each.device == device);
            waiting = others;
            let synced = sync_device(&of_device).and_then(|()| {
                synced();
                let files = of_device.iter().map(|it| (it.number, it.stake, it.through));
                Ok(self.log.written(files)?)
            });
            if synced.is_err() {
                self.written().extend(of_device);
                failed = synced;
            }
        }
        failed
    }
}

/// Syncs the file system that these files are on. One that is gone needs no sync.
fn sync_device(files: &[Written]) -> Result<(), Error> {
    for Written { entry, .. } in files {
        if let Ok(file) = File::open(&entry.path, Mode::Read) {
            return file.sync_file_system().map_err(Error::io("syncing", &entry.path));
        }
    }
    Ok(())
}

fn lock(path: &Path) -> Result<File, Error> {
    let file = match File::create(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            File::open(path, Mode::Update)
        }
        created => created,
    };
    let file = file.map_err(Error::io("creating", path))?;
    for _ in 0..LOCK_TRIES {
        if file.try_lock(Mode::Update).map_err(Error::io("locking", path))? {
            return Ok(file);
        }
        std::thread::sleep(LOCK_PAUSE);
    }
    Err(Error::Locked(path.into()))
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
        entry: &Entry,
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
        let stake = journaled.log.append(&mut lines)?;
        state.logged.through = journaled.log.position();
        if let (Some(mark), Some(stake)) = (begun, stake) {
            state.logged.stands = Some(Standing { stake, mark });
        }
        Ok(())
    }

    /// Whether updates may be taken.
    ///
    /// # Errors
    /// The log has no room.
    pub(super) fn admit(&self) -> Result<(), JournalError> {
        self.journaled.as_ref().map_or(Ok(()), |journaled| journaled.log.admit())
    }

    /// Makes what was logged as safe as was promised.
    ///
    /// # Errors
    /// It is not acknowledged.
    pub(super) fn acknowledge(&self) -> Result<(), JournalError> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        if journaled.log.is_due() {
            // Segments are made, and made free, before they are missed.
            self.ending.call();
        }
        journaled.log.acknowledge()
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
            _ => self.log_anew(entry, state, &noted(entry, file)),
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
        let stake = journaled.log.append(&mut lines)?.expect("there is a base");
        // Until the new lines are durable the old ones are the only copy.
        journaled.log.commit()?;
        if let Some(old) = state.logged.stands.replace(Standing { stake, mark: *mark }) {
            self.over(entry, state, number, old.stake, before);
        }
        Ok(())
    }

    /// The pending samples were written to the file.
    pub(super) fn note_written(&self, entry: &Arc<Entry>, state: &mut EntryState, file: &RrdFile) {
        let Some(journaled) = &self.journaled else { return };
        state.logged.base = Some(Box::new(noted(entry, file)));
        let through = journaled.log.position();
        if let Some(stands) = state.logged.stands.take() {
            self.over(entry, state, RrdId(entry.id), stands.stake, through);
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
            self.sync_files()?;
            self.commit_log()?;
        }
        Ok(())
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
        self.over(entry, state, number, stands.stake, through);
    }

    /// What was logged of a file before a position is no longer needed, once all that was written so
    /// far is durable.
    pub(super) fn over(
        &self,
        entry: &Arc<Entry>,
        state: &EntryState,
        number: RrdId,
        stake: Stake,
        through: LogPosition,
    ) {
        let Some(journaled) = &self.journaled else { return };
        let (device, _) = state.place();
        let entry = Arc::clone(entry);
        journaled.written().push(Written { entry, device, number, stake, through });
    }

    /// What opening found of an entry has been brought together with its file, whose head is that of
    /// the last base: the samples stand behind it.
    pub(super) fn take_over(&self, state: &mut EntryState, file: &RrdFile) {
        let [(_, stake)] = state.logged.unsettled[..] else { return };
        state.logged.unsettled.clear();
        state.logged.stands = Some(Standing { stake, mark: mark(file) });
    }

    /// The same, where it stands behind another head than the log says.
    ///
    /// # Errors
    /// It cannot be logged anew; nothing is settled then.
    pub(super) fn take_over_anew(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        file: Option<&RrdFile>,
    ) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        let before = journaled.log.position();
        if let Some(file) = file
            && !state.pending.is_empty()
        {
            self.log_anew(entry, state, &noted(entry, file))?;
        }
        for (number, stake) in std::mem::take(&mut state.logged.unsettled) {
            self.over(entry, state, number, stake, before);
        }
        Ok(())
    }
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

    /// Whether the next sample can be logged.
    pub(super) fn is_ready(&self) -> bool {
        self.stands.is_some() || self.base.is_some()
    }

    /// What the file held when it was looked at is no longer so.
    pub(super) fn forget_base(&mut self) {
        self.base = None;
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

fn put_pending(lines: &mut Lines, number: RrdId, pending: &Pending) {
    for (text, end) in pending.iter() {
        lines.sample(number, text);
        if end == End::Command {
            lines.end(number, false);
        }
    }
}
