//! The ring store: what is taken is in its log, and there are no files to bring up to date.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rrd::fetch::Query;
use rrd::{Series, Snapshot};
use rrdfile::Header;
use rrdtool::InRing;
use rrdtool::tune::Tuning;
use store::{Error, Existing, GoesOn, Making, NewDatabase, Outline, RingStore, Store as _};

use super::{Backend, Creation, Failure, Flushed, New, Statistics, Update, stamp};
use crate::paths::is_plain_name;

/// A ring store behind a base directory: a name is what stands behind that.
pub(crate) struct Ring {
    store: Arc<RingStore>,
    base: PathBuf,
    suspended: Mutex<HashSet<String>>,
}

impl Ring {
    /// A store whose databases go by paths below `base`.
    pub(crate) fn new(store: RingStore, base: &Path) -> Self {
        Self { store: Arc::new(store), base: base.into(), suspended: Mutex::default() }
    }

    /// The name of a path; none has one outside the base directory.
    fn name(&self, path: &Path) -> Result<String, Failure> {
        let relative = path.strip_prefix(&self.base).map_err(|_| Failure::Missing)?;
        // Collected anew it has no dot and no slash too many.
        let plain: PathBuf = relative.components().collect();
        plain.into_os_string().into_string().map_err(|_| Failure::Missing)
    }

