//! Where rows come from: a store, and how its databases are called in tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use store::{Error, NamePattern, Rooted, Store};

/// The databases that are fed.
#[derive(Clone)]
pub struct Origin {
    rooted: Rooted,
    /// Where the store is; empty if it is not known.
    place: String,
}

impl Origin {
    /// A store whose names are those in tables.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self::of(Rooted::new(store))
    }

    /// The databases of a store by the names that they have in tables.
    #[must_use]
    pub fn of(rooted: Rooted) -> Self {
        Self { rooted, place: String::new() }
    }

    /// Says where the store is, so that tables of another one are not taken for its own.
    #[must_use]
    pub fn at(self, place: &Path) -> Self {
        let path = std::path::absolute(place);
        let path = path.as_ref().map_or(place, |path| path);
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Self { place: path.to_string_lossy().into_owned(), ..self }
    }

    /// Where the store is, as tables name it; empty if it is not known.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &**self.rooted.store()
    }

    /// The store, to be followed.
    #[must_use]
    pub fn followed(&self) -> &Arc<dyn Store> {
        self.rooted.store()
    }

    /// The path in the store of a name in tables.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.rooted.path(name)
    }

    /// The name in tables of a path in the store; `None` for one that no table can have.
    pub(crate) fn name(&self, path: &Path) -> Option<String> {
        self.rooted.name(path)
    }

    /// All names that match, sorted.
    pub(crate) fn names_like(&self, pattern: &NamePattern) -> Result<Vec<String>, Error> {
        self.rooted.names_like(pattern)
    }
}
