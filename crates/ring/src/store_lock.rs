//! The lock of a store on disk: the process that holds it has the store open.

use std::path::Path;

use disk::{File, HeldLock, Mode};
use store::Error;

/// The file that is locked by the process that has the store open, and that tells a store from any
/// other directory.
pub(crate) const LOCK_FILE: &str = "gyre-store";

/// Takes the lock of the store in a directory.
pub(super) fn lock_of(root: &Path) -> Result<HeldLock, Error> {
    let path = root.join(LOCK_FILE);
    let lock = File::open(&path, Mode::Update).map_err(Error::io("opening", &path))?;
    locked(lock, Mode::Update, root)
}

/// Takes the lock of the store in a directory for reading, which readers share.
pub(super) fn shared_lock_of(root: &Path) -> Result<HeldLock, Error> {
    let path = root.join(LOCK_FILE);
    let lock = File::open(&path, Mode::Read).map_err(Error::io("opening", &path))?;
    locked(lock, Mode::Read, root)
}

pub(crate) fn locked(lock: File, mode: Mode, root: &Path) -> Result<HeldLock, Error> {
    match lock.try_lock(mode).map_err(Error::io("locking", root))? {
        true => Ok(HeldLock::of(lock)),
        false => Err(Error::Locked(root.into())),
    }
}