    /// The same without a copy, where the path is spelled as the name is.
    fn borrowed_name<'p>(&self, path: &'p Path) -> Result<Cow<'p, str>, Failure> {
        let base = self.base.as_os_str().as_bytes();
        let below = path.as_os_str().as_bytes().strip_prefix(base);
        let name =
            below.and_then(|below| below.strip_prefix(b"/")).filter(|name| is_plain_name(name));
        match name.and_then(|name| std::str::from_utf8(name).ok()) {
            Some(name) => Ok(Cow::Borrowed(name)),
            None => self.name(path).map(Cow::Owned),
        }
    }

    fn at(&self, path: &Path) -> Result<InRing, Failure> {
        Ok(InRing::new(Arc::clone(&self.store), self.name(path)?, path.into()))
    }

    fn known(&self, path: &Path) -> Result<String, Failure> {
        let ring = self.at(path)?;
        match ring.exists() {
            true => Ok(ring.name),
            false => Err(Failure::Missing),
        }
    }

    fn suspended(&self) -> MutexGuard<'_, HashSet<String>> {
        self.suspended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Ring {
    fn update(&self, updates: &[Update<'_>]) -> Vec<(usize, Failure)> {
        let mut failures = Vec::new();
        let mut named = Vec::with_capacity(updates.len());
        for (nth, update) in updates.iter().enumerate() {
            match self.borrowed_name(update.path) {
                Ok(name) => named.push((nth, name)),
                Err(failure) => failures.push((nth, failure)),
            }
        }
        let batch: Vec<store::Update<'_>> = named
            .iter()
            .map(|(nth, name)| store::Update::numbered(&**name, updates[*nth].values))
            .collect();
        for (place, refused) in self.store.engine().update(&batch) {
            let nth = named[place].0;
            failures.push((nth, told(&updates[nth].path.to_string_lossy(), refused.error)));
        }
        failures.sort_by_key(|(nth, _)| *nth);
        failures
    }

    fn flush(&self, path: &Path) -> Result<Flushed, Failure> {
        self.known(path)?;
        self.store.engine().sync().map_err(failure)?;
        Ok(Flushed::Written)
    }

    fn flush_all(&self) {
        // A client that has to know that a file is on disk asks FLUSH of it. The next update is told of
        // a failure.
        let _ = self.store.engine().sync();
    }

    fn pending(&self, _: &Path) -> Vec<String> {
        Vec::new()
    }

    fn forget(&self, path: &Path) -> Result<(), Failure> {
        self.known(path).map(drop)
    }

    fn queue(&self) -> Vec<(u64, Vec<u8>)> {
        Vec::new()
    }

    fn suspend(&self, path: &Path) -> Result<bool, Failure> {
        let name = self.known(path)?;
        Ok(self.suspended().insert(name))
    }

    fn resume(&self, path: &Path) -> Result<bool, Failure> {
        let name = self.known(path)?;
        Ok(self.suspended().remove(&name))
    }

    fn suspend_all(&self) -> u64 {
        let names = self.store.names().unwrap_or_default();
        let mut suspended = self.suspended();
        names.into_iter().map(|name| u64::from(suspended.insert(name))).sum()
    }

    fn resume_all(&self) -> u64 {
        std::mem::take(&mut *self.suspended()).len() as u64
    }

    fn statistics(&self) -> Statistics {
        let report = self.store.report();
        let count = |number: usize| number as u64;
        let more = vec![
            ("RingGroups", count(report.groups.len())),
            ("RingLogBytes", report.log_bytes),
            ("RingLateRows", report.groups.iter().map(|group| count(group.late_rows)).sum()),
            ("RingMemoryBytes", report.groups.iter().map(|group| count(group.memory_bytes)).sum()),
            ("RingStopped", u64::from(report.stopped)),
        ];
        let tree_nodes_number = count(report.databases);
        Statistics { tree_nodes_number, more, ..Statistics::default() }
    }

    fn outline(&self, path: &Path) -> Result<Outline, Failure> {
        let name = self.borrowed_name(path)?;
        let outline = self.store.engine().outline(&name);
        outline.or_else(|error| Err(failure(self.at(path)?.at_path(error))))
    }

    fn header(&self, path: &Path) -> Result<Header, Failure> {
        let ring = self.at(path)?;
        ring.header().map_err(|error| failure(ring.at_path(error)))
    }

    fn fetch(&self, path: &Path, query: &Query) -> Result<Series, Failure> {
        let ring = self.at(path)?;
        self.store.fetch(&ring.name, query).map_err(|error| failure(ring.at_path(error)))
    }

    fn snapshot(&self, path: &Path) -> Result<(Header, Snapshot), Failure> {
        let ring = self.at(path)?;
        ring.whole().map_err(|error| failure(ring.at_path(error)))
    }

    fn create_all(&self, new: &[New<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Failure)> {
        let mut failures = Vec::new();
        let mut named = Vec::with_capacity(new.len());
        for (nth, each) in new.iter().enumerate() {
            match self.borrowed_name(each.path) {
                Ok(name) => named.push((nth, name)),
                Err(failure) => failures.push((nth, failure)),
            }
        }
        let mut makings = Vec::with_capacity(named.len());
        for (nth, name) in &named {
            let New { definition, start, keeps_existing, .. } = new[*nth];
            let existing = if keeps_existing { Existing::Keep } else { Existing::Replace };
            makings.push(Making { new: NewDatabase { name, definition, start }, existing });
        }
        for (place, error) in self.store.engine().make_all_while(&makings, goes_on) {
            let (nth, name) = &named[place];
            let path = new[*nth].path;
            let ring = InRing::new(Arc::clone(&self.store), name.to_string(), path.into());
            failures.push((*nth, failure(ring.at_path(error))));
        }
        failures.sort_by_key(|(nth, _)| *nth);
        failures
    }

    fn create(&self, path: &Path, creation: &Creation<'_>) -> Result<(), Failure> {
        let ring = self.at(path)?;
        let exists = ring.exists();
        if exists && creation.keeps_existing {
            return Err(failure(Error::Exists(path.into())));
        }
        if let Some(whole) = creation.past {
            let engine = self.store.engine();
            let restored = engine.restore_while(&ring.name, whole, creation.goes_on);
            return restored.map_err(|error| failure(ring.at_path(error)));
        }
        let Creation { definition, start, keeps_existing, goes_on, .. } = *creation;
        let new = New { path, definition, start, keeps_existing };
        let created = self.create_all(&[new], goes_on);
        created.into_iter().next().map_or(Ok(()), |(_, failure)| Err(failure))
    }

    fn tune(&self, path: &Path, tuning: &Tuning<'_>) -> Result<(), Failure> {
        self.known(path)?;
        tuning.in_ring(&self.at(path)?).map_err(Failure::Rrd)
    }

    fn has_directories(&self) -> bool {
        false
    }

    fn list(
        &self,
        directory: &Path,
        is_recursive: bool,
        _: &dyn Fn(&Path) -> bool,
    ) -> Result<Vec<String>, io::Error> {
        let missing = || io::Error::from(rustix::io::Errno::NOENT);
        let prefix = self.name(directory).map_err(|_| missing())?;
        let names = self.store.names().map_err(|error| io::Error::other(error.to_string()))?;
        let prefix = if prefix.is_empty() { prefix } else { prefix + "/" };
        let below = names.iter().filter_map(|name| name.strip_prefix(&prefix));
        let listed = rrdtool::list::level(below, is_recursive);
        match listed.is_empty() && !prefix.is_empty() {
            true => Err(missing()),
            false => Ok(listed),
        }
    }

    fn close(&self, _: bool) -> Result<(), Failure> {
        // So that the next start has little to do.
        self.store.engine().checkpoint().map_err(failure)
    }
}

/// A refused update in rrdcached's words.
fn told(path: &str, error: Error) -> Failure {
    match error {
        Error::Update { source, .. } => stamp::refused(path, &source),
        Error::Sample { source, .. } => stamp::unread(path, &source),
        other => failure(other),
    }
}

fn failure(error: Error) -> Failure {
    match &error {
        Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => Failure::Missing,
        _ => Failure::Rrd(error.in_rrdtools_words()),
    }
}
