//! Which databases were made, changed or deleted since the index was made.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use store::{Change, Follow, Rooted, Update};

/// The most names that are remembered; beyond that all databases count as changed.
const NAMES_MAX: usize = 100_000;

/// Is told by the store of changes. A store that another program changes too tells of its own ones
/// alone.
pub(crate) struct Changes {
    store: Rooted,
    /// Whether there is an index that they concern: without one, a million new databases are noted
    /// for nobody.
    is_counting: AtomicBool,
    changed: Mutex<Changed>,
}

/// Databases that changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    names: HashSet<String>,
    is_all: bool,
}

impl Changes {
    pub(crate) fn new(store: Rooted) -> Self {
        Self { store, is_counting: AtomicBool::new(false), changed: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Changed> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there are some.
    pub(crate) fn are_there(&self) -> bool {
        *self.lock() != Changed::default()
    }

    /// What changed until now; from now on it is counted anew.
    pub(crate) fn take(&self) -> Changed {
        self.is_counting.store(true, Ordering::Relaxed);
        std::mem::take(&mut self.lock())
    }

    /// All databases may have changed.
    pub(crate) fn note_all(&self) {
        self.lock().is_all = true;
    }

    fn note(&self, path: &Path) {
        if !self.is_counting.load(Ordering::Relaxed) {
            return;
        }
        let Some(name) = self.store.name(path) else { return };
        let mut changed = self.lock();
        match changed.names.len() < NAMES_MAX {
            true => drop(changed.names.insert(name)),
            false => changed.is_all = true,
        }
    }
}

impl Changed {
    /// Every database.
    pub(crate) fn everything() -> Self {
        Self { names: HashSet::new(), is_all: true }
    }

    /// Whether a database is among them.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.is_all || self.names.contains(name)
    }
}

impl Follow for Changes {
    fn updated(&self, _: &[Update<'_>]) {}

    fn changed(&self, name: &Path, change: Change<'_>) {
        self.note(name);
        if let Change::Renamed(to) = change {
            self.note(to);
        }
    }
}
