//! The places of a group and the members that hold them.

use journal::Generation;
use livestate::State;

use super::{BornPdp, Group, Member, NO_BLOCK, Status};
use crate::clock::Clock;

impl Group {
    pub(crate) fn has_members(&self) -> bool {
        self.members.iter().any(|member| member.status.has(Status::PRESENT))
    }

    /// Whether it had members, and none is left.
    pub(crate) fn was_left(&self) -> bool {
        !self.members.is_empty() && !self.has_members()
    }

    /// Members that hold a place.
    pub(crate) fn present(&self) -> impl Iterator<Item = (u16, &Member)> {
        let numbered = self.members.iter().enumerate().map(|(nth, member)| (nth as u16, member));
        numbered.filter(|(_, member)| member.status.has(Status::PRESENT))
    }

    /// The holder of a place, if it is of this generation.
    pub(crate) fn member(&self, member: u16, generation: Generation) -> Option<&Member> {
        let holder = self.members.get(usize::from(member))?;
        (holder.status.has(Status::PRESENT) && holder.generation == generation).then_some(holder)
    }

    /// A place for a new member that has seen `pdp`, and the generation of its holder.
    pub(crate) fn free_place(&self, pdp: i64) -> Option<(u16, Generation)> {
        // The rows of the holder before end where those of the next one start.
        if let Some((member, _)) = self.vacant.iter().rev().find(|(_, last_pdp)| *last_pdp <= pdp) {
            return Some((
                *member,
                Generation(self.members[usize::from(*member)].generation.0 + 1),
            ));
        }
        let next = self.members.len();
        (next < self.geometry.capacity() as usize).then_some((next as u16, Generation(1)))
    }

    /// Gives a place to a new member.
    pub(crate) fn insert(
        &mut self,
        member: u16,
        generation: Generation,
        definition: u32,
        state: &State,
    ) {
        let pdp = self.pdp_of(state.live.last_update.seconds);
        self.vacant.retain(|(vacant, _)| *vacant != member);
        self.vacating.retain(|(vacant, _)| *vacant != member);
        let born = BornPdp::of(pdp);
        let mut holder = Member { generation, definition, born, status: Status(0) };
        holder.status.set(Status::PRESENT, true);
        self.grow_to(usize::from(member) + 1);
        if !self.has_members() {
            self.start_at(pdp);
        }
        let holding = &mut self.members[usize::from(member)];
        assert!(!holding.status.has(Status::PRESENT), "a place has one holder");
        *holding = holder;
        self.put_state(member, state);
        self.clock.join(pdp, self.grid());
    }

    /// Makes room for so many places.
    pub(crate) fn grow_to(&mut self, places: usize) {
        assert!(places <= self.geometry.capacity() as usize);
        let empty = Member {
            generation: Generation(0),
            definition: 0,
            born: BornPdp::default(),
            status: Status(0),
        };
        for place in self.members.len()..places {
            self.members.push(empty);
            if place + 1 < places {
                self.vacant.push((place as u16, i64::MIN));
            }
        }
        self.states.grow_to(self.members.len());
    }

    /// The group is empty: its clock starts where the first member's does.
    fn start_at(&mut self, pdp: i64) {
        let reached = self.grid().floor(pdp);
        if self.rows.shapes.iter().any(|shape| shape.flushed_block != NO_BLOCK) {
            return; // it had members before, and its tiles have their rows
        }
        self.clock = Clock::starting(pdp, self.grid());
        for (open, shape) in self.rows.shapes.iter_mut().zip(self.geometry.shapes()) {
            open.flushed_block = shape.last_block_by(reached, self.phase_pdps);
            open.settled_block = open.flushed_block;
        }
    }

    /// A group whose members all came at once: its clock starts where most of them are.
    pub(crate) fn start_among(&mut self) {
        let mut pdps: Vec<i64> = self.present().map(|(nth, _)| self.last_pdp(nth)).collect();
        let middle = pdps.len() / 2;
        let (_, median_pdp, _) = pdps.select_nth_unstable(middle);
        let pdp = *median_pdp;
        self.rows.shapes.iter_mut().for_each(|shape| shape.flushed_block = NO_BLOCK);
        self.start_at(pdp);
        let grid = self.grid();
        pdps.iter().for_each(|pdp| self.clock.join(*pdp, grid));
    }

    /// Takes a place from its holder. It is given again once a checkpoint knows.
    pub(crate) fn remove(&mut self, member: u16) {
        let last_pdp = self.last_pdp(member);
        let holder = &mut self.members[usize::from(member)];
        assert!(holder.status.has(Status::PRESENT));
        holder.status = Status(0);
        self.states.forget(member);
        self.rows.forget(member);
        self.in_doubt.forget(member);
        self.shifts.remove(&member);
        self.vacating.push((member, last_pdp));
        self.gone.insert(member);
    }
}
