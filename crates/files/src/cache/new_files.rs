//! A file is on disk before an update of it is acknowledged.
//!
//! The log has the samples of a file, not its rows. After a power cut the samples are worth nothing
//! without the file, and the kernel writes a file that was just made, put back or renamed up to
//! half a minute later. So where samples are logged for a file that may not be on disk, the file is
//! synced before they are acknowledged, with the directories that lead to it.
//!
//! Most files need no sync of their own: a file that last changed before a sync of the whole file
//! system (`syncfs`) is on disk. The first file of each device is a reason for such a sync, and
//! from then on each sync of write-backs tells the same. What this process itself writes to a file
//! does not put the file in doubt; what another program does to it does.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, PoisonError};

use disk::{File, Identity, Mode, Stamp};
use store::Error;
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::clock::{Clock, WallTime};
use super::entry::{Entry, EntryState};
use super::lost_pages::LostPages;
use super::on_disk::{OnDisk, Ticket};

/// So many files are synced one by one; for more the whole file system is.
const SINGLE_FILES_MAX: usize = 8;
/// A file system's clock is behind ours by a tick, and that of a server by some seconds.
const CLOCK_MARGIN_SECONDS: i64 = 10;

/// Files that are to be synced, and file systems that were.
#[derive(Debug)]
pub(super) struct NewFiles {
    clock: Clock,
    lost_pages: Arc<LostPages>,
    queue: Mutex<Queue>,
    /// Held while files are synced.
    syncing: Mutex<()>,
    /// For each device when its last whole sync began.
    synced: Mutex<HashMap<u64, WallTime>>,
    /// Devices of which a whole sync failed. Linux tells that once, to the first thread that asks:
    /// the next sync of write-backs has to ask for each file.
    failed: Mutex<HashSet<u64>>,
}

#[derive(Debug, Default)]
struct Queue {
    /// The files whose tickets are not served yet.
    files: BTreeMap<Ticket, NewFile>,
    /// The number of the next ticket.
    next: u64,
}

/// Why the file of a ticket is not on disk.
#[derive(Debug)]
pub(super) struct Unsynced {
    pub(super) ticket: Ticket,
    pub(super) cause: String,
}

#[derive(Debug)]
struct NewFile {
    ticket: Ticket,
    entry: Arc<Entry>,
    identity: Identity,
    /// A sync of it failed. Linux then takes its pages for clean, so that another sync would
    /// succeed without them: it is written anew.
    is_in_doubt: bool,
    /// It, or a directory that leads to it, could not be synced. Only threads that wait for it try
    /// that again, and the thread that keeps the log.
    has_failed: bool,
}

impl NewFiles {
    pub(super) fn new(clock: Clock, lost_pages: Arc<LostPages>) -> Self {
        Self {
            clock,
            lost_pages,
            queue: Mutex::default(),
            syncing: Mutex::default(),
            synced: Mutex::default(),
            failed: Mutex::default(),
        }
    }

    /// Whether a whole sync of a device failed since this was asked last.
    pub(super) fn take_failed(&self, device: u64) -> bool {
        lock(&self.failed).remove(&device)
    }

    /// Sees to it that a file of which nothing is known will be synced, unless it is on disk.
    pub(super) fn note(&self, entry: &Arc<Entry>, state: &mut EntryState, stamp: &Stamp) {
        state.on_disk = match self.is_old(stamp) {
            true => OnDisk::Yes,
            false => OnDisk::Awaited(self.add(entry, stamp.identity)),
        };
    }

    /// Waits until the files of these tickets are on disk. Others that wait are synced with them.
    /// Gives those of these tickets whose files could not be synced: they wait on.
    pub(super) fn sync(&self, tickets: &[Ticket]) -> Vec<Unsynced> {
        let _syncing = lock(&self.syncing);
        let (synced, failed): (Vec<_>, Vec<_>) =
            self.sync_all(self.take(tickets)).into_iter().partition(|(_, it)| it.is_ok());
        let causes: HashMap<u32, String> = failed
            .iter()
            .filter_map(|(file, it)| Some((file.entry.id, it.as_ref().err()?.to_string())))
            .collect();
        let mut unsynced = Vec::new();
        // One ticket of a file is not served while another is not: that one knows of the doubt.
        for (mut file, _) in synced.into_iter().chain(failed) {
            let Some(cause) = causes.get(&file.entry.id) else {
                note_on_disk(&file);
                continue;
            };
            if tickets.contains(&file.ticket) {
                unsynced.push(Unsynced { ticket: file.ticket, cause: cause.clone() });
            }
            file.has_failed = true;
            self.put_back(file);
        }
        unsynced
    }

    /// Syncs all files that wait for it.
    ///
    /// # Errors
    /// One of them could not be synced, and waits on.
    pub(super) fn sync_every(&self) -> Result<(), Error> {
        let tickets: Vec<_> = lock(&self.queue).files.keys().copied().collect();
        match self.sync(&tickets).into_iter().next() {
            Some(Unsynced { cause, .. }) => Err(Error::Unacknowledged(cause)),
            None => Ok(()),
        }
    }

