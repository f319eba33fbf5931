//! New groups: their numbers, their memory and their files. Neither the world nor the catalogue
//! knows them yet.

use std::path::Path;

use disk::{GoesOn, Medium, MediumFile};
use geometry::{Geometry, Pace};
use rrd::Definition;
use store::Error;

use super::group_files::GroupFiles;
use super::log::Log;
use super::registry::Registry;
use super::{Cell, FileKind};
use crate::group::Group;

/// Makes groups that neither the world nor the catalogue knows yet.
pub(super) struct NewGroups<'e, M: Medium> {
    pub(super) files: &'e GroupFiles<M>,
    pub(super) log: &'e Log<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) pace: Pace,
}

/// What a new group is to be like, besides its layout.
#[derive(Clone, Copy)]
pub(super) struct GroupPlan {
    pub(super) id: u32,
    /// So many databases it can have.
    pub(super) capacity: u32,
    /// Whether archives of one PDP are stored once for all their functions.
    pub(super) shared: bool,
}

impl<M: Medium<File: 'static>> NewGroups<'_, M> {
    /// A number for a group, which no other group has.
    ///
    /// # Errors
    /// [`Error::Unfit`]: all are taken.
    pub(super) fn take_number(&self, name: &str) -> Result<u32, Error> {
        let reason = "the store has as many groups of databases as it can have";
        let freed = self.log.freed();
        let number = self.registry.world_mut().take_group_number(freed);
        number.ok_or_else(|| Error::Unfit { name: name.into(), reason: reason.into() })
    }

    /// Removes the files of a group that was never made known, and gives its number back where no
    /// later one is taken. What stays is removed at the next opening: the catalogue does not know
    /// the group.
    pub(super) fn give_up(&self, id: u32) {
        let kinds = [FileKind::Checkpoint(0), FileKind::Checkpoint(1), FileKind::Attic(0)];
        for kind in kinds.into_iter().chain([FileKind::Tiles]) {
            let _ = self.files.remove(&kind.name(id));
        }
        self.registry.world_mut().give_group_number_back(id);
    }

    /// How many PDPs a group's flushes come after those of the group that comes first.
    pub(super) fn phase_pdps(&self, id: u32) -> u32 {
        id % self.pace.flush_cycles
    }

    /// A group in memory.
    ///
    /// # Errors
    /// [`Error::Unfit`]: no page holds a row.
    pub(super) fn in_memory(
        &self,
        plan: GroupPlan,
        name: &str,
        definition: &Definition,
    ) -> Result<Group, Error> {
        let GroupPlan { id, capacity, shared } = plan;
        let geometry = Geometry::new(definition, self.pace, capacity, shared);
        let geometry = geometry.ok_or_else(|| Error::Unfit {
            name: name.into(),
            reason: "a row of it does not fit a page, or its archives no file".into(),
        })?;
        Ok(Group::new(id, geometry, self.phase_pdps(id), definition))
    }

    /// Gives a group its files, with all the space that they will ever take promised by the file
    /// system. [`Zeros`](super::prepare::Zeros) are written into the tiles when nothing else is to
    /// be done.
    pub(super) fn make_files(&self, group: Group, goes_on: GoesOn<'_>) -> Result<Cell, Error> {
        let name = FileKind::Tiles.name(group.id);
        let tiles = self.lay_files(&group, goes_on)?;
        tiles.sync_data().map_err(Error::io("syncing", Path::new(&name)))?;
        self.files.sync_directory()?;
        let cell = Cell::new(group);
        self.put_checkpoints(&cell)?;
        Ok(cell)
    }

    /// The files of a group. The caller syncs tiles and directory.
    pub(super) fn lay_files(&self, group: &Group, goes_on: GoesOn<'_>) -> Result<M::File, Error> {
        let tiles = self.files.lay_tiles(group, goes_on)?;
        for place in 0..2 {
            self.files.fresh_file(FileKind::Checkpoint(place), group.id)?;
        }
        Ok(tiles)
    }

    /// Writes both checkpoints of a group.
    pub(super) fn put_checkpoints(&self, cell: &Cell) -> Result<(), Error> {
        self.files.put_first_checkpoints(cell, self.log.journal.next(), self.log.start())
    }
}
