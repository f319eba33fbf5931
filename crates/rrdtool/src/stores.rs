//! The ring stores that a process has open, shared by its threads.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::ring::Sync;
use store::{Error, RingOptions, RingStore};

use crate::session::{Failure, words_of};
use crate::system_words;

/// That a directory is a ring store.
///
/// # Errors
/// There is no such directory, or it is none.
pub fn expect_store(root: &Path) -> Result<(), Failure> {
    let found = match root.read_dir() {
        _ if RingStore::is_at(root) => return Ok(()),
        Ok(_) => "expected a ring store, found none".into(),
        Err(error) => system_words(&error),
    };
    Err(format!("{}: {found}", root.display()))
}

/// The ring stores that a process has open. A clone is another handle on the same ones.
#[derive(Clone, Debug)]
pub struct Stores {
    sync: Sync,
    /// By the store's real path: the pipe mode may change the directory.
    open: Arc<Mutex<HashMap<PathBuf, Arc<RingStore>>>>,
}

impl Stores {
    /// None is open yet; `sync` says when what they are given is acknowledged.
    #[must_use]
    pub fn new(sync: Sync) -> Self {
        Self { sync, open: Arc::default() }
    }

    /// A ring store, which stays open.
    ///
    /// # Errors
    /// There is none, it is damaged, or another process has it open.
    pub fn open(&self, root: &Path) -> Result<Arc<RingStore>, Error> {
        let real = root.canonicalize().unwrap_or_else(|_| root.into());
        let mut open = self.lock();
        if let Some(store) = open.get(&real) {
            return Ok(Arc::clone(store));
        }
        let options = RingOptions { sync: self.sync, ..RingOptions::default() };
        let store = RingStore::open(root, options)?;
        store.engine().give_notes_to(|words| crate::complain!("{words}"));
        let store = Arc::new(store);
        open.insert(real, Arc::clone(&store));
        Ok(store)
    }

    /// Waits until everything that the stores were given is on disk. To be called before anybody is
    /// told that it was taken, where they were opened with [`Sync::Deferred`].
    ///
    /// # Errors
    /// A disk did not take it.
    pub fn sync(&self) -> Result<(), Failure> {
        let synced = self.lock().values().try_for_each(|store| store.engine().sync());
        synced.map_err(|error| words_of(&error))
    }

    /// Gives back all stores that no other thread is working on.
    ///
    /// # Errors
    /// A disk did not take what was still to be written; nothing acknowledged is lost.
    pub fn leave(&self) -> Result<(), Failure> {
        let stores = std::mem::take(&mut *self.lock()).into_values();
        // Each is left, whatever became of the one before.
        let left: Vec<Result<(), Error>> =
            stores.filter_map(Arc::into_inner).map(RingStore::leave).collect();
        left.into_iter().collect::<Result<(), Error>>().map_err(|error| words_of(&error))
    }

    /// Gives back the stores that no other thread is working on; what the others were given is on
    /// disk then, too.
    ///
    /// # Errors
    /// As [`Stores::leave`].
    pub fn leave_idle(&self) -> Result<(), Failure> {
        // The list stays locked: who asks for a store meanwhile finds it open, or free to be opened.
        let mut open = self.lock();
        let mut outcome = Ok(());
        for (root, store) in std::mem::take(&mut *open) {
            let left = match Arc::try_unwrap(store) {
                Ok(idle) => idle.leave(),
                Err(busy) => {
                    let synced = busy.engine().sync();
                    open.insert(root, busy);
                    synced
                }
            };
            outcome = outcome.and(left);
        }
        outcome.map_err(|error| words_of(&error))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<RingStore>>> {
        // A panic elsewhere leaves the list whole: it changes in single steps.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
