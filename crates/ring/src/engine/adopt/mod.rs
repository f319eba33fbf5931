//! Whole databases that come from elsewhere: a group of their own, its tiles written at once.
//!
//! Nothing of it goes through the log. The group's files are complete and synced before one commit
//! of the catalogue makes them known; cut short before, nothing has happened.

mod check;
mod tiles;
mod stretch;
mod origin;
mod reshape;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use disk::{GoesOn, Medium, MediumFile};
use tracing_mutex::stdsync::RwLockWriteGuard;

use super::checked_name::check_name;
use super::committer::Committer;
use super::create::expect_wanted;
use super::group_files::GroupFiles;
use super::health::Health;
use super::intern::intern;
use super::log::Log;
use super::new_groups::{GroupPlan, NewGroups};
use super::read::Reader;
use super::registry::Registry;
use super::world::{group_of, member_of, rrd_id};
use super::{CatalogueWriter, Cell, FileKind, World};
use crate::attic::{AtticEntry, AtticPages, pages_of};
use crate::catalogue::{DefinitionId, GroupEntry, GroupId, RrdEntry};
use crate::file::{Foreign, Stay};
use crate::group::{BornPdp, Group, Status};
use crate::record::{self, Event};
pub(super) use check::fits;
use geometry::LayoutKey;
use journal::{Generation, RrdId};
use livestate::State;
use livestate::seasons;
pub(super) use origin::{Origin, Seen};
use store::{ADOPTEES_MAX, Adoptee, Error};

/// Takes whole databases in.
pub(super) struct Adopter<'e, M: Medium> {
    pub(super) log: &'e Log<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) committer: Committer<'e, M>,
    pub(super) new_groups: NewGroups<'e, M>,
    /// For databases that are made anew from what they are.
    pub(super) reader: Reader<'e, M>,
    pub(super) health: &'e Health,
    pub(super) stay: &'e Stay,
    pub(super) groups_changed: &'e AtomicBool,
}

impl<M: Medium<File: 'static>> Adopter<'_, M> {
    /// Takes databases that can be members of one group, all or none, in place of what stands under
    /// their names.
    ///
    /// # Errors
    /// [`Error::Name`], [`Error::Unfit`], and those of the machine; what was there is then
    /// untouched. [`Error::Exists`] if two have one name. [`Error::Io`] where it was given up, and
    /// then nothing is left of it.
    pub(super) fn adopt(&self, adoptees: &[Adoptee], goes_on: GoesOn<'_>) -> Result<(), Error> {
        assert!((1..=ADOPTEES_MAX).contains(&adoptees.len()));
        let shared = adoptees[0].is_shared();
        let key = adoptees[0].layout_key();
        let same = adoptees.iter().all(|adoptee| adoptee.layout_key() == key);
        assert!(same, "members of one group are of one layout");
        let coming = Coming { shared, origins: &[], can_wait: false, goes_on };
        self.take_in(adoptees, &coming).map(drop)
    }

    /// Whether a name is held by what came from a file that was changed last at this moment, in
    /// nanoseconds since 1970; `None` if no database has it.
    pub(super) fn came_from(&self, name: &str, modified_nanos: i64) -> Result<Option<bool>, Error> {
        let Some(rrd) = self.registry.world().find(name) else { return Ok(None) };
        let modified = self.foreign(rrd)?.and_then(|foreign| Foreign::modified_in(&foreign));
        Ok(Some(modified == Some(modified_nanos)))
    }

    /// What the file of a database had of its own.
    fn foreign(&self, rrd: RrdId) -> Result<Option<Vec<u8>>, Error> {
        let mut catalogue_writer = self.registry.catalogue_writer();
        catalogue_writer.look(self.registry.medium(), |catalogue| catalogue.foreign(rrd))
    }

