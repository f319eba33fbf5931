//! New databases, and the groups that they need.

use std::path::{Component, Path};
use std::sync::Arc;

use disk::{Medium, MediumFile};
use rrd::{Definition, Timestamp};

use super::append::unacknowledged;
use super::world::{LayoutKey, rrd_id};
use super::{Cell, Engine, FileKind, Life};
use crate::journal::Record;
use crate::journal::record::Event;
use crate::ring::catalogue::{DefinitionId, GroupEntry, GroupId, RrdEntry};
use crate::ring::geometry::{GROUP_DATABASES_MAX, Geometry};
use crate::ring::group::{AtticExtent, Group};
use crate::ring::state::State;
use crate::{Error, NewDatabase};

/// Capacities of groups: a layout that few databases have shall not take the room of thousands.
const CAPACITIES: [u32; 3] = [14, 252, GROUP_DATABASES_MAX];
/// So many databases of a layout make the next group one of the next capacity.
const POPULATIONS: [u64; 2] = [64, 1024];

impl<M: Medium<File: 'static>> Engine<M> {
    /// Makes a new database that has seen no update since `start`.
    ///
    /// # Errors
    /// [`Error::Exists`], [`Error::Name`], [`Error::Unfit`], and those of the machine: the database
    /// may then exist all the same.
    pub fn create(
        &self,
        name: &str,
        definition: &Definition,
        start: Timestamp,
    ) -> Result<(), Error> {
        let new = NewDatabase { name, definition, start };
        self.create_all(&[new]).pop().map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Makes new databases with one wait for the disk. Returns the failures with their positions.
    pub fn create_all(&self, new: &[NewDatabase<'_>]) -> Vec<(usize, Error)> {
        let create = |each: &NewDatabase<'_>| {
            self.check_sound()?;
            check_name(each.name)?;
            self.create_in_memory(each.name, each.definition, each.start)
        };
        let created = new.iter().map(create).enumerate();
        let mut failures: Vec<_> =
            created.filter_map(|(nth, created)| Some((nth, created.err()?))).collect();
        if let Err(error) = self.acknowledge() {
            unacknowledged(&error.to_string(), new.len(), &mut failures, |error| error);
        }
        failures
    }

    fn create_in_memory(
        &self,
        name: &str,
        definition: &Definition,
        start: Timestamp,
    ) -> Result<(), Error> {
        let mut life = self.life();
        if self.world().find(name).is_some() {
            return Err(Error::Exists(name.into()));
        }
        let pdp = start.seconds.div_euclid(definition.step_seconds as i64);
        let cell = self.group_with_room(&mut life, name, definition, pdp)?;
        let mut world = self.world_mut();
        let number = intern(&mut world.definitions, definition, &mut life);
        let mut group = cell.group();
        let (member, generation) = group.free_place(pdp).expect("the group has room");
        let rrd = rrd_id(cell.id, member);
        let event = Event::Create { start, name: name.into(), definition: definition.clone() };
        let position = self.journal.append(&Record { rrd, generation, event })?;
        life.pending_from.get_or_insert(position);
        group.last_record = position;
        let state = State::fresh(&group.layout, definition, start);
        group.insert(member, generation, number.0, &state);
        let born_step = group.members[usize::from(member)].born_pdp;
        drop(group);
        let key = LayoutKey::of(definition, true);
        world.populations.entry(key).or_default().members += 1;
        world.give_name(rrd, name).map_err(|_| Error::Exists(name.into()))?;
        let entry = RrdEntry { generation, definition: number, born_step, name: name.into() };
        life.changes.put_rrd(rrd, entry);
        Ok(())
    }

    /// A group of the definition's layout that has room for a member which has seen `pdp`.
    fn group_with_room(
        &self,
        life: &mut Life,
        name: &str,
        definition: &Definition,
        pdp: i64,
    ) -> Result<Arc<Cell>, Error> {
        let key = LayoutKey::of(definition, true);
        let (groups, members) = {
            let world = self.world();
            let population = world.populations.get(&key);
            let groups = population.map(|population| population.groups.clone());
            (groups.unwrap_or_default(), population.map_or(0, |population| population.members))
        };
        for group in groups.iter().rev() {
            let cell = self.world().cell(*group).cloned();
            if let Some(cell) = cell.filter(|cell| cell.group().free_place(pdp).is_some()) {
                return Ok(cell);
            }
        }
        let nth = POPULATIONS.iter().filter(|limit| members >= **limit).count();
        self.make_group(life, name, definition, CAPACITIES[nth], true)
    }

    /// Makes an empty group: its files, then its entry in the catalogue.
    pub(super) fn make_group(
        &self,
        life: &mut Life,
        name: &str,
        definition: &Definition,
        capacity: u32,
        shared: bool,
    ) -> Result<Arc<Cell>, Error> {
        let id = self.world().groups.len() as u32;
        let phase_pdps = id % self.options.pace.flush_cycles;
        let group = self.new_group(id, name, definition, (capacity, phase_pdps, shared))?;
        self.make_files(&group)?;
        let cell = Arc::new(Cell::new(group));
        self.write_checkpoints(&cell, AtticExtent::default())?;
        let layout = intern(&mut self.world_mut().definitions, definition, life);
        let created = self.journal.next();
        let entry = GroupEntry { layout, capacity, phase_pdps, shared, created };
        life.changes.put_group(GroupId(id), entry);
        // Its members' records name a group that the catalogue knows.
        if let Err(error) = self.commit_life(life) {
            // It will be known, at the next opening at the earliest: nobody else takes its number.
            self.world_mut().skip_group(id);
            return Err(error);
        }
        self.world_mut().add_group(Arc::clone(&cell), LayoutKey::of(definition, shared));
        Ok(cell)
    }

    /// A group in memory; `None` in the geometry means that no page holds a row.
    pub(super) fn new_group(
        &self,
        id: u32,
        name: &str,
        definition: &Definition,
        (capacity, phase_pdps, shared): (u32, u32, bool),
    ) -> Result<Group, Error> {
        let geometry = Geometry::new(definition, self.options.pace, capacity, shared);
        let geometry = geometry.ok_or_else(|| Error::Unfit {
            name: name.into(),
            reason: "a row of it does not fit a page, or its archives no file",
        })?;
        Ok(Group::new(id, geometry, phase_pdps, definition))
    }

    /// The files of a group, with all the space that they will ever take.
    pub(super) fn make_files(&self, group: &Group) -> Result<(), Error> {
        let name = FileKind::Tiles.name(group.id);
        let tiles = self.lay_files(group)?;
        tiles.sync_data().map_err(Error::io("syncing", Path::new(&name)))?;
        self.sync_directory()
    }

    /// As [`Engine::make_files`], but leaves it to the caller to sync tiles and directory: where tiles
    /// follow at once the disk then writes them, and not zeros first.
    pub(super) fn lay_files(&self, group: &Group) -> Result<M::File, Error> {
        let tiles = self.fresh_file(FileKind::Tiles, group.id)?;
        let bytes = group.geometry.file_bytes();
        let name = FileKind::Tiles.name(group.id);
        // Written once, a later write of a tile changes no metadata, and finds the disk never full.
        let sized = if self.options.sparse { tiles.truncate(bytes) } else { tiles.allocate(bytes) };
        sized.map_err(Error::io("reserving", Path::new(&name)))?;
        for place in 0..2 {
            self.fresh_file(FileKind::Checkpoint(place), group.id)?;
        }
        Ok(tiles)
    }

    pub(super) fn sync_directory(&self) -> Result<(), Error> {
        self.medium.sync_directory().map_err(Error::io("syncing", Path::new(".")))
    }

    /// An empty file, whatever an earlier attempt left under its name.
    pub(super) fn fresh_file(&self, kind: FileKind, group: u32) -> Result<M::File, Error> {
        let name = kind.name(group);
        let file = match self.medium.create(&name) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                self.medium.remove(&name).and_then(|()| self.medium.create(&name))
            }
            created => created,
        };
        file.map_err(Error::io("creating", Path::new(&name)))
    }
}

/// The number of a definition, which the catalogue learns with the next commit.
pub(super) fn intern(
    definitions: &mut crate::ring::catalogue::Definitions,
    definition: &Definition,
    life: &mut Life,
) -> DefinitionId {
    let (number, is_new) = definitions.intern(definition);
    if is_new {
        life.changes.put_definition(number, definition);
    }
    number
}

/// A name is a relative path, as of a file in a directory.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if inside && !name.is_empty() && !name.contains('\0') {
        Ok(())
    } else {
        Err(Error::Name(name.into()))
    }
}
