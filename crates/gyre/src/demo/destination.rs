//! Where the databases of a demo are written: a ring store, or `.rrd` files.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use mrtg::{Configuration, Target};
use ring::{RingOptions, RingStore, Sync};
use rrd::Snapshot;
use store::Adoptee;
use store::Error;

/// The unit in which the system tells the room of a file.
const BLOCK_BYTES: u64 = 512;

/// Where the databases of a demo are written.
pub(super) enum Destination {
    /// `.rrd` files, at the paths that MRTG would use.
    Files,
    /// A ring store, and the directory to which the names in it are relative.
    Ring(Box<RingStore>, PathBuf),
}

impl Destination {
    /// Makes a new ring store, which replaces that of an earlier demo. `sparse`: the store takes
    /// room as rows are written, not before.
    pub(super) fn new_ring(
        root: &Path,
        configuration: &Configuration,
        sparse: bool,
    ) -> Result<Self, Error> {
        if RingStore::is_at(root) {
            // The store of a demo that is still running is not replaced.
            if let Err(Error::Locked(path)) = RingStore::open(root, RingOptions::default()) {
                return Err(Error::Locked(path));
            }
            std::fs::remove_dir_all(root).map_err(failed("removing", root))?;
        }
        // What a power cut would take is made anew anyhow.
        let options = RingOptions { sparse, sync: Sync::Deferred, ..RingOptions::default() };
        let store = RingStore::create(root, options)?;
        Ok(Self::Ring(Box::new(store), configuration.globals.log_dir.clone()))
    }

    /// Writes databases of one layout. Returns their bytes for `.rrd` files; a ring store tells
    /// them at its close.
    pub(super) fn take(&self, made: Vec<(&Target, Snapshot)>) -> Result<u64, Error> {
        match self {
            Self::Files => made.iter().map(|(target, made)| write(&target.rrd_path(), made)).sum(),
            Self::Ring(store, log_dir) => {
                let adoptees = made.into_iter().map(|(target, snapshot)| Adoptee {
                    name: name(target, log_dir),
                    snapshot,
                    foreign: None,
                });
                adopt(store, adoptees.collect()).map(|()| 0)
            }
        }
    }

    /// The ring store, if it is one.
    pub(super) fn ring(&self) -> Option<RingPlace<'_>> {
        match self {
            Self::Files => None,
            Self::Ring(store, log_dir) => Some(RingPlace { store, log_dir }),
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
        let sizes = entries.flatten().filter_map(|entry| Some(entry.metadata().ok()?.blocks()));
        Ok(sizes.sum::<u64>() * BLOCK_BYTES)
    }
}

/// A ring store that is filled.
pub(super) struct RingPlace<'a> {
    pub(super) store: &'a RingStore,
    log_dir: &'a Path,
}

impl RingPlace<'_> {
    /// The name of a target's database.
    pub(super) fn name(&self, target: &Target) -> String {
        name(target, self.log_dir)
    }
}

fn name(target: &Target, log_dir: &Path) -> String {
    let path = &target.rrd_path();
    path.strip_prefix(log_dir).unwrap_or(path).to_string_lossy().into_owned()
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
