//! `.rrd` files kept open between updates.
//!
//! Opening, advising and closing cost more than an update itself. A file stays open and its
//! definition decoded; each update checks that the name still leads to the same file, takes the
//! lock, and reads the live state anew, since others may write too.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;

use disk::{File, Identity};
use store::{Error, Locking};

use crate::{Access, Io, RrdFile};

/// Files that a process which works on keeps open between updates, where its limit of descriptors
/// allows as many.
pub const OPEN_FILES_MAX: usize = 4096;

/// `.rrd` files kept open between updates; none of them is locked in between.
#[derive(Debug)]
pub struct OpenFiles {
    /// By their paths letter by letter: `a//b` is kept beside `a/b`, and neither is taken apart at
    /// each update.
    files: HashMap<OsString, (Identity, RrdFile)>,
    limit: usize,
    io: Io,
}

impl OpenFiles {
    /// Keeps at most `limit` files open; with 0, none once its update is done.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self::by(limit, Io::OWN)
    }

    /// The same, where it is said how the files are read and written.
    #[must_use]
    pub fn by(limit: usize, io: Io) -> Self {
        Self { files: HashMap::new(), limit, io }
    }

    /// Opens or reuses a file, lets `work` update it under its lock, and commits what it did,
    /// whether it succeeded or not.
    ///
    /// # Errors
    /// As [`RrdFile::open`] and [`RrdFile::commit`]; what `work` returns comes inside.
    pub fn update<T>(
        &mut self,
        path: &Path,
        work: impl FnOnce(&mut RrdFile) -> T,
    ) -> Result<T, Error> {
        self.update_locking(path, Locking::Try, work)
    }

    /// The same, where it is said what to do about the lock.
    ///
    /// # Errors
    /// As [`OpenFiles::update`].
    pub fn update_locking<T>(
        &mut self,
        path: &Path,
        locking: Locking,
        work: impl FnOnce(&mut RrdFile) -> T,
    ) -> Result<T, Error> {
        if self.limit == 0 {
            let mut file = RrdFile::open_by(path, Access::Update, locking, self.io)?;
            let done = work(&mut file);
            // Closing would give the lock back, too, but not while a process that was forked
            // meanwhile has the descriptor.
            return file.commit().and_then(|()| file.release()).map(|()| done);
        }
        let file = self.locked(path, locking)?;
        let done = work(file);
        let ended = file.commit().and_then(|()| file.release());
        if ended.is_err() {
            self.files.remove(path.as_os_str()); // closing gives the lock back
        }
        ended.map(|()| done)
    }

    /// Opens or reuses a file and lets `work` have it under its lock; what `work` writes is its own
    /// affair.
    ///
    /// # Errors
    /// As [`RrdFile::open`]; what `work` returns comes inside.
    pub fn hold<T>(
        &mut self,
        path: &Path,
        work: impl FnOnce(&mut RrdFile) -> T,
    ) -> Result<T, Error> {
        let file = self.locked(path, Locking::Try)?;
        let done = work(file);
        let released = file.release();
        if released.is_err() || self.limit == 0 {
            self.files.remove(path.as_os_str()); // closing gives the lock back
        }
        released.map(|()| done)
    }

    fn locked(&mut self, path: &Path, locking: Locking) -> Result<&mut RrdFile, Error> {
        if self.still_leads_there(path, locking)? {
            let (_, file) = self.files.get_mut(path.as_os_str()).expect("it was just looked up");
            return Ok(file);
        }
        self.files.remove(path.as_os_str());
        if self.files.len() >= self.limit {
            // Any one will do: with more files than the limit, one taken at random loses least.
            let victim = self.files.keys().next().cloned();
            victim.and_then(|victim| self.files.remove(&victim));
        }
        let file = RrdFile::open_by(path, Access::Update, locking, self.io)?;
        let identity = file.identity()?;
        let (_, file) = self.files.entry(path.into()).insert_entry((identity, file)).into_mut();
        Ok(file)
    }

    /// Whether an open file is still the one its name leads to; it is then locked and fresh.
    fn still_leads_there(&mut self, path: &Path, locking: Locking) -> Result<bool, Error> {
        let Some((identity, file)) = self.files.get_mut(path.as_os_str()) else { return Ok(false) };
        match File::identity_of(path) {
            Ok((found, file_bytes)) if found == *identity => {
                match file.reacquire(file_bytes, locking) {
                    Ok(()) => Ok(true),
                    Err(error) => {
                        self.files.remove(path.as_os_str());
                        Err(error)
                    }
                }
            }
            _ => Ok(false),
        }
    }
}
