//! A group with the locks around it, and the names of its files.

use std::sync::atomic::{AtomicBool, Ordering};

use geometry::Geometry;
use tracing_mutex::stdsync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::group::{Group, TileKey};

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
    pub(crate) fn new(group: Group) -> Self {
        Self {
            id: group.id,
            geometry: group.geometry.clone(),
            phase_pdps: group.phase_pdps,
            group: Mutex::new(group),
            tiles: RwLock::new(()),
            flush: Mutex::new(()),
            gone: AtomicBool::new(false),
        }
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

    pub(crate) fn group(&self) -> MutexGuard<'_, Group> {
        self.group.lock().expect("no thread panicked while it changed the group")
    }

    /// A group like this one, without members.
    pub(crate) fn empty_group(&self) -> Group {
        self.group().emptied()
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
