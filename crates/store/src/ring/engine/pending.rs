//! What the catalogue will say once it has the pending changes.

use std::collections::HashMap;

use disk::Medium;

use super::Life;
use crate::Error;
use crate::journal::RrdId;
use crate::ring::catalogue::RrdEntry;

impl Life {
    /// Every name, sorted.
    ///
    /// # Errors
    /// [`Error::Catalogue`].
    pub(super) fn names<M: Medium<File: 'static>>(
        &mut self,
        medium: &M,
    ) -> Result<Vec<String>, Error> {
        let committed = self.look(medium, |catalogue| catalogue.names(""))?;
        let pending = self.pending_places(medium)?;
        if pending.is_empty() {
            return Ok(committed.into_iter().map(|(name, _)| name).collect());
        }
        let unchanged = committed.into_iter().filter(|(_, rrd)| !pending.contains_key(rrd));
        let mut names: Vec<String> = unchanged.map(|(name, _)| name).collect();
        names.extend(pending.values().flatten().map(|entry| entry.name.clone()));
        names.sort_unstable();
        Ok(names)
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
