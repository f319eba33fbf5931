//! What happens to a database after its creation: rename, tune, delete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use disk::Medium;
use journal::{Generation, RrdId};
use rrd::Definition;
use store::{Error, SourceTuning};

use super::checked_name::check_name;
use super::committer::Committer;
use super::due::Due;
use super::health::Health;
use super::intern::intern;
use super::log::Log;
use super::occupant::Occupant;
use super::registry::Registry;
use super::world::{group_of, member_of};
use super::{CatalogueWriter, World};
use crate::group::Group;
use crate::record::{self, Event};

/// Renames, tunes and deletes databases.
pub(super) struct Editor<'e, M: Medium> {
    pub(super) log: &'e Log<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) committer: Committer<'e, M>,
    pub(super) health: &'e Health,
    pub(super) due: &'e Due,
    pub(super) groups_changed: &'e AtomicBool,
}

impl<M: Medium<File: 'static>> Editor<'_, M> {
    /// Takes a database away. Its room is given to others once no checkpoint knows it any more.
    ///
    /// # Errors
    /// There is none of that name; those of the machine.
    pub(super) fn delete(&self, name: &str) -> Result<(), Error> {
        self.health.check()?;
        let mut catalogue_writer = self.registry.catalogue_writer();
        self.delete_in_memory(&mut catalogue_writer, &mut self.registry.world_mut(), name)?;
        drop(catalogue_writer);
        self.log.sync()
    }

    fn delete_in_memory(
        &self,
        catalogue_writer: &mut CatalogueWriter,
        world: &mut World,
        name: &str,
    ) -> Result<(), Error> {
        let Some(occupant) = self.occupant(catalogue_writer, world, name)? else { return Ok(()) };
        let (rrd, generation) = (occupant.rrd, occupant.generation);
        let member = member_of(rrd);
        self.record(world, catalogue_writer, rrd, generation, &Event::Delete, |group| {
            group.remove(member)
        })?;
        occupant.forget(catalogue_writer, world);
        Ok(())
    }

    /// The database that has a name, which is to be taken from it. One whose group cannot be opened
    /// is taken away at once.
    pub(super) fn occupant(
        &self,
        catalogue_writer: &mut CatalogueWriter,
        world: &mut World,
        name: &str,
    ) -> Result<Option<Occupant>, Error> {
        match holder(world, name) {
            Err(Error::LostGroup { .. }) => {
                self.delete_lost(catalogue_writer, world, name).map(|()| None)
            }
            Err(error) => Err(error),
            Ok((rrd, generation, _)) => {
                self.groups_changed.store(true, Ordering::Relaxed);
                Ok(Some(Occupant { rrd, generation }))
            }
        }
    }

    /// Takes a database away whose group cannot be opened: the catalogue alone has it.
    fn delete_lost(
        &self,
        catalogue_writer: &mut CatalogueWriter,
        world: &mut World,
        name: &str,
    ) -> Result<(), Error> {
        // What others left is not to fail with ours.
        self.committer.commit(catalogue_writer)?;
        let Some(rrd) = world.find(name) else { return Ok(()) };
        let entry =
            catalogue_writer.look(self.registry.medium(), |catalogue| catalogue.entry(rrd))?;
        if let Some(entry) = entry {
            catalogue_writer.changes.remove_rrd(rrd, entry.generation);
            self.commit_removal(catalogue_writer, rrd)?;
        }
        world.take_name(rrd);
        Ok(())
    }

    /// Commits the change that removes a database, which is the only one. Where it fails nothing
    /// has happened; where that cannot be known, the store stops.
    fn commit_removal(
        &self,
        catalogue_writer: &mut CatalogueWriter,
        rrd: RrdId,
    ) -> Result<(), Error> {
        let Err(error) = self.committer.commit(catalogue_writer) else { return Ok(()) };
        match catalogue_writer.look(self.registry.medium(), |catalogue| catalogue.entry(rrd)) {
            Ok(None) => return Ok(()),
            Ok(Some(_)) => catalogue_writer.changes.clear(),
            Err(_) => self.health.stop(),
        }
        Err(error)
    }

