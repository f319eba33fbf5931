//! Opening a store: the catalogue, the checkpoints, the log since.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use disk::Medium;
use geometry::{Pace, Shape};
use journal::JournalOptions;
use store::{DamagedGroup, Error};
use tracing_mutex::stdsync::Mutex;

use super::copy_lock::CopyLock;
use super::due::Due;
use super::found::Found;
use super::group_files::GroupFiles;
use super::health::Health;
use super::load::{Extent, Loading};
use super::log::Log;
use super::memory_gaps::MemoryGaps;
use super::notes::Notes;
use super::parts::Parts;
use super::prepare::Zeros;
use super::registry::Registry;
use super::replay::{How, Replayed, Said, replay};
use super::world::{World, rrd_id};
use super::{CatalogueWriter, FileKind, RingOptions, sparse};
use crate::catalogue::{Catalogue, Meta};
use crate::file::Stay;
use crate::group::{Group, Status};

/// What the catalogue remembers of how a store works, from when it was made.
pub(super) fn meta_of(options: &RingOptions) -> Meta {
    Meta {
        flush_cycles: options.pace.flush_cycles,
        tile_rows_max: options.pace.tile_rows_max,
        segment_bytes: options.journal.segment_bytes as u64,
        block_bytes: options.journal.block_bytes as u64,
        segments: options.journal.segments as u32,
    }
}

/// Options with what the catalogue remembers in their place.
fn remembered(catalogue: &Catalogue, options: RingOptions) -> Result<RingOptions, Error> {
    let meta = *catalogue.meta();
    let journal = JournalOptions {
        segment_bytes: meta.segment_bytes as usize,
        block_bytes: meta.block_bytes as usize,
        segments: meta.segments as usize,
        intervals_kept: 0,
        ..options.journal
    };
    let pace = Pace { flush_cycles: meta.flush_cycles, tile_rows_max: meta.tile_rows_max };
    let sparse = sparse::remembered(catalogue, options.sparse)?;
    Ok(RingOptions { pace, journal, sparse, ..options })
}

/// Opens a store, or a part of it: reads the checkpoints, replays the log, and puts in order what
/// the last process left.
///
/// # Errors
/// What is acknowledged is damaged; those of the machine.
pub(super) fn open<M: Medium<File: 'static>>(
    medium: Arc<M>,
    options: RingOptions,
    catalogue: Catalogue,
    extent: Extent<'_>,
) -> Result<Parts<M>, Error> {
    let options = remembered(&catalogue, options)?;
    let how = (options.pace, options.replay_threads);
    let loading = Loading::of(&catalogue, &*medium, how, extent)?;
    if !extent.is_all() {
        loading.check_definitions()?;
    }
    let applied = catalogue.applied()?;
    let start = loading.start(applied, extent);
    let Loading { world, damaged, log_start, .. } = loading;
    let (threads, give_up) = (options.replay_threads, options.give_up);
    let how = How { applied, threads, give_up, all: extent.is_all() };
    let replayed = replay(&medium, options.journal, start, world, how)?;
    let Replayed { journal, world, gaps, said } = replayed;
    let Said { changes, pending_from, replaced, elsewhere } = said;
    let damaged = with_databases(damaged, &world);
    let found = Found { damaged, gaps, replaced: replaced.unwrap_or_default(), elsewhere };
    let log = Log::new(journal, options.sync, log_start, start.keep_from);
    let copy_lock = CopyLock::in_store(&*medium)?;
    let catalogue_writer = CatalogueWriter::new(catalogue, changes, pending_from);
    let registry = Registry::new(Arc::clone(&medium), catalogue_writer, world);
    let files = GroupFiles::new(medium, options.sparse);
    let parts = put_together(options, files, log, registry, found, copy_lock);
    settle_in(&parts);
    if extent.is_all() {
        remove_orphans(&parts)?;
    }
    Ok(parts)
}

/// The parts of an engine that has done nothing yet.
fn put_together<M: Medium<File: 'static>>(
    options: RingOptions,
    files: GroupFiles<M>,
    log: Log<M>,
    registry: Registry<M>,
    found: Found,
    copy_lock: CopyLock<M::File>,
) -> Parts<M> {
    Parts {
        zeros: Zeros::new(options.sparse),
        options,
        files,
        log,
        registry,
        due: Due::new(),
        health: Health::default(),
        notes: Notes::default(),
        found,
        copy_lock,
        memory_gaps: MemoryGaps::of_opening(),
        made_some: AtomicBool::new(false),
        groups_changed: AtomicBool::new(true),
        regrouping: Mutex::default(),
        stay: Stay::default(),
    }
}

