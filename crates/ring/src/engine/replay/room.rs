//! Names and places that are taken still, because the record that freed them is lost.

use disk::Medium;
use journal::{Generation, LogPosition, RrdId};

use super::super::world::{group_of, member_of};
use super::{GroupEvent, LogReader};
use crate::group::Status;

impl<M: Medium<File: 'static>> LogReader<'_, M> {
    /// Frees the place of a database that is being made, where its deleted holder still has it.
    pub(super) fn free_place(&mut self, rrd: RrdId, generation: Generation) {
        if self.said.replaced.is_none() {
            return;
        }
        let holder = self.read_world(|world| {
            let group = world.cell(group_of(rrd))?.group();
            let holder = *group.members.get(usize::from(member_of(rrd)))?;
            let is_other = holder.status.has(Status::PRESENT) && holder.generation != generation;
            is_other.then_some(holder.generation)
        });
        if let Some(earlier) = holder {
            self.write_world(|world| world.take_name(rrd));
            self.said.changes.remove_rrd(rrd, earlier);
        }
    }

    /// Frees a name that another database has, which was deleted or renamed since.
    pub(super) fn free_name(&mut self, at: LogPosition, rrd: RrdId, name: &str) {
        if self.said.replaced.is_none() {
            return;
        }
        let Some(holder) = self.read_world(|world| world.find(name)) else { return };
        let generation = self.read_world(|world| {
            let group = world.cell(group_of(holder))?.group();
            Some(group.members.get(usize::from(member_of(holder)))?.generation)
        });
        let Some(generation) = generation.filter(|_| holder != rrd) else { return };
        self.write_world(|world| world.take_name(holder));
        self.said.changes.remove_rrd(holder, generation);
        let event = GroupEvent::Remove { member: member_of(holder), generation };
        self.hand_on_event(group_of(holder), at, event);
        self.said.replaced.get_or_insert_default().push(name.into());
    }
}
