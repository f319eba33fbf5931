//! A directory of `.rrd` files as a store.

use std::path::{Component, Path, PathBuf};

use rrd::fetch::Query;
use rrd::{Definition, LiveState, Sample, Series, Snapshot, Timestamp};

use crate::{Access, Append, Error, Existing, RrdFile, Store, create, restore};

/// A directory of `.rrd` files; a name is a file's path relative to it.
#[derive(Clone, Debug)]
pub struct DirectoryStore {
    root: PathBuf,
}

impl DirectoryStore {
    /// The store in an existing directory.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.into() }
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

    fn append_one(&self, name: &str, samples: &[Sample<'_>]) -> Result<(), Error> {
        let mut file = self.open(name, Access::Update)?;
        let appended = samples.iter().try_for_each(|sample| file.append(sample));
        // What came before a refused sample is taken all the same.
        file.commit()?;
        appended
    }
}

impl Store for DirectoryStore {
    fn create(&self, name: &str, definition: &Definition, start: Timestamp) -> Result<(), Error> {
        let path = self.path(name)?;
        disk::create_parents(&path).map_err(Error::io("creating", &path))?;
        create(&path, definition, start, Existing::Keep)
    }

    fn append(&self, batch: &[Append<'_>]) -> Vec<(usize, Error)> {
        let appended = batch.iter().map(|each| self.append_one(each.name, each.samples));
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
