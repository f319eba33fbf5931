//! A store whose databases are called by relative names, also where it takes whole paths.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Error, NamePattern, NamesPage, Store};

/// Where a name leads, over links if there are some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Led {
    /// The path in the store.
    pub path: PathBuf,
    /// The name that the database really has; `None` for one that is elsewhere.
    pub name: Option<String>,
}

/// Says of a name whether a client sees it.
pub type Sees<'s> = dyn Fn(&str) -> bool + 's;

impl Led {
    /// Whether a client reaches a database by a name that leads here: the name is one of its own,
    /// and so is the one that it leads to. `None` sees everything.
    #[must_use]
    pub fn is_reached(&self, name: &str, sees: Option<&Sees<'_>>) -> bool {
        sees.is_none_or(|sees| {
            sees(name) && self.name.as_deref().is_some_and(|real| real == name || sees(real))
        })
    }
}

/// Says where names lead; `None` for one that may not be reached.
pub type LeadsTo = dyn Fn(&str) -> Option<Led> + Send + Sync;

/// A store, and how its databases are called elsewhere: in tables of SQL, in labels, in requests.
#[derive(Clone)]
pub struct Rooted {
    store: Arc<dyn Store>,
    /// The directory that names stand behind, where the store takes whole paths.
    base: Option<PathBuf>,
    /// Lists the names of such a store.
    names: Arc<dyn Store>,
    /// `None` where each name is a database by itself.
    leads_to: Option<Arc<LeadsTo>>,
}

impl Rooted {
    /// A store whose names are those used elsewhere.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { names: Arc::clone(&store), store, base: None, leads_to: None }
    }

    /// A store that takes whole paths: those below a directory are meant. `names` lists them by
    /// what stands behind the directory.
    #[must_use]
    pub fn below(store: Arc<dyn Store>, base: &Path, names: Arc<dyn Store>) -> Self {
        Self { store, base: Some(base.into()), names, leads_to: None }
    }

    /// The same, where names may lead over links. A store may take each path that leads to a file
    /// for a file of its own, so that updates by two of them would overtake each other.
    #[must_use]
    pub fn leading(self, leads_to: Arc<LeadsTo>) -> Self {
        Self { leads_to: Some(leads_to), ..self }
    }

    /// Where a name leads; `None` if it may not be reached.
    #[must_use]
    pub fn lead(&self, name: &str) -> Option<Led> {
        match &self.leads_to {
            Some(leads_to) => leads_to(name),
            None => Some(Led { path: self.path(name), name: Some(name.to_owned()) }),
        }
    }

    /// Whether names may lead elsewhere than they say.
    #[must_use]
    pub fn has_links(&self) -> bool {
        self.leads_to.is_some()
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

    /// The path in the store to which a name leads, without a copy where the name is the path. Whether
    /// it may be reached is for [`Self::lead`] to say.
    #[must_use]
    pub fn place<'n>(&self, name: &'n str) -> Cow<'n, Path> {
        let led = self.leads_to.as_ref().and_then(|leads_to| leads_to(name));
        match (led, &self.base) {
            (Some(led), _) => Cow::Owned(led.path),
            (None, None) => Cow::Borrowed(Path::new(name)),
            (None, Some(base)) => Cow::Owned(base.join(name)),
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
