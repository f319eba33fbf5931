//! New databases, and the groups that they need.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use disk::{GoesOn, Medium};
use geometry::GROUP_DATABASES_MAX;
use geometry::LayoutKey;
use journal::{Generation, LogPosition, Records, RrdId};
use livestate::State;
use rrd::Definition;
use store::{Error, Existing, Making, NewDatabase};

use super::append::unacknowledged;
use super::checked_name::checked_name;
use super::committer::Committer;
use super::due::Due;
use super::edits::Editor;
use super::health::Health;
use super::intern::intern;
use super::log::Log;
use super::new_groups::{GroupPlan, NewGroups};
use super::occupant::Occupant;
use super::prepare::Zeros;
use super::registry::Registry;
use super::two_groups::{GroupsOfOne, LockedGroups};
use super::world::{member_of, rrd_id};
use super::{CatalogueWriter, Cell, World};
use crate::catalogue::{DefinitionId, GroupEntry, GroupId, RrdEntry};
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
    registry: &'a Registry<M>,
    key: &'a LayoutKey,
}

impl<M: Medium<File: 'static>> Drop for GroupMaker<'_, M> {
    fn drop(&mut self) {
        self.registry.catalogue_writer().making.remove(self.key);
        self.registry.wake_waiting();
    }
}

/// Makes new databases.
pub(super) struct Maker<'e, M: Medium> {
    pub(super) log: &'e Log<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) committer: Committer<'e, M>,
    /// For databases that are replaced.
    pub(super) editor: Editor<'e, M>,
    pub(super) new_groups: NewGroups<'e, M>,
    pub(super) health: &'e Health,
    pub(super) due: &'e Due,
    pub(super) zeros: &'e Zeros,
    pub(super) made_some: &'e AtomicBool,
}

impl<M: Medium<File: 'static>> Maker<'_, M> {
    /// Makes databases in their order, with one wait for the disk, in place of those that have
    /// their names where that is asked for, as long as `goes_on` says so. Returns the failures with
    /// their positions.
    pub(super) fn make_all(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Error)> {
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
        if let Err(error) = self.log.acknowledge(self.due) {
            unacknowledged(&error.to_string(), new.len(), &mut failures, |error| error);
        }
        failures
    }

