//! Opening a store: the catalogue, the checkpoints, the log since.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Condvar, Mutex, RwLock};

use disk::{Medium, MediumFile};
use rrd::Definition;

use super::replay::{Replayed, replay};
use super::world::{LayoutKey, World, group_of, rrd_id};
use super::{Cell, Engine, FileKind, Life, RingOptions};
use crate::Error;
use crate::journal::{JournalOptions, LogPosition, RrdId, Start};
use crate::ring::attic::entries_of;
use crate::ring::catalogue::{Catalogue, GroupEntry, Loaded, Meta};
use crate::ring::checkpoint::{self, Stamp};
use crate::ring::geometry::{Geometry, PAGE_BYTES, Pace, Shape};
use crate::ring::group::{Group, Place, Status};

/// What is wrong with a group that could not be opened. Its databases do not answer; all others do.
#[derive(Clone, Debug)]
pub struct DamagedGroup {
    /// Its number.
    pub group: u32,
    /// What is wrong.
    pub what: String,
}

impl<M: Medium<File: 'static>> Engine<M> {
    /// Makes a store in an empty directory.
    ///
    /// # Errors
    /// There is one already; those of the machine.
    pub fn create_store(medium: M, options: RingOptions) -> Result<Self, Error> {
        let medium = Arc::new(medium);
        let meta = Meta {
            flush_cycles: options.pace.flush_cycles,
            tile_rows_max: options.pace.tile_rows_max,
            segment_bytes: options.journal.segment_bytes as u64,
            block_bytes: options.journal.block_bytes as u64,
            segments: options.journal.segments as u32,
        };
        let catalogue = Catalogue::create(&medium, &meta)?;
        Self::open_with(medium, options, catalogue)
    }

    /// Opens a store. Everything that was acknowledged is there when this returns.
    ///
    /// # Errors
    /// There is no store, or what is acknowledged is damaged; those of the machine.
    pub fn open_store(medium: M, options: RingOptions) -> Result<Self, Error> {
        let medium = Arc::new(medium);
        let catalogue = Catalogue::open(&medium)?;
        Self::open_with(medium, options, catalogue)
    }

    fn open_with(
        medium: Arc<M>,
        mut options: RingOptions,
        catalogue: Catalogue,
    ) -> Result<Self, Error> {
        let meta = *catalogue.meta();
        options.pace = Pace { flush_cycles: meta.flush_cycles, tile_rows_max: meta.tile_rows_max };
        options.journal = JournalOptions {
            segment_bytes: meta.segment_bytes as usize,
            block_bytes: meta.block_bytes as usize,
            segments: meta.segments as usize,
            intervals_kept: 0,
            ..options.journal
        };
        let how = (options.pace, options.replay_threads);
        let loading = Loading::of(&catalogue, &*medium, how)?;
        let start = loading.start(catalogue.applied()?);
        let Loading { world, damaged, log_start, .. } = loading;
        let applied = catalogue.applied()?;
        let how = (applied, options.replay_threads);
        let replayed = replay(&medium, options.journal, start, world, how)?;
        let Replayed { journal, world, changes, pending_from } = replayed;
        let engine = Self {
            medium,
            options,
            journal,
            life: Mutex::new(Life::new(catalogue, changes, pending_from)),
            world: RwLock::new(world),
            due: Mutex::new(VecDeque::new()),
            became_due: Condvar::new(),
            broken: AtomicBool::new(false),
            log_start: AtomicU64::new(log_start.0),
            freed: Mutex::new(start.keep_from),
            trouble: Mutex::new(None),
            damaged,
        };
        engine.settle_in()?;
        Ok(engine)
    }

    /// After the log was replayed: places without a name are vacated, files without a group are
    /// removed, what is due is queued.
    fn settle_in(&self) -> Result<(), Error> {
        self.remove_orphans()?;
        self.world_mut().count_members();
        let world = self.world();
        for cell in world.cells() {
            let mut group = cell.group();
            vacate_nameless(&world, &mut group);
            group.find_vacant();
            if group.clock.is_due() {
                group.queued = true;
                self.push_due(cell.id);
            }
        }
        drop(world);
        self.queue_pinning();
        Ok(())
    }

    /// Removes the files of groups that the catalogue does not know, and attics that no checkpoint
    /// names.
    fn remove_orphans(&self) -> Result<(), Error> {
        let names = self.medium.list().map_err(Error::io("listing", Path::new(".")))?;
        let world = self.world();
        let known = |group: u32| {
            world.cell(group).is_some() || self.damaged.iter().any(|each| each.group == group)
        };
        for name in names {
            let Some(group) = FileKind::group_of(&name) else { continue };
            let stale_attic = || {
                let epoch = name.split_once(".attic")?.1.parse::<u32>().ok()?;
                let group = world.cell(group)?.group();
                let oldest = group.places[0].attic_epoch.min(group.places[1].attic_epoch);
                Some(!(oldest..=group.attic.epoch).contains(&epoch))
            };
            if !known(group) || stale_attic() == Some(true) {
                self.medium.remove(&name).map_err(Error::io("removing", Path::new(&name)))?;
            }
        }
        Ok(())
    }

    /// Groups that could not be opened.
    #[must_use]
    pub fn damaged_groups(&self) -> &[DamagedGroup] {
        &self.damaged
    }
}

