//! New databases, and the groups that they need.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Component, Path};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use disk::{GoesOn, Medium, MediumFile};
use geometry::LayoutKey;
use geometry::{GROUP_DATABASES_MAX, Geometry};
use journal::{Generation, LogPosition, Records, RrdId};
use livestate::State;
use rrd::{Definition, Timestamp};
use store::{Error, Existing, Making, NewDatabase};

use super::append::unacknowledged;
use super::occupant::Occupant;
use super::tile_room::TileRoom;
use super::world::{group_of, member_of, rrd_id};
use super::{CatalogueWriter, Cell, Engine, FileKind, World};
use crate::catalogue::{DefinitionId, GroupEntry, GroupId, RrdEntry};
use crate::group::{AtticExtent, Group};
use crate::record::{self, Event};

/// Capacities of groups: a layout that few databases have shall not take the room of thousands.
const CAPACITIES: [u32; 3] = [14, 252, GROUP_DATABASES_MAX];
/// So many databases of a layout make the next group one of the next capacity.
const POPULATIONS: [u64; 2] = [64, 1024];
/// How often a client that waits for another one's group is asked whether it is still there.
const ASK_AGAIN: Duration = Duration::from_millis(100);
/// So many databases are made before the locks are given up for a moment: others want to read.
const RUN_MAX: usize = 256;

/// The definition of databases that are made one after the other.
struct Layout<'a> {
    definition: &'a Definition,
    key: LayoutKey,
    /// Its number, once a database got it. It is asked for under the locks of one run only.
    number: Option<DefinitionId>,
}

impl<'a> Layout<'a> {
    fn of(definition: &'a Definition) -> Self {
        Self { definition, key: LayoutKey::of(definition, true), number: None }
    }

    fn number(
        &mut self,
        world: &mut World,
        catalogue_writer: &mut CatalogueWriter,
    ) -> DefinitionId {
        let intern = || intern(&mut world.definitions, self.definition, catalogue_writer);
        *self.number.get_or_insert_with(intern)
    }
}

/// What became of a run of new databases.
#[derive(Debug, Default)]
struct Placed {
    /// How many were made or refused.
    count: usize,
    /// Those that were refused, with their positions.
    failures: Vec<(usize, Error)>,
    /// The next one needs a new group.
    needs_group: bool,
}

/// A thread that makes a group of a layout. When it is dropped, whether or not a group was made,
/// those that wait for the group look again.
struct GroupMaker<'a, M: Medium<File: 'static>> {
    engine: &'a Engine<M>,
    key: &'a LayoutKey,
}

