//! Reading a whole database, or its state: what memory knows, the tiles, the attic, as one.

use std::sync::Arc;

use disk::Medium;
use journal::Generation;
use livestate::State;
use livestate::seasons;
use rrd::{Definition, LiveState, Snapshot};
use store::{Error, Outline};

use super::Cell;
use super::attic::AtticView;
use super::group_files::GroupFiles;
use super::registry::Registry;
use super::world::{World, member_of};
use crate::group::{Group, MemoryView};

/// Reads databases: what memory knows, the tiles, the attic, as one.
pub(super) struct Reader<'e, M> {
    pub(super) files: &'e GroupFiles<M>,
    pub(super) registry: &'e Registry<M>,
}

/// Where a database stands.
pub(super) struct InPlace {
    pub(super) cell: Arc<Cell>,
    pub(super) member: u16,
    pub(super) generation: Generation,
}

impl InPlace {
    /// # Errors
    /// There is no database of that name, or its group cannot be opened.
    pub(super) fn of(world: &World, name: &str) -> Result<Self, Error> {
        let (rrd, cell) = world.place_of(name)?;
        let member = member_of(rrd);
        let generation = cell.group().members[usize::from(member)].generation;
        Ok(Self { cell: Arc::clone(cell), member, generation })
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cell, &other.cell)
            && (self.member, self.generation) == (other.member, other.generation)
    }
}

/// A database as memory knows it at one moment.
struct MemoryState {
    definition: Definition,
    state: State,
    views: Vec<MemoryView>,
    attic: AtticView,
}

impl<M: Medium<File: 'static>> Reader<'_, M> {
    /// The whole database.
    ///
    /// # Errors
    /// There is no database of that name; a tile of it is damaged; those of the machine.
    pub(super) fn snapshot(&self, name: &str) -> Result<Snapshot, Error> {
        self.read_in_place(name, |place| self.snapshot_in(name, place))
    }

    fn snapshot_in(&self, name: &str, place: &InPlace) -> Result<Snapshot, Error> {
        let InPlace { cell, member, .. } = place;
        let _nobody_writes = cell.reading_tiles();
        let mut memory_state = self.memory_state(name, place, |group, definition, state| {
            let last_pdp = group.pdp_of(state.live.last_update.seconds);
            let archives = definition.archives.iter().enumerate();
            let view_of = |(nth, archive): (usize, &rrd::Archive)| {
                let shape = group.geometry.shape_of(nth);
                let rows = if archive.cf.is_seasonal() { 0 } else { archive.rows };
                let first = group.newest_row(shape, last_pdp) - rows as i64 + 1;
                MemoryView::of(group, *member, shape, first, rows as usize)
            };
            Ok(archives.map(view_of).collect())
        })?;
        let mut rows = self.complete(cell, memory_state.views, &memory_state.attic)?;
        let sources = memory_state.definition.sources.len();
        let layout = cell.group().states.layout.clone();
        layout.complete(&mut memory_state.state, |archive, age, row| {
            row_of(&rows[archive], sources, age, row);
            Ok::<(), Error>(())
        })?;
        seasons::put_rows(&memory_state.definition, &memory_state.state.live, &mut rows);
        Ok(Snapshot { definition: memory_state.definition, live: memory_state.state.live, rows })
    }

    /// What memory knows of a database: nothing is read.
    ///
    /// # Errors
    /// There is no database of that name, or its group cannot be opened.
    pub(super) fn outline(&self, name: &str) -> Result<Outline, Error> {
        let world = self.registry.world();
        let (rrd, cell) = world.place_of(name)?;
        let group = cell.group();
        let member = member_of(rrd);
        let definition = world.definition(group.members[usize::from(member)].definition);
        let definition = Definition::clone(definition);
        Ok(Outline { definition, last_update: group.last_update(member) })
    }

    /// Definition and live state.
    ///
    /// # Errors
    /// As [`Reader::snapshot`].
    pub(super) fn describe(&self, name: &str) -> Result<(Definition, LiveState), Error> {
        self.read_in_place(name, |place| self.describe_in(name, place))
    }

    pub(super) fn describe_in(
        &self,
        name: &str,
        place: &InPlace,
    ) -> Result<(Definition, LiveState), Error> {
        let InPlace { cell, member, .. } = place;
        let _nobody_writes = cell.reading_tiles();
        let mut memory_state = self.memory_state(name, place, |_, _, _| Ok(Vec::new()))?;
        let sources = memory_state.definition.sources.len();
        let layout = cell.group().states.layout.clone();
        let last_pdp = cell.group().pdp_of(memory_state.state.live.last_update.seconds);
        layout.complete(&mut memory_state.state, |archive, age, row| {
            let (view, attic) = {
                let group = cell.group();
                let shape = group.geometry.shape_of(archive);
                let newest = group.newest_row(shape, last_pdp);
                let view = MemoryView::of(&group, *member, shape, newest - age as i64, 1);
                (view, AtticView::of(&group))
            };
            let rows = self.complete(cell, vec![view], &attic)?;
            row.copy_from_slice(&rows[0][..sources]);
            Ok::<(), Error>(())
        })?;
        Ok((memory_state.definition, memory_state.state.live))
    }

    fn place_of(&self, name: &str) -> Result<InPlace, Error> {
        InPlace::of(&self.registry.world(), name)
    }

    /// Reads a database where it stands; once more where it was put elsewhere meanwhile.
    pub(super) fn read_in_place<T>(
        &self,
        name: &str,
        read: impl Fn(&InPlace) -> Result<T, Error>,
    ) -> Result<T, Error> {
        loop {
            let place = self.place_of(name)?;
            let done = read(&place);
            if done.is_ok() || self.place_of(name)?.is(&place) {
                return done;
            }
        }
    }

    /// A database at one moment, with the views that `look` takes.
    fn memory_state(
        &self,
        name: &str,
        InPlace { cell, member, generation }: &InPlace,
        look: impl FnOnce(&Group, &Definition, &State) -> Result<Vec<MemoryView>, Error>,
    ) -> Result<MemoryState, Error> {
        let world = self.registry.world();
        let group = cell.group();
        let holder = *group.member(*member, *generation).ok_or_else(|| Error::missing(name))?;
        let definition = Definition::clone(world.definition(holder.definition));
        let mut state = group.states.room();
        group.states.copy(*member, &mut state);
        let views = look(&group, &definition, &state)?;
        Ok(MemoryState { definition, state, views, attic: AtticView::of(&group) })
    }

    /// Reads what the views of one member do not know yet. The caller holds off flushes, which
    /// write tiles.
    ///
    /// # Errors
    /// A tile is damaged: what this gives is to be taken for the whole. Those of the machine.
    fn complete(
        &self,
        cell: &Cell,
        mut views: Vec<MemoryView>,
        attic: &AtticView,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let mut asking: Vec<&mut MemoryView> = views.iter_mut().collect();
        let of_tiles = self.files.read_tiles(cell, &mut asking)?.into_values().next();
        let of_attic = self.files.take_from_attic(cell, attic, &mut asking)?.into_values().next();
        match of_tiles.or(of_attic) {
            Some(fault) => Err(fault),
            None => Ok(views.into_iter().map(MemoryView::into_values).collect()),
        }
    }
}

/// Copies the row that is so many rows older than the newest.
fn row_of(rows: &[f64], sources: usize, age: u64, row: &mut [f64]) {
    let end = rows.len() - age as usize * sources;
    row.copy_from_slice(&rows[end - sources..end]);
}
