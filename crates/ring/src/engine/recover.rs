//! Opening a store: the catalogue, the checkpoints, the log since.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use disk::Medium;
use geometry::Pace;
use journal::{JournalOptions, LogPosition, SeenSegments, Start};
use store::{DamagedGroup, Error};
use tracing_mutex::stdsync::Mutex;

use super::copy_lock::CopyLock;
use super::due::Due;
use super::found::Found;
use super::group_files::GroupFiles;
use super::health::Health;
use super::load::{Bodies, Extent, Loading};
use super::log::Log;
use super::notes::Notes;
use super::parts::Parts;
use super::prepare::Zeros;
use super::registry::Registry;
use super::replay::{How, Replayed, Replayer, ReplayerParts, Said, Waiting, read_log};
use super::world::World;
use super::{CatalogueWriter, FileKind, RingOptions, sparse};
use crate::catalogue::{Catalogue, Meta};
use crate::file::Stay;

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
pub(super) fn remembered(
    catalogue: &Catalogue,
    options: RingOptions,
) -> Result<RingOptions, Error> {
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

/// Opens a store, or a part of it: reads the log, and puts in order what the last process left.
/// Groups of a whole store are replayed when they are needed.
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
    let bodies = if is_whole(extent, &options) { Bodies::Later } else { Bodies::Now };
    let loading = load(&medium, &options, (&catalogue, extent), bodies)?;
    go_on(medium, options, Before { catalogue, loading, seen: None }, extent)
}

/// Whether all of a store is opened, of which nothing is given up.
fn is_whole(extent: Extent<'_>, options: &RingOptions) -> bool {
    extent.is_all() && !options.give_up
}

/// Reads names and checkpoints.
pub(super) fn load<M: Medium>(
    medium: &Arc<M>,
    options: &RingOptions,
    (catalogue, extent): (&Catalogue, Extent<'_>),
    bodies: Bodies,
) -> Result<Loading, Error> {
    Loading::of(catalogue, &**medium, (options.pace, options.replay_threads), extent, bodies)
}

/// What is read of a store before its log.
pub(super) struct Before<F> {
    pub(super) catalogue: Catalogue,
    /// Names and checkpoints.
    pub(super) loading: Loading,
    /// The segments of the log, where they were looked at.
    pub(super) seen: Option<SeenSegments<F>>,
}

/// Reads the log, and puts in order what the last process left. The options are those that the
/// catalogue remembers.
///
/// # Errors
/// As [`open`].
pub(super) fn go_on<M: Medium<File: 'static>>(
    medium: Arc<M>,
    options: RingOptions,
    before: Before<M::File>,
    extent: Extent<'_>,
) -> Result<Parts<M>, Error> {
    let Before { catalogue, loading, seen } = before;
    let read = |loading, seen| read_all(&medium, &options, (&catalogue, extent), loading, seen);
    let mut opened = read(loading, seen)?;
    if opened.replayed.lacks_records {
        // A damaged checkpoint was met where one was needed: which are whole is to be known first.
        drop(opened);
        opened = read(load(&medium, &options, (&catalogue, extent), Bodies::Now)?, None)?;
    }
    let parts = put_together(medium, options, opened, catalogue)?;
    if !is_whole(extent, &options) {
        parts.registry.replay_all();
        if let Some(error) = parts.replayer.take_failure() {
            return Err(error);
        }
    }
    parts.log_bound().queue_pinning();
    if extent.is_all() {
        remove_orphans(&parts)?;
    }
    Ok(parts)
}

/// A store whose names and log were read.
struct Opened<M: Medium> {
    replayed: Replayed<M>,
    start: Start,
    damaged: Vec<DamagedGroup>,
    log_start: LogPosition,
}

fn read_all<M: Medium<File: 'static>>(
    medium: &Arc<M>,
    options: &RingOptions,
    (catalogue, extent): (&Catalogue, Extent<'_>),
    loading: Loading,
    seen: Option<SeenSegments<M::File>>,
) -> Result<Opened<M>, Error> {
    let applied = catalogue.applied()?;
    let start = loading.start(applied, extent);
    let Loading { world, damaged, log_start, .. } = loading;
    let how = How { applied, give_up: options.give_up, all: extent.is_all() };
    let replayed = read_log(medium, options.journal, (start, seen), world, how)?;
    Ok(Opened { replayed, start, damaged, log_start })
}

