//! The files of groups: opened, made, removed.

use std::path::Path;
use std::sync::Arc;

use disk::{Medium, MediumFile};
use store::Error;

use super::FileKind;

/// The files of groups.
pub(super) struct GroupFiles<M> {
    medium: Arc<M>,
    /// Whether tiles take their disk space as they are written.
    pub(super) sparse: bool,
}

impl<M: Medium<File: 'static>> GroupFiles<M> {
    pub(super) fn new(medium: Arc<M>, sparse: bool) -> Self {
        Self { medium, sparse }
    }

    /// Where the files are.
    pub(super) fn medium(&self) -> &M {
        &self.medium
    }

    pub(super) fn open(&self, kind: FileKind, group: u32) -> Result<M::File, Error> {
        let name = kind.name(group);
        let file = self.medium.open(&name).map_err(Error::io("opening", Path::new(&name)))?;
        if kind == FileKind::Tiles {
            // A read takes the tiles of one column; those beside them are of other databases.
            file.advise_random().map_err(Error::io("advising", Path::new(&name)))?;
        }
        Ok(file)
    }

    /// An empty file, whatever an earlier attempt left under its name.
    pub(super) fn fresh_file(&self, kind: FileKind, group: u32) -> Result<M::File, Error> {
        let name = kind.name(group);
        let file = match self.medium.create(&name) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                self.medium.remove(&name).and_then(|()| self.medium.create(&name))
            }
            created => created,
        };
        file.map_err(Error::io("creating", Path::new(&name)))
    }

    /// All of a file.
    pub(super) fn read_whole(&self, name: &str) -> Result<Vec<u8>, Error> {
        let file = self.medium.open(name).map_err(Error::io("opening", Path::new(name)))?;
        let io = || Error::io("reading", Path::new(name));
        let mut bytes = vec![0; file.len_bytes().map_err(io())? as usize];
        let read = file.read_at(&mut bytes, 0).map_err(io())?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// The names of all files of the store.
    pub(super) fn list(&self) -> Result<Vec<String>, Error> {
        self.medium.list().map_err(Error::io("listing", Path::new(".")))
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), Error> {
        self.medium.remove(name).map_err(Error::io("removing", Path::new(name)))
    }

    pub(super) fn sync_directory(&self) -> Result<(), Error> {
        self.medium.sync_directory().map_err(Error::io("syncing", Path::new(".")))
    }
}
