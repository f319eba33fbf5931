//! Many databases on their way out: each tile is read once for all of its members.

use std::collections::BTreeMap;
use std::path::Path;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use journal::Generation;
use livestate::State;
use livestate::seasons;
use pagecache::reader::{Long, Options};
use rrd::{Definition, Snapshot};
use store::Error;

use super::attic::AtticView;
use super::committer::Committer;
use super::group_files::GroupFiles;
use super::registry::Registry;
use super::rows::ReadPage;
use super::world::{group_of, member_of, rrd_id};
use super::{Cell, FileKind};
use crate::file::{Departure, Party, Stay};
use crate::group::{Group, MemoryView, Status};
use crate::tile::TilePlace;

/// Databases that leave the store, whole: copied, or put elsewhere in it.
pub struct Departures<'e, M: Medium> {
    pub(super) files: &'e GroupFiles<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) committer: Committer<'e, M>,
    pub(super) stay: &'e Stay,
}

/// What the catalogue knows of a member.
struct Label {
    member: u16,
    generation: Generation,
    name: String,
    foreign: Option<Vec<u8>>,
}

/// A member as memory knows it at one moment.
struct Leaving {
    label: Label,
    definition: Definition,
    state: State,
    /// One for each archive.
    views: Vec<MemoryView>,
    shifts: Option<Vec<u64>>,
    attic: AtticView,
    /// What is wrong with a tile of it, or with its rows in the attic.
    fault: Option<Error>,
}

impl<M: Medium<File: 'static>> Departures<'_, M> {
    /// All databases, in parties that [leave](Self::leave) together.
    #[must_use]
    pub fn all(&self) -> Vec<Party> {
        self.registry.replay_all();
        let world = self.registry.world();
        let mut parties = Vec::new();
        for cell in world.cells() {
            let members = cell.group().present().map(|(member, _)| member).collect();
            split(cell, members, self.stay, &mut parties);
        }
        let lost = world.lost_groups().filter(|(_, members)| !members.is_empty());
        let lost = lost.map(|(group, members)| {
            let _stay = self.stay.clone();
            Party { group, members, _stay }
        });
        parties.extend(lost);
        parties
    }

    /// Those of these names, in parties that leave together.
    ///
    /// # Errors
    /// There is no database of a name.
    pub fn of(&self, names: &[String]) -> Result<Vec<Party>, Error> {
        let mut missing = Ok(());
        let parties = self.found(names, |_, error| missing = Err(error));
        missing.map(|()| parties)
    }

    /// Those of these names that there are, in parties that leave together; `miss` is told of the
    /// others.
    pub(crate) fn found(&self, names: &[String], mut miss: impl FnMut(&str, Error)) -> Vec<Party> {
        let world = self.registry.world();
        let mut members: BTreeMap<u32, Vec<u16>> = BTreeMap::new();
        for name in names {
            match world.place_of(name) {
                Ok((rrd, _)) => members.entry(group_of(rrd)).or_default().push(member_of(rrd)),
                Err(error) => miss(name, error),
            }
        }
        let mut parties = Vec::new();
        for (group, mut members) in members {
            let Some(cell) = world.cell(group) else { continue };
            members.sort_unstable();
            members.dedup();
            split(cell, members, self.stay, &mut parties);
        }
        parties
    }

    /// One database, whole.
    ///
    /// # Errors
    /// There is no database of that name; a tile of it is damaged; those of the machine.
    pub fn one(&self, name: &str) -> Result<Departure, Error> {
        let mut found = Err(Error::missing(name));
        for party in self.of(&[name.to_owned()])? {
            self.leave(&party, |_, departure| found = departure)?;
        }
        found
    }

    /// Hands every member of a party to `take`, with its name, whole, or with what is wrong with
    /// it. Those that went since the party was made are passed over.
    ///
    /// # Errors
    /// Those of the machine.
    pub fn leave(
        &self,
        party: &Party,
        mut take: impl FnMut(&str, Result<Departure, Error>),
    ) -> Result<(), Error> {
        self.leave_each(party, |_, name, departure| take(name, departure))
    }