    /// As [`Adopter::adopt`]. Those that are no longer as they were seen stay where they are;
    /// nothing is done if they are more than half of all.
    pub(super) fn take_in(
        &self,
        adoptees: &[Adoptee],
        coming: &Coming<'_>,
    ) -> Result<Taken, Error> {
        self.health.check()?;
        adoptees.iter().try_for_each(check::check)?;
        let key = LayoutKey::of(&adoptees[0].snapshot.definition, coming.shared);
        check_names(adoptees)?;
        let id = self.new_groups.take_number(&adoptees[0].name)?;
        let made = self.group_of_adoptees(id, adoptees, coming);
        let cell = made.inspect_err(|_| self.new_groups.give_up(id))?;
        let group = NewGroup { entry: entry_of(&cell, coming.shared), cell: Arc::new(cell), key };
        let taken = self.introduce(adoptees, group, coming)?;
        if !taken.done {
            self.new_groups.give_up(id);
        }
        Ok(taken)
    }

    /// The group with all its files. Neither the world nor the catalogue knows it yet.
    fn group_of_adoptees(
        &self,
        id: u32,
        adoptees: &[Adoptee],
        &Coming { shared, origins, goes_on, .. }: &Coming<'_>,
    ) -> Result<Cell, Error> {
        /// A member's definition gets its number last: where the group is given up, the catalogue
        /// learns of none.
        const NUMBERED_LATER: u32 = 0;
        let first = &adoptees[0];
        let plan = GroupPlan { id, capacity: adoptees.len() as u32, shared };
        let mut group = self.new_groups.in_memory(plan, &first.name, &first.snapshot.definition)?;
        for (nth, adoptee) in adoptees.iter().enumerate() {
            let runs = group.states.layout.runs_of(&adoptee.snapshot);
            let state = State::new(seasons::completed(&adoptee.snapshot), runs);
            group.insert(nth as u16, Generation(1), NUMBERED_LATER, &state);
            group.members[nth].born = BornPdp::default(); // all its rows are its own
            if let Some(shifts) = origins.get(nth).and_then(|origin| origin.shifts.clone()) {
                group.shifts.insert(nth as u16, shifts);
            }
        }
        group.start_among();
        self.new_groups.lay_files(&group, goes_on)?;
        let files = self.new_groups.files;
        let private = files.write_all_tiles(&mut group, adoptees, goes_on)?;
        files.sync_directory()?;
        write_private_rows(files, &mut group, &private)?;
        expect_wanted(Path::new(&first.name), goes_on)?;
        for (member, number) in group.members.iter_mut().zip(self.intern_all(adoptees)) {
            member.definition = number.0;
        }
        let cell = Cell::new(group);
        self.new_groups.put_checkpoints(&cell)?;
        Ok(cell)
    }

    /// The numbers of the definitions.
    fn intern_all(&self, adoptees: &[Adoptee]) -> Vec<DefinitionId> {
        let mut catalogue_writer = self.registry.catalogue_writer();
        let mut world = self.registry.world_mut();
        let number = |adoptee: &Adoptee| {
            intern(&mut world.definitions, &adoptee.snapshot.definition, &mut catalogue_writer)
        };
        adoptees.iter().map(number).collect()
    }

    /// Makes a group known, and forgets what had the names of its members.
    fn introduce(
        &self,
        adoptees: &[Adoptee],
        group: NewGroup,
        &Coming { origins, can_wait, .. }: &Coming<'_>,
    ) -> Result<Taken, Error> {
        let id = group.cell.id;
        let mut catalogue_writer = self.committer.await_turn(self.registry.catalogue_writer());
        // What others left is not to fail with ours.
        let committed = self.committer.commit(&mut catalogue_writer);
        committed.inspect_err(|_| self.new_groups.give_up(id))?;
        let world = self.registry.world_mut();
        if can_wait && self.stay.is_asked() {
            return Ok(Taken { done: false, changed: Vec::new() });
        }
        let (coming, changed) = sort_out(&world, adoptees, origins);
        if coming.len() < changed.len().max(1) {
            return Ok(Taken { done: false, changed });
        }
        changed.iter().for_each(|nth| group.cell.group().remove(*nth as u16));
        let replaced = self.holders(&mut catalogue_writer, &world, &coming)?;
        put_changes(&mut catalogue_writer, &coming, &group, &replaced);
        let (member, adoptee) = coming[0];
        let first = (rrd_id(id, member), adoptee.name.as_str());
        let committed = self.commit_with(&mut catalogue_writer, world, replaced.is_empty(), first);
        let mut world = committed.inspect_err(|_| {
            if self.health.check().is_ok() {
                self.new_groups.give_up(id); // it is certain that the catalogue does not know it
            }
        })?;
        // Known for good. What stood there before is vacated; the log tells it to its group.
        take_doubts_along(&world, &group.cell, &coming, origins);
        for (rrd, generation) in &replaced {
            self.vacate(&mut world, *rrd, *generation)?;
        }
        group.enter(&mut world, &coming)?;
        self.groups_changed.store(true, Ordering::Relaxed);
        Ok(Taken { done: true, changed })
    }

