//! Whole databases that come from elsewhere: a group of their own, its tiles written at once.
//!
//! Nothing of it goes through the log. The group's files are complete and synced before one commit
//! of the catalogue makes them known; cut short before, nothing has happened.

use std::path::Path;
use std::sync::Arc;

use disk::{Medium, MediumFile};
use rrd::{Snapshot, UNKNOWN};

use super::create::{check_name, intern};
use super::world::{LayoutKey, member_of, rrd_id};
use super::{Cell, Engine, FileKind, Life};
use crate::Error;
use crate::journal::record::Event;
use crate::journal::{Generation, Record};
use crate::ring::attic::{AtticEntry, pages_of};
use crate::ring::catalogue::{GroupEntry, GroupId, RrdEntry};
use crate::ring::geometry::{GROUP_DATABASES_MAX, PAGE_BYTES};
use crate::ring::group::{Group, Status};
use crate::ring::state::State;
use crate::ring::tile::{Page, TilePlace};

/// A database that comes from elsewhere.
#[derive(Clone, Debug)]
pub struct Adoptee {
    /// Its name.
    pub name: String,
    /// All of it.
    pub snapshot: Snapshot,
    /// What its file had that a snapshot has not.
    pub foreign: Option<Vec<u8>>,
}

/// The most databases that come at once.
pub const ADOPTEES_MAX: usize = GROUP_DATABASES_MAX as usize;

impl Adoptee {
    /// Whether archives of one PDP can be stored once for all their functions: they have the same
    /// rows, bit for bit.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        let archives = &self.snapshot.definition.archives;
        let same = |a: &[f64], b: &[f64]| a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()));
        archives.iter().enumerate().filter(|(_, archive)| archive.pdp_per_row == 1).all(
            |(nth, archive)| {
                let first = archives.iter().position(|each| {
                    (each.pdp_per_row, each.rows) == (1, archive.rows)
                });
                same(&self.snapshot.rows[nth], &self.snapshot.rows[first.unwrap_or(nth)])
            },
        )
    }

    /// Whether two can be members of one group.
    #[must_use]
    pub fn same_group(&self, other: &Self) -> bool {
        let key = |each: &Self| LayoutKey::of(&each.snapshot.definition, each.is_shared());
        key(self) == key(other)
    }
}

