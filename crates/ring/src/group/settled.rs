//! What is put in order in a group once the log was replayed.

use geometry::Shape;

use super::{Group, Status};

impl Group {
    /// Members whom the catalogue does not know, for their database was moved or its creation never
    /// reached the log, give their place back. `named` tells for each place whether it has a name.
    pub(crate) fn vacate_nameless(&mut self, named: &[bool]) {
        let has_name = |member: u16| named.get(usize::from(member)) == Some(&true);
        let present = self.present().map(|(member, _)| member);
        let nameless: Vec<u16> = present.filter(|member| !has_name(*member)).collect();
        nameless.into_iter().for_each(|member| self.remove(member));
    }

    /// Places without a holder can be given away.
    pub(crate) fn find_vacant(&mut self) {
        let newest = self.present().map(|(member, _)| self.last_pdp(member)).max();
        // Earlier holders may have left open rows, and those reach no further.
        let tile_pdps = self.geometry.shapes().iter().map(Shape::tile_pdps).max();
        let ahead_pdps = 4 * i64::from(self.geometry.flush_cycles()) + tile_pdps.unwrap_or(0);
        let last_pdp = newest.unwrap_or(0).max(self.clock.boundary_pdp + ahead_pdps);
        let vacating: Vec<u16> = self.vacating.iter().map(|(member, _)| *member).collect();
        let empty = self.members.iter().enumerate();
        let empty = empty.filter(|(_, holder)| !holder.status.has(Status::PRESENT));
        let empty = empty.map(|(nth, _)| nth as u16).filter(|nth| !vacating.contains(nth));
        self.vacant = empty.map(|nth| (nth, last_pdp)).collect();
    }
}