/// The parts of an engine that has done nothing yet.
fn put_together<M: Medium<File: 'static>>(
    medium: Arc<M>,
    options: RingOptions,
    opened: Opened<M>,
    catalogue: Catalogue,
) -> Result<Parts<M>, Error> {
    let Opened { replayed, start, damaged, log_start } = opened;
    let Replayed { journal, mut world, waiting, gaps, said, .. } = replayed;
    let Said { changes, pending_from, replaced, elsewhere } = said;
    let damaged = with_databases(damaged, &world);
    let found = Found { damaged, gaps, replaced: replaced.unwrap_or_default(), elsewhere };
    let journal = Arc::new(journal);
    retire_numbers(&mut world, journal.next(), &found);
    world.count_members();
    let (due, health) = (Arc::new(Due::new()), Arc::<Health>::default());
    let notes = Arc::<Notes>::default();
    let replayer = ReplayerParts {
        medium: Arc::clone(&medium),
        journal: Arc::clone(&journal),
        definitions: world.definitions.clone(),
        read_to: journal.durable(),
        kept_from: start.keep_from,
        due: Arc::clone(&due),
        health: Arc::clone(&health),
        notes: Arc::clone(&notes),
    };
    let waiting = with_files(waiting, &world, &*medium)?;
    let replayer = Arc::new(Replayer::new(replayer, waiting));
    for cell in world.cells() {
        let replayer = Arc::clone(&replayer);
        cell.replay_by(replayer);
    }
    let copy_lock = CopyLock::in_store(&*medium)?;
    let catalogue_writer = CatalogueWriter::new(catalogue, changes, pending_from);
    Ok(Parts {
        zeros: Zeros::new(options.sparse),
        log: Log::new(journal, options.sync, log_start, start.keep_from),
        registry: Registry::new(Arc::clone(&medium), catalogue_writer, world),
        files: GroupFiles::new(medium, options.sparse),
        options,
        due,
        health,
        notes,
        found,
        replayer,
        copy_lock,
        made_some: AtomicBool::new(false),
        groups_changed: AtomicBool::new(true),
        regrouping: Mutex::default(),
        stay: Stay::default(),
    })
}

/// Tells groups that wait which of their members have a name, and of which attics there are files.
fn with_files<M: Medium>(
    mut waiting: Vec<Option<Waiting>>,
    world: &World,
    medium: &M,
) -> Result<Vec<Option<Waiting>>, Error> {
    let mut attics: HashMap<u32, Vec<u32>> = HashMap::new();
    for name in medium.list().map_err(Error::io("listing", Path::new(".")))? {
        let Some((group, epoch)) = name.split_once(".attic") else { continue };
        if let (Ok(group), Ok(epoch)) = (group.parse(), epoch.parse()) {
            attics.entry(group).or_default().push(epoch);
        }
    }
    for (waiting, group) in waiting.iter_mut().zip(0..) {
        if let Some(waiting) = waiting {
            let attics = attics.remove(&group).unwrap_or_default();
            waiting.note_files(world.named_members(group), attics);
        }
    }
    Ok(waiting)
}

/// Numbers without a group may be named by records of the log, which ends here.
fn retire_numbers(world: &mut World, end: LogPosition, found: &Found) {
    let damaged: Vec<u32> = found.damaged.iter().map(|each| each.group).collect();
    world.keep_numbers(damaged.iter().max().map_or(0, |highest| highest + 1));
    world.retire_missing(&damaged, end);
}

/// Removes the files of groups that the catalogue does not know.
fn remove_orphans<M: Medium<File: 'static>>(parts: &Parts<M>) -> Result<(), Error> {
    let Parts { files, registry, found, .. } = parts;
    let names = files.list()?;
    let known = |world: &World, group: u32| {
        world.known_cell(group).is_some() || found.damaged.iter().any(|each| each.group == group)
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
        if can_go && !known(&world, group) {
            files.remove(&name)?;
        }
    }
    Ok(())
}

/// The damaged groups that had databases. Those whose databases were all replaced or deleted are
/// forgotten, and their files are removed.
fn with_databases(damaged: Vec<DamagedGroup>, world: &World) -> Vec<DamagedGroup> {
    let empty = world.lost_groups().filter(|(_, members)| members.is_empty());
    let empty: Vec<u32> = empty.map(|(group, _)| group).collect();
    damaged.into_iter().filter(|each| !empty.contains(&each.group)).collect()
}