/// Members whom the catalogue does not know, for their database was moved or its creation never
/// reached the log, give their place back.
fn vacate_nameless(world: &World, group: &mut Group) {
    let nameless: Vec<u16> = group
        .present()
        .map(|(member, _)| member)
        .filter(|member| !world.has_name(rrd_id(group.id, *member)))
        .collect();
    nameless.into_iter().for_each(|member| group.remove(member));
}

/// The world as the catalogue and the checkpoints tell it.
struct Loading {
    world: World,
    /// Where the groups' checkpoints stand: newest and oldest.
    positions: Vec<(LogPosition, LogPosition)>,
    log_start: LogPosition,
    damaged: Vec<DamagedGroup>,
}

impl Loading {
    /// Reads names and checkpoints, side by side where there are threads.
    fn of<M: Medium>(
        catalogue: &Catalogue,
        medium: &M,
        (pace, threads): (Pace, usize),
    ) -> Result<Self, Error> {
        let mut world = World::default();
        let mut damaged = Vec::new();
        let found = std::thread::scope(|scope| {
            let mut reading: Option<CheckpointReaders<'_>> = None;
            catalogue.load(|loaded| match loaded {
                Loaded::Definition(_, definition) => drop(world.definitions.intern(&definition)),
                Loaded::Group(id, entry) => match empty_group(&world, id.0, &entry, pace) {
                    Ok((cell, key)) => world.add_group(Arc::new(cell), key),
                    Err(what) => damaged.push(DamagedGroup { group: id.0, what }),
                },
                Loaded::Rrd(rrd, view) => {
                    // All groups are known by now.
                    reading.get_or_insert_with(|| {
                        CheckpointReaders::start(scope, medium, &world, threads)
                    });
                    world.load_name(rrd, view.name);
                }
            })?;
            let start = || CheckpointReaders::start(scope, medium, &world, threads);
            Ok::<_, Error>(reading.unwrap_or_else(start).finish())
        })?;
        let mut loading = Self { world, positions: Vec::new(), log_start: LogPosition(0), damaged };
        found
            .into_iter()
            .try_for_each(|(cell, found)| loading.take(&cell, found?))
            .map(|()| loading)
    }

    /// Takes what the checkpoints of a group say.
    fn take(&mut self, cell: &Cell, found: Result<Vec<Stamp>, String>) -> Result<(), Error> {
        match found {
            Ok(stamps) => {
                let positions = stamps.iter().map(|stamp| stamp.position);
                let newest = positions.clone().max().unwrap_or_default();
                let oldest = positions.min().unwrap_or_default();
                self.positions.push((newest, oldest));
                let log_start = stamps.iter().map(|stamp| stamp.log_start).max();
                self.log_start = self.log_start.max(log_start.unwrap_or_default());
            }
            Err(what) => {
                self.damaged.push(DamagedGroup { group: cell.id, what });
                self.world.lose_group(cell.id);
            }
        }
        Ok(())
    }

    /// Where the log is to be read from, and what must be kept of it.
    fn start(&self, applied: LogPosition) -> Start {
        let newest = self.positions.iter().map(|(newest, _)| *newest);
        let oldest = self.positions.iter().map(|(_, oldest)| *oldest);
        // Groups that nobody updates have older checkpoints than the log has records.
        let from = newest.min().unwrap_or(applied).min(applied).max(self.log_start);
        let keep_from = oldest.min().unwrap_or(applied).min(from).max(self.log_start);
        Start { from, keep_from }
    }
}

