//! A file is on disk before an update of it is acknowledged.
//!
//! The log has the samples of a file, not its rows. After a power cut the samples are worth nothing
//! without the file, and the kernel writes a file that was just made, put back or renamed up to half
//! a minute later. So where samples are logged for a file that may not be on disk, the file is synced
//! before they are acknowledged, with the directories that lead to it.
//!
//! Most files need no sync of their own: a file that last changed before a sync of the whole file
//! system (`syncfs`) is on disk. The first file of each device is a reason for such a sync, and from
//! then on each sync of write-backs tells the same. What this process itself writes to a file does
//! not put the file in doubt; what another program does to it does.

use std::collections::{HashMap, HashSet};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use disk::{File, Identity, Mode, Stamp};

use super::Core;
use super::entry::{Entry, EntryState};
use super::schedule::{Clock, WallTime};
use crate::Error;

/// So many files are synced one by one; for more the whole file system is.
const SINGLE_FILES_MAX: usize = 8;
/// A file system's clock is behind ours by a tick, and that of a server by some seconds.
const CLOCK_MARGIN_SECONDS: i64 = 10;

/// Whether a file, as it was when it was last looked at, is on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OnDisk {
    /// Nothing is known of it.
    #[default]
    Unknown,
    /// It is to be synced before any update of it is acknowledged.
    Awaited(Ticket),
    /// It is.
    Yes,
}

impl OnDisk {
    /// What is to be waited for.
    pub(super) fn ticket(self) -> Option<Ticket> {
        match self {
            Self::Awaited(ticket) => Some(ticket),
            Self::Unknown | Self::Yes => None,
        }
    }
}

/// A place in the queue of files to be synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(u64);

/// Files that are to be synced, and file systems that were.
#[derive(Debug, Default)]
pub(super) struct NewFiles {
    queue: Mutex<Queue>,
    /// Held while files are synced.
    syncing: Mutex<()>,
    /// For each device when its last whole sync began.
    synced: Mutex<HashMap<u64, WallTime>>,
    /// Devices of which a whole sync failed. Linux tells that once, to whoever asks first: the next
    /// sync of write-backs has to ask for each file.
    failed: Mutex<HashSet<u64>>,
}

#[derive(Debug, Default)]
struct Queue {
    files: Vec<NewFile>,
    /// The number of the next ticket.
    next: u64,
    /// All tickets before this one are served.
    served: u64,
}

#[derive(Debug)]
struct NewFile {
    entry: Arc<Entry>,
    identity: Identity,
    /// A sync of it failed. Linux then takes its pages for clean, so that another sync would succeed
    /// without them: it is written anew.
    is_in_doubt: bool,
}

impl NewFiles {
    /// Notes that all of a device was synced by a call that began then.
    pub(super) fn note_synced(&self, device: u64, began: WallTime) {
        lock(&self.synced).insert(device, began);
    }

    /// Whether a whole sync of a device failed since this was asked last.
    pub(super) fn take_failed(&self, device: u64) -> bool {
        lock(&self.failed).remove(&device)
    }

    fn add(&self, entry: &Arc<Entry>, identity: Identity) -> Ticket {
        let mut queue = lock(&self.queue);
        let ticket = Ticket(queue.next);
        queue.next += 1;
        let entry = Arc::clone(entry);
        queue.files.push(NewFile { entry, identity, is_in_doubt: false });
        ticket
    }

    /// Whether something last changed before a sync of its whole file system.
    fn is_old(&self, stamp: &Stamp, clock: &Clock) -> bool {
        let synced = lock(&self.synced).get(&stamp.identity.device()).copied();
        // Where somebody set the clock, times before and after tell nothing of their order.
        let synced = synced.filter(|synced| clock.ran_steadily_since(synced));
        synced
            .is_some_and(|synced| stamp.changed_seconds() < synced.seconds() - CLOCK_MARGIN_SECONDS)
    }
}

impl Core {
    /// Sees to it that a file for which samples were just logged will be synced, unless it is on disk.
    pub(super) fn note_new_file(&self, entry: &Arc<Entry>, state: &mut EntryState, stamp: &Stamp) {
        let Some(journaled) = &self.journaled else { return };
        if state.on_disk != OnDisk::Unknown {
            return;
        }
        state.on_disk = match journaled.new_files.is_old(stamp, &self.clock) {
            true => OnDisk::Yes,
            false => OnDisk::Awaited(journaled.new_files.add(entry, stamp.identity)),
        };
    }

