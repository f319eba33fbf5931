//! What the file of a database would have before its rows, of which none is read for it.

use disk::Medium;
use rrdfile::Header;
use store::Error;

use super::read::{InPlace, Reader};
use super::world::rrd_id;
use crate::file::header_of;

impl<M: Medium<File: 'static>> Reader<'_, M> {
    /// The head of the file that a database would be: what an imported file had of its own, row
    /// pointers and all, is in it.
    ///
    /// # Errors
    /// There is no database of that name; what is known of its file is damaged; those of the
    /// machine.
    pub(super) fn header(&self, name: &str) -> Result<Header, Error> {
        self.read_in_place(name, |place| self.header_in(name, place))
    }

    fn header_in(&self, name: &str, place: &InPlace) -> Result<Header, Error> {
        let (definition, live, shifts) = loop {
            let (definition, live) = self.describe_in(name, place)?;
            let group = place.cell.group();
            // An update may have come between, and moved the row pointers.
            if group.last_update(place.member) == live.last_update {
                break (definition, live, group.shifts.get(&place.member).cloned());
            }
        };
        let foreign = self.foreign_in(place)?;
        header_of(name, definition, live, shifts.as_deref(), foreign.as_deref())
    }

    /// What its file had of its own; of an earlier holder of the place it is not.
    fn foreign_in(&self, place: &InPlace) -> Result<Option<Vec<u8>>, Error> {
        let rrd = rrd_id(place.cell.id, place.member);
        let known = self.registry.catalogue_writer().look(self.registry.medium(), |catalogue| {
            let entry = catalogue.entry(rrd)?;
            let is_ours = entry.is_some_and(|entry| entry.generation == place.generation);
            if is_ours { catalogue.foreign(rrd) } else { Ok(None) }
        })?;
        Ok(known)
    }
}
