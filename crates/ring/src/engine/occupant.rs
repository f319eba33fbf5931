//! A database whose name is to be free.

use journal::{Generation, RrdId};

use super::world::group_of;
use super::{CatalogueWriter, World};

/// A database that is about to be taken away.
pub(super) struct Occupant {
    pub(super) rrd: RrdId,
    pub(super) generation: Generation,
}

impl Occupant {
    /// Forgets its name, after the log got the record and its group forgot it.
    pub(super) fn forget(self, catalogue_writer: &mut CatalogueWriter, world: &mut World) {
        world.take_name(self.rrd);
        world.count_out(group_of(self.rrd));
        catalogue_writer.changes.remove_rrd(self.rrd, self.generation);
    }
}