    /// Waits until the files that tickets up to this one were given for are on disk.
    ///
    /// # Errors
    /// One of the files waiting could not be synced; all of them wait on.
    pub(super) fn sync_new_files(&self, ticket: Ticket) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        let new_files = &journaled.new_files;
        let _syncing = lock(&new_files.syncing);
        let (mut files, end) = {
            let mut queue = lock(&new_files.queue);
            // Another thread may have synced for this one.
            if queue.served > ticket.0 {
                return Ok(());
            }
            (std::mem::take(&mut queue.files), queue.next)
        };
        let synced = self.sync_all(&mut files);
        let mut queue = lock(&new_files.queue);
        match synced {
            Ok(()) => {
                queue.served = end;
                drop(queue);
                files.iter().for_each(|file| note_on_disk(file, end));
                Ok(())
            }
            Err(error) => {
                queue.files.splice(0..0, files);
                Err(error)
            }
        }
    }

    /// Syncs all files that wait for it.
    ///
    /// # Errors
    /// As [`Core::sync_new_files`].
    pub(super) fn sync_every_new_file(&self) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        let last = {
            let queue = lock(&journaled.new_files.queue);
            (queue.served < queue.next).then(|| Ticket(queue.next - 1))
        };
        last.map_or(Ok(()), |ticket| self.sync_new_files(ticket))
    }

    fn sync_all(&self, files: &mut [NewFile]) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        files.sort_by_key(|file| file.identity.device());
        let is_one_device =
            |one: &NewFile, other: &NewFile| one.identity.device() == other.identity.device();
        for of_device in files.chunk_by_mut(is_one_device) {
            let device = of_device[0].identity.device();
            let is_known = lock(&journaled.new_files.synced).contains_key(&device);
            let alone = is_known && of_device.len() <= SINGLE_FILES_MAX
                || of_device.iter().any(|file| file.is_in_doubt);
            let paths = of_device.iter().map(|file| &*file.entry.path);
            if alone || self.sync_device(device, paths).is_err() {
                of_device.iter_mut().try_for_each(|file| self.sync_new_file(file))?;
            }
        }
        Ok(())
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
            if let Some(journaled) = &self.journaled {
                lock(&journaled.new_files.failed).insert(device);
            }
            return Err(Error::io("syncing", path)(error));
        }
        let is_that = file.identity().is_ok_and(|identity| identity.device() == device);
        if let Some(journaled) = self.journaled.as_ref().filter(|_| is_that) {
            journaled.new_files.note_synced(device, began);
        }
        Ok(())
    }

    /// Syncs a file, and the directories that lead to it as far as they may be new.
    fn sync_new_file(&self, file: &mut NewFile) -> Result<(), Error> {
        let Some(journaled) = &self.journaled else { return Ok(()) };
        let synced = file.sync();
        let path = &*file.entry.path;
        match synced {
            Ok(()) => {}
            // Somebody took it away: there is nothing to sync.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::io("syncing", path)(error)),
        }
        for directory in path.ancestors().skip(1).filter(|it| !it.as_os_str().is_empty()) {
            let stamp = File::stamp_of(directory).map_err(Error::io("syncing", directory))?;
            if journaled.new_files.is_old(&stamp, &self.clock) {
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
}

impl NewFile {
    fn sync(&mut self) -> io::Result<()> {
        let path = &*self.entry.path;
        let is_synced = !self.is_in_doubt && File::open(path, Mode::Read)?.sync_all().is_ok();
        self.is_in_doubt = !is_synced;
        if self.is_in_doubt {
            disk::write_anew(path)?;
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
fn note_on_disk(file: &NewFile, end: u64) {
    let mut state = file.entry.lock();
    if let OnDisk::Awaited(ticket) = state.on_disk
        && ticket.0 < end
    {
        let known = state.known.as_ref().map(|known| known.stamp.identity);
        let is_same = known.is_none_or(|identity| identity == file.identity);
        state.on_disk = if is_same { OnDisk::Yes } else { OnDisk::Unknown };
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
