//! A database that comes from another place of the store itself.

use journal::{Generation, RrdId};

use crate::engine::World;
use crate::engine::world::{group_of, member_of};
use crate::group::SampleDigest;

/// Where a database stands before it is put elsewhere.
#[derive(Debug)]
pub(in crate::engine) struct Origin {
    pub(in crate::engine) seen: Seen,
    /// How far its row pointers moved against time; it goes on with them.
    pub(in crate::engine) shifts: Option<Vec<u64>>,
}

/// A database as it was when a copy of it was made.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::engine) struct Seen {
    pub(in crate::engine) rrd: RrdId,
    generation: Generation,
    definition: u32,
    /// Its state, encoded.
    state: Vec<u8>,
}

impl Seen {
    pub(in crate::engine) fn of(world: &World, rrd: RrdId) -> Option<Self> {
        let group = world.cell(group_of(rrd))?.group();
        let member = member_of(rrd);
        let holder = *group.members.get(usize::from(member))?;
        let mut state = group.states.room();
        group.states.copy(member, &mut state);
        let mut bytes = Vec::new();
        group.states.layout.encode(&state, &mut bytes);
        let (generation, definition) = (holder.generation, holder.definition);
        Some(Self { rrd, generation, definition, state: bytes })
    }

    /// Whether it still has its name and is as it was.
    pub(super) fn still_holds(&self, world: &World, name: &str) -> bool {
        world.find(name) == Some(self.rrd) && Self::of(world, self.rrd).as_ref() == Some(self)
    }

    /// Its samples that were taken and could not be acknowledged.
    pub(super) fn samples_in_doubt(&self, world: &World) -> Vec<SampleDigest> {
        let cell = world.cell(group_of(self.rrd));
        cell.map_or_else(Vec::new, |cell| cell.group().in_doubt.of(member_of(self.rrd)))
    }
}
