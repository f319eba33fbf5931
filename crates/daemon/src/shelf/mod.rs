//! The store that a daemon serves, by the paths that clients name.
//!
//! A path is the one that a client named, resolved against the base directory and permitted. Of
//! files behind a cache, which may lie anywhere, it is the name; in any other store the name is
//! what stands behind the base directory.

mod failure;
mod kept;
mod waiting;
mod listing;

use std::borrow::Cow;
use std::collections::HashSet;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rrd::fetch::Query;
use rrd::tune::Tuning;
use rrd::{Series, Snapshot, Stretch};
use rrdfile::Header;
use rrdtool::tune::Order;
use store::{AtOnce, Edit, Error, GoesOn, Making, NewDatabase, Outline, Store, Update};

pub use failure::Failure;
pub use kept::Kept;
pub(crate) use kept::Statistics;
pub use listing::{EntriesPage, Entry};

use crate::paths::is_plain_name;

/// A store and the names in it.
pub(crate) struct Shelf {
    kept: Kept,
    /// The directory that names stand behind, where they are no whole paths.
    base: Option<PathBuf>,
    /// Whether a reply waits until the change is on disk, however late the store acknowledges.
    syncs: bool,
    /// Databases that clients suspended, of a store that holds none back.
    suspended: Mutex<HashSet<PathBuf>>,
}

/// What became of updates that were to be taken at once, as of [`AtOnce`]. All others are taken.
pub(crate) struct TakenAtOnce {
    /// The refused ones with their positions, in order.
    pub(crate) refused: Vec<(usize, Failure)>,
    /// The positions of those of which nothing was taken, in order.
    pub(crate) left: Vec<usize>,
}

impl Shelf {
    /// A store; `base` is the base directory. With `syncs` a reply waits until the change is on
    /// disk.
    pub(crate) fn new(kept: Kept, base: &Path, syncs: bool) -> Self {
        let has_whole_paths = matches!(kept, Kept::Cached(_));
        let base = (!has_whole_paths).then(|| base.to_path_buf());
        Self { kept, base, syncs, suspended: Mutex::default() }
    }

    fn store(&self) -> &dyn Store {
        self.kept.store()
    }

    /// The store, where it is a ring store.
    pub(crate) fn ring(&self) -> Option<&dyn Store> {
        match &self.kept {
            Kept::Ring(ring) => Some(&**ring),
            Kept::Cached(_) | Kept::InPlace(_) => None,
        }
    }