impl<M: Medium<File: 'static>> Engine<M> {
    /// Puts a whole database in place of what stands under its name.
    ///
    /// # Errors
    /// [`Error::Name`], [`Error::Unfit`], and those of the machine; what was there is then
    /// untouched.
    pub fn restore(&self, name: &str, snapshot: &Snapshot) -> Result<(), Error> {
        let adoptee = Adoptee { name: name.into(), snapshot: snapshot.clone(), foreign: None };
        self.adopt(&[adoptee])
    }

    /// Takes databases that can be members of one group, all or none, in place of what stands under
    /// their names.
    ///
    /// # Errors
    /// As [`Engine::restore`].
    ///
    /// # Panics
    /// If there is none, or more than [`ADOPTEES_MAX`], or they are of different groups.
    pub fn adopt(&self, adoptees: &[Adoptee]) -> Result<(), Error> {
        self.check_sound()?;
        assert!((1..=ADOPTEES_MAX).contains(&adoptees.len()));
        let first = &adoptees[0];
        assert!(adoptees.iter().all(|each| each.same_group(first)));
        adoptees.iter().try_for_each(|each| check_name(&each.name))?;
        let mut life = self.life();
        let (cell, key) = self.group_of_adoptees(&mut life, adoptees)?;
        self.introduce(&mut life, adoptees, cell, key)
    }

    /// The group with all its files, which nobody knows yet.
    fn group_of_adoptees(
        &self,
        life: &mut Life,
        adoptees: &[Adoptee],
    ) -> Result<(Arc<Cell>, LayoutKey), Error> {
        let (first, shared) = (&adoptees[0], adoptees[0].is_shared());
        let definition = &first.snapshot.definition;
        let id = self.world().groups.len() as u32;
        let phase_pdps = id % self.options.pace.flush_cycles;
        let shape = (adoptees.len() as u32, phase_pdps, shared);
        let mut group = self.new_group(id, &first.name, definition, shape)?;
        for (nth, adoptee) in adoptees.iter().enumerate() {
            let definition = &adoptee.snapshot.definition;
            let number = intern(&mut self.world_mut().definitions, definition, life);
            let runs = group.layout.runs_of(&adoptee.snapshot);
            let state = State::new(adoptee.snapshot.live.clone(), runs);
            group.insert(nth as u16, Generation(1), number.0, &state);
            group.members[nth].born_pdp = 0; // all its rows are its own
        }
        group.start_among();
        self.make_files(&group)?;
        let private = self.write_all_tiles(&mut group, adoptees)?;
        self.write_private_rows(&mut group, &private)?;
        let attic = group.attic;
        let cell = Cell::new(group);
        self.write_checkpoints(&cell, attic)?;
        Ok((Arc::new(cell), LayoutKey::of(definition, shared)))
    }

    /// Makes a group known, and forgets what had the names of its members.
    fn introduce(
        &self,
        life: &mut Life,
        adoptees: &[Adoptee],
        cell: Arc<Cell>,
        key: LayoutKey,
    ) -> Result<(), Error> {
        let replaced: Vec<_> =
            adoptees.iter().filter_map(|each| self.holder(&each.name).ok()).collect();
        for (rrd, generation, _) in &replaced {
            life.changes.remove_rrd(*rrd, *generation);
        }
        let group = cell.group();
        let entry = GroupEntry {
            layout: crate::ring::catalogue::DefinitionId(group.members[0].definition),
            capacity: cell.geometry.capacity(),
            phase_pdps: cell.phase_pdps,
            shared: adoptees[0].is_shared(),
            created: group.places[0].position,
        };
        life.changes.put_group(GroupId(cell.id), entry);
        for (nth, adoptee) in adoptees.iter().enumerate() {
            let rrd = rrd_id(cell.id, nth as u16);
            let entry = RrdEntry {
                generation: Generation(1),
                definition: crate::ring::catalogue::DefinitionId(group.members[nth].definition),
                born_step: 0,
                name: adoptee.name.clone(),
            };
            life.changes.put_rrd(rrd, entry);
            if let Some(foreign) = &adoptee.foreign {
                life.changes.put_foreign(rrd, foreign.clone());
            }
        }
        drop(group);
        self.commit_life(life)?;
        // Known for good. What stood there before is vacated; the log tells it to its group.
        let mut world = self.world_mut();
        world.populations.entry(key.clone()).or_default().members += adoptees.len() as u64;
        world.add_group(Arc::clone(&cell), key);
        for (rrd, generation, _) in &replaced {
            world.take_name(*rrd);
            let old = Arc::clone(world.cell(super::world::group_of(*rrd)).expect("it was looked up"));
            let mut group = old.group();
            let record = Record { rrd: *rrd, generation: *generation, event: Event::Delete };
            group.last_record = self.journal.append(&record)?;
            group.remove(member_of(*rrd));
        }
        for (nth, adoptee) in adoptees.iter().enumerate() {
            let named = world.give_name(rrd_id(cell.id, nth as u16), &adoptee.name);
            named.map_err(|_| Error::Exists(adoptee.name.as_str().into()))?;
        }
        Ok(())
    }

    /// Writes every tile that has a value. Returns the rows that belong into the attic.
    fn write_all_tiles(
        &self,
        group: &mut Group,
        adoptees: &[Adoptee],
    ) -> Result<Vec<AtticEntry>, Error> {
        let name = FileKind::Tiles.name(group.id);
        let tiles = self.open(FileKind::Tiles, group.id)?;
        let mut private = Vec::new();
        for nth in 0..group.geometry.shapes().len() {
            let shape = group.geometry.shapes()[nth];
            for column in 0..shape.columns as u32 {
                let mut ring: Vec<Option<(i64, Page)>> = vec![None; shape.ring_tiles as usize];
                let databases = shape.tile_databases as usize;
                let members = column as usize * databases..adoptees.len();
                for member in members.take(databases) {
                    place_rows(group, nth, member as u16, &adoptees[member], &mut ring, &mut private);
                }
                let place = TilePlace { group: group.id, shape: nth as u32, column };
                for (block, mut page) in ring.into_iter().flatten() {
                    page.seal(place, block);
                    let offset_bytes = shape.page_of(column, block) * PAGE_BYTES as u64;
                    let put = tiles.write_at(page.bytes(), offset_bytes);
                    put.map_err(Error::io("writing", Path::new(&name)))?;
                }
            }
        }
        tiles.sync_data().map_err(Error::io("syncing", Path::new(&name)))?;
        Ok(private)
    }

    fn write_private_rows(&self, group: &mut Group, private: &[AtticEntry]) -> Result<(), Error> {
        if private.is_empty() {
            return Ok(());
        }
        let kind = FileKind::Attic(0);
        let name = kind.name(group.id);
        let file = self.fresh_file(kind, group.id)?;
        let bytes = pages_of(private, group.geometry.sources(), group.id, 0);
        let put = file.write_at(&bytes, 0).and_then(|()| file.sync_data());
        put.and_then(|()| self.medium.sync_directory())
            .map_err(Error::io("writing", Path::new(&name)))?;
        group.attic.pages = (bytes.len() / PAGE_BYTES) as u32;
        for entry in private {
            group.members[usize::from(entry.member)].status.set(Status::ATTIC, true);
        }
        Ok(())
    }
}

