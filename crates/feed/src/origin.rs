//! Where rows come from: a store, and how its databases are called in tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use store::{Error, NamePattern, Store};

/// The databases that are fed.
#[derive(Clone)]
pub struct Origin {
    store: Arc<dyn Store>,
    /// The directory that names in tables stand behind, where the store takes whole paths.
    base: Option<PathBuf>,
    /// Lists the names of such a store.
    names: Arc<dyn Store>,
    /// Where the store is; empty if it is not known.
    place: String,
}

impl Origin {
    /// A store whose names are those in tables.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { names: Arc::clone(&store), store, base: None, place: String::new() }
    }

    /// A store that takes whole paths: those below a directory are fed. `names` lists them by what
    /// stands behind the directory.
    #[must_use]
    pub fn below(store: Arc<dyn Store>, base: &Path, names: Arc<dyn Store>) -> Self {
        Self { store, base: Some(base.into()), names, place: String::new() }
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
        &*self.store
    }

    /// The store, to be followed.
    #[must_use]
    pub fn followed(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The path in the store of a name in tables.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.base.as_ref().map_or_else(|| name.into(), |base| base.join(name))
    }

    /// The name in tables of a path in the store; `None` for one that no table can have.
    pub(crate) fn name(&self, path: &Path) -> Option<String> {
        let path = match &self.base {
            None => path,
            Some(base) => path.strip_prefix(base).ok()?,
        };
        Some(path.to_str()?.to_owned())
    }

    /// All names that match, sorted.
    pub(crate) fn names_like(&self, pattern: &NamePattern) -> Result<Vec<String>, Error> {
        self.names.names_like(pattern)
    }
}
