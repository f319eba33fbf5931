//! A database by its path: an `.rrd` file, or a name in a ring store.
//!
//! A path that leads to no file, below a directory that is a ring store, is a name in that store. Every
//! verb finds its database here, so that what works on files works on both.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rrd::fetch::Query;
use rrd::{Definition, FinalRows, LiveState, Sample, Series, Snapshot, Timestamp, Workspace};
use rrdfile::Header;
use rrdfile::layout::RowIndex;
use store::ring::Sync;
use store::{Access, Append, Error, OpenFiles, RingOptions, RingStore, RrdFile, Store};

use super::session::{Failure, words_of};

/// Files kept open between commands of the pipe mode.
const OPEN_FILES_MAX: usize = 512;

/// The databases of one process: files open for updates, and ring stores.
pub(crate) struct Databases {
    files: OpenFiles,
    /// By the store's real path: the pipe mode may change the directory.
    stores: HashMap<PathBuf, RingStore>,
}

impl Databases {
    pub(crate) fn new() -> Self {
        Self { files: OpenFiles::new(OPEN_FILES_MAX), stores: HashMap::new() }
    }

    /// Definition and live state.
    pub(crate) fn describe(&mut self, path: &str) -> Result<(Definition, LiveState), Failure> {
        let of_header = |header: &Header| (header.definition.clone(), header.live.clone());
        let from_file = |file: RrdFile| Ok(of_header(file.header()));
        self.read(path, from_file, |ring| ring.store.describe(&ring.name))
    }

    /// Everything of a database's file but its rows.
    pub(crate) fn header(&mut self, path: &str) -> Result<Header, Failure> {
        self.read(path, |file| Ok(file.header().clone()), |ring| ring.header())
    }

    /// The rows that answer a query.
    pub(crate) fn fetch(&mut self, path: &str, query: &Query) -> Result<Series, Failure> {
        self.read(path, |file| file.fetch(query), |ring| ring.store.fetch(&ring.name, query))
    }

    /// A whole database, and its file's header.
    pub(crate) fn snapshot(&mut self, path: &str) -> Result<(Header, Snapshot), Failure> {
        let from_file = |file: RrdFile| Ok((file.header().clone(), file.snapshot()?));
        self.read(path, from_file, |ring| ring.whole())
    }

    /// Lets `work` take samples into a database.
    pub(crate) fn update<T>(
        &mut self,
        path: &str,
        mut work: impl FnMut(&mut Updated<'_>) -> T,
    ) -> Result<T, Failure> {
        match self.files.update(Path::new(path), |file| work(&mut Updated::File(file))) {
            Err(error) if is_missing(&error) => match self.in_ring(path)? {
                Some(ring) => {
                    let described = ring.store.describe(&ring.name);
                    let (definition, live) =
                        described.map_err(|error| words_of(&ring.at_path(error)))?;
                    let workspace = Workspace::default();
                    let update = RingUpdate { ring, definition, live, workspace };
                    Ok(work(&mut Updated::Ring(Box::new(update))))
                }
                None => Err(words_of(&error)),
            },
            updated => updated.map_err(|error| words_of(&error)),
        }
    }

    /// The place in a ring store that a path leads to, if it leads to no file and there is one.
    pub(crate) fn in_ring(&mut self, path: &str) -> Result<Option<InRing<'_>>, Failure> {
        let path = Path::new(path);
        if path.symlink_metadata().is_ok() {
            return Ok(None);
        }
        let here = |ancestor: &Path| match ancestor.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => ancestor.to_path_buf(),
        };
        let mut above = path.ancestors().skip(1);
        let Some(root) = above.find(|ancestor| RingStore::is_at(&here(ancestor))) else {
            return Ok(None);
        };
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        let store = self.store(&here(root))?;
        Ok(Some(InRing { store, name, path: path.into() }))
    }

    /// A ring store, which stays open.
    pub(crate) fn store(&mut self, root: &Path) -> Result<&RingStore, Failure> {
        let real = root.canonicalize().unwrap_or_else(|_| root.into());
        if !self.stores.contains_key(&real) {
            // What is written is acknowledged when the output is.
            let options = RingOptions { sync: Sync::Deferred, ..RingOptions::default() };
            let store = RingStore::open(root, options).map_err(|error| words_of_store(&error))?;
            self.stores.insert(real.clone(), store);
        }
        Ok(&self.stores[&real])
    }

    /// Waits until everything that ring stores were given is on disk. To be called before anybody
    /// is told that it was taken.
    pub(crate) fn sync(&self) -> Result<(), Failure> {
        let synced = self.stores.values().try_for_each(|store| store.engine().sync());
        synced.map_err(|error| words_of(&error))
    }

    /// Gives all ring stores back.
    pub(crate) fn leave(&mut self) -> Result<(), Failure> {
        let left = self.stores.drain().map(|(_, store)| store.leave());
        // Each is left, whatever became of the one before.
        let left: Vec<Result<(), Error>> = left.collect();
        left.into_iter().collect::<Result<(), Error>>().map_err(|error| words_of(&error))
    }

    fn read<T>(
        &mut self,
        path: &str,
        from_file: impl FnOnce(RrdFile) -> Result<T, Error>,
        from_ring: impl FnOnce(&InRing<'_>) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        match RrdFile::open(Path::new(path), Access::Read) {
            Err(error) if is_missing(&error) => match self.in_ring(path)? {
                Some(ring) => from_ring(&ring).map_err(|error| words_of(&ring.at_path(error))),
                None => Err(words_of(&error)),
            },
            opened => opened.and_then(from_file).map_err(|error| words_of(&error)),
        }
    }
}