    /// As [`Departures::leave`], with the place of each member.
    pub(super) fn leave_each(
        &self,
        party: &Party,
        mut take: impl FnMut(u16, &str, Result<Departure, Error>),
    ) -> Result<(), Error> {
        let labels = self.labels(party)?;
        let Some(cell) = self.registry.world().cell(party.group).cloned() else {
            for Label { member, name, .. } in labels {
                let lost = self.registry.world().unreachable(&name, rrd_id(party.group, member));
                take(member, &name, Err(lost));
            }
            return Ok(());
        };
        let mut leaving = {
            let _nobody_writes = cell.reading_tiles();
            let leaving = labels.into_iter().filter_map(|label| self.look_at(&cell, label));
            let mut leaving: Vec<Leaving> = leaving.collect();
            if leaving.is_empty() {
                return Ok(()); // the group may be gone, and its files with it
            }
            self.read_columns(&cell, &mut leaving)?;
            self.take_all_from_attic(&cell, &mut leaving)?;
            leaving
        };
        for each in leaving.drain(..) {
            let (member, name) = (each.label.member, each.label.name.clone());
            take(member, &name, each.depart(&cell));
        }
        Ok(())
    }

    fn labels(&self, party: &Party) -> Result<Vec<Label>, Error> {
        let mut catalogue_writer = self.registry.catalogue_writer();
        self.committer.commit_unless_paused(&mut catalogue_writer)?;
        let pending = catalogue_writer.pending_places(self.registry.medium())?;
        let mut labels = Vec::with_capacity(party.members.len());
        for member in &party.members {
            let rrd = rrd_id(party.group, *member);
            let committed =
                catalogue_writer.look(self.registry.medium(), |catalogue| catalogue.entry(rrd))?;
            let known_as = committed.as_ref().map(|entry| entry.generation);
            let Some(entry) = pending.get(&rrd).cloned().unwrap_or(committed) else { continue };
            // What is foreign of an earlier holder of the place is not this one's.
            let foreign = match known_as == Some(entry.generation) {
                true => catalogue_writer
                    .look(self.registry.medium(), |catalogue| catalogue.foreign(rrd))?,
                false => None,
            };
            let (generation, name) = (entry.generation, entry.name);
            labels.push(Label { member: *member, generation, name, foreign });
        }
        Ok(labels)
    }

    fn look_at(&self, cell: &Cell, label: Label) -> Option<Leaving> {
        let world = self.registry.world();
        let group = cell.group();
        let holder = *group.member(label.member, label.generation)?;
        let definition = Definition::clone(world.definition(holder.definition));
        let mut state = group.states.room();
        group.states.copy(label.member, &mut state);
        let last_pdp = group.pdp_of(state.live.last_update.seconds);
        let views = views(&group, label.member, &definition, last_pdp);
        let shifts = group.shifts.get(&label.member).cloned();
        let attic = AtticView::of(&group);
        Some(Leaving { label, definition, state, views, shifts, attic, fault: None })
    }

    /// Reads the tiles that those that leave need, a column at a time.
    fn read_columns(&self, cell: &Cell, leaving: &mut [Leaving]) -> Result<(), Error> {
        let tiles = self.files.open(FileKind::Tiles, cell.id)?;
        let tiles = Long::new(&tiles, Options::DEFAULT);
        let mut wanted: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
        for (nth, each) in leaving.iter().enumerate() {
            for view in each.views.iter().filter(|view| !view.blocks.is_empty()) {
                let column = cell.geometry.shapes()[view.shape].column_of(view.member);
                let readers = wanted.entry((view.shape, column)).or_default();
                if readers.last() != Some(&nth) {
                    readers.push(nth); // archives may share a shape
                }
            }
        }
        let mut bytes = Vec::new();
        for ((shape, column), readers) in wanted {
            read_column(cell, &tiles, (shape, column), &mut bytes)?;
            share_out(cell, (shape, column), &bytes, readers, leaving);
        }
        Ok(())
    }

    fn take_all_from_attic(&self, cell: &Cell, leaving: &mut [Leaving]) -> Result<(), Error> {
        // While no flush can write tiles the attic only grows: the member that was looked at last
        // saw the most of it.
        let Some(attic) = leaving.last().map(|each| each.attic.clone()) else { return Ok(()) };
        let mut views: Vec<&mut MemoryView> =
            leaving.iter_mut().flat_map(|each| &mut each.views).collect();
        let mut faults = self.files.take_from_attic(cell, &attic, &mut views)?;
        for each in leaving {
            each.fault = each.fault.take().or(faults.remove(&each.label.member));
        }
        Ok(())
    }
}

