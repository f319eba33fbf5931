//! Names and places that are taken still, because the record that freed them is lost.

use disk::Medium;
use journal::{Generation, RrdId};
use store::Error;

use super::super::world::{group_of, member_of};
use super::LogReader;
use crate::group::{Member, Status};

impl<M: Medium<File: 'static>> LogReader<'_, M> {
    /// Frees the place of a database that is being made, where its deleted holder still has it.
    ///
    /// # Errors
    /// Its group cannot be replayed.
    pub(super) fn free_place(&mut self, rrd: RrdId, generation: Generation) -> Result<(), Error> {
        if self.said.replaced.is_none() || !self.catch_up(group_of(rrd))? {
            return Ok(());
        }
        let holder = self.holder_of(rrd);
        let earlier = holder
            .filter(|holder| holder.status.has(Status::PRESENT) && holder.generation != generation);
        if let Some(earlier) = earlier {
            self.world.take_name(rrd);
            self.said.changes.remove_rrd(rrd, earlier.generation);
        }
        Ok(())
    }

    /// Frees a name that another database has, which was deleted or renamed since.
    ///
    /// # Errors
    /// Its group cannot be replayed.
    pub(super) fn free_name(&mut self, rrd: RrdId, name: &str) -> Result<(), Error> {
        if self.said.replaced.is_none() {
            return Ok(());
        }
        let Some(holder) = self.world.find(name).filter(|holder| *holder != rrd) else {
            return Ok(());
        };
        if !self.catch_up(group_of(holder))? {
            return Ok(());
        }
        let Some(generation) = self.holder_of(holder).map(|holder| holder.generation) else {
            return Ok(());
        };
        self.world.take_name(holder);
        self.said.changes.remove_rrd(holder, generation);
        if let Some(cell) = self.world.known_cell(group_of(holder)) {
            let mut group = cell.group_so_far();
            if group.member(member_of(holder), generation).is_some() {
                group.remove(member_of(holder));
            }
        }
        self.said.replaced.get_or_insert_default().push(name.into());
        Ok(())
    }

    fn holder_of(&self, rrd: RrdId) -> Option<Member> {
        let group = self.world.known_cell(group_of(rrd))?.group_so_far();
        group.members.get(usize::from(member_of(rrd))).copied()
    }
}
