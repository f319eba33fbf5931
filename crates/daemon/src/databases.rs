//! The databases of a server as its clients see them, for code that shows them in another way.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rrd::Stretch;
use rrd::fetch::Query;
use rustix::io::Errno;
use store::{Led, Outline};

use crate::paths::is_plain_name;
use crate::service::Service;
use crate::shelf::{EntriesPage, Entry, Failure};
use crate::statistics::{self, Statistic};

/// The databases below the base directory, by their relative paths. What clients of the protocol
/// may not reach, this does not either.
#[derive(Clone)]
pub struct Databases(Arc<Service>);

impl Databases {
    pub(crate) fn of(service: &Arc<Service>) -> Self {
        Self(Arc::clone(service))
    }

    /// What is in a directory, in order: at most so many entries, the first of which may be `from`,
    /// as [`EntriesPage::next`] has it; the base directory is the empty name.
    ///
    /// # Errors
    /// There is no such directory, or it may not be seen.
    pub fn list(&self, directory: &str, from: &str, limit: usize) -> io::Result<EntriesPage> {
        if !directory.is_empty() && !is_plain_name(directory.as_bytes()) {
            return Err(Errno::NOENT.into());
        }
        let Service { shelf, paths, .. } = &*self.0;
        let path = paths.base().join(directory);
        let is_open = |path: &std::path::Path| paths.is_open(path);
        let _turn = self.0.turn_to_list();
        if !shelf.has_directories() {
            let page = shelf.entries(&path, from, limit)?;
            let is_none = page.entries.is_empty() && from.is_empty() && !directory.is_empty();
            return if is_none { Err(Errno::NOENT.into()) } else { Ok(page) };
        }
        if !is_open(&path) {
            return Err(Errno::ACCESS.into());
        }
        let told = |name: String| {
            let is_directory = path.join(&name).is_dir();
            Entry { name, is_directory }
        };
        let names: BTreeSet<String> = shelf.list(&path, false, &is_open)?.into_iter().collect();
        let mut entries: Vec<Entry> = names.into_iter().map(told).collect();
        entries.sort_by_key(Entry::key);
        let first = entries.partition_point(|entry| entry.key().as_str() < from);
        let next = entries.get(first.saturating_add(limit)).map(Entry::key);
        Ok(EntriesPage { entries: entries.into_iter().skip(first).take(limit).collect(), next })
    }

    /// What a database holds, and when its last update was.
    ///
    /// # Errors
    /// There is none, or it is damaged.
    pub fn outline(&self, name: &str) -> Result<Outline, Failure> {
        self.0.shelf.outline(&self.path(name)?)
    }

    /// The rows that answer a query, without the unknown rows that no archive holds.
    ///
    /// # Errors
    /// As [`Databases::outline`].
    pub fn fetch(&self, name: &str, query: &Query) -> Result<Stretch, Failure> {
        self.0.shelf.fetch_stretch(&self.path(name)?, query)
    }

    /// What the server counts, as STATS tells it.
    #[must_use]
    pub fn statistics(&self) -> Vec<Statistic> {
        statistics::of(&self.0)
    }

    /// Where a name leads, over links; `None` if it may not be reached. The path is a whole one.
    #[must_use]
    pub fn lead(&self, name: &str) -> Option<Led> {
        let path = self.path(name).ok()?;
        let below = path.strip_prefix(self.0.paths.base()).ok().and_then(|below| below.to_str());
        let name = below.map(str::to_owned);
        Some(Led { path, name })
    }

    fn path(&self, name: &str) -> Result<PathBuf, Failure> {
        match is_plain_name(name.as_bytes()) {
            true => self.0.paths.resolve(name.as_bytes()).map_err(|_| Failure::Missing),
            false => Err(Failure::Missing),
        }
    }
}
