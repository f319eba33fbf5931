//! Making the catalogue, opening it, leaving it.

use std::io;

use disk::{Medium, MediumFile};
use redb::{Builder, Database, ReadableDatabase, TableError};

use super::backend::Backend;
use super::entry::Meta;
use super::error::Failure;
use super::guard::Guard;
use super::tables::{META, Tables, check_format, meta};
use super::{CatalogueError, FILE, FILE_IN_MAKING};

/// redb's cache. Names and definitions are read once, at opening; later it serves a lookup now and
/// then, and a commit of a few thousand changes. The page cache stands behind it.
const CACHE_BYTES: usize = 16 << 20;
const PAGE_BYTES: u64 = 4096;
/// How every file of redb begins.
const MAGIC: &[u8; 9] = b"redb\x1a\x0a\xa9\x0d\x0a";
/// What is read at once before opening.
const READ_BYTES: usize = 1 << 20;

/// The catalogue, open. It is to be used by one process at a time, which is the caller's to see to.
#[derive(Debug)]
pub struct Catalogue {
    /// There until the catalogue is dropped.
    pub(super) database: Option<Database>,
    pub(super) guard: Guard,
    meta: Meta,
}

impl Catalogue {
    /// Makes the catalogue of a new store. It appears whole or not at all.
    ///
    /// # Errors
    /// [`CatalogueError::Exists`] where there is one, and [`CatalogueError::Io`].
    pub fn create<M>(medium: &M, meta: &Meta) -> Result<Self, CatalogueError>
    where
        M: Medium<File: 'static>,
    {
        let io = |action| move |source| CatalogueError::Io { action, source };
        let names = medium.list().map_err(io("listing"))?;
        if names.iter().any(|name| name == FILE) {
            return Err(CatalogueError::Exists);
        }
        if names.iter().any(|name| name == FILE_IN_MAKING) {
            // Its making was interrupted.
            medium.remove(FILE_IN_MAKING).map_err(io("removing"))?;
        }
        let file = medium.create(FILE_IN_MAKING).map_err(io("creating"))?;
        Guard::default().run("creating", |_| write_new(file, meta))?;
        medium.rename(FILE_IN_MAKING, FILE).map_err(io("naming"))?;
        medium.sync_directory().map_err(io("syncing the directory"))?;
        Self::open(medium)
    }

    /// Opens the catalogue of a store and checks all of it. What a power cut interrupted is as if
    /// it had not begun.
    ///
    /// # Errors
    /// [`CatalogueError::NotAStore`], [`CatalogueError::Version`], [`CatalogueError::Damaged`] and
    /// [`CatalogueError::Io`].
    pub fn open<M>(medium: &M) -> Result<Self, CatalogueError>
    where
        M: Medium<File: 'static>,
    {
        let file = medium.open(FILE).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => not_a_store("a file of that name", "none".into()),
            _ => CatalogueError::Io { action: "opening", source },
        })?;
        prepare(&file)?;
        let guard = Guard::default();
        let (database, meta) = guard.run("opening", |_| open_database(file))?;
        Ok(Self { database: Some(database), guard, meta })
    }

    /// What was chosen when the store was made.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Leaves the file in order, so that it opens without repair.
    ///
    /// # Errors
    /// [`CatalogueError::Io`], and what failed before. What was committed is safe.
    pub fn close(mut self) -> Result<(), CatalogueError> {
        let database = self.database.take().expect("only this and drop take it");
        self.guard.run_always("closing", |_| Ok(database.close()?))
    }

    pub(super) fn database(&self) -> &Database {
        self.database.as_ref().expect("it is there until the catalogue is dropped")
    }
}

impl Drop for Catalogue {
    fn drop(&mut self) {
        if let Some(database) = self.database.take() {
            // After a panic its locks are poisoned, and it would panic again.
            let dropped = self.guard.run_always("closing", |_| Ok(drop(database)));
            drop(dropped); // what was committed is safe, and opening repairs the rest
        }
    }
}

fn write_new<F: MediumFile + 'static>(file: F, meta: &Meta) -> Result<(), Failure> {
    let database = Builder::new().create_with_backend(Backend(file))?;
    let mut transaction = database.begin_write()?;
    transaction.set_two_phase_commit(true);
    Tables::open(&transaction)?.put_meta(meta)?;
    transaction.commit()?;
    Ok(database.close()?)
}

/// Looks at what the file is, and reads it from end to end, so that redb, which follows its tree
/// from page to page, finds it in the page cache: a disk is read in order, not at random.
fn prepare<F: MediumFile>(file: &F) -> Result<(), CatalogueError> {
    let io = |action| move |source| CatalogueError::Io { action, source };
    let mut magic = [0; MAGIC.len()];
    let length = file.read_at(&mut magic, 0).map_err(io("reading"))?;
    if magic[..length] != MAGIC[..] {
        let found = format!("{:02x?}", &magic[..length]);
        return Err(not_a_store("a file of redb", found));
    }
    let bytes = file.len_bytes().map_err(io("measuring"))?;
    if !bytes.is_multiple_of(PAGE_BYTES) {
        // Growth that a power cut interrupted: nothing is stored there yet, and redb takes the
        // layout of the file from its size.
        file.truncate(bytes.next_multiple_of(PAGE_BYTES)).map_err(io("resizing"))?;
    }
    let mut buffer = vec![0; READ_BYTES];
    let mut offset_bytes = 0;
    while offset_bytes < bytes {
        match file.read_at(&mut buffer, offset_bytes).map_err(io("reading"))? {
            0 => break,
            read => offset_bytes += read as u64,
        }
    }
    Ok(())
}

fn open_database<F: MediumFile + 'static>(file: F) -> Result<(Database, Meta), Failure> {
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE_BYTES).set_check_integrity_on_open(true);
    let database = builder.create_with_backend(Backend(file))?;
    let transaction = database.begin_read()?;
    let numbers = transaction.open_table(META).map_err(|error| match error {
        TableError::Storage(_) => error.into(),
        _ => Failure::Own(not_a_store("gyre's tables", error.to_string())),
    })?;
    check_format(&numbers)?;
    let meta = meta(&numbers)?;
    drop((numbers, transaction));
    Ok((database, meta))
}

fn not_a_store(expected: &'static str, found: String) -> CatalogueError {
    CatalogueError::NotAStore { expected, found }
}