    /// Commits what is to become known. The world stays locked where databases are replaced: an
    /// update of one of them would be acknowledged and lost. Where none is, other threads go on.
    fn commit_with<'a>(
        &'a self,
        catalogue_writer: &mut CatalogueWriter,
        world: RwLockWriteGuard<'a, World>,
        nothing_replaced: bool,
        first: (RrdId, &str),
    ) -> Result<RwLockWriteGuard<'a, World>, Error> {
        let held = if nothing_replaced {
            drop(world);
            None
        } else {
            Some(world)
        };
        self.commit_adoption(catalogue_writer, first)?;
        Ok(held.unwrap_or_else(|| self.registry.world_mut()))
    }

    /// Commits the changes, all of which belong to one adoption. Where that fails nothing has
    /// happened; where that cannot be known, the store stops: an update of what may be replaced
    /// would be acknowledged and lost.
    fn commit_adoption(
        &self,
        catalogue_writer: &mut CatalogueWriter,
        (rrd, name): (RrdId, &str),
    ) -> Result<(), Error> {
        let Err(error) = self.committer.commit(catalogue_writer) else { return Ok(()) };
        match catalogue_writer.look(self.registry.medium(), |catalogue| catalogue.id_of(name)) {
            Ok(found) if found == Some(rrd) => return Ok(()),
            Ok(_) => catalogue_writer.changes.clear(),
            Err(_) => self.health.stop(),
        }
        Err(error)
    }

    /// The databases that have the names of those that come. The catalogue has every change that
    /// was made so far.
    fn holders(
        &self,
        catalogue_writer: &mut CatalogueWriter,
        world: &World,
        coming: &[(u16, &Adoptee)],
    ) -> Result<Vec<(RrdId, Generation)>, Error> {
        let mut holders = Vec::new();
        for rrd in coming.iter().filter_map(|(_, adoptee)| world.find(&adoptee.name)) {
            let generation = match world.cell(group_of(rrd)) {
                Some(cell) => Some(cell.group().members[usize::from(member_of(rrd))].generation),
                None => {
                    let entry = catalogue_writer
                        .look(self.registry.medium(), |catalogue| catalogue.entry(rrd))?;
                    entry.map(|entry| entry.generation)
                }
            };
            holders.extend(generation.map(|generation| (rrd, generation)));
        }
        Ok(holders)
    }

    fn vacate(&self, world: &mut World, rrd: RrdId, generation: Generation) -> Result<(), Error> {
        world.take_name(rrd);
        // A group that cannot be opened is told nothing, and the catalogue knows.
        let Some(old) = world.cell(group_of(rrd)).cloned() else { return Ok(()) };
        world.count_out(old.id);
        let mut group = old.group();
        group.last_record = record::append(&self.log.journal, rrd, generation, &Event::Delete)?;
        group.remove(member_of(rrd));
        Ok(())
    }
}

/// A group that is to become known.
struct NewGroup {
    cell: Arc<Cell>,
    key: LayoutKey,
    entry: GroupEntry,
}

impl NewGroup {
    /// Makes the group known for good, and the names of its members.
    fn enter(self, world: &mut World, coming: &[(u16, &Adoptee)]) -> Result<(), Error> {
        let Self { cell, key, .. } = self;
        let id = cell.id;
        world.populations.entry(key.clone()).or_default().members += coming.len() as u64;
        world.add_group(cell, key);
        for (member, adoptee) in coming {
            let named = world.give_name(rrd_id(id, *member), &adoptee.name);
            named.map_err(|_| Error::Exists(adoptee.name.as_str().into()))?;
        }
        Ok(())
    }
}

