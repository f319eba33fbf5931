//! Making the catalogue, opening it, leaving it.

use std::io;

use disk::{Medium, MediumFile};
use redb::{Builder, Database, ReadableDatabase, TableError};

use super::backend::Backend;
use super::entry::Meta;
use super::error::Failure;
use super::guard::Guard;
use super::part::Part;
use super::tables::{META, Tables, check_format, meta};
use super::{CatalogueError, FILE, FILE_IN_MAKING};

/// redb's cache. Names and definitions are read once, at opening; later it serves a lookup now and
/// then, and a commit of a few thousand changes. The page cache stands behind it.
const CACHE_BYTES: usize = 16 << 20;
/// How every file of redb begins.
const MAGIC: &[u8; 9] = b"redb\x1a\x0a\xa9\x0d\x0a";

/// The catalogue, open. It is to be used by one process at a time, which is the caller's to see to.
#[derive(Debug)]
pub struct Catalogue {
    /// There until the catalogue is dropped.
    pub(super) held: Option<Held>,
    pub(super) guard: Guard,
    meta: Meta,
}

/// How the catalogue's file is open.
#[derive(Debug)]
pub(super) enum Held {
    /// All of it was checked, and it can be changed.
    Whole(Database),
    /// Keys are looked up one by one; nothing can be changed.
    InPart(Box<Part>),
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
        Self::open_telling(medium, || ())
    }

    /// The same. `was_read` is called once all of the file was read and lies in the page cache,
    /// before redb checks it.
    ///
    /// # Errors
    /// As [`Catalogue::open`].
    pub fn open_telling<M>(medium: &M, was_read: impl FnOnce()) -> Result<Self, CatalogueError>
    where
        M: Medium<File: 'static>,
    {
        let file = file_of(medium)?;
        // The process that made it may have ended before its name was on disk: no commit counts
        // before.
        let synced = medium.sync_directory();
        synced.map_err(|source| CatalogueError::Io { action: "syncing the directory", source })?;
        let guard = Guard::default();
        let (database, meta) =
            guard.run("opening", |callers| open_database(file, || callers.run(was_read)))?;
        Ok(Self { held: Some(Held::Whole(database)), guard, meta })
    }

    /// Opens the catalogue of a store to look a few things up. What is read of it is checked, and
    /// no more is read than what is asked for; nothing is written. What concerns all of it, a list
    /// of names or a commit, is refused with [`CatalogueError::Unusable`].
    ///
    /// # Errors
    /// As [`Catalogue::open`], and [`CatalogueError::Damaged`] also where that would mend it.
    pub fn open_in_part<M>(medium: &M) -> Result<Self, CatalogueError>
    where
        M: Medium<File: 'static>,
    {
        let file = file_of(medium)?;
        let guard = Guard::default();
        let part = guard.run("opening", |_| Part::open(Box::new(file)))?;
        let meta = guard.run("opening", |_| part.meta())?;
        Ok(Self { held: Some(Held::InPart(Box::new(part))), guard, meta })
    }

    /// Has all that was committed reach the disk: a process that opened it to look a few things up
    /// may see what a process that was killed has not synced.
    ///
    /// # Errors
    /// [`CatalogueError::Io`].
    pub fn make_durable(&self) -> Result<(), CatalogueError> {
        match self.held() {
            Held::Whole(_) => Ok(()),
            Held::InPart(part) => self.guard.run("syncing", |_| part.make_durable()),
        }
    }

    /// Whether it was opened to look a few things up.
    #[must_use]
    pub fn is_in_part(&self) -> bool {
        matches!(self.held, Some(Held::InPart(_)))
    }

    /// Whether two looks at the file, each to look a few things up, lead to the same definitions,
    /// groups and RRDs.
    pub(crate) fn has_what(&self, other: &Self) -> bool {
        match (self.held(), other.held()) {
            (Held::InPart(part), Held::InPart(other)) => part.has_what(other),
            _ => false,
        }
    }

    /// What was chosen when the store was made.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Reads all of the file again and checks it.
    ///
    /// # Errors
    /// [`CatalogueError::Damaged`], after which it must be opened again, and
    /// [`CatalogueError::Io`].
    pub fn check(&mut self) -> Result<(), CatalogueError> {
        let Self { held, guard, .. } = self;
        let Some(Held::Whole(database)) = held else {
            return Err(CatalogueError::Unusable { action: "checking" });
        };
        guard.run("checking", |_| match database.check_integrity()? {
            true => Ok(()),
            false => Err(Failure::Value("it had to be repaired".into())),
        })
    }

    /// Leaves the file in order, so that it opens without repair.
    ///
    /// # Errors
    /// [`CatalogueError::Io`], and what failed before. What was committed is safe.
    pub fn close(mut self) -> Result<(), CatalogueError> {
        let Some(Held::Whole(database)) = self.held.take() else { return Ok(()) };
        self.guard.run("closing", |_| Ok(database.close()?))
    }

    pub(super) fn held(&self) -> &Held {
        self.held.as_ref().expect("it is there until the catalogue is dropped")
    }
}

impl Drop for Catalogue {
    fn drop(&mut self) {
        let Some(Held::Whole(database)) = self.held.take() else { return };
        if self.guard.is_broken() {
            // Its locks are poisoned: its destructors would panic one within the other, which ends
            // the process. What is lost is some memory and a descriptor.
            return std::mem::forget(database);
        }
        // What was committed is safe, and opening repairs the rest.
        let _ = self.guard.run("closing", |_| {
            drop(database);
            Ok(())
        });
    }
}

fn write_new<F: MediumFile + 'static>(file: F, meta: &Meta) -> Result<(), Failure> {
    let database = Builder::new().create_with_backend(Backend::new(file))?;
    let mut transaction = database.begin_write()?;
    transaction.set_two_phase_commit(true);
    Tables::open(&transaction)?.put_meta(meta)?;
    transaction.commit()?;
    Ok(database.close()?)
}

/// The file of the catalogue, which is one of redb's.
fn file_of<M: Medium>(medium: &M) -> Result<M::File, CatalogueError> {
    let file = medium.open(FILE).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => not_a_store("a file of that name", "none".into()),
        _ => CatalogueError::Io { action: "opening", source },
    })?;
    check_magic(&file)?;
    Ok(file)
}

/// Looks at what the file is before redb does, which would take zeros for a file to begin.
fn check_magic<F: MediumFile>(file: &F) -> Result<(), CatalogueError> {
    let mut magic = [0; MAGIC.len()];
    let read = file.read_at(&mut magic, 0);
    let length = read.map_err(|source| CatalogueError::Io { action: "reading", source })?;
    if magic[..length] == MAGIC[..] {
        return Ok(());
    }
    Err(not_a_store("a file of redb", format!("{:02x?}", &magic[..length])))
}

fn open_database<F: MediumFile + 'static>(
    file: F,
    was_read: impl FnOnce(),
) -> Result<(Database, Meta), Failure> {
    let backend = Backend::read_whole(file).map_err(redb::StorageError::Io)?;
    was_read();
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE_BYTES).set_check_integrity_on_open(true);
    let database = builder.create_with_backend(backend)?;
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
