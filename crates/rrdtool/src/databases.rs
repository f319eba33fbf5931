//! A database by its path: an `.rrd` file, or a name in a ring store.
//!
//! A path that leads to no file, below a directory that is a ring store, is a name in that store. Every
//! verb finds its database here, so that what works on files works on both.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::Descriptors;
use rrd::fetch::Query;
use rrd::refill::RowChange;
use rrd::{Definition, LiveState, Series, Snapshot, Stretch};
use rrdfile::Header;
use rrdfile::layout::RowIndex;
use store::ring::Sync;
use store::{
    Access, Arguments, Error, OPEN_FILES_MAX, OpenFiles, Refused, RingStore, RrdFile, Samples,
    Store, Update, Watch,
};

use crate::changing::{self, Edited};
use crate::session::{Failure, words_of};
use crate::stores::{Stores, expect_store};

/// Files that a process which ends soon keeps open between updates.
const OPEN_FILES_OF_ONE_COMMAND: usize = 16;

/// The databases that one thread works on: files open for updates, and the process's ring stores.
pub struct Databases {
    files: OpenFiles,
    stores: Stores,
    from_program: FetchFromProgram,
}

/// How a program answers for names that begin with [`FROM_PROGRAM`].
pub type FetchFromProgram = fn(&str, &Query) -> Result<Series, Failure>;

/// How names of series begin that the program itself gives.
const FROM_PROGRAM: &str = "cb//";

/// Whether this names what the program around us answers, which is no database.
pub(crate) fn is_from_program(path: &str) -> bool {
    path.starts_with(FROM_PROGRAM)
}

/// A command line is no such program.
fn nothing_registered(_: &str, _: &Query) -> Result<Series, Failure> {
    Err("use rrd_fetch_cb_register to register your callback prior to calling rrd_fetch_fn_cb"
        .into())
}

impl Databases {
    /// Databases for a process of ours that ends soon.
    #[must_use]
    pub fn new() -> Self {
        Self::keeping(OPEN_FILES_OF_ONE_COMMAND)
    }

    /// Databases for a process of ours that works on: it keeps as many files open between updates as
    /// the system lets it, for which its limit of descriptors is raised.
    #[must_use]
    pub fn of_long_process() -> Self {
        let wanted = Descriptors { clients: 1, per_client: 1, files: OPEN_FILES_MAX };
        Self::keeping(wanted.within(disk::raise_descriptor_limit()).files)
    }

    fn keeping(files: usize) -> Self {
        // What is written is acknowledged when the output is.
        Self::of(OpenFiles::new(files), Stores::new(Sync::Deferred))
    }

    /// Databases for a thread of somebody else's process, who may close or fork what stays open: no
    /// file does, and what a ring store was given is on disk when a call returns.
    #[must_use]
    pub fn guest(stores: &Stores) -> Self {
        Self::of(OpenFiles::new(0), stores.clone())
    }

    fn of(files: OpenFiles, stores: Stores) -> Self {
        Self { files, stores, from_program: nothing_registered }
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
        let from_file = |file: RrdFile| {
            let header = file.into_header();
            Ok((header.definition, header.live))
        };
        self.read(path, from_file, |ring| ring.store.describe(&ring.name))
    }

    /// Everything of a database's file but its rows.
    pub fn header(&mut self, path: &str) -> Result<Header, Failure> {
        self.read(path, |file| Ok(file.into_header()), |ring| ring.header())
    }

    /// The rows that answer a query.
    pub fn fetch(&mut self, path: &str, query: &Query) -> Result<Series, Failure> {
        if is_from_program(path) {
            return (self.from_program)(path, query);
        }
        self.read(path, |file| file.fetch(query), |ring| ring.store.fetch(&ring.name, query))
    }

    /// The same without the rows that no archive holds, which may be any number.
    pub fn fetch_stretch(&mut self, path: &str, query: &Query) -> Result<Stretch, Failure> {
        if is_from_program(path) {
            return (self.from_program)(path, query).map(Stretch::from);
        }
        let from_file = |file: RrdFile| file.fetch_stretch(query);
        self.read(path, from_file, |ring| ring.store.engine().fetch_stretch(&ring.name, query))
    }

    /// A whole database, and its file's header.
    pub fn snapshot(&mut self, path: &str) -> Result<(Header, Snapshot), Failure> {
        let from_file = |file: RrdFile| Ok((file.header().clone(), file.snapshot()?));
        self.read(path, from_file, |ring| ring.whole())
    }

    /// Takes samples into a database until one is refused. Only files are locked.
    ///
    /// # Errors
    /// There is no such database. That a sample is refused comes inside.
    pub fn update(
        &mut self,
        path: &str,
        arguments: &Arguments<'_>,
        mut watch: Option<&mut Watch<'_>>,
    ) -> Result<Result<(), Refused>, Failure> {
        let samples = Samples::Arguments(arguments);
        let take = |file: &mut RrdFile| file.take(samples, watch.as_deref_mut());
        let of_file = self.files.update_locking(Path::new(path), arguments.locking, take);
        self.or_in_ring(path, of_file, |ring| {
            let update = Update { name: Path::new(&ring.name), samples };
            let engine = ring.store.engine();
            let taken = match watch {
                Some(watch) => engine.update_watched(&update, watch),
                None => engine.update(&[update]).pop().map_or(Ok(()), |(_, refused)| Err(refused)),
            };
            let at_path =
                |refused: Refused| Refused { error: ring.at_path(refused.error), ..refused };
            Ok(taken.map_err(at_path))
        })
    }

