//! Which databases others made, changed or deleted meanwhile.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use store::{Change, Follow, Update};

/// The most that are noted; beyond that all databases count as changed.
const NOTED_MAX: usize = 100_000;

/// Is told by the store of changes. A store that another program changes too tells of its own ones
/// alone.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    hasher: RandomState,
    are_there: AtomicBool,
    noted: Mutex<HashSet<u64>>,
}

/// What changed.
pub(crate) enum Changed {
    /// The databases whose paths have these hashes.
    Some(HashSet<u64>),
    Everything,
}

impl Changes {
    /// The number of a path among changes.
    pub(crate) fn number(&self, path: &Path) -> u64 {
        self.hasher.hash_one(path)
    }

    /// What changed since the last time.
    pub(crate) fn take(&self) -> Option<Changed> {
        if !self.are_there.load(Ordering::Acquire) || !self.are_there.swap(false, Ordering::AcqRel)
        {
            return None;
        }
        let noted = std::mem::take(&mut *self.noted.lock().unwrap_or_else(PoisonError::into_inner));
        Some(if noted.len() < NOTED_MAX { Changed::Some(noted) } else { Changed::Everything })
    }

    fn note(&self, path: &Path) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < NOTED_MAX {
            noted.insert(self.number(path));
        }
        self.are_there.store(true, Ordering::Release);
    }
}

impl Follow for Changes {
    fn updated(&self, _: &[Update<'_>]) {}

    fn changed(&self, path: &Path, change: Change<'_>) {
        self.note(path);
        if let Change::Renamed(to) = change {
            self.note(to);
        }
    }
}