/// What is said of a ring store that cannot be opened.
pub(crate) fn words_of_store(error: &Error) -> Failure {
    match error {
        Error::Locked(root) => format!(
            "{}: this ring store is open in another process; while `gyre run` keeps it, ask its web \
             pages, or end it first",
            root.display()
        ),
        other => other.to_string(),
    }
}

fn is_missing(error: &Error) -> bool {
    matches!(error, Error::Io { source, .. } if source.kind() == ErrorKind::NotFound)
}

/// A place in a ring store; there may be no database yet.
pub(crate) struct InRing<'a> {
    pub(crate) store: &'a RingStore,
    /// Its name in the store.
    pub(crate) name: String,
    /// As it was called.
    path: PathBuf,
}

impl InRing<'_> {
    /// Whether there is a database.
    pub(crate) fn exists(&self) -> Result<bool, Failure> {
        match self.store.describe(&self.name) {
            Ok(_) => Ok(true),
            Err(error) if is_missing(&error) => Ok(false),
            Err(error) => Err(words_of(&error)),
        }
    }

    /// The file that the database would be, taken apart: what an imported file had of its own, row
    /// pointers and all, is in it.
    fn whole(&self) -> Result<(Header, Snapshot), Error> {
        let mut found = Err(Error::Io {
            action: "opening",
            path: self.path.clone(),
            source: ErrorKind::NotFound.into(),
        });
        let engine = self.store.engine();
        for party in engine.parties_of(std::slice::from_ref(&self.name))? {
            engine.leave(&party, |_, left| found = left.and_then(|left| left.file_bytes()))?;
        }
        let path = self.path.clone();
        rrdfile::decode(&found?).map_err(|source| Error::Format { path, source })
    }

    /// What the file of the database would have before its rows.
    fn header(&self) -> Result<Header, Error> {
        match self.whole() {
            Ok((header, _)) => Ok(header),
            Err(Error::Damaged { .. }) => self.header_alone(),
            Err(error) => Err(error),
        }
    }

    /// The same where rows are damaged: row pointers then follow from time.
    fn header_alone(&self) -> Result<Header, Error> {
        let (definition, live) = self.store.describe(&self.name)?;
        let newest_rows = definition.archives.iter().map(|archive| {
            let row_seconds = archive.row_seconds(definition.step_seconds) as i64;
            let newest_row = live.last_update.seconds.div_euclid(row_seconds.max(1));
            RowIndex(newest_row.rem_euclid(archive.rows.max(1) as i64) as u64)
        });
        let newest_rows = newest_rows.collect();
        let header = Header::new(definition, live, newest_rows);
        header.ok_or_else(|| Error::TooLarge(self.path.clone()))
    }

    /// An error that calls the database as its caller did.
    pub(crate) fn at_path(&self, error: Error) -> Error {
        let named = |path: &Path| path == Path::new(&self.name);
        let path = self.path.clone();
        match error {
            Error::Io { action, path: name, source } if named(&name) => {
                Error::Io { action, path, source }
            }
            Error::Update { path: name, source } if named(&name) => Error::Update { path, source },
            Error::Fetch { path: name, source } if named(&name) => Error::Fetch { path, source },
            Error::Exists(name) if named(&name) => Error::Exists(path),
            Error::TooLarge(name) if named(&name) => Error::TooLarge(path),
            other => other,
        }
    }
}

/// A database that samples go into.
pub(crate) enum Updated<'a> {
    File(&'a mut RrdFile),
    Ring(Box<RingUpdate<'a>>),
}

impl Updated<'_> {
    pub(crate) fn definition(&self) -> &Definition {
        match self {
            Self::File(file) => &file.header().definition,
            Self::Ring(update) => &update.definition,
        }
    }

    pub(crate) fn last_update(&self) -> Timestamp {
        match self {
            Self::File(file) => file.header().live.last_update,
            Self::Ring(update) => update.live.last_update,
        }
    }

    pub(crate) fn append(&mut self, sample: &Sample<'_>) -> Result<(), Error> {
        match self {
            Self::File(file) => file.append(sample),
            Self::Ring(update) => update.append(sample),
        }
    }

    /// The rows that the last sample made final.
    pub(crate) fn final_rows(&self) -> Vec<FinalRows<'_>> {
        match self {
            Self::File(file) => file.final_rows().collect(),
            Self::Ring(update) => update.workspace.final_rows().collect(),
        }
    }
}

/// A database of a ring store that samples go into.
pub(crate) struct RingUpdate<'a> {
    ring: InRing<'a>,
    definition: Definition,
    live: LiveState,
    workspace: Workspace,
}

impl RingUpdate<'_> {
    fn append(&mut self, sample: &Sample<'_>) -> Result<(), Error> {
        let Self { ring, definition, live, workspace } = self;
        let samples = std::slice::from_ref(sample);
        let taken = ring.store.append(&[Append { name: &ring.name, samples }]).pop();
        if let Some((_, error)) = taken {
            return Err(ring.at_path(error));
        }
        // The store does not tell which rows became final: the same arithmetic does, once more.
        let path = ring.path.clone();
        rrd::update(definition, live, sample, workspace)
            .map_err(|source| Error::Update { path, source })
    }
}