    /// Changes definition and live state in place; what `work` did is kept even if it failed.
    pub fn edit(
        &mut self,
        path: &str,
        work: impl Fn(&mut Edited) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let of_file = self.files.hold(Path::new(path), |file| changing::edit_file(file, &work));
        let of_file = of_file.and_then(|done| done);
        self.or_in_ring(path, of_file, |ring| Ok(changing::edit_in_ring(&ring, &work)))?
    }

    /// Puts what `work` makes of a whole database into its place.
    pub fn rework(
        &mut self,
        path: &str,
        work: impl Fn(&Snapshot) -> Result<Snapshot, Failure>,
    ) -> Result<(), Failure> {
        let rework = |file: &mut RrdFile| changing::rework_file(file, path, &work);
        let of_file = self.files.hold(Path::new(path), rework);
        self.or_in_ring(path, of_file, |ring| Ok(changing::rework_in_ring(&ring, &work)))?
    }

    /// Gives an archive more or fewer rows: of a file, in a new one at `result`; of a database in a
    /// ring store, in its place.
    pub fn resize(
        &mut self,
        path: &str,
        archive: usize,
        change: RowChange,
        result: &Path,
    ) -> Result<(), Failure> {
        let resize = |file: &mut RrdFile| changing::resize_file(file, archive, change, result);
        let of_file = self.files.hold(Path::new(path), resize);
        let resized = |old: &Snapshot| changing::resized(old.clone(), archive, change);
        self.or_in_ring(path, of_file, |ring| Ok(changing::rework_in_ring(&ring, &resized)))?
    }

    /// The place in a ring store that a path leads to, if it leads to no file and there is one.
    pub fn in_ring(&mut self, path: &str) -> Result<Option<InRing>, Failure> {
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
    ///
    /// # Errors
    /// There is none, it is damaged, or another process has it open.
    pub fn store(&mut self, root: &Path) -> Result<Arc<RingStore>, Failure> {
        expect_store(root)?;
        self.stores.open(root)
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

    fn read<T>(
        &mut self,
        path: &str,
        from_file: impl FnOnce(RrdFile) -> Result<T, Error>,
        from_ring: impl FnOnce(&InRing) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let of_file = RrdFile::open(Path::new(path), Access::Read).and_then(from_file);
        self.or_in_ring(path, of_file, |ring| {
            from_ring(&ring).map_err(|error| words_of(&ring.at_path(error)))
        })
    }

    /// The result for a file, or where there is none, for the name in a ring store.
    fn or_in_ring<T>(
        &mut self,
        path: &str,
        of_file: Result<T, Error>,
        in_ring: impl FnOnce(InRing) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let error = match of_file {
            Err(error) if is_missing(&error) => error,
            found => return found.map_err(|error| words_of(&error)),
        };
        match self.in_ring(path)? {
            Some(ring) => in_ring(ring),
            None => Err(words_of(&error)),
        }
    }
}

fn is_missing(error: &Error) -> bool {
    matches!(error, Error::Io { source, .. } if source.kind() == ErrorKind::NotFound)
}

impl Default for Databases {
    fn default() -> Self {
        Self::new()
    }
}

/// A place in a ring store; there may be no database yet.
pub struct InRing {
    /// The store.
    pub store: Arc<RingStore>,
    /// Its name in the store.
    pub name: String,
    /// As it was called.
    path: PathBuf,
}

impl InRing {
    /// The place of a name in an open store; `path` is how it is called in errors.
    #[must_use]
    pub fn new(store: Arc<RingStore>, name: String, path: PathBuf) -> Self {
        Self { store, name, path }
    }

    /// As it was called.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is a database, be it a damaged one that does not answer.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.store.engine().has(&self.name)
    }

    /// The file that the database would be, taken apart: what an imported file had of its own, row
    /// pointers and all, is in it.
    ///
    /// # Errors
    /// There is no such database, or it is damaged.
    pub fn whole(&self) -> Result<(Header, Snapshot), Error> {
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
    ///
    /// # Errors
    /// There is no such database.
    pub fn header(&self) -> Result<Header, Error> {
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
    pub fn at_path(&self, error: Error) -> Error {
        let named = |path: &Path| path == Path::new(&self.name);
        let path = self.path.clone();
        match error {
            Error::Io { action, path: name, source } if named(&name) => {
                Error::Io { action, path, source }
            }
            Error::Update { path: name, source } if named(&name) => Error::Update { path, source },
            Error::Sample { path: name, source } if named(&name) => Error::Sample { path, source },
            Error::Fetch { path: name, source } if named(&name) => Error::Fetch { path, source },
            Error::Exists(name) if named(&name) => Error::Exists(path),
            Error::LostGroup { path: name, group, what } if named(&name) => {
                Error::LostGroup { path, group, what }
            }
            Error::TooLarge(name) if named(&name) => Error::TooLarge(path),
            other => other,
        }
    }
}
