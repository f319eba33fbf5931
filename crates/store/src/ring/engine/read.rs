//! Reading: what memory knows, the tiles, the attic, as one.

use std::path::Path;
use std::sync::Arc;

use disk::{Medium, MediumFile};
use rrd::fetch::{FetchError, HeldRows, Query, Window, window, window_of_any_length};
use rrd::{Definition, LiveState, Series, Snapshot, Stretch};

use super::attic::AtticSight;
use super::rows::ReadPage;
use super::world::member_of;
use super::{Cell, Engine, FileKind};
use crate::journal::Generation;
use crate::ring::geometry::PAGE_BYTES;
use crate::ring::group::{Group, MemoryView};
use crate::ring::seasons;
use crate::ring::state::State;
use crate::ring::tile::TilePlace;
use crate::{Error, Outline};

/// What becomes of a read that meets a damaged tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnDamage {
    /// Its rows read as unknown, and the store's report names it.
    Note,
    /// The read fails: what it gives is to be taken for the whole.
    Fail,
}

/// Where a database stands.
pub(super) struct InPlace {
    pub(super) cell: Arc<Cell>,
    pub(super) member: u16,
    pub(super) generation: Generation,
}

impl InPlace {
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cell, &other.cell)
            && (self.member, self.generation) == (other.member, other.generation)
    }
}

/// A database as memory knows it at one moment.
struct Sight {
    definition: Definition,
    state: State,
    views: Vec<MemoryView>,
    attic: AtticSight,
}