/// What was read of a group: the stamps of its checkpoints, or why there are none.
type ReadGroup = (Arc<Cell>, Result<Result<Vec<Stamp>, String>, Error>);

/// Threads that fill groups from their newest checkpoints that are whole.
enum CheckpointReaders<'scope> {
    /// It was done at once, for lack of threads.
    Done(Vec<ReadGroup>),
    Running(Vec<std::thread::ScopedJoinHandle<'scope, Vec<ReadGroup>>>),
}

impl<'scope> CheckpointReaders<'scope> {
    fn start<'env, M: Medium>(
        scope: &'scope std::thread::Scope<'scope, 'env>,
        medium: &'env M,
        world: &World,
        threads: usize,
    ) -> Self {
        let read = |cell: Arc<Cell>| {
            let found = read_group(medium, &cell);
            (cell, found)
        };
        let cells = world.cells().cloned();
        if threads == 0 {
            return Self::Done(cells.map(read).collect());
        }
        let mut shares = vec![Vec::new(); threads];
        cells.enumerate().for_each(|(nth, cell)| shares[nth % threads].push(cell));
        let reader = |share: Vec<Arc<Cell>>| {
            scope.spawn(move || share.into_iter().map(read).collect::<Vec<_>>())
        };
        Self::Running(shares.into_iter().map(reader).collect())
    }

    fn finish(self) -> Vec<ReadGroup> {
        match self {
            Self::Done(found) => found,
            Self::Running(readers) => {
                let join = |reader: std::thread::ScopedJoinHandle<'_, _>| reader.join();
                readers.into_iter().flat_map(|it| join(it).expect("no reader panics")).collect()
            }
        }
    }
}

fn empty_group(
    world: &World,
    id: u32,
    entry: &GroupEntry,
    pace: Pace,
) -> Result<(Cell, LayoutKey), String> {
    let definition: Option<&Arc<Definition>> = world.definitions.get(entry.layout);
    let definition = definition.ok_or("its layout is a definition that does not exist")?;
    let within = (1..=crate::ring::geometry::GROUP_DATABASES_MAX).contains(&entry.capacity);
    let geometry = within.then(|| Geometry::new(definition, pace, entry.capacity, entry.shared));
    let geometry = geometry.flatten().ok_or("its capacity or layout is that of no group")?;
    let group = Group::new(id, geometry, entry.phase_pdps, definition);
    Ok((Cell::new(group), LayoutKey::of(definition, entry.shared)))
}

/// Fills a group from its newest checkpoint that is whole, and returns the stamps of both; the
/// words say why none is.
fn read_group<M: Medium>(medium: &M, cell: &Cell) -> Result<Result<Vec<Stamp>, String>, Error> {
    let mut found = Vec::new();
    let mut faults = Vec::new();
    for nth in 0..2 {
        match look_at_place(medium, cell.id, nth)? {
            Ok((stamp, bytes)) => found.push((nth, stamp, bytes)),
            Err(fault) => faults.push(fault),
        }
    }
    found.sort_by_key(|(_, stamp, _)| std::cmp::Reverse(stamp.sequence));
    while let Some((nth, stamp, length_bytes)) = found.first().copied() {
        let mut group = cell.empty_group();
        match fill(medium, &mut group, nth, length_bytes)? {
            Ok(()) => {
                for (nth, stamp, _) in &found {
                    group.places[*nth] = place_of(stamp);
                }
                group.attic = stamp.attic;
                group.last_record = stamp.position;
                group.attic_oldest = stamp.attic.epoch;
                find_attic_pages(medium, &mut group)?;
                *cell.group() = group;
                return Ok(Ok(found.iter().map(|(_, stamp, _)| *stamp).collect()));
            }
            Err(fault) => faults.push(fault),
        }
        found.remove(0);
    }
    Ok(Err(faults.join("; ")))
}

fn place_of(stamp: &Stamp) -> Place {
    let Stamp { sequence, position, attic, .. } = *stamp;
    Place { sequence, position, attic_epoch: attic.epoch }
}

