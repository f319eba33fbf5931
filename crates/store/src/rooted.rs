//! A store whose databases are called by relative names, also where it takes whole paths.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Error, NamePattern, NamesPage, Store};

/// A store, and how its databases are called elsewhere: in tables of SQL, in labels, in requests.
#[derive(Clone)]
pub struct Rooted {
    store: Arc<dyn Store>,
    /// The directory that names stand behind, where the store takes whole paths.
    base: Option<PathBuf>,
    /// Lists the names of such a store.
    names: Arc<dyn Store>,
}

impl Rooted {
    /// A store whose names are those used elsewhere.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { names: Arc::clone(&store), store, base: None }
    }

    /// A store that takes whole paths: those below a directory are meant. `names` lists them by
    /// what stands behind the directory.
    #[must_use]
    pub fn below(store: Arc<dyn Store>, base: &Path, names: Arc<dyn Store>) -> Self {
        Self { store, base: Some(base.into()), names }
    }

    /// The store, which takes [`Self::path`]s.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The path in the store of a name.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.base.as_ref().map_or_else(|| name.into(), |base| base.join(name))
    }

    /// The path in the store of a name, without a copy where the name is the path.
    #[must_use]
    pub fn place<'n>(&self, name: &'n str) -> Cow<'n, Path> {
        match &self.base {
            None => Cow::Borrowed(Path::new(name)),
            Some(base) => Cow::Owned(base.join(name)),
        }
    }

    /// The name of a path in the store; `None` for one that has none.
    #[must_use]
    pub fn name(&self, path: &Path) -> Option<String> {
        let path = match &self.base {
            None => path,
            Some(base) => path.strip_prefix(base).ok()?,
        };
        Some(path.to_str()?.to_owned())
    }

    /// Names that match, as [`Store::names_from`].
    ///
    /// # Errors
    /// As [`Store::names_from`].
    pub fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        self.names.names_from(pattern, from, limit)
    }

    /// All names that match, sorted.
    ///
    /// # Errors
    /// As [`Store::names_from`].
    pub fn names_like(&self, pattern: &NamePattern) -> Result<Vec<String>, Error> {
        self.names.names_like(pattern)
    }
}