impl<M: Medium<File: 'static>> Engine<M> {
    /// The rows that answer a query, to the last sample that was taken.
    ///
    /// # Errors
    /// There is no database of that name; it has no archive for the query; those of the machine.
    pub fn fetch(&self, name: &str, query: &Query) -> Result<Series, Error> {
        self.held(name, |definition, last| window(definition, last, query)).map(Stretch::whole)
    }

    /// The same without the rows that the archive does not hold: however long the stretch is, it takes
    /// no more memory than the archive.
    ///
    /// # Errors
    /// As [`Engine::fetch`], which has a limit besides.
    pub fn fetch_stretch(&self, name: &str, query: &Query) -> Result<Stretch, Error> {
        self.held(name, |definition, last| window_of_any_length(definition, last, query))
    }

    fn held(
        &self,
        name: &str,
        choose: impl Fn(&Definition, i64) -> Result<Window, FetchError>,
    ) -> Result<Stretch, Error> {
        self.read_in_place(name, |place| self.held_in(name, place, &choose))
    }

    fn held_in(
        &self,
        name: &str,
        place: &InPlace,
        choose: &impl Fn(&Definition, i64) -> Result<Window, FetchError>,
    ) -> Result<Stretch, Error> {
        let InPlace { cell, member, .. } = place;
        let member = *member;
        let _nobody_writes = cell.reading_tiles();
        let mut chosen = None;
        let sight = self.sight(name, place, |group, definition, state| {
            let last_seconds = state.live.last_update.seconds;
            let window = choose(definition, last_seconds)
                .map_err(|source| Error::Fetch { path: name.into(), source })?;
            let shape = group.geometry.shape_of(window.archive);
            let newest = group.newest_row(shape, group.pdp_of(last_seconds));
            let archive = &definition.archives[window.archive];
            let held = window.held_by(archive.rows);
            chosen = Some((window, held));
            Ok(match held.count {
                _ if archive.cf.is_seasonal() => Vec::new(),
                0 => Vec::new(),
                count => {
                    let first_row = newest - held.first_age as i64;
                    vec![group.view(member, shape, first_row, count as usize)]
                }
            })
        })?;
        let (window, held) = chosen.expect("the query was looked at");
        let rows = match sight.views.is_empty() {
            true => seasonal_rows(&sight.definition, &sight.state, window.archive, held),
            false => self.complete(cell, sight.views, &sight.attic, OnDamage::Note)?.concat(),
        };
        Ok(Stretch::new(&window, &sight.definition, held, rows))
    }

    /// The whole database.
    ///
    /// # Errors
    /// There is no database of that name; a tile of it is damaged; those of the machine.
    pub fn snapshot(&self, name: &str) -> Result<Snapshot, Error> {
        self.read_in_place(name, |place| self.snapshot_in(name, place))
    }

    fn snapshot_in(&self, name: &str, place: &InPlace) -> Result<Snapshot, Error> {
        let InPlace { cell, member, .. } = place;
        let _nobody_writes = cell.reading_tiles();
        let mut sight = self.sight(name, place, |group, definition, state| {
            let last_pdp = group.pdp_of(state.live.last_update.seconds);
            let archives = definition.archives.iter().enumerate();
            let view_of = |(nth, archive): (usize, &rrd::Archive)| {
                let shape = group.geometry.shape_of(nth);
                let rows = if archive.cf.is_seasonal() { 0 } else { archive.rows };
                let first = group.newest_row(shape, last_pdp) - rows as i64 + 1;
                group.view(*member, shape, first, rows as usize)
            };
            Ok(archives.map(view_of).collect())
        })?;
        let mut rows = self.complete(cell, sight.views, &sight.attic, OnDamage::Fail)?;
        let sources = sight.definition.sources.len();
        let layout = cell.group().layout.clone();
        layout.complete(&mut sight.state, |archive, age, row| {
            row_of(&rows[archive], sources, age, row);
            Ok::<(), Error>(())
        })?;
        seasons::put_rows(&sight.definition, &sight.state.live, &mut rows);
        Ok(Snapshot { definition: sight.definition, live: sight.state.live, rows })
    }

    /// What memory knows of a database: nothing is read.
    ///
    /// # Errors
    /// There is no database of that name, or its group cannot be opened.
    pub fn outline(&self, name: &str) -> Result<Outline, Error> {
        let world = self.world();
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
    /// As [`Engine::snapshot`].
    pub fn describe(&self, name: &str) -> Result<(Definition, LiveState), Error> {
        self.read_in_place(name, |place| self.describe_in(name, place))
    }

    pub(super) fn describe_in(
        &self,
        name: &str,
        place: &InPlace,
    ) -> Result<(Definition, LiveState), Error> {
        let InPlace { cell, member, .. } = place;
        let _nobody_writes = cell.reading_tiles();
        let mut sight = self.sight(name, place, |_, _, _| Ok(Vec::new()))?;
        let sources = sight.definition.sources.len();
        let layout = cell.group().layout.clone();
        let last_pdp = cell.group().pdp_of(sight.state.live.last_update.seconds);
        layout.complete(&mut sight.state, |archive, age, row| {
            let (view, attic) = {
                let group = cell.group();
                let shape = group.geometry.shape_of(archive);
                let newest = group.newest_row(shape, last_pdp);
                let view = group.view(*member, shape, newest - age as i64, 1);
                (view, AtticSight::of(&group))
            };
            let rows = self.complete(cell, vec![view], &attic, OnDamage::Fail)?;
            row.copy_from_slice(&rows[0][..sources]);
            Ok::<(), Error>(())
        })?;
        Ok((sight.definition, sight.state.live))
    }

    fn place_of(&self, name: &str) -> Result<InPlace, Error> {
        let world = self.world();
        let (rrd, cell) = world.place_of(name)?;
        let member = member_of(rrd);
        let generation = cell.group().members[usize::from(member)].generation;
        Ok(InPlace { cell: Arc::clone(cell), member, generation })
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
    fn sight(
        &self,
        name: &str,
        InPlace { cell, member, generation }: &InPlace,
        look: impl FnOnce(&Group, &Definition, &State) -> Result<Vec<MemoryView>, Error>,
    ) -> Result<Sight, Error> {
        let world = self.world();
        let group = cell.group();
        let holder = *group.member(*member, *generation).ok_or_else(|| Error::missing(name))?;
        let definition = Definition::clone(world.definition(holder.definition));
        let mut state = group.room();
        group.state(*member, &mut state);
        let views = look(&group, &definition, &state)?;
        Ok(Sight { definition, state, views, attic: AtticSight::of(&group) })
    }

    /// Reads what the views of one member do not know yet. The caller holds off whoever writes tiles.
    fn complete(
        &self,
        cell: &Cell,
        mut views: Vec<MemoryView>,
        attic: &AtticSight,
        on_damage: OnDamage,
    ) -> Result<Vec<Vec<f64>>, Error> {
        for view in &mut views {
            self.read_blocks(cell, view, on_damage)?;
        }
        let mut asking: Vec<&mut MemoryView> = views.iter_mut().collect();
        let fault = self.take_from_attic(cell, attic, &mut asking)?.into_values().next();
        match fault.filter(|_| on_damage == OnDamage::Fail) {
            Some(fault) => Err(fault),
            None => Ok(views.into_iter().map(MemoryView::into_values).collect()),
        }
    }

    /// Reads the tiles that a view asks for.
    fn read_blocks(
        &self,
        cell: &Cell,
        view: &mut MemoryView,
        on_damage: OnDamage,
    ) -> Result<(), Error> {
        let blocks = std::mem::take(&mut view.blocks);
        if let (Some(first), Some(last)) = (blocks.first(), blocks.last()) {
            let shape = &cell.geometry.shapes()[view.shape];
            let tiles = self.open(FileKind::Tiles, cell.id)?;
            let ring_tiles = shape.ring_tiles as i64;
            // Blocks lie side by side up to the end of the ring.
            let before_wrap = (*first + ring_tiles - first.rem_euclid(ring_tiles)).min(*last + 1);
            // Between those that are wanted may be one whose page is in memory still, and whose tile
            // a write that failed has torn.
            for range in [*first..before_wrap, before_wrap..*last + 1] {
                self.read_tiles(cell, &tiles, view, (range, &blocks), on_damage)?;
            }
        }
        Ok(())
    }

    /// Reads a range of blocks whose tiles lie side by side, and takes those that are wanted.
    fn read_tiles(
        &self,
        cell: &Cell,
        tiles: &M::File,
        view: &mut MemoryView,
        (blocks, wanted): (std::ops::Range<i64>, &[i64]),
        on_damage: OnDamage,
    ) -> Result<(), Error> {
        if blocks.is_empty() {
            return Ok(());
        }
        let shape = &cell.geometry.shapes()[view.shape];
        let column = shape.column_of(view.member);
        let place = TilePlace { group: cell.id, shape: view.shape as u32, column };
        let name = FileKind::Tiles.name(cell.id);
        let first_page = shape.page_of(column, blocks.start);
        let offset_bytes = first_page * PAGE_BYTES as u64;
        let mut bytes = vec![0; (blocks.end - blocks.start) as usize * PAGE_BYTES];
        tiles.read_at(&mut bytes, offset_bytes).map_err(Error::io("reading", Path::new(&name)))?;
        let pages = bytes.chunks(PAGE_BYTES).zip(first_page..).zip(blocks);
        for ((page, number), block) in
            pages.filter(|(_, block)| wanted.binary_search(block).is_ok())
        {
            let found = cell.block_in(page, place, number);
            let taken = cell.take_tile(view, block, ReadPage { bytes: page, found: &found });
            if on_damage == OnDamage::Fail {
                taken?;
            }
        }
        Ok(())
    }
}

/// The rows of an archive of seasons, which are part of the live state; none of another archive.
fn seasonal_rows(
    definition: &Definition,
    state: &State,
    archive: usize,
    held: HeldRows,
) -> Vec<f64> {
    let season = seasons::rows(definition, &state.live, archive);
    let Some(rows) = season.filter(|_| held.count > 0) else { return Vec::new() };
    let sources = definition.sources.len();
    let first = rows.len() - (held.first_age as usize + 1) * sources;
    rows[first..][..held.count as usize * sources].to_vec()
}

/// Copies the row that is so many rows older than the newest.
fn row_of(rows: &[f64], sources: usize, age: u64, row: &mut [f64]) {
    let end = rows.len() - age as usize * sources;
    row.copy_from_slice(&rows[end - sources..end]);
}