/// A checkpoint's stamp and length; the words say why there is none.
fn look_at_place<M: Medium>(
    medium: &M,
    group: u32,
    nth: usize,
) -> Result<Result<(Stamp, u64), String>, Error> {
    let name = FileKind::Checkpoint(nth).name(group);
    let io = || Error::io("reading", Path::new(&name));
    let file = match medium.open(&name) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Err(format!("{name}: there is no such file")));
        }
        opened => opened.map_err(io())?,
    };
    // Of the older one no more than this is read; the kernel shall not read it ahead.
    file.advise_random().map_err(io())?;
    let mut header = vec![0; checkpoint::HEADER_BYTES];
    let read = file.read_at(&mut header, 0).map_err(io())?;
    header.truncate(read);
    Ok(checkpoint::stamp_of(&header, group).map_err(|fault| format!("{name}: {fault}")))
}

/// Fills a group from one of its places; the words say why that cannot be.
fn fill<M: Medium>(
    medium: &M,
    group: &mut Group,
    nth: usize,
    length_bytes: u64,
) -> Result<Result<(), String>, Error> {
    let name = FileKind::Checkpoint(nth).name(group.id);
    let io = || Error::io("reading", Path::new(&name));
    let file = medium.open(&name).map_err(io())?;
    if length_bytes > file.len_bytes().map_err(io())? {
        return Ok(Err(format!("{name}: expected {length_bytes} bytes")));
    }
    let mut bytes = vec![0; length_bytes as usize];
    file.read_at(&mut bytes, 0).map_err(io())?;
    let filled = checkpoint::check_body(&bytes).and_then(|()| checkpoint::decode(&bytes, group));
    Ok(filled.map_err(|fault| format!("{name}: {fault}")))
}

/// Adds the pages of the attic that came after the checkpoint. Nothing tells whether their sync
/// succeeded, and what can be read may be on no disk: they are written again.
fn find_attic_pages<M: Medium>(medium: &M, group: &mut Group) -> Result<(), Error> {
    let name = FileKind::Attic(group.attic.epoch).name(group.id);
    let io = || Error::io("reading", Path::new(&name));
    let file = match medium.open(&name) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(io())?,
    };
    let sources = group.geometry.sources();
    let known_pages = group.attic.pages;
    let mut page = vec![0; PAGE_BYTES];
    loop {
        let offset_bytes = u64::from(group.attic.pages) * PAGE_BYTES as u64;
        let read = file.read_at(&mut page, offset_bytes).map_err(io())?;
        let whole = (read == PAGE_BYTES).then_some(&page);
        let entries = whole.and_then(|page| entries_of(page, sources, group.id, group.attic.pages));
        let Some(entries) = entries else { break };
        file.write_at(&page, offset_bytes).map_err(Error::io("writing", Path::new(&name)))?;
        for entry in entries {
            if let Some(member) = group.members.get_mut(usize::from(entry.member)) {
                member.status.set(Status::ATTIC, true);
            }
        }
        group.attic.pages += 1;
    }
    if group.attic.pages == known_pages {
        return Ok(());
    }
    let synced = file.sync_data().and_then(|()| medium.sync_directory());
    synced.map_err(Error::io("syncing", Path::new(&name)))
}

impl World {
    /// A name that the catalogue has. Names come group after group; the table is made at once.
    fn load_name(&mut self, rrd: RrdId, name: &str) {
        if self.cell(group_of(rrd)).is_some() {
            // The catalogue has each name once; two with one fingerprint were refused.
            let _ = self.give_name(rrd, name);
        }
    }
}

impl Group {
    /// After an opening: places that nobody holds can be given away.
    fn find_vacant(&mut self) {
        let newest = self.present().map(|(member, _)| self.last_pdp(member)).max();
        // Earlier holders may have left rows in open pages, and those reach no further.
        let tile_pdps = self.geometry.shapes().iter().map(Shape::tile_pdps).max();
        let ahead_pdps = 4 * i64::from(self.geometry.flush_cycles()) + tile_pdps.unwrap_or(0);
        let last_pdp = newest.unwrap_or(0).max(self.clock.boundary_pdp + ahead_pdps);
        let vacating: Vec<u16> = self.vacating.iter().map(|(member, _)| *member).collect();
        let empty = self.members.iter().enumerate();
        let empty = empty.filter(|(_, holder)| !holder.status.has(Status::PRESENT));
        let empty = empty.map(|(nth, _)| nth as u16).filter(|nth| !vacating.contains(nth));
        self.vacant = empty.map(|nth| (nth, last_pdp)).collect();
    }
}
