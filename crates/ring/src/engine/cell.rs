//! A group with the locks around it, and the names of its files.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use geometry::Geometry;
use journal::LogPosition;
use tracing_mutex::stdsync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::group::{Group, Place, TileKey};

/// A group with the locks around it.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) id: u32,
    pub(crate) geometry: Geometry,
    pub(crate) phase_pdps: u32,
    group: Mutex<Group>,
    /// Held while pages of its tiles are written over, so that no reader gets half a page.
    tiles: RwLock<()>,
    /// Held by its flush: one at a time.
    flush: Mutex<()>,
    /// The group is gone, and its files with it. Set under the flush lock.
    gone: AtomicBool,
    /// Nothing of the log is waited for. Set under the group's lock.
    is_replayed: AtomicBool,
    /// A thread in the background replays it, or has done so.
    is_taken: AtomicBool,
    /// What replays it, once the log was read.
    replayer: OnceLock<Arc<dyn Replays>>,
    /// What was known of its files when the store was opened.
    found: OnceLock<FoundGroup>,
    /// Why it cannot be replayed.
    loss: OnceLock<Loss>,
}

/// What brings groups up to the log's end.
pub(crate) trait Replays: std::fmt::Debug + Send + Sync {
    /// Fills the group of a number, and applies its records; says why that cannot be.
    fn replay(&self, id: u32, group: &mut Group) -> Result<(), Loss>;
}

/// Why a group cannot be replayed.
#[derive(Debug)]
pub(crate) enum Loss {
    /// Its files are damaged.
    Damaged(Box<str>),
    /// The machine failed, or the log is damaged. The store has stopped: it can be opened again.
    Failed(Box<str>),
}

/// What is known of a group's files when a store is opened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FoundGroup {
    /// The places of its checkpoints.
    pub(crate) places: [Place; 2],
    /// Whether the group was filled from one of them.
    pub(crate) is_filled: bool,
}

/// The files of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Tiles,
    /// One of the two places of its checkpoint.
    Checkpoint(usize),
    /// The attic of an epoch.
    Attic(u32),
}

impl FileKind {
    /// The name of a group's file.
    pub(crate) fn name(self, group: u32) -> String {
        match self {
            Self::Tiles => format!("{group:06}.tiles"),
            Self::Checkpoint(place) => format!("{group:06}.{}", ["a", "b"][place]),
            Self::Attic(epoch) => format!("{group:06}.attic{epoch}"),
        }
    }

    /// The group that a file of this name belongs to, if it is a group's.
    pub(crate) fn group_of(name: &str) -> Option<u32> {
        let (digits, kind) = name.split_once('.')?;
        let group = digits.parse().ok()?;
        let known = matches!(kind, "tiles" | "a" | "b") || kind.starts_with("attic");
        (known && digits.len() >= 6).then_some(group)
    }
}

impl Cell {
    /// A group that has all its records.
    pub(crate) fn new(group: Group) -> Self {
        Self { is_replayed: AtomicBool::new(true), ..Self::waiting(group) }
    }

    /// An empty group that is to be filled from its checkpoint and replayed.
    pub(crate) fn waiting(group: Group) -> Self {
        Self {
            id: group.id,
            geometry: group.geometry.clone(),
            phase_pdps: group.phase_pdps,
            group: Mutex::new(group),
            tiles: RwLock::new(()),
            flush: Mutex::new(()),
            gone: AtomicBool::new(false),
            is_replayed: AtomicBool::new(false),
            is_taken: AtomicBool::new(false),
            replayer: OnceLock::new(),
            found: OnceLock::new(),
            loss: OnceLock::new(),
        }
    }

    /// Notes what was found of its files.
    pub(crate) fn note_found(&self, found: FoundGroup) {
        let _ = self.found.set(found); // it is looked for once
    }

    /// Has it replayed when it is needed first.
    pub(crate) fn replay_by(&self, replayer: Arc<dyn Replays>) {
        let _ = self.replayer.set(replayer); // there is one
    }

    /// Whether it waits to be replayed.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.is_replayed.load(Ordering::Acquire)
    }

    /// Whether it waits to be replayed, and no thread has begun with it in the background.
    pub(crate) fn awaits_thread(&self) -> bool {
        self.is_waiting() && !self.is_taken.swap(true, Ordering::AcqRel)
    }

    /// Whether it was filled from its checkpoint when that was looked for.
    pub(crate) fn is_filled(&self) -> bool {
        self.found.get().is_some_and(|found| found.is_filled)
    }

    /// The places of its checkpoints, for which a group that waits is not replayed.
    pub(crate) fn known_places(&self) -> [Place; 2] {
        match self.found.get().filter(|_| self.is_waiting()) {
            Some(found) => found.places,
            None => self.group_so_far().places,
        }
    }

    /// The oldest record that the group may ask for after a restart. Of a group that waits it is
    /// not known yet whether there are any since its older checkpoint.
    pub(crate) fn pin(&self) -> Option<LogPosition> {
        match self.found.get().filter(|_| self.is_waiting()) {
            Some(FoundGroup { places: [a, b], .. }) => Some(a.position.min(b.position)),
            None => self.group_so_far().pin(),
        }
    }

    /// Why the group cannot be replayed, which is tried now where it was not yet.
    pub(crate) fn why_lost(&self) -> Option<&Loss> {
        if self.is_waiting() {
            drop(self.group());
        }
        self.known_loss()
    }

    /// Why the group cannot be replayed, if that was tried.
    pub(crate) fn known_loss(&self) -> Option<&Loss> {
        self.loss.get()
    }

    /// Waits for a flush that is under way; no other one writes a file of the group from then on.
    pub(crate) fn go(&self) {
        let _one_at_a_time = self.flushing();
        self.gone.store(true, Ordering::Release);
    }

    /// Whether the group is gone. The caller holds the flush lock.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// The number of the page where a tile stands in the group's file.
    pub(crate) fn page_of(&self, TileKey { shape, column, block }: TileKey) -> u64 {
        self.geometry.shapes()[shape as usize].page_of(column, block)
    }

    /// The group, with all its records: it is replayed first where it was not yet.
    pub(crate) fn group(&self) -> MutexGuard<'_, Group> {
        let mut group = self.group_so_far();
        if self.is_waiting() {
            self.replay(&mut group);
        }
        group
    }

    /// Whether the group can be had without waiting, as far as can be told before.
    pub(crate) fn is_at_hand(&self) -> bool {
        !self.is_waiting() && self.group.try_lock().is_ok()
    }

    fn replay(&self, group: &mut Group) {
        let Some(replayer) = self.replayer.get() else { return };
        if let Err(loss) = replayer.replay(self.id, group) {
            let _ = self.loss.set(loss); // it is tried once
        }
        self.is_replayed.store(true, Ordering::Release);
    }

    /// The group as far as it was filled and replayed.
    pub(crate) fn group_so_far(&self) -> MutexGuard<'_, Group> {
        self.group.lock().expect("no thread panicked while it changed the group")
    }

    pub(crate) fn flushing(&self) -> MutexGuard<'_, ()> {
        self.flush.lock().expect("no thread panicked while it flushed the group")
    }

    pub(crate) fn reading_tiles(&self) -> RwLockReadGuard<'_, ()> {
        self.tiles.read().expect("no thread panicked while it had the tiles open")
    }

    pub(crate) fn writing_tiles(&self) -> RwLockWriteGuard<'_, ()> {
        self.tiles.write().expect("no thread panicked while it had the tiles open")
    }
}
