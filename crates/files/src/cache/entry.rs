//! What is known of one file.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use disk::Stamp;
use rrdfile::Header;

use super::clock::Second;
use super::doubtful::Doubtful;
use super::logged::Logged;
use super::on_disk::OnDisk;
use super::pending::Pending;
use super::shape::{Shape, Shapes, Sources};

/// A file that was asked for.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) path: Box<Path>,
    /// Its number, never used again.
    pub(super) id: u32,
    /// A sync of it failed, and none succeeded since.
    pub(super) is_in_doubt: AtomicBool,
    /// Of a file in doubt: bytes of the samples that were written to it since, which the log has to
    /// keep beside those that are pending.
    pub(super) undurable_bytes: AtomicUsize,
    /// Not among the locks whose order is checked: writers hold several at once, and take each but
    /// the first only where it is free (`Writer::write_chunk`).
    state: Mutex<EntryState>,
}

/// An entry's lock, held.
pub(super) type Guard<'a> = MutexGuard<'a, EntryState>;

/// The part of an entry that changes. The thread that holds its lock is the only one in this
/// process that touches the file. A thread may wait for the disk while it holds this lock, and no
/// other.
#[derive(Debug, Default)]
pub(super) struct EntryState {
    /// What the file was like when it was last looked at, the pending samples taken.
    pub(super) known: Option<Known>,
    pub(super) pending: Pending,
    /// A write was cut short, by a kill or an error: rows of pending samples may stand in the file,
    /// in place of its oldest ones, so that these samples cannot be dropped any more.
    pub(super) is_cut_short: bool,
    /// What the log has of it.
    pub(super) logged: Logged,
    /// Whether the file that is known is on disk.
    pub(super) on_disk: OnDisk,
    /// When the file is to be written.
    pub(super) due: Option<Second>,
    /// When it was due last.
    pub(super) was_due: Option<Second>,
    /// When it was last used.
    pub(super) used: Second,
    pub(super) suspended: bool,
    /// Samples that were taken and whose client was told that they may be lost.
    pub(super) doubtful: Option<Box<Doubtful>>,
    /// It could not be written when it was due.
    pub(super) failed: bool,
    /// The table has it no more: a thread that waited for its lock looks in the table again.
    pub(super) gone: bool,
}

/// A file as it was when it was last looked at.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) shape: Arc<Shape>,
    /// With the pending samples taken.
    pub(super) sources: Sources,
    pub(super) stamp: Stamp,
    /// When it was looked at.
    pub(super) looked: Second,
}

impl Known {
    /// What a file is now.
    pub(super) fn of(header: &Header, stamp: Stamp, shapes: &Shapes, looked: Second) -> Self {
        let shape = shapes.of(header);
        let sources = shape.sources(&header.live);
        Self { shape, sources, stamp, looked }
    }
}

impl Entry {
    pub(super) fn new(path: &Path, id: u32) -> Self {
        Self {
            path: path.into(),
            id,
            is_in_doubt: AtomicBool::new(false),
            undurable_bytes: AtomicUsize::new(0),
            state: Mutex::default(),
        }
    }

    pub(super) fn lock(&self) -> Guard<'_> {
        // A panic in the middle of an update is a fault of ours in that file alone.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, unless another thread holds it.
    pub(super) fn try_lock(&self) -> Option<Guard<'_>> {
        match self.state.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl EntryState {
    /// Whether the file could not be written when it was due.
    pub(super) fn is_stuck(&self) -> bool {
        self.failed || self.suspended
    }

    /// Whether a value is one that was taken and is not acknowledged: its client repeats it. It
    /// counts as acknowledged from then on.
    pub(super) fn repeats(&mut self, value: &str) -> bool {
        let Some(doubtful) = &mut self.doubtful else { return false };
        let is_known = doubtful.remove(value);
        if doubtful.is_empty() {
            self.doubtful = None;
        }
        is_known
    }

    /// Notes that samples of an update were taken and are not acknowledged.
    pub(super) fn doubt(&mut self, values: &[&str]) {
        let doubtful = self.doubtful.get_or_insert_default();
        values.iter().for_each(|value| doubtful.add(value));
    }

    /// Where the file lies, as far as is known: device and number on it.
    pub(super) fn place(&self) -> (u64, u64) {
        let identity = self.known.as_ref().map(|known| known.stamp.identity);
        identity.map_or((0, 0), |it| (it.device(), it.inode()))
    }
}
