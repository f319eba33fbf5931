//! The names of databases with their index.

use access::Scope;
use find::{Builder, Document, Found, Index, Page, TooLarge};
use store::{NAMES_AT_ONCE, NamePattern, NamesPage, Rooted};

use super::seen::SeenByScope;

/// Many names, one behind the other in their order: a million of them are two allocations.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NameList {
    text: String,
    ends: Vec<usize>,
}

impl NameList {
    /// The names of all databases of a store.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(super) fn read(store: &Rooted) -> Result<Self, store::Error> {
        let (pattern, mut from) = (NamePattern::beginning(""), String::new());
        let mut all = Self::default();
        loop {
            let NamesPage { names, next } = store.names_from(&pattern, &from, NAMES_AT_ONCE)?;
            for name in names {
                all.text.push_str(&name);
                all.ends.push(all.text.len());
            }
            match next {
                Some(next) => from = next,
                None => return Ok(all),
            }
        }
    }

    pub(super) fn get(&self, nth: usize) -> &str {
        let begin = nth.checked_sub(1).and_then(|before| self.ends.get(before));
        let end = self.ends.get(nth).copied().unwrap_or_default();
        self.text.get(begin.copied().unwrap_or_default()..end).unwrap_or_default()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|nth| self.get(nth))
    }
}

/// Names that can be searched.
#[derive(Debug)]
pub(super) struct NameIndex {
    pub(super) names: NameList,
    pub(super) index: Index,
    seen: SeenByScope,
}

impl NameIndex {
    /// The index of these names.
    ///
    /// # Errors
    /// See [`TooLarge`].
    pub(super) fn new(names: NameList) -> Result<Self, TooLarge> {
        let mut builder = Builder::default();
        for name in names.iter() {
            builder.add(&Document { name, ..Document::default() })?;
        }
        Ok(Self { index: builder.finish()?, names, seen: SeenByScope::default() })
    }

    /// The best names of those that a scope sees.
    pub(super) fn search(&self, scope: &Scope, query: &find::Query, limit: usize) -> Found {
        let page = Page { first: 0, limit };
        if scope.is_everything() {
            return self.index.search(query, |_| true, page);
        }
        let seen = self.seen.of(scope, self.names.iter());
        self.index.search(query, |nth| seen.has(nth), page)
    }
}
