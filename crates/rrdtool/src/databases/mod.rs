//! A database by its path: an `.rrd` file, or a name in a ring store.
//!
//! A path that leads to no file, below a directory that is a ring store, is a name in that store.
//! Every verb finds its database here, so that what works on files works on both.

mod many;
mod elsewhere;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::Descriptors;
use files::{OPEN_FILES_MAX, RrdFiles};
use ring::RingStore;
use ring::{LookUp, Sync};
use rrd::fetch::Query;
use rrd::{Definition, LiveState, Series, Snapshot, Stretch};
use rrdfile::Header;
use store::{Arguments, Edit, Error, Inspect, Making, Samples, Store, Update, Watch};

use crate::failure::Failure;
use crate::stores::{Reader, Serve, Stores, expect_store, update_in};

pub(crate) use elsewhere::is_from_elsewhere;
pub use elsewhere::{FetchFromProgram, FetchFromSql, PartialStep, fetch_sql_by};

/// Files that a process which ends soon keeps open between updates.
const OPEN_FILES_OF_ONE_COMMAND: usize = 16;

/// The databases that one thread works on: files open for updates, and the process's ring stores.
pub struct Databases {
    files: Arc<RrdFiles>,
    stores: Stores,
    from_program: FetchFromProgram,
}

impl Databases {
    /// Databases for a process of ours that ends soon.
    #[must_use]
    pub fn new() -> Self {
        // What is written is acknowledged when the output is.
        Self::of(OPEN_FILES_OF_ONE_COMMAND, Stores::new(Sync::Deferred))
    }

    /// Databases for a process of ours that works on: it keeps as many files open between updates
    /// as the system lets it, for which its limit of descriptors is raised.
    #[must_use]
    pub fn of_long_process(serve: Option<Serve>) -> Self {
        let wanted = Descriptors { clients: 1, per_client: 1, files: OPEN_FILES_MAX };
        let files = wanted.within(disk::raise_descriptor_limit()).files;
        Self::of(files, Stores::new(Sync::Deferred).staying(serve))
    }

    /// Databases for a thread of another program's process, which may close or fork what stays
    /// open: no file does, and what a ring store was given is on disk when a call returns.
    #[must_use]
    pub fn guest(stores: &Stores) -> Self {
        Self::of(0, stores.clone())
    }

    fn of(open_files: usize, stores: Stores) -> Self {
        let files = Arc::new(RrdFiles::anywhere(open_files));
        Self { files, stores, from_program: elsewhere::nothing_registered }
    }

    /// From here on `answer` gives what is fetched under names that begin with `cb//`.
    pub fn fetch_from_program_by(&mut self, answer: FetchFromProgram) {
        self.from_program = answer;
    }

    /// Definition and live state.
    ///
    /// # Errors
    /// There is no such database, or it is damaged; as with all that follow.
    pub fn describe(&mut self, path: &str) -> Result<(Definition, LiveState), Failure> {
        let Header { definition, live, .. } = self.header(path)?;
        Ok((definition, live))
    }

    /// Everything of a database's file but its rows.
    pub fn header(&mut self, path: &str) -> Result<Header, Failure> {
        self.read(path, |store, name| store.header(name), LookUp::header)
    }

    /// What answers a query from elsewhere than a round robin database, if the name says so.
    fn fetch_from_elsewhere(
        &self,
        path: &str,
        query: &Query,
        partial_step: PartialStep,
    ) -> Option<Result<Stretch, Failure>> {
        elsewhere::fetch(self.from_program, path, query, partial_step)
    }

    /// The rows that answer a query.
    pub fn fetch(&mut self, path: &str, query: &Query) -> Result<Series, Failure> {
        if let Some(answer) = self.fetch_from_elsewhere(path, query, PartialStep::Unwanted) {
            return answer.map(Stretch::whole);
        }
        let look_up = |look_up: &LookUp, name: &str| look_up.fetch(name, query);
        self.read(path, |store, name| store.fetch(name, query), look_up)
    }