    /// Gives a database another name.
    ///
    /// # Errors
    /// There is none of that name, or one of the new name ([`Error::Exists`]); those of the
    /// machine.
    pub(super) fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        self.health.check()?;
        check_name(to)?;
        let mut catalogue_writer = self.registry.catalogue_writer();
        let (rrd, generation, _) = holder(&self.registry.world(), from)?;
        if self.registry.world().find(to).is_some() {
            return Err(Error::Exists(to.into()));
        }
        let mut world = self.registry.world_mut();
        let event = Event::Rename { name: to };
        self.record(&world, &mut catalogue_writer, rrd, generation, &event, |_| ())?;
        world.take_name(rrd);
        world.give_name(rrd, to).map_err(|_| Error::Exists(to.into()))?;
        drop(world);
        catalogue_writer.changes.rename(rrd, generation, to);
        drop(catalogue_writer);
        self.log.sync()
    }

    /// Changes heartbeat and limits of a data source, from the next update on.
    ///
    /// # Errors
    /// There is no database of that name; [`Error::Unfit`] if it has no such source, or one that is
    /// calculated; those of the machine.
    pub(super) fn tune(&self, name: &str, tuning: &SourceTuning) -> Result<(), Error> {
        self.health.check()?;
        let mut catalogue_writer = self.registry.catalogue_writer();
        let (rrd, generation, definition) = holder(&self.registry.world(), name)?;
        let unfit =
            |reason: &'static str| Error::Unfit { name: name.into(), reason: reason.into() };
        let tuned = tuned(&definition, tuning)
            .ok_or_else(|| unfit("it has no data source of that position"))?;
        // A file has its expression in their place. A log that has such a record already is
        // replayed.
        if !tuned.sources[tuning.source as usize].kind.takes_readings() {
            return Err(unfit("that data source is calculated: it has no heartbeat or limits"));
        }
        let mut world = self.registry.world_mut();
        let number = intern(&mut world.definitions, &tuned, &mut catalogue_writer);
        let event = Event::Tune(*tuning);
        self.record(&world, &mut catalogue_writer, rrd, generation, &event, |group| {
            group.members[usize::from(member_of(rrd))].definition = number.0;
        })?;
        drop(world);
        catalogue_writer.changes.redefine(rrd, generation, number);
        drop(catalogue_writer);
        self.log.sync()
    }

    /// Logs an event of a database's life and does it to its group, so that no update comes between
    /// the two.
    fn record(
        &self,
        world: &World,
        catalogue_writer: &mut CatalogueWriter,
        rrd: RrdId,
        generation: Generation,
        event: &Event<'_>,
        work: impl FnOnce(&mut Group),
    ) -> Result<(), Error> {
        let cell = world.cell(group_of(rrd)).expect("its group is there");
        let mut group = cell.group();
        self.due.wake();
        let position = record::append(&self.log.journal, rrd, generation, event)?;
        catalogue_writer.pending_from.get_or_insert(position);
        group.last_record = position;
        work(&mut group);
        Ok(())
    }
}

/// The database that has a name: id, generation and definition.
fn holder(world: &World, name: &str) -> Result<(RrdId, Generation, Arc<Definition>), Error> {
    let (rrd, cell) = world.place_of(name)?;
    let holder = cell.group().members[usize::from(member_of(rrd))];
    Ok((rrd, holder.generation, world.definition(holder.definition).clone()))
}

/// A definition with one source tuned; `None` if it has no such source.
pub(super) fn tuned(definition: &Definition, tuning: &SourceTuning) -> Option<Definition> {
    let mut tuned = definition.clone();
    let source = tuned.sources.get_mut(tuning.source as usize)?;
    source.heartbeat_seconds = tuning.heartbeat_seconds;
    source.minimum = tuning.minimum;
    source.maximum = tuning.maximum;
    Some(tuned)
}