/// Puts the rows of one member and shape into the pages of its column.
fn place_rows(
    group: &mut Group,
    nth: usize,
    member: u16,
    adoptee: &Adoptee,
    ring: &mut [Option<(i64, Page)>],
    private: &mut Vec<AtticEntry>,
) {
    let shape = group.geometry.shapes()[nth];
    let sources = group.geometry.sources();
    let (phase_pdps, flushed) = (group.phase_pdps, group.shapes[nth].flushed_block);
    let rows = &adoptee.snapshot.rows[group.geometry.first_archive_of(nth)];
    let newest = group.newest_row(nth, group.last_pdp(member));
    let first_row = newest - (rows.len() / sources) as i64 + 1;
    let unknown = |values: &[f64]| values.iter().all(|value| value.to_bits() == UNKNOWN.to_bits());
    for (values, row) in rows.chunks_exact(sources).zip(first_row..) {
        if unknown(values) {
            continue;
        }
        let block = shape.block_of(row, phase_pdps);
        if block > flushed - shape.ring_tiles as i64 && block <= flushed {
            let tile = block.rem_euclid(shape.ring_tiles as i64) as usize;
            let (_, page) = ring[tile].get_or_insert_with(|| (block, Page::unknown()));
            page.put(shape.offset_bytes(shape.slot_of(row), member, sources), values);
        } else if block > flushed && group.is_near(nth, row) {
            group.take_row(member, nth, row, values);
        } else {
            let generation = group.members[usize::from(member)].generation.0;
            let values = values.to_vec();
            let entry =
                AtticEntry { generation, member, shape: nth as u16, first_row: row, values };
            extend(private, entry, sources);
        }
    }
}

/// Adds a row, to the entry before it if it follows.
fn extend(private: &mut Vec<AtticEntry>, entry: AtticEntry, sources: usize) {
    match private.last_mut() {
        Some(last)
            if (last.member, last.shape, last.rows(sources).end)
                == (entry.member, entry.shape, entry.first_row) =>
        {
            last.values.extend(entry.values);
        }
        _ => private.push(entry),
    }
}