    /// The same without the rows that no archive holds, which may be any number.
    pub fn fetch_stretch(&mut self, path: &str, query: &Query) -> Result<Stretch, Failure> {
        if let Some(answer) = self.fetch_from_elsewhere(path, query, PartialStep::Unwanted) {
            return answer;
        }
        let look_up = |look_up: &LookUp, name: &str| look_up.fetch_stretch(name, query);
        self.read(path, |store, name| store.fetch_stretch(name, query), look_up)
    }

    /// A whole database, and its file's header.
    pub fn snapshot(&mut self, path: &str) -> Result<(Header, Snapshot), Failure> {
        let look_up = |look_up: &LookUp, name: &str| look_up.whole(name);
        self.read(path, |store, name| store.whole(name), look_up)
    }

    /// Takes samples into a database until one is refused. Only files are locked.
    ///
    /// # Errors
    /// There is no such database; or that a sample is refused, comes inside.
    pub fn update(
        &mut self,
        path: &str,
        arguments: &Arguments<'_>,
        mut watch: Option<&mut Watch<'_>>,
    ) -> Result<(), Error> {
        let (path, samples) = (Path::new(path), Samples::Arguments(arguments));
        let update = Update { name: path, samples };
        match update_in(&*self.files, &update, watch.as_deref_mut()) {
            Err(error) if error.is_missing() && path.symlink_metadata().is_err() => {
                let Some((root, name)) = ring_of(path) else { return Err(error) };
                let update = Update { name: &name, samples };
                let taken = self.stores.update(&root, &update, watch);
                taken.map_err(|error| error.called(&name, path))
            }
            taken => taken,
        }
    }

    /// Changes a database.
    ///
    /// # Errors
    /// As [`Store::edit`].
    pub fn edit(&mut self, path: &str, edit: &Edit<'_>) -> Result<(), Error> {
        self.on(path, |store, name| store.edit(name, edit, &|| true))
    }

    /// The store that a path leads into, and the database's name there; there may be none yet.
    ///
    /// # Errors
    /// It leads into a ring store that cannot be opened.
    pub fn place(&mut self, path: &str) -> Result<Place, Error> {
        let path = Path::new(path);
        let in_ring = self.in_ring(path)?;
        let as_file = || Place { store: self.files.clone(), name: path.into(), path: path.into() };
        Ok(in_ring.unwrap_or_else(as_file))
    }

    /// The place in a ring store that a path leads to, if it leads to no file and there is one.
    pub(crate) fn in_ring(&mut self, path: &Path) -> Result<Option<Place>, Error> {
        if path.symlink_metadata().is_ok() {
            return Ok(None);
        }
        let Some((root, name)) = ring_of(path) else { return Ok(None) };
        let store = self.stores.open(&root)?;
        Ok(Some(Place { store, name, path: path.into() }))
    }

    /// Whether a server was asked for a store.
    pub(crate) fn asks_servers(&self) -> bool {
        self.stores.asks_servers()
    }

    /// The place in a ring store that a path leads to, at a server that was asked for that store
    /// before.
    pub(crate) fn at_server(&self, path: &Path) -> Option<Place> {
        if path.symlink_metadata().is_ok() {
            return None;
        }
        let (root, name) = ring_of(path)?;
        let store = self.stores.at_server(&root)?;
        Some(Place { store, name, path: path.into() })
    }

    /// The ring store in a directory, which stays open, or is asked at the process that has it
    /// open.
    ///
    /// # Errors
    /// There is none, or it cannot be opened.
    pub fn store_at(&mut self, root: &str) -> Result<Arc<dyn Store>, Failure> {
        expect_store(Path::new(root))?;
        Ok(self.stores.open(Path::new(root))?)
    }

    /// The ring store in a directory, to be asked about itself.
    ///
    /// # Errors
    /// As [`Databases::store_at`].
    pub fn inspected(&mut self, root: &str) -> Result<Arc<dyn Inspect>, Failure> {
        expect_store(Path::new(root))?;
        Ok(self.stores.inspect(Path::new(root))?)
    }