impl Leaving {
    fn depart(mut self, cell: &Cell) -> Result<Departure, Error> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let mut rows: Vec<Vec<f64>> = self.views.into_iter().map(MemoryView::into_values).collect();
        let sources = self.definition.sources.len();
        let layout = cell.group().states.layout.clone();
        layout.complete(&mut self.state, |archive, age, row| {
            let end = rows[archive].len() - age as usize * sources;
            row.copy_from_slice(&rows[archive][end - sources..end]);
            Ok::<(), Error>(())
        })?;
        seasons::put_rows(&self.definition, &self.state.live, &mut rows);
        let snapshot = Snapshot { definition: self.definition, live: self.state.live, rows };
        let Label { name, foreign, .. } = self.label;
        Ok(Departure { name, snapshot, shifts: self.shifts, foreign })
    }
}

impl<M: Medium> std::fmt::Debug for Departures<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Departures").finish_non_exhaustive()
    }
}

/// Cuts members into parties whose tiles lie side by side.
pub(super) fn split(cell: &Cell, members: Vec<u16>, stay: &Stay, parties: &mut Vec<Party>) {
    let widest = cell.geometry.shapes().iter().map(|shape| shape.tile_databases).max();
    let widest = widest.unwrap_or(1) as u16;
    for members in members.chunk_by(|one, other| one / widest == other / widest) {
        let (members, _stay) = (members.to_vec(), stay.clone());
        parties.push(Party { group: cell.id, members, _stay });
    }
}

fn views(group: &Group, member: u16, definition: &Definition, last_pdp: i64) -> Vec<MemoryView> {
    assert!(group.members[usize::from(member)].status.has(Status::PRESENT));
    let archives = definition.archives.iter().enumerate();
    let view_of = |(nth, archive): (usize, &rrd::Archive)| {
        let shape = group.geometry.shape_of(nth);
        let rows = if archive.cf.is_seasonal() { 0 } else { archive.rows };
        let first = group.newest_row(shape, last_pdp) - rows as i64 + 1;
        MemoryView::of(group, member, shape, first, rows as usize)
    };
    archives.map(view_of).collect()
}

/// Reads all pages of a column.
fn read_column<F: MediumFile>(
    cell: &Cell,
    tiles: &Long<'_, F>,
    (nth, column): (usize, u32),
    bytes: &mut Vec<u8>,
) -> Result<(), Error> {
    let shape = &cell.geometry.shapes()[nth];
    bytes.clear();
    bytes.resize(shape.ring_tiles as usize * PAGE_BYTES, 0);
    let offset_bytes = shape.page_of(column, 0) * PAGE_BYTES as u64;
    let name = FileKind::Tiles.name(cell.id);
    let read = tiles.read_at(bytes, offset_bytes);
    read.map(drop).map_err(Error::io("reading", Path::new(&name)))
}

/// Hands the tiles of a column to the members that need them.
fn share_out(
    cell: &Cell,
    (nth, column): (usize, u32),
    bytes: &[u8],
    readers: Vec<usize>,
    leaving: &mut [Leaving],
) {
    let shape = &cell.geometry.shapes()[nth];
    let place = TilePlace { group: cell.id, shape: nth as u32, column };
    let pages = bytes.chunks(PAGE_BYTES).zip(shape.page_of(column, 0)..);
    let found: Vec<_> = pages.map(|(page, number)| cell.block_in(page, place, number)).collect();
    for reader in readers {
        let Leaving { views, fault, .. } = &mut leaving[reader];
        for view in views.iter_mut().filter(|view| view.shape == nth) {
            for block in std::mem::take(&mut view.blocks) {
                let tile = block.rem_euclid(shape.ring_tiles as i64) as usize;
                let bytes = &bytes[tile * PAGE_BYTES..][..PAGE_BYTES];
                let taken = cell.take_tile(view, block, ReadPage { bytes, found: &found[tile] });
                *fault = fault.take().or(taken.err());
            }
        }
    }
}