impl<M: Medium<File: 'static>> Drop for GroupMaker<'_, M> {
    fn drop(&mut self) {
        self.engine.catalogue_writer().making.remove(self.key);
        self.engine.life_changed.notify_all();
    }
}

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
        let new = NewDatabase { name: Path::new(name), definition, start };
        self.create_all(&[new]).pop().map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Makes new databases with one wait for the disk. Returns the failures with their positions.
    pub fn create_all(&self, new: &[NewDatabase<'_>]) -> Vec<(usize, Error)> {
        let making = new.iter().map(|new| Making::new(*new));
        self.make_all(&making.collect::<Vec<_>>())
    }

    /// Makes databases in their order, with one wait for the disk, in place of those that have
    /// their names where that is asked for. Returns the failures with their positions.
    pub fn make_all(&self, new: &[Making<'_>]) -> Vec<(usize, Error)> {
        self.make_all_while(new, &|| true)
    }

    /// As [`Engine::make_all`], as long as `goes_on` says so. A database that finds a group with
    /// room is made in any case. So is the first group that is missing, unless it is large: a
    /// client may say one line and leave without waiting for the reply.
    ///
    /// What is given up fails with [`Error::Io`], and leaves nothing.
    pub fn make_all_while(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Error)> {
        self.made_some.store(true, Ordering::Relaxed);
        let mut failures = Vec::new();
        let (mut done, mut groups) = (0, 0);
        while done < new.len() {
            let run = &new[done..new.len().min(done + RUN_MAX)];
            let placed = self.place_run(run);
            failures.extend(placed.failures.into_iter().map(|(nth, error)| (done + nth, error)));
            done += placed.count;
            if placed.needs_group {
                let new = &new[done].new;
                let wanted = if groups == 0 { Ok(()) } else { expect_wanted(new.name, goes_on) };
                groups += 1;
                if let Err(error) = wanted.and_then(|()| self.make_room(new, goes_on)) {
                    failures.push((done, error));
                    done += 1;
                }
            }
        }
        if let Err(error) = self.acknowledge() {
            unacknowledged(&error.to_string(), new.len(), &mut failures, |error| error);
        }
        self.bound_log();
        failures
    }

    /// Gives places to databases in their order, up to the first that needs a new group.
    fn place_run<'a>(&self, new: &[Making<'a>]) -> Placed {
        let mut placed = Placed::default();
        let mut layouts: Vec<Layout<'a>> = Vec::new();
        let mut catalogue_writer = self.catalogue_writer();
        let mut world = self.world_mut();
        for each in new {
            let definition = each.new.definition;
            let known = layouts.iter().position(|each| std::ptr::eq(each.definition, definition));
            let nth = known.unwrap_or_else(|| {
                layouts.push(Layout::of(definition));
                layouts.len() - 1
            });
            let layout = &mut layouts[nth];
            let done = self.check_sound();
            match done.and_then(|()| self.place(&mut catalogue_writer, &mut world, layout, each)) {
                Ok(true) => {}
                Ok(false) => {
                    placed.needs_group = true;
                    break;
                }
                Err(error) => placed.failures.push((placed.count, error)),
            }
            placed.count += 1;
        }
        placed
    }

    /// Gives a place to a database; false if it needs a new group.
    fn place(
        &self,
        catalogue_writer: &mut CatalogueWriter,
        world: &mut World,
        layout: &mut Layout<'_>,
        making: &Making<'_>,
    ) -> Result<bool, Error> {
        let NewDatabase { name, definition, start } = making.new;
        let name = checked_name(name)?;
        let exists = world.find(name).is_some();
        if exists && making.existing == Existing::Keep {
            return Err(Error::Exists(name.into()));
        }
        let pdp = pdp_of(&making.new);
        let found = group_with_room(world, &layout.key, pdp).cloned();
        let Some(cell) = found else { return Ok(false) };
        let replaced = if exists { self.occupant(catalogue_writer, world, name)? } else { None };
        let number = layout.number(world, catalogue_writer);
        let other =
            replaced.as_ref().map(|occupant| group_of(occupant.rrd)).filter(|id| *id != cell.id);
        let other_cell = other.and_then(|id| world.cell(id).cloned());
        // Of two groups the one with the lower number is locked first.
        let lower = other_cell.as_ref().filter(|other| other.id < cell.id);
        let lower = lower.map(|other| other.group());
        let mut group = cell.group();
        let mut other = lower.or_else(|| Some(other_cell.as_ref()?.group()));
        let (member, generation) = group.free_place(pdp).expect("the group has room");
        let rrd = rrd_id(cell.id, member);
        let definition_there = Cow::Borrowed(definition);
        let created = Event::Create { start, name, definition: definition_there };
        let positions = self.log_together(replaced.as_ref(), (rrd, generation), &created)?;
        catalogue_writer.pending_from.get_or_insert(positions.start);
        if let Some(occupant) = &replaced {
            let group = other.as_deref_mut().unwrap_or(&mut group);
            group.last_record = positions.start;
            group.remove(member_of(occupant.rrd));
        }
        group.last_record = positions.end;
        let state = State::fresh(&group.layout, definition, start);
        group.insert(member, generation, number.0, &state);
        let born_step = group.members[usize::from(member)].born_pdp;
        drop((group, other));
        if let Some(occupant) = replaced {
            occupant.forget(catalogue_writer, world);
        }
        world.populations.get_mut(&layout.key).expect("it has a group").members += 1;
        world.give_name(rrd, name).map_err(|_| Error::Exists(name.into()))?;
        let entry = RrdEntry { generation, definition: number, born_step, name: name.into() };
        catalogue_writer.changes.put_rrd(rrd, entry);
        Ok(true)
    }

    /// Logs the end of a database and the beginning of the one in its place, which a crash does not
    /// part. Returns the positions of the first record and of the last.
    fn log_together(
        &self,
        replaced: Option<&Occupant>,
        (rrd, generation): (RrdId, Generation),
        created: &Event<'_>,
    ) -> Result<Range<LogPosition>, Error> {
        let mut records = Records::default();
        if let Some(Occupant { rrd, generation, .. }) = replaced {
            record::push(&mut records, *rrd, *generation, &Event::Delete);
        }
        let deletion_bytes = records.bytes_len();
        record::push(&mut records, rrd, generation, created);
        let start = self.journal.append_together(&mut records)?;
        Ok(start..start.advance(deletion_bytes))
    }

    /// Makes a group for a database, unless another thread does so just now: then waits for that.
    /// The locks are given up meanwhile, so that all others go on.
    fn make_room(&self, new: &NewDatabase<'_>, goes_on: GoesOn<'_>) -> Result<(), Error> {
        let key = LayoutKey::of(new.definition, true);
        let mut catalogue_writer = self.catalogue_writer();
        while catalogue_writer.making.contains(&key) {
            let waited = self.life_changed.wait_timeout(catalogue_writer, ASK_AGAIN);
            catalogue_writer = waited.expect("a thread that panicked left it in doubt").0;
            expect_wanted(new.name, goes_on)?;
        }
        if group_with_room(&self.world(), &key, pdp_of(new)).is_some() {
            return Ok(());
        }
        catalogue_writer.making.insert(key.clone());
        drop(catalogue_writer);
        let _maker = GroupMaker { engine: self, key: &key };
        let members = self.world().populations.get(&key).map_or(0, |population| population.members);
        let nth = POPULATIONS.iter().filter(|limit| members >= **limit).count();
        self.make_group(new, &key, CAPACITIES[nth], goes_on)
    }

    /// Makes an empty group: its files, then its entry in the catalogue.
    fn make_group(
        &self,
        &NewDatabase { name, definition, .. }: &NewDatabase<'_>,
        key: &LayoutKey,
        capacity: u32,
        goes_on: GoesOn<'_>,
    ) -> Result<(), Error> {
        let name = checked_name(name)?;
        let id = self.take_group_number(name)?;
        let phase_pdps = id % self.options.pace.flush_cycles;
        let made = self.new_group(id, name, definition, (capacity, phase_pdps, true));
        let made = made.and_then(|group| {
            self.make_files(&group, goes_on)?;
            let cell = Arc::new(Cell::new(group));
            self.write_checkpoints(&cell, AtticExtent::default())?;
            Ok(cell)
        });
        let cell = match made {
            Ok(cell) => cell,
            Err(error) => {
                self.give_up_group(id);
                return Err(error);
            }
        };
        let mut catalogue_writer = self.await_turn(self.catalogue_writer());
        let layout = intern(&mut self.world_mut().definitions, definition, &mut catalogue_writer);
        let created = self.journal.next();
        let entry = GroupEntry { layout, capacity, phase_pdps, shared: true, created };
        catalogue_writer.changes.put_group(GroupId(id), entry);
        // Its members' records name a group that the catalogue knows. Where the commit fails it
        // will be known at the next opening at the earliest: its number stays taken.
        self.commit_life(&mut catalogue_writer)?;
        self.world_mut().add_group(cell, key.clone());
        drop(catalogue_writer);
        self.prepare_later(id);
        Ok(())
    }

    /// A number for a group, which is nobody else's.
    ///
    /// # Errors
    /// [`Error::Unfit`]: all are taken.
    pub(super) fn take_group_number(&self, name: &str) -> Result<u32, Error> {
        let reason = "the store has as many groups of databases as it can have";
        let freed = *self.freed.lock().unwrap_or_else(PoisonError::into_inner);
        let number = self.world_mut().take_group_number(freed);
        number.ok_or_else(|| Error::Unfit { name: name.into(), reason: reason.into() })
    }

    /// Removes the files of a group that was never made known, and gives its number back where no
    /// later one is taken. What stays is removed at the next opening: the catalogue does not know
    /// the group.
    pub(super) fn give_up_group(&self, id: u32) {
        let kinds = [FileKind::Checkpoint(0), FileKind::Checkpoint(1), FileKind::Attic(0)];
        for kind in kinds.into_iter().chain([FileKind::Tiles]) {
            let _ = self.medium.remove(&kind.name(id));
        }
        self.world_mut().give_group_number_back(id);
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
            reason: "a row of it does not fit a page, or its archives no file".into(),
        })?;
        Ok(Group::new(id, geometry, phase_pdps, definition))
    }

    /// The files of a group, with all the space that they will ever take promised by the file
    /// system. [`Engine::prepare_tiles`] writes zeros into the tiles when nothing else is to be
    /// done.
    fn make_files(&self, group: &Group, goes_on: GoesOn<'_>) -> Result<(), Error> {
        let name = FileKind::Tiles.name(group.id);
        let tiles = self.lay_files(group, TileRoom::Promised, goes_on)?;
        tiles.sync_data().map_err(Error::io("syncing", Path::new(&name)))?;
        self.sync_directory()
    }

    /// The files of a group. The caller syncs tiles and directory.
    pub(super) fn lay_files(
        &self,
        group: &Group,
        room: TileRoom,
        goes_on: GoesOn<'_>,
    ) -> Result<M::File, Error> {
        let tiles = self.lay_tiles(group, room, goes_on)?;
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

/// Gives a database up that nobody waits for any more.
pub(super) fn expect_wanted(name: &Path, goes_on: GoesOn<'_>) -> Result<(), Error> {
    disk::expect_wanted(goes_on).map_err(Error::io("creating", name))
}

/// The last PDP that a new database has seen.
fn pdp_of(new: &NewDatabase<'_>) -> i64 {
    new.start.seconds.div_euclid(new.definition.step_seconds as i64)
}

/// A group of a layout that has room for a member which has seen `pdp`.
fn group_with_room<'w>(world: &'w World, key: &LayoutKey, pdp: i64) -> Option<&'w Arc<Cell>> {
    let groups = world.populations.get(key)?.groups.iter().rev();
    let mut cells = groups.filter_map(|group| world.cell(*group));
    cells.find(|cell| cell.group().free_place(pdp).is_some())
}

/// The number of a definition, which the catalogue learns with the next commit.
pub(super) fn intern(
    definitions: &mut crate::catalogue::Definitions,
    definition: &Definition,
    catalogue_writer: &mut CatalogueWriter,
) -> DefinitionId {
    let (number, is_new) = definitions.intern(definition);
    if is_new {
        catalogue_writer.changes.put_definition(number, definition);
    }
    number
}

/// A name as the catalogue has it: a relative path, as of a file in a directory, in UTF-8.
fn checked_name(name: &Path) -> Result<&str, Error> {
    let text = name.to_str().ok_or_else(|| Error::Name(name.to_string_lossy().into()))?;
    check_name(text).map(|()| text)
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
