//! What the catalogue will say once it has the pending changes.

use std::collections::HashMap;
use std::ops::ControlFlow;

use disk::Medium;
use journal::RrdId;
use store::{Error, NamePattern, NamesPage};

use super::CatalogueWriter;
use crate::catalogue::RrdEntry;

/// So many names are looked at for each that is wanted, at most.
const LOOKED_AT_PER_NAME: usize = 16;

impl CatalogueWriter {
    /// Names that match, sorted, from a text on: at most so many.
    ///
    /// # Errors
    /// [`Error::Catalogue`].
    pub(super) fn names_from<M: Medium<File: 'static>>(
        &mut self,
        medium: &M,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        let pending = self.pending_places(medium)?;
        let (mut names, mut next, mut looked_at) = (Vec::new(), None, 0_usize);
        self.look(medium, |catalogue| {
            catalogue.visit_names(pattern.common(), from, |name, rrd| {
                let is_one = !pending.contains_key(&rrd) && pattern.matches(name);
                let is_enough = looked_at > limit.saturating_mul(LOOKED_AT_PER_NAME);
                if is_enough || (is_one && names.len() == limit) {
                    next = Some(name.to_owned());
                    return ControlFlow::Break(());
                }
                looked_at += 1;
                names.extend(is_one.then(|| name.to_owned()));
                ControlFlow::Continue(())
            })
        })?;
        let new = pending.values().flatten().map(|entry| &entry.name);
        let is_here = |name: &&String| {
            name.as_str() >= from
                && next.as_ref().is_none_or(|next| *name < next)
                && pattern.matches(name)
        };
        names.extend(new.filter(is_here).cloned());
        names.sort_unstable();
        if names.len() > limit {
            next = Some(names.swap_remove(limit));
            names.truncate(limit);
        }
        Ok(NamesPage { names, next })
    }

    /// The places that pending changes are about, with what the catalogue will have of them.
    ///
    /// # Errors
    /// [`Error::Catalogue`].
    pub(super) fn pending_places<M: Medium<File: 'static>>(
        &mut self,
        medium: &M,
    ) -> Result<HashMap<RrdId, Option<RrdEntry>>, Error> {
        // A catalogue that failed is opened first: it may turn out to have the changes.
        self.look(medium, |_| Ok(()))?;
        let changes = std::mem::take(&mut self.changes);
        let places = self.look(medium, |catalogue| changes.places(|rrd| catalogue.entry(rrd)));
        self.changes = changes;
        places
    }
}