    /// Gives places to databases in their order, up to the first that needs a new group.
    fn place_run<'a>(&self, new: &[Making<'a>]) -> Placed {
        let mut placed = Placed::default();
        let mut layouts: Vec<Layout<'a>> = Vec::new();
        let mut catalogue_writer = self.registry.catalogue_writer();
        let mut world = self.registry.world_mut();
        for each in new {
            let definition = each.new.definition;
            let known = layouts.iter().position(|each| std::ptr::eq(each.definition, definition));
            let nth = known.unwrap_or_else(|| {
                layouts.push(Layout::of(definition));
                layouts.len() - 1
            });
            let layout = &mut layouts[nth];
            let done = self.health.check();
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
        let name = checked_name(making.new.name)?;
        let exists = world.find(name).is_some();
        if exists && making.existing == Existing::Keep {
            return Err(Error::Exists(name.into()));
        }
        let found = group_with_room(world, &layout.key, pdp_of(&making.new)).cloned();
        let Some(cell) = found else { return Ok(false) };
        let occupant =
            if exists { self.editor.occupant(catalogue_writer, world, name)? } else { None };
        let number = layout.number(world, catalogue_writer);
        let groups = GroupsOfOne::of(world, &cell, occupant.as_ref());
        let placed =
            self.put_in_place(groups.lock(), number, &making.new, name, occupant.as_ref())?;
        catalogue_writer.pending_from.get_or_insert(placed.logged);
        if let Some(occupant) = occupant {
            occupant.forget(catalogue_writer, world);
        }
        world.populations.get_mut(&layout.key).expect("it has a group").members += 1;
        world.give_name(placed.rrd, name).map_err(|_| Error::Exists(name.into()))?;
        let Placement { rrd, generation, born_step, .. } = placed;
        let entry = RrdEntry { generation, definition: number, born_step, name: name.into() };
        catalogue_writer.changes.put_rrd(rrd, entry);
        Ok(true)
    }

    /// Logs a new database and gives it a place in its group, and takes the place from the one that
    /// had its name.
    fn put_in_place(
        &self,
        LockedGroups { mut group, mut other }: LockedGroups<'_>,
        number: DefinitionId,
        new: &NewDatabase<'_>,
        name: &str,
        occupant: Option<&Occupant>,
    ) -> Result<Placement, Error> {
        let NewDatabase { definition, start, .. } = *new;
        let (member, generation) = group.free_place(pdp_of(new)).expect("the group has room");
        let rrd = rrd_id(group.id, member);
        let created = Event::Create { start, name, definition: Cow::Borrowed(definition) };
        let positions = self.log_together(occupant, (rrd, generation), &created)?;
        if let Some(occupant) = occupant {
            let group = other.as_deref_mut().unwrap_or(&mut group);
            group.last_record = positions.start;
            group.remove(member_of(occupant.rrd));
        }
        group.last_record = positions.end;
        let state = State::fresh(&group.states.layout, definition, start);
        group.insert(member, generation, number.0, &state);
        let born_step = group.members[usize::from(member)].born.pdp().cast_unsigned();
        Ok(Placement { rrd, generation, born_step, logged: positions.start })
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
        let start = self.log.journal.append_together(&mut records)?;
        Ok(start..start.advance(deletion_bytes))
    }

    /// Makes a group for a database, unless another thread does so just now: then waits for that.
    /// The locks are given up meanwhile, so that all others go on.
    fn make_room(&self, new: &NewDatabase<'_>, goes_on: GoesOn<'_>) -> Result<(), Error> {
        let key = LayoutKey::of(new.definition, true);
        let mut catalogue_writer = self.registry.catalogue_writer();
        while catalogue_writer.making.contains(&key) {
            catalogue_writer = self.registry.wait(catalogue_writer, ASK_AGAIN);
            expect_wanted(new.name, goes_on)?;
        }
        if group_with_room(&self.registry.world(), &key, pdp_of(new)).is_some() {
            return Ok(());
        }
        catalogue_writer.making.insert(key.clone());
        drop(catalogue_writer);
        let _maker = GroupMaker { registry: self.registry, key: &key };
        let members = {
            let world = self.registry.world();
            world.populations.get(&key).map_or(0, |population| population.members)
        };
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
        let id = self.new_groups.take_number(name)?;
        let plan = GroupPlan { id, capacity, shared: true };
        let made = self.new_groups.in_memory(plan, name, definition);
        let made = made.and_then(|group| self.new_groups.make_files(group, goes_on));
        let cell = made.inspect_err(|_| self.new_groups.give_up(id))?;
        let phase_pdps = cell.phase_pdps;
        let mut catalogue_writer = self.committer.await_turn(self.registry.catalogue_writer());
        let layout =
            intern(&mut self.registry.world_mut().definitions, definition, &mut catalogue_writer);
        let created = self.log.journal.next();
        let entry = GroupEntry { layout, capacity, phase_pdps, shared: true, created };
        catalogue_writer.changes.put_group(GroupId(id), entry);
        // Its members' records name a group that the catalogue knows. Where the commit fails it
        // will be known at the next opening at the earliest: its number stays taken.
        self.committer.commit(&mut catalogue_writer)?;
        self.registry.world_mut().add_group(Arc::new(cell), key.clone());
        drop(catalogue_writer);
        self.zeros.put_off(id, self.due);
        Ok(())
    }
}

/// Where a new database stands.
struct Placement {
    rrd: RrdId,
    generation: Generation,
    /// The last step that it has seen.
    born_step: u64,
    /// The first record of its making.
    logged: LogPosition,
}

/// Refuses to go on for a client that no longer waits for the database.
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
    // No group is replayed only to see that it is full.
    let mut cells =
        groups.filter(|group| !world.waits_full(**group)).filter_map(|group| world.cell(*group));
    cells.find(|cell| cell.group().free_place(pdp).is_some())
}
