//! A directory of `.rrd` files as a store.

use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rrd::fetch::Query;
use rrd::{Definition, LiveState, Sample, Series, Snapshot, Timestamp};

use crate::{Access, Append, Error, Existing, OpenFiles, RrdFile, Store, create, restore};

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

    fn append_one(
        &self,
        open_files: &mut OpenFiles,
        name: &str,
        samples: &[Sample<'_>],
    ) -> Result<(), Error> {
        // What came before a refused sample is taken all the same.
        open_files.update(&self.path(name)?, |file| {
            samples.iter().try_for_each(|sample| file.append(sample))
        })?
    }
}

impl Store for DirectoryStore {
    fn create(&self, name: &str, definition: &Definition, start: Timestamp) -> Result<(), Error> {
        let path = self.path(name)?;
        disk::create_parents(&path).map_err(Error::io("creating", &path))?;
        create(&path, definition, start, Existing::Keep)
    }

    fn append(&self, batch: &[Append<'_>]) -> Vec<(usize, Error)> {
        // A panic elsewhere leaves at worst files open: each is read anew before its next update.
        let mut open_files = self.open_files.lock().unwrap_or_else(PoisonError::into_inner);
        let appended =
            batch.iter().map(|each| self.append_one(&mut open_files, each.name, each.samples));
        appended.enumerate().filter_map(|(nth, result)| Some((nth, result.err()?))).collect()
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
