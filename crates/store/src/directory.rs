//! A directory of `.rrd` files as a store.

use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rrd::fetch::Query;
use rrd::{Definition, LiveState, Series, Snapshot, Timestamp};

use crate::{
    Access, Error, Existing, OpenFiles, Refused, RrdFile, Store, Update, Watch, create, restore,
};

/// Files kept open between updates where the program does not say how many: far below the usual limit
/// of descriptors (1,024), which the program has not raised.
const UNTOLD_OPEN_FILES: usize = 512;

/// A directory of `.rrd` files; a name is a file's path relative to it.
#[derive(Debug)]
pub struct DirectoryStore {
    root: PathBuf,
    open_files: Mutex<OpenFiles>,
}

impl DirectoryStore {
    /// The store in an existing directory.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self::keeping_open(root, UNTOLD_OPEN_FILES)
    }

    /// The same, which keeps at most so many files open between updates.
    #[must_use]
    pub fn keeping_open(root: &Path, files_max: usize) -> Self {
        Self { root: root.into(), open_files: Mutex::new(OpenFiles::new(files_max)) }
    }

    /// The file of a name.
    ///
    /// # Errors
    /// [`Error::Name`] if it would lie outside of the directory.
    pub fn path(&self, name: &str) -> Result<PathBuf, Error> {
        let relative = Path::new(name);
        let inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
        if inside && !name.is_empty() {
            Ok(self.root.join(relative))
        } else {
            Err(Error::Name(name.into()))
        }
    }

    fn open(&self, name: &str, access: Access) -> Result<RrdFile, Error> {
        RrdFile::open(&self.path(name)?, access)
    }

    fn update_one(
        &self,
        open_files: &mut OpenFiles,
        update: &Update<'_>,
        watch: Option<&mut Watch<'_>>,
    ) -> Result<(), Refused> {
        let path = self.path(&update.name.to_string_lossy()).map_err(Refused::first)?;
        let samples = update.samples;
        let locking = samples.locking();
        let taken = open_files.update_locking(&path, locking, |file| file.take(samples, watch));
        taken.map_err(Refused::first)?
    }

    fn open_files(&self) -> MutexGuard<'_, OpenFiles> {
        // A panic elsewhere leaves at worst files open: each is read anew before its next update.
        self.open_files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for DirectoryStore {
    fn create(&self, name: &str, definition: &Definition, start: Timestamp) -> Result<(), Error> {
        let path = self.path(name)?;
        disk::create_parents(&path).map_err(Error::io("creating", &path))?;
        create(&path, definition, start, Existing::Keep)
    }

    fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)> {
        let mut open_files = self.open_files();
        let taken = batch.iter().map(|update| self.update_one(&mut open_files, update, None));
        taken.enumerate().filter_map(|(nth, taken)| Some((nth, taken.err()?))).collect()
    }

    fn update_watched(&self, update: &Update<'_>, watch: &mut Watch<'_>) -> Result<(), Refused> {
        self.update_one(&mut self.open_files(), update, Some(watch))
    }

    fn fetch(&self, name: &str, query: &Query) -> Result<Series, Error> {
        self.open(name, Access::Read)?.fetch(query)
    }

    fn describe(&self, name: &str) -> Result<(Definition, LiveState), Error> {
        let file = self.open(name, Access::Read)?;
        Ok((file.header().definition.clone(), file.header().live.clone()))
    }

    fn snapshot(&self, name: &str) -> Result<Snapshot, Error> {
        self.open(name, Access::Read)?.snapshot()
    }

    fn restore(&self, name: &str, snapshot: &Snapshot) -> Result<(), Error> {
        let path = self.path(name)?;
        disk::create_parents(&path).map_err(Error::io("creating", &path))?;
        restore(&path, snapshot, Existing::Replace)
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        let files =
            disk::files_below(&self.root, "rrd").map_err(Error::io("listing", &self.root))?;
        let relative = files.iter().filter_map(|path| path.strip_prefix(&self.root).ok());
        Ok(relative.map(|path| path.to_string_lossy().into_owned()).collect())
    }
}
