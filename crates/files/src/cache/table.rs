//! The entries by their paths.

use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};

use hashbrown::HashTable;
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::entry::{self, Entry, EntryState};

const SHARDS: usize = 64;

/// The entries by their paths. No lock of it is held over anything that waits.
#[derive(Debug)]
pub(super) struct Table {
    shards: [Mutex<HashTable<Arc<Entry>>>; SHARDS],
    hasher: RandomState,
    next_id: AtomicU32,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            hasher: RandomState::new(),
            next_id: AtomicU32::new(0),
        }
    }
}

impl Table {
    /// The entry of a path, if there is one.
    pub(super) fn get(&self, path: &Path) -> Option<Arc<Entry>> {
        let hash = self.hash(path);
        self.shard(hash).find(hash, |entry| same(&entry.path, path)).cloned()
    }

    /// The entry of a path, an empty one if there was none.
    pub(super) fn get_or_add(&self, path: &Path) -> Arc<Entry> {
        let hash = self.hash(path);
        let mut shard = self.shard(hash);
        if let Some(entry) = shard.find(hash, |entry| same(&entry.path, path)) {
            return Arc::clone(entry);
        }
        let entry = Arc::new(Entry::new(path, self.next_id.fetch_add(1, Ordering::Relaxed)));
        shard.insert_unique(hash, Arc::clone(&entry), |entry| self.hash(&entry.path));
        entry
    }

    /// The entry of a path; one with a given number if there was none.
    pub(super) fn get_or_add_numbered(&self, path: &Path, id: u32) -> Arc<Entry> {
        let hash = self.hash(path);
        let mut shard = self.shard(hash);
        if let Some(entry) = shard.find(hash, |entry| same(&entry.path, path)) {
            return Arc::clone(entry);
        }
        let entry = Arc::new(Entry::new(path, id));
        shard.insert_unique(hash, Arc::clone(&entry), |entry| self.hash(&entry.path));
        entry
    }

    /// The entry of a path, held; made if there is none.
    #[inline]
    pub(super) fn hold<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&Arc<Entry>, entry::Guard<'_>) -> T,
    ) -> T {
        loop {
            let entry = self.get_or_add(path);
            let state = entry.lock();
            if !state.gone {
                return work(&entry, state);
            }
        }
    }

    /// The entry of a path, held, if there is one.
    #[inline]
    pub(super) fn hold_known<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&Arc<Entry>, entry::Guard<'_>) -> T,
    ) -> Option<T> {
        loop {
            let entry = self.get(path)?;
            let state = entry.lock();
            if !state.gone {
                return Some(work(&entry, state));
            }
        }
    }

    /// The same, unless another thread holds it; `None` then, or if `work` gives nothing.
    pub(super) fn try_hold_known<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&Arc<Entry>, entry::Guard<'_>) -> Option<T>,
    ) -> Option<T> {
        let entry = self.get(path)?;
        let state = entry.try_lock().filter(|state| !state.gone)?;
        work(&entry, state)
    }

    /// Gives new entries numbers from here on.
    pub(super) fn number_from(&self, id: u32) {
        self.next_id.fetch_max(id, Ordering::Relaxed);
    }

    /// Takes out an entry that nothing is known of: it was made to ask for a file that is not
    /// there.
    pub(super) fn remove_if_useless(&self, entry: &Entry, state: &mut EntryState) {
        if state.known.is_none()
            && state.pending.is_empty()
            && !state.logged.is_needed()
            && !state.suspended
            && !state.gone
        {
            self.remove(entry, state);
        }
    }

    /// Takes an entry out. A thread that has it still finds it gone.
    pub(super) fn remove(&self, entry: &Entry, state: &mut EntryState) {
        state.gone = true;
        let hash = self.hash(&entry.path);
        let mut shard = self.shard(hash);
        if let Ok(found) = shard.find_entry(hash, |other| other.id == entry.id) {
            found.remove();
        }
    }

    /// Every entry, in no order.
    pub(super) fn all(&self) -> Vec<Arc<Entry>> {
        let mut all = Vec::new();
        for shard in &self.shards {
            all.extend(lock(shard).iter().cloned());
        }
        all
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    fn hash(&self, path: &Path) -> u64 {
        self.hasher.hash_one(path.as_os_str().as_bytes())
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, HashTable<Arc<Entry>>> {
        // The table within uses the bits at both ends.
        lock(&self.shards[(hash >> 32) as usize % SHARDS])
    }
}

/// By their bytes: paths come resolved, and `a//b` may be another entry than `a/b`.
fn same(one: &Path, other: &Path) -> bool {
    one.as_os_str() == other.as_os_str()
}

fn lock<T>(shard: &Mutex<T>) -> MutexGuard<'_, T> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}
