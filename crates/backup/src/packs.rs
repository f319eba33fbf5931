//! Reads packs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use disk::{Advice, File, Mode};

use crate::Error;
use crate::entry::TableRef;
use crate::pack::{self, HEADER_BYTES, is_header, name_of};
use crate::table::{Place, Table, hash_of};
use crate::uncached;

/// The packs of a backup; each is opened when it is first needed.
#[derive(Debug)]
pub(crate) struct Packs {
    root: PathBuf,
    open: Mutex<BTreeMap<u32, Arc<File>>>,
}

impl Packs {
    pub(crate) fn of(root: &Path) -> Self {
        Self { root: root.to_path_buf(), open: Mutex::default() }
    }

    pub(crate) fn path(&self, number: u32) -> PathBuf {
        self.root.join(name_of(number))
    }

    fn file(&self, number: u32) -> Result<Arc<File>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.get(&number) {
            return Ok(Arc::clone(file));
        }
        let path = self.path(number);
        let file = File::open(&path, Mode::Read).map_err(Error::io("opening", &path))?;
        let mut head = [0; HEADER_BYTES];
        let read = file.read_at(&mut head, 0).map_err(Error::io("reading", &path))?;
        pack::check(&path, &head)?;
        if read < head.len() || !is_header(&head, number) {
            return Err(Error::damaged(&path, 0, "the head of a pack of this number"));
        }
        // Each read asks for exactly the bytes that it needs, so readahead is off.
        let _ = file.advise(Advice::Random, 0, 0);
        let file = Arc::new(file);
        open.insert(number, Arc::clone(&file));
        Ok(file)
    }

    /// Fills a buffer from a place.
    pub(crate) fn read(&self, place: Place, buffer: &mut [u8]) -> Result<(), Error> {
        let (file, path) = (self.file(place.pack)?, self.path(place.pack));
        let read = uncached::read(&file, buffer, place.offset_bytes);
        match read.map_err(Error::io("reading", &path))? {
            read if read == buffer.len() => Ok(()),
            read => {
                let end_bytes = place.offset_bytes + read as u64;
                Err(Error::damaged(&path, end_bytes, "more of a pack, which ends there"))
            }
        }
    }

    /// The table of an entry.
    pub(crate) fn table(&self, wanted: &TableRef) -> Result<Table, Error> {
        let place = Place { pack: wanted.pack, offset_bytes: wanted.offset_bytes };
        let mut bytes = vec![0; wanted.bytes as usize];
        self.read(place, &mut bytes)?;
        let sound = hash_of(&bytes) == wanted.hash;
        let table = Table::decode(&bytes).filter(|_| sound);
        let path = || self.path(wanted.pack);
        table.ok_or_else(|| Error::damaged(&path(), wanted.offset_bytes, "the table of a file"))
    }
}