    /// The name of a path; none has one outside the base directory.
    fn name<'p>(&self, path: &'p Path) -> Result<Cow<'p, Path>, Failure> {
        let Some(base) = &self.base else { return Ok(Cow::Borrowed(path)) };
        // Nearly every one is spelled as the name is.
        let below = path.as_os_str().as_bytes().strip_prefix(base.as_os_str().as_bytes());
        let name =
            below.and_then(|below| below.strip_prefix(b"/")).filter(|name| is_plain_name(name));
        if let Some(name) = name {
            return Ok(Cow::Borrowed(Path::new(std::ffi::OsStr::from_bytes(name))));
        }
        let relative = path.strip_prefix(base).map_err(|_| Failure::Missing)?;
        // Collected anew it has no dot and no slash too many.
        Ok(Cow::Owned(relative.components().collect()))
    }

    /// Works on a database; what goes wrong calls it as the client did.
    fn at<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&Path) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let name = self.name(path)?;
        work(&name).map_err(|error| Failure::of(error.called(&name, path)))
    }

    /// Takes updates in their order and returns once what was taken is as safe as the daemon's
    /// options promise. Gives the refused ones with their positions, in order; of those, the values
    /// before the refused one are taken all the same.
    pub(crate) fn update(&self, updates: &[Update<'_>]) -> Vec<(usize, Failure)> {
        if self.base.is_none() {
            let refused = self.store().update(updates).into_iter();
            return refused.map(|(nth, refused)| (nth, Failure::of(refused.error))).collect();
        }
        let (named, mut failures) = self.named(updates.iter().map(|update| update.name));
        let batch = named.iter().map(|(nth, name)| Update { name, ..updates[*nth] });
        let batch: Vec<Update<'_>> = batch.collect();
        for (place, refused) in self.store().update(&batch) {
            let (nth, name) = &named[place];
            let error = refused.error.called(name, updates[*nth].name);
            failures.push((*nth, Failure::of(error)));
        }
        self.settle(updates.len(), &mut failures);
        failures
    }

    /// Whether updates may be taken at once.
    pub(crate) fn takes_at_once(&self) -> bool {
        self.kept.takes_at_once()
    }

    /// Whether an update is acknowledged only once it is on disk.
    pub(crate) fn acknowledges_on_disk(&self) -> bool {
        self.syncs || self.store().acknowledges_on_disk()
    }

    /// As [`Shelf::update`], but only of updates that wait for nothing but the log.
    pub(crate) fn update_at_once(&self, updates: &[Update<'_>]) -> TakenAtOnce {
        let (named, mut failures) = self.named(updates.iter().map(|update| update.name));
        let batch = named.iter().map(|(nth, name)| Update { name, ..updates[*nth] });
        let batch: Vec<Update<'_>> = batch.collect();
        let AtOnce { refused, left } = self.store().update_at_once(&batch);
        for (place, refused) in refused {
            let (nth, name) = &named[place];
            let error = refused.error.called(name, updates[*nth].name);
            failures.push((*nth, Failure::of(error)));
        }
        if left.len() < batch.len() {
            self.settle(updates.len(), &mut failures);
        }
        let left: Vec<usize> = left.into_iter().map(|place| named[place].0).collect();
        failures.retain(|(nth, _)| left.binary_search(nth).is_err());
        TakenAtOnce { refused: failures, left }
    }

    /// Makes databases in their order, with one wait for the disk where the store can. Gives the
    /// failures with their positions, in order.
    pub(crate) fn make(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Failure)> {
        let (named, mut failures) = self.named(new.iter().map(|making| making.new.name));
        let makings = named.iter().map(|(nth, name)| {
            let making = new[*nth];
            Making { new: NewDatabase { name, ..making.new }, ..making }
        });
        let makings: Vec<Making<'_>> = makings.collect();
        for (place, error) in self.store().make(&makings, goes_on) {
            let (nth, name) = &named[place];
            let path = new[*nth].new.name;
            let error = error.called(name, path);
            let failure = match self.has_directories() {
                true => Failure::of_new_file(error, path),
                false => Failure::of(error),
            };
            failures.push((*nth, failure));
        }
        self.settle(new.len(), &mut failures);
        failures
    }

    /// Waits for the disk where the store itself does not; what cannot be synced has failed, too.
    fn settle(&self, count: usize, failures: &mut Vec<(usize, Failure)>) {
        if let Err(failure) = self.synced() {
            let failed: HashSet<usize> = failures.iter().map(|(nth, _)| *nth).collect();
            let others = (0..count).filter(|nth| !failed.contains(nth));
            failures.extend(others.map(|nth| (nth, failure.clone())));
        }
        failures.sort_by_key(|(nth, _)| *nth);
    }

    /// Whether a reply waits until the change is on disk, however late the store acknowledges.
    pub(crate) fn syncs(&self) -> bool {
        self.syncs
    }

    /// Waits for the disk where the store itself does not.
    ///
    /// # Errors
    /// [`Failure::Rrd`]: it did not take what was changed.
    pub(crate) fn synced(&self) -> Result<(), Failure> {
        if !self.syncs {
            return Ok(());
        }
        let unsynced = |error: Error| Failure::of(Error::Unacknowledged(error.to_string()));
        self.store().sync().map_err(unsynced)
    }

    /// The names of paths, with their positions, and the paths that have none.
    #[expect(clippy::type_complexity)] // it is taken apart at once
    fn named<'p>(
        &self,
        paths: impl Iterator<Item = &'p Path>,
    ) -> (Vec<(usize, Cow<'p, Path>)>, Vec<(usize, Failure)>) {
        let (mut named, mut failures) = (Vec::with_capacity(paths.size_hint().0), Vec::new());
        for (nth, path) in paths.enumerate() {
            match self.name(path) {
                Ok(name) => named.push((nth, name)),
                Err(failure) => failures.push((nth, failure)),
            }
        }
        (named, failures)
    }

    /// What the database holds, and when its last update was.
    ///
    /// # Errors
    /// There is no such database, or it is damaged; as with all that follow.
    pub(crate) fn outline(&self, path: &Path) -> Result<Outline, Failure> {
        self.at(path, |name| self.store().outline(name))
    }

    /// Definition and live state, as the head of the file.
    ///
    /// # Errors
    /// As [`Shelf::outline`].
    pub(crate) fn header(&self, path: &Path) -> Result<Header, Failure> {
        self.at(path, |name| self.store().header(name))
    }

    /// The rows that answer a query.
    ///
    /// # Errors
    /// As [`Shelf::outline`].
    pub(crate) fn fetch(&self, path: &Path, query: &Query) -> Result<Series, Failure> {
        self.at(path, |name| self.store().fetch(name, query))
    }

    /// The same, without the unknown rows that the archive does not hold.
    ///
    /// # Errors
    /// As [`Shelf::outline`].
    pub(crate) fn fetch_stretch(&self, path: &Path, query: &Query) -> Result<Stretch, Failure> {
        self.at(path, |name| self.store().fetch_stretch(name, query))
    }

    /// The whole database.
    ///
    /// # Errors
    /// As [`Shelf::outline`].
    pub(crate) fn whole(&self, path: &Path) -> Result<(Header, Snapshot), Failure> {
        self.at(path, |name| self.store().whole(name))
    }

    /// Changes a database; nothing that was acknowledged is lost over it.
    ///
    /// # Errors
    /// What of the order is wrong; what stood before that is done.
    pub(crate) fn tune(&self, path: &Path, order: &Order<'_>) -> Result<(), Failure> {
        let name = self.name(path)?;
        let called = path.to_string_lossy();
        let edit = |tuning: &Tuning<'_>| {
            let tuning = Tuning { called: Some(&called), ..tuning.clone() };
            let tuned = self.store().edit(&name, &Edit::Tune(&tuning), &|| true);
            tuned.map_err(|error| error.called(&name, path))
        };
        order.apply(edit).map_err(|untuned| Failure::of_tuning(untuned, path))?;
        self.synced()
    }

    /// Whether databases are files, which lie in directories.
    pub(crate) fn has_directories(&self) -> bool {
        self.kept.has_directories()
    }

    /// Counters since the start, but for those of commands.
    pub(crate) fn statistics(&self) -> Statistics {
        self.kept.statistics()
    }
}

fn bytes_of(path: PathBuf) -> Vec<u8> {
    path.into_os_string().into_vec()
}