    /// A ring store that this process has open, where no other has.
    ///
    /// # Errors
    /// There is none, or it cannot be opened.
    pub fn own_store(&mut self, root: &str) -> Result<Option<Arc<RingStore>>, Failure> {
        let root = Path::new(root);
        expect_store(root)?;
        Ok(self.stores.own(root)?)
    }

    /// See [`Stores::sync`].
    ///
    /// # Errors
    /// A disk did not take what was written.
    pub fn sync(&self) -> Result<(), Failure> {
        self.stores.sync()
    }

    /// See [`Stores::leave`].
    ///
    /// # Errors
    /// A disk did not take what was written.
    pub fn leave(&mut self) -> Result<(), Failure> {
        self.stores.leave()
    }

    /// Reads the file that a path leads to, or where there is none, a name in a ring store, which
    /// need not be opened for it.
    fn read<T>(
        &mut self,
        path: &str,
        from_store: impl Fn(&dyn Store, &Path) -> Result<T, Error>,
        from_look_up: impl Fn(&LookUp, &str) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let path = Path::new(path);
        let found = match from_store(&*self.files, path) {
            Err(error) if error.is_missing() && path.symlink_metadata().is_err() => {
                match ring_of(path) {
                    None => Err(error),
                    Some((root, name)) => self.stores.reader(&root).and_then(|reader| {
                        let read = match (&reader, name.to_str()) {
                            (Reader::Store(store), _) => from_store(&**store, &name),
                            (Reader::LookUp(look_up), Some(name)) => from_look_up(look_up, name),
                            (Reader::LookUp(_), None) => Err(error),
                        };
                        read.map_err(|error| error.called(&name, path))
                    }),
                }
            }
            found => found,
        };
        Ok(found?)
    }

    /// Works on the file that a path leads to, or where there is none, on the name in a ring store.
    fn on<T>(
        &mut self,
        path: &str,
        mut work: impl FnMut(&dyn Store, &Path) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let path = Path::new(path);
        match work(&*self.files, path) {
            Err(error) if error.is_missing() => match self.in_ring(path)? {
                Some(place) => place.on(work),
                None => Err(error),
            },
            done => done,
        }
    }
}

/// The ring store that a path leads into, and the name there.
fn ring_of(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let here = |ancestor: &Path| match ancestor.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => ancestor.to_path_buf(),
    };
    let mut above = path.ancestors().skip(1);
    let root = above.find(|ancestor| RingStore::is_at(&here(ancestor)))?;
    let name = path.strip_prefix(root).unwrap_or(path).to_path_buf();
    Some((here(root), name))
}

impl Default for Databases {
    fn default() -> Self {
        Self::new()
    }
}

/// A name in a store; there may be no database yet.
pub struct Place {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Its name in the store.
    pub name: PathBuf,
    /// As it was called.
    pub(crate) path: PathBuf,
}

impl Place {
    /// Whether there is a database, be it a damaged one that does not answer.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.store.has(&self.name)
    }

    /// Makes a database.
    ///
    /// # Errors
    /// As [`Store::make`].
    pub fn make(&self, making: &Making<'_>) -> Result<(), Error> {
        self.on(|store, _| {
            let failed = store.make(&[*making], &|| true).pop();
            failed.map_or(Ok(()), |(_, error)| Err(error))
        })
    }

    /// Changes the database.
    ///
    /// # Errors
    /// As [`Store::edit`].
    pub fn edit(&self, edit: &Edit<'_>) -> Result<(), Error> {
        self.on(|store, name| store.edit(name, edit, &|| true))
    }

    /// Works on it; errors call it as it was called.
    fn on<T>(&self, work: impl FnOnce(&dyn Store, &Path) -> Result<T, Error>) -> Result<T, Error> {
        work(&*self.store, &self.name).map_err(|error| error.called(&self.name, &self.path))
    }
}