/// Those that still are as they were seen, with their places, and the positions of the others.
fn sort_out<'a>(
    world: &World,
    adoptees: &'a [Adoptee],
    origins: &[Origin],
) -> (Vec<(u16, &'a Adoptee)>, Vec<usize>) {
    let is_as_seen = |nth: &usize| {
        origins.get(*nth).is_none_or(|it| it.seen.still_holds(world, &adoptees[*nth].name))
    };
    let (coming, changed): (Vec<usize>, Vec<usize>) = (0..adoptees.len()).partition(is_as_seen);
    (coming.into_iter().map(|nth| (nth as u16, &adoptees[nth])).collect(), changed)
}

/// What clients may repeat of those that were put elsewhere they may repeat there.
fn take_doubts_along(world: &World, cell: &Cell, coming: &[(u16, &Adoptee)], origins: &[Origin]) {
    for (member, _) in coming {
        if let Some(origin) = origins.get(usize::from(*member)) {
            let doubts = origin.seen.samples_in_doubt(world);
            cell.group().in_doubt.add(*member, &doubts);
        }
    }
}

/// How whole databases come.
#[derive(Clone, Copy)]
pub(super) struct Coming<'a> {
    /// Whether archives of one PDP are stored once for all their functions.
    pub(super) shared: bool,
    /// Where each of them stands in the store; empty if they come from elsewhere.
    pub(super) origins: &'a [Origin],
    /// Nothing is done while databases are asked to stay where they are.
    pub(super) can_wait: bool,
    /// Whether they are still wanted; asked between the steps of what takes long.
    pub(super) goes_on: GoesOn<'a>,
}

/// What became of databases that were to be taken in.
pub(super) struct Taken {
    pub(super) done: bool,
    /// The positions of those that were no longer as they had been seen.
    pub(super) changed: Vec<usize>,
}

fn check_names(adoptees: &[Adoptee]) -> Result<(), Error> {
    let mut names = HashSet::with_capacity(adoptees.len());
    for adoptee in adoptees {
        check_name(&adoptee.name)?;
        if !names.insert(&adoptee.name) {
            return Err(Error::Exists(adoptee.name.as_str().into()));
        }
    }
    Ok(())
}

fn entry_of(cell: &Cell, shared: bool) -> GroupEntry {
    let group = cell.group();
    GroupEntry {
        layout: DefinitionId(group.members[0].definition),
        capacity: cell.geometry.capacity(),
        phase_pdps: cell.phase_pdps,
        shared,
        created: group.places[0].position,
    }
}

fn put_changes(
    catalogue_writer: &mut CatalogueWriter,
    coming: &[(u16, &Adoptee)],
    NewGroup { cell, entry, .. }: &NewGroup,
    replaced: &[(RrdId, Generation)],
) {
    for (rrd, generation) in replaced {
        catalogue_writer.changes.remove_rrd(*rrd, *generation);
    }
    catalogue_writer.changes.put_group(GroupId(cell.id), *entry);
    let group = cell.group();
    for (member, adoptee) in coming {
        let rrd = rrd_id(cell.id, *member);
        let entry = RrdEntry {
            generation: Generation(1),
            definition: DefinitionId(group.members[usize::from(*member)].definition),
            born_step: 0,
            name: adoptee.name.clone(),
        };
        catalogue_writer.changes.put_rrd(rrd, entry);
        if let Some(foreign) = &adoptee.foreign {
            catalogue_writer.changes.put_foreign(rrd, foreign.clone());
        }
    }
}

/// Writes the rows that belong into the attic of a new group.
fn write_private_rows<M: Medium<File: 'static>>(
    files: &GroupFiles<M>,
    group: &mut Group,
    private: &[AtticEntry],
) -> Result<(), Error> {
    if private.is_empty() {
        return Ok(());
    }
    let kind = FileKind::Attic(0);
    let name = kind.name(group.id);
    let file = files.fresh_file(kind, group.id)?;
    let AtticPages { bytes, index } = pages_of(private, group.geometry.sources(), group.id, 0);
    let put = file.write_at(&bytes, 0).and_then(|()| file.sync_data());
    put.and_then(|()| files.medium().sync_directory())
        .map_err(Error::io("writing", Path::new(&name)))?;
    group.attic.pages = index.pages();
    group.attic_index = Arc::new(index);
    for entry in private {
        group.members[usize::from(entry.member)].status.set(Status::ATTIC, true);
    }
    Ok(())
}
