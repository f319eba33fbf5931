//! Opening a store: the catalogue, the checkpoints, the log since.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use disk::Medium;
use geometry::{Pace, Shape};
use journal::{JournalOptions, LogPosition};
use store::{DamagedGroup, Error};
use tracing_mutex::stdsync::{Condvar, Mutex, RwLock};

use super::due::Due;
use super::load::{Extent, Loading};
use super::memory_gaps::MemoryGaps;
use super::notes::Notes;
use super::replay::{How, Replayed, replay};
use super::world::{World, rrd_id};
use super::{CatalogueWriter, Engine, FileKind, RingOptions, sparse};
use crate::catalogue::{Catalogue, FILE, Meta};
use crate::file::Stay;
use crate::group::{Group, Status};

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
        Self::open_with(medium, options, catalogue, Extent::All)
    }

    /// Opens a store. Everything that was acknowledged is there when this returns.
    ///
    /// # Errors
    /// There is no store, or what is acknowledged is damaged; those of the machine.
    pub fn open_store(medium: M, options: RingOptions) -> Result<Self, Error> {
        let medium = Arc::new(medium);
        let catalogue = Catalogue::open(&medium)?;
        Self::open_with(medium, options, catalogue, Extent::All)
    }

    pub(super) fn open_with(
        medium: Arc<M>,
        mut options: RingOptions,
        catalogue: Catalogue,
        extent: Extent<'_>,
    ) -> Result<Self, Error> {
        let meta = *catalogue.meta();
        options.sparse = sparse::remembered(&catalogue, options.sparse)?;
        options.pace = Pace { flush_cycles: meta.flush_cycles, tile_rows_max: meta.tile_rows_max };
        options.journal = JournalOptions {
            segment_bytes: meta.segment_bytes as usize,
            block_bytes: meta.block_bytes as usize,
            segments: meta.segments as usize,
            intervals_kept: 0,
            ..options.journal
        };
        let how = (options.pace, options.replay_threads);
        let loading = Loading::of(&catalogue, &*medium, how, extent)?;
        if !extent.is_all() {
            loading.check_definitions()?;
        }
        let start = loading.start(catalogue.applied()?, extent);
        let Loading { world, damaged, log_start, .. } = loading;
        let applied = catalogue.applied()?;
        let (threads, give_up) = (options.replay_threads, options.give_up);
        let how = How { applied, threads, give_up, all: extent.is_all() };
        let replayed = replay(&medium, options.journal, start, world, how)?;
        let Replayed { journal, world, changes, pending_from, gaps, replaced, .. } = replayed;
        let elsewhere = replayed.elsewhere;
        let damaged = with_databases(damaged, &world);
        let held = medium.open(FILE).map_err(Error::io("opening", Path::new(FILE)))?;
        let engine = Self {
            medium,
            options,
            journal,
            catalogue_writer: Mutex::new(CatalogueWriter::new(catalogue, changes, pending_from)),
            life_changed: Condvar::new(),
            world: RwLock::new(world),
            due: Due::new(),
            unprepared: Mutex::new(VecDeque::new()),
            broken: AtomicBool::new(false),
            log_start: AtomicU64::new(log_start.0),
            freed: Mutex::new(start.keep_from),
            trouble: Mutex::new(None),
            notes: Notes::default(),
            damaged,
            gaps,
            replaced,
            elsewhere,
            made_some: AtomicBool::new(false),
            memory_gaps: MemoryGaps::of_opening(),
            groups_changed: AtomicBool::new(true),
            regrouping: Mutex::default(),
            stay: Stay::default(),
            held,
        };
        engine.settle_in();
        if extent.is_all() {
            engine.remove_orphans()?;
        }
        Ok(engine)
    }

    /// After the log was replayed: places without a name are vacated, what is due is queued.
    fn settle_in(&self) {
        self.retire_numbers();
        self.world_mut().count_members();
        let world = self.world();
        for cell in world.cells() {
            let mut group = cell.group();
            vacate_nameless(&world, &mut group);
            group.find_vacant();
            if group.clock.is_due() {
                group.queued = true;
                self.due.push(cell.id);
            }
        }
        drop(world);
        self.queue_pinning();
    }

    /// Removes the files of groups that the catalogue does not know, and attics that no checkpoint
    /// names.
    fn remove_orphans(&self) -> Result<(), Error> {
        let names = self.medium.list().map_err(Error::io("listing", Path::new(".")))?;
        let known = |world: &World, group: u32| {
            world.cell(group).is_some() || self.damaged.iter().any(|each| each.group == group)
        };
        let is_unknown_checkpoint = |name: &String| {
            FileKind::group_of(name).is_some_and(|group| {
                let places = [0, 1].map(|nth| FileKind::Checkpoint(nth).name(group));
                places.contains(name) && !known(&self.world(), group)
            })
        };
        // One of these may be the only one that says how far the log was freed. Without it the next
        // opening would ask for records that are gone.
        let can_go = !names.iter().any(is_unknown_checkpoint) || self.names_log_start();
        let world = self.world();
        for name in names {
            let Some(group) = FileKind::group_of(&name) else { continue };
            let stale_attic = || {
                let epoch = name.split_once(".attic")?.1.parse::<u32>().ok()?;
                let group = world.cell(group)?.group();
                let oldest = group.places[0].attic_epoch.min(group.places[1].attic_epoch);
                Some(!(oldest..=group.attic.epoch).contains(&epoch))
            };
            if (can_go && !known(&world, group)) || stale_attic() == Some(true) {
                self.medium.remove(&name).map_err(Error::io("removing", Path::new(&name)))?;
            }
        }
        Ok(())
    }

    /// Has checkpoints of known groups say how far the log was freed. What fails is told by the
    /// report, and tried again by the next opening.
    fn names_log_start(&self) -> bool {
        let log_start = LogPosition(self.log_start.load(Ordering::Acquire));
        self.name_log_start(log_start).unwrap_or(false)
    }

    /// Numbers without a group may be named by records of the log.
    fn retire_numbers(&self) {
        let damaged: Vec<u32> = self.damaged.iter().map(|each| each.group).collect();
        let mut world = self.world_mut();
        world.keep_numbers(damaged.iter().max().map_or(0, |highest| highest + 1));
        world.retire_missing(&damaged, self.journal.next());
    }

    /// Groups that could not be opened.
    #[must_use]
    pub fn damaged_groups(&self) -> &[DamagedGroup] {
        &self.damaged
    }
}

/// Groups whose loss costs somebody something: those whose databases were all replaced or deleted
/// are forgotten, and their files are removed.
fn with_databases(damaged: Vec<DamagedGroup>, world: &World) -> Vec<DamagedGroup> {
    let empty = world.lost_groups().filter(|(_, members)| members.is_empty());
    let empty: Vec<u32> = empty.map(|(group, _)| group).collect();
    damaged.into_iter().filter(|each| !empty.contains(&each.group)).collect()
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
