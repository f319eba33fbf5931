//! Where the databases of a demo are written: a ring store, or `.rrd` files.

use std::path::{Path, PathBuf};

use mrtg::{Configuration, Target};
use ring::{RingOptions, RingStore};
use rrd::Snapshot;
use store::Adoptee;
use store::Error;

/// Where the databases of a demo are written.
pub(super) enum Destination {
    /// `.rrd` files, at the paths that MRTG would use.
    Files,
    /// A ring store, and the directory to which the names in it are relative.
    Ring(Box<RingStore>, PathBuf),
}

impl Destination {
    /// Makes a new ring store, which replaces that of an earlier demo.
    pub(super) fn new_ring(root: &Path, configuration: &Configuration) -> Result<Self, Error> {
        if RingStore::is_at(root) {
            // The store of a demo that is still running is not replaced.
            if let Err(Error::Locked(path)) = RingStore::open(root, RingOptions::default()) {
                return Err(Error::Locked(path));
            }
            std::fs::remove_dir_all(root).map_err(failed("removing", root))?;
        }
        let store = RingStore::create(root, RingOptions::default())?;
        Ok(Self::Ring(Box::new(store), configuration.globals.log_dir.clone()))
    }

    /// Writes databases of one layout. Returns their bytes for `.rrd` files; a ring store tells
    /// them at its close.
    pub(super) fn take(&self, made: Vec<(&Target, Snapshot)>) -> Result<u64, Error> {
        match self {
            Self::Files => made.iter().map(|(target, made)| write(&target.rrd_path(), made)).sum(),
            Self::Ring(store, log_dir) => {
                let adoptees = made.into_iter().map(|(target, snapshot)| {
                    let path = &target.rrd_path();
                    let name = path.strip_prefix(log_dir).unwrap_or(path).to_string_lossy();
                    Adoptee { name: name.into_owned(), snapshot, foreign: None }
                });
                adopt(store, adoptees.collect()).map(|()| 0)
            }
        }
    }

    /// Closes the destination. `bytes` is the sum of what [`Self::take`] returned; returns the
    /// bytes of all databases.
    pub(super) fn close(self, bytes: u64) -> Result<u64, Error> {
        let Self::Ring(store, _) = self else { return Ok(bytes) };
        let root = store.root().to_path_buf();
        store.close()?;
        let entries = std::fs::read_dir(&root).map_err(failed("listing", &root))?;
        // A file that is removed meanwhile takes no room.
        let sizes = entries.flatten().filter_map(|entry| Some(entry.metadata().ok()?.len()));
        Ok(sizes.sum())
    }
}

/// Databases of one layout may still differ in how their rows are stored.
fn adopt(store: &RingStore, mut adoptees: Vec<Adoptee>) -> Result<(), Error> {
    while let Some(first) = adoptees.pop() {
        let (mut alike, others): (Vec<_>, Vec<_>) =
            adoptees.into_iter().partition(|each| each.same_group(&first));
        alike.push(first);
        store.engine().adopt(&alike)?;
        adoptees = others;
    }
    Ok(())
}

fn write(path: &Path, made: &Snapshot) -> Result<u64, Error> {
    disk::create_parents(path).map_err(failed("creating", path))?;
    files::restore_cached(path, made)?;
    Ok(std::fs::metadata(path).map_err(failed("creating", path))?.len())
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { action, path, source }
}
