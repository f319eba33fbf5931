//! Telling another that databases have news.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::{Edit, Error, Making, Update};

/// Is told by a store which databases have news. It must not wait and must not call the store: the
/// thread that updates calls it.
pub trait Follow: Send + Sync {
    /// Updates were taken, or some of their samples were. Reads of the store have them.
    fn updated(&self, batch: &[Update<'_>]);

    /// A database was made or changed otherwise.
    fn changed(&self, name: &Path, change: Change<'_>);
}

/// What happened to a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// It was made.
    Made,
    /// It has other settings.
    Tuned,
    /// Its rows are others than before, or it has other archives.
    Replaced,
    /// It has this name now.
    Renamed(&'a Path),
    /// It is gone.
    Deleted,
}

/// How many can follow a store.
const FOLLOWERS_MAX: usize = 6;

/// The place in a store of those who follow it.
#[derive(Default)]
pub struct Follower([OnceLock<Arc<dyn Follow>>; FOLLOWERS_MAX]);

impl Follower {
    /// Tells this one, too, from now on. False if there is no room for one more.
    pub fn set(&self, follow: Arc<dyn Follow>) -> bool {
        let mut follow = Some(follow);
        for place in &self.0 {
            follow = follow.take().and_then(|follow| place.set(follow).err());
        }
        follow.is_none()
    }

    fn all(&self) -> impl Iterator<Item = &Arc<dyn Follow>> {
        self.0.iter().map_while(OnceLock::get)
    }

    /// Tells of updates that were taken.
    #[inline]
    pub fn updated(&self, batch: &[Update<'_>]) {
        self.all().for_each(|follow| follow.updated(batch));
    }

    /// Tells of databases that were made; `failures` are those that were not.
    pub fn made(&self, new: &[Making<'_>], failures: &[(usize, Error)]) {
        let mut failed = failures.iter().map(|(nth, _)| *nth).peekable();
        for (nth, making) in new.iter().enumerate() {
            if failed.next_if_eq(&nth).is_none() {
                self.changed(making.new.name, Change::Made);
            }
        }
    }

    /// Tells of an edit. A tuning that was refused may have done a part of its work.
    pub fn edited(&self, name: &Path, edit: &Edit<'_>, done: &Result<(), Error>) {
        if done.is_err() && !matches!(edit, Edit::Tune(_)) {
            return;
        }
        let change = match edit {
            Edit::Tune(_) | Edit::Source(_) => Change::Tuned,
            Edit::Resize { .. } | Edit::Restore { .. } | Edit::Cells(_) => Change::Replaced,
            Edit::Rename(to) => Change::Renamed(to),
            Edit::Delete => Change::Deleted,
        };
        self.changed(name, change);
    }

    /// Tells of a database that took the place of another, or is new.
    pub fn replaced(&self, name: &Path) {
        self.changed(name, Change::Replaced);
    }

    fn changed(&self, name: &Path, change: Change<'_>) {
        self.all().for_each(|follow| follow.changed(name, change));
    }
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Follower").field(&self.all().count()).finish()
    }
}