    /// Syncs files; gives each with what became of it.
    fn sync_all(&self, mut files: Vec<NewFile>) -> Vec<(NewFile, Result<(), Error>)> {
        files.sort_by_key(|file| file.identity.device());
        let is_one_device =
            |one: &NewFile, other: &NewFile| one.identity.device() == other.identity.device();
        let mut synced = Vec::with_capacity(files.len());
        for of_device in files.chunk_by_mut(is_one_device) {
            let device = of_device[0].identity.device();
            let is_known = lock(&self.synced).contains_key(&device);
            let alone = is_known && of_device.len() <= SINGLE_FILES_MAX
                || of_device.iter().any(|file| file.is_in_doubt);
            let paths = of_device.iter().map(|file| &*file.entry.path);
            match alone || self.sync_device(device, paths).is_err() {
                true => synced.extend(of_device.iter_mut().map(|file| self.sync_file(file))),
                false => synced.extend(of_device.iter().map(|_| Ok(()))),
            }
        }
        files.into_iter().zip(synced).collect()
    }

    /// Syncs the file system that some files are on. One whose files are all gone needs no sync.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn sync_device<'a>(
        &self,
        device: u64,
        paths: impl Iterator<Item = &'a Path>,
    ) -> Result<(), Error> {
        let began = self.clock.wall_time();
        let Some((path, file)) = first_there(paths)? else { return Ok(()) };
        if let Err(error) = file.sync_file_system() {
            lock(&self.failed).insert(device);
            return Err(Error::io("syncing", path)(error));
        }
        if file.identity().is_ok_and(|identity| identity.device() == device) {
            lock(&self.synced).insert(device, began);
        }
        Ok(())
    }

    /// Syncs a file, and the directories that lead to it as far as they may be new.
    fn sync_file(&self, file: &mut NewFile) -> Result<(), Error> {
        let synced = file.sync(&self.lost_pages);
        let path = &*file.entry.path;
        match synced {
            Ok(()) => {}
            // It was taken away: there is nothing to sync.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::io("syncing", path)(error)),
        }
        for directory in path.ancestors().skip(1).filter(|it| !it.as_os_str().is_empty()) {
            let stamp = File::stamp_of(directory).map_err(Error::io("syncing", directory))?;
            if self.is_old(&stamp) {
                break;
            }
            match disk::sync_directory(directory) {
                Ok(()) => {}
                // It may be entered but not read: the whole file system can be synced nevertheless.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    let device = stamp.identity.device();
                    return self.sync_device(device, std::iter::once(path));
                }
                Err(error) => return Err(Error::io("syncing", directory)(error)),
            }
        }
        Ok(())
    }

    fn add(&self, entry: &Arc<Entry>, identity: Identity) -> Ticket {
        let mut queue = lock(&self.queue);
        let ticket = Ticket(queue.next);
        queue.next += 1;
        let entry = Arc::clone(entry);
        let file = NewFile { ticket, entry, identity, is_in_doubt: false, has_failed: false };
        queue.files.insert(ticket, file);
        ticket
    }

    /// Takes the files of these tickets out of the queue, and with them all others that have not
    /// failed; none where the files of these tickets are on disk.
    ///
    /// A file that changed while it waited has several tickets. They go together: a sync that
    /// failed put the file in doubt for the later ones too, and only the earlier one knows.
    fn take(&self, tickets: &[Ticket]) -> Vec<NewFile> {
        let mut queue = lock(&self.queue);
        // Another thread may have synced for this one.
        if !tickets.iter().any(|ticket| queue.files.contains_key(ticket)) {
            return Vec::new();
        }
        let asked = tickets.iter().filter_map(|ticket| queue.files.get(ticket));
        let asked: HashSet<u32> = asked.map(|file| file.entry.id).collect();
        let is_taken =
            |_: &Ticket, file: &mut NewFile| !file.has_failed || asked.contains(&file.entry.id);
        queue.files.extract_if(.., is_taken).map(|(_, file)| file).collect()
    }

    fn put_back(&self, file: NewFile) {
        lock(&self.queue).files.insert(file.ticket, file);
    }

    /// Whether something last changed before a sync of its whole file system.
    fn is_old(&self, stamp: &Stamp) -> bool {
        let synced = lock(&self.synced).get(&stamp.identity.device()).copied();
        // Where the clock was set meanwhile, times before and after tell nothing of their order.
        let synced = synced.filter(|synced| self.clock.ran_steadily_since(synced));
        synced
            .is_some_and(|synced| stamp.changed_seconds() < synced.seconds() - CLOCK_MARGIN_SECONDS)
    }
}

impl NewFile {
    fn sync(&mut self, lost_pages: &LostPages) -> io::Result<()> {
        let path = &*self.entry.path;
        let sync = |file: File| lost_pages.note_failure(path, || file.sync_all());
        let is_synced = !self.is_in_doubt && sync(File::open(path, Mode::Read)?).is_ok();
        self.is_in_doubt = !is_synced;
        if self.is_in_doubt {
            lost_pages.note_failure(path, || disk::write_anew(path))?;
            self.is_in_doubt = false;
        }
        Ok(())
    }
}

/// The first of some files that is there.
///
/// # Errors
/// One may be there and cannot be opened.
fn first_there<'a>(
    paths: impl Iterator<Item = &'a Path>,
) -> Result<Option<(&'a Path, File)>, Error> {
    for path in paths {
        match File::open(path, Mode::Read) {
            Ok(file) => return Ok(Some((path, file))),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err(Error::io("syncing", path)(error)),
        }
    }
    Ok(None)
}

/// Notes that a file is on disk, unless it is another one by now.
fn note_on_disk(file: &NewFile) {
    let mut state = file.entry.lock();
    if state.on_disk == OnDisk::Awaited(file.ticket) {
        let known = state.known.as_ref().map(|known| known.stamp.identity);
        let is_same = known.is_none_or(|identity| identity == file.identity);
        state.on_disk = if is_same { OnDisk::Yes } else { OnDisk::Unknown };
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