/// After the log was replayed: places without a name are vacated, what is due is queued.
fn settle_in<M: Medium<File: 'static>>(parts: &Parts<M>) {
    retire_numbers(&parts.registry, &parts.log, &parts.found);
    parts.registry.world_mut().count_members();
    let world = parts.registry.world();
    for cell in world.cells() {
        let mut group = cell.group();
        vacate_nameless(&world, &mut group);
        find_vacant(&mut group);
        if group.clock.is_due() {
            group.queued = true;
            parts.due.push(cell.id);
        }
    }
    drop(world);
    parts.log_bound().queue_pinning();
}

/// Numbers without a group may be named by records of the log.
fn retire_numbers<M: Medium<File: 'static>>(registry: &Registry<M>, log: &Log<M>, found: &Found) {
    let damaged: Vec<u32> = found.damaged.iter().map(|each| each.group).collect();
    let mut world = registry.world_mut();
    world.keep_numbers(damaged.iter().max().map_or(0, |highest| highest + 1));
    world.retire_missing(&damaged, log.journal.next());
}

/// Removes the files of groups that the catalogue does not know, and attics that no checkpoint
/// names.
fn remove_orphans<M: Medium<File: 'static>>(parts: &Parts<M>) -> Result<(), Error> {
    let Parts { files, registry, found, .. } = parts;
    let names = files.list()?;
    let known = |world: &World, group: u32| {
        world.cell(group).is_some() || found.damaged.iter().any(|each| each.group == group)
    };
    let is_unknown_checkpoint = |name: &String| {
        FileKind::group_of(name).is_some_and(|group| {
            let places = [0, 1].map(|nth| FileKind::Checkpoint(nth).name(group));
            places.contains(name) && !known(&registry.world(), group)
        })
    };
    // One of these may be the only one that says how far the log was freed. Without it the next
    // opening would ask for records that are gone. What fails is told by the report, and tried
    // again by the next opening.
    let can_go = !names.iter().any(is_unknown_checkpoint)
        || parts.flusher().name_log_start(parts.log.start()).unwrap_or(false);
    let world = registry.world();
    for name in names {
        let Some(group) = FileKind::group_of(&name) else { continue };
        let is_orphan = can_go && !known(&world, group);
        if is_orphan || is_stale_attic(&world, group, &name) {
            files.remove(&name)?;
        }
    }
    Ok(())
}

/// Whether a file is an attic that no checkpoint of its group names.
fn is_stale_attic(world: &World, group: u32, name: &str) -> bool {
    let epoch = name.split_once(".attic").and_then(|(_, epoch)| epoch.parse::<u32>().ok());
    let (Some(epoch), Some(cell)) = (epoch, world.cell(group)) else { return false };
    let group = cell.group();
    let oldest = group.places[0].attic_epoch.min(group.places[1].attic_epoch);
    !(oldest..=group.attic.epoch).contains(&epoch)
}

/// The damaged groups that had databases. Those whose databases were all replaced or deleted are
/// forgotten, and their files are removed.
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

/// After an opening: places without a holder can be given away.
fn find_vacant(group: &mut Group) {
    let newest = group.present().map(|(member, _)| group.last_pdp(member)).max();
    // Earlier holders may have left rows in open pages, and those reach no further.
    let tile_pdps = group.geometry.shapes().iter().map(Shape::tile_pdps).max();
    let ahead_pdps = 4 * i64::from(group.geometry.flush_cycles()) + tile_pdps.unwrap_or(0);
    let last_pdp = newest.unwrap_or(0).max(group.clock.boundary_pdp + ahead_pdps);
    let vacating: Vec<u16> = group.vacating.iter().map(|(member, _)| *member).collect();
    let empty = group.members.iter().enumerate();
    let empty = empty.filter(|(_, holder)| !holder.status.has(Status::PRESENT));
    let empty = empty.map(|(nth, _)| nth as u16).filter(|nth| !vacating.contains(nth));
    group.vacant = empty.map(|nth| (nth, last_pdp)).collect();
}
