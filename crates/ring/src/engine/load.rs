//! The world as the catalogue and the checkpoints tell it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use disk::Medium;
use geometry::LayoutKey;
use geometry::{Geometry, Pace};
use journal::{LogPosition, Start};
use rrd::Definition;
use store::DamagedGroup;
use store::Error;

use super::cell::FoundGroup;
use super::read_checkpoints::{
    Checkpoints, Headers, PlaceFaults, look_at_place, read_group, read_places,
};
use super::world::{World, group_of};
use super::{Cell, FileKind};
use crate::catalogue::{Catalogue, CatalogueError, GroupEntry, GroupId, Loaded};
use crate::checkpoint::Stamp;
use crate::group::Group;

/// What of a store is opened.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extent<'a> {
    /// All groups.
    All,
    /// Some groups, for a process that comes for their databases alone. The catalogue is open in
    /// part.
    Groups {
        groups: &'a BTreeSet<GroupId>,
        /// Whether the checkpoints of all others are asked how far the log was freed. Those of
        /// these groups do not tell if the groups were not updated for long.
        ask_others: bool,
    },
}

impl Extent<'_> {
    pub(super) fn is_all(self) -> bool {
        matches!(self, Self::All)
    }

    fn asks_others(self) -> bool {
        matches!(self, Self::All | Self::Groups { ask_others: true, .. })
    }

    /// Hands over what the catalogue has of it.
    fn load(
        self,
        catalogue: &Catalogue,
        visit: impl FnMut(Loaded<'_>),
    ) -> Result<(), CatalogueError> {
        match self {
            Self::All => catalogue.load(visit),
            Self::Groups { groups, .. } => catalogue.load_groups(groups, visit),
        }
    }
}

/// What is read of checkpoints before the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bodies {
    /// All: groups are filled.
    Now,
    /// Their headers. A group is filled when it is needed.
    Later,
}

/// The world as the catalogue and the checkpoints tell it.
pub(super) struct Loading {
    pub(super) world: World,
    /// Where the groups' checkpoints stand: newest and oldest.
    positions: Vec<(LogPosition, LogPosition)>,
    pub(super) log_start: LogPosition,
    pub(super) damaged: Vec<DamagedGroup>,
}

impl Loading {
    /// Reads names and checkpoints, side by side where there are threads.
    pub(super) fn of<M: Medium>(
        catalogue: &Catalogue,
        medium: &M,
        (pace, threads): (Pace, usize),
        extent: Extent<'_>,
        bodies: Bodies,
    ) -> Result<Self, Error> {
        let mut loading = Self {
            world: World::default(),
            positions: Vec::new(),
            log_start: LogPosition(0),
            damaged: Vec::new(),
        };
        let found = std::thread::scope(|scope| {
            let mut reading: Option<CheckpointReaders<'_>> = None;
            extent.load(catalogue, |loaded| {
                if matches!(loaded, Loaded::Rrd(..)) && reading.is_none() {
                    // All groups are known by now.
                    let world = &loading.world;
                    reading =
                        Some(CheckpointReaders::start(scope, medium, world, (threads, bodies)));
                }
                loading.learn(loaded, pace);
            })?;
            loading.world.list_names();
            let start =
                || CheckpointReaders::start(scope, medium, &loading.world, (threads, bodies));
            Ok::<_, Error>(reading.unwrap_or_else(start).finish())
        })?;
        for (cell, found) in found {
            loading.take(&cell, found?);
        }
        if extent.asks_others() {
            let of_strangers = log_start_of_strangers(medium, &loading.world)?;
            loading.log_start = loading.log_start.max(of_strangers);
        }
        Ok(loading)
    }

    /// Takes what the catalogue says of a definition, a group or a database.
    fn learn(&mut self, loaded: Loaded<'_>, pace: Pace) {
        let Self { world, damaged, .. } = self;
        match loaded {
            Loaded::Definition(_, definition) => drop(world.definitions.intern(&definition)),
            Loaded::Group(id, entry) => match empty_group(world, id.0, &entry, pace) {
                Ok((cell, key)) => world.add_group(Arc::new(cell), key),
                Err(loss) => lose(world, damaged, id.0, &loss),
            },
            Loaded::Rrd(rrd, view) => {
                let group = group_of(rrd);
                if !world.knows_group(group) {
                    lose(world, damaged, group, &GroupLoss::Unknown);
                }
                world.note_name(rrd, view.name);
            }
        }
    }

    /// Takes what the checkpoints of a group say.
    fn take(&mut self, cell: &Cell, found: Result<Vec<Stamp>, GroupLoss>) {
        match found {
            Ok(stamps) => {
                let positions = stamps.iter().map(|stamp| stamp.position);
                let newest = positions.clone().max().unwrap_or_default();
                let oldest = positions.min().unwrap_or_default();
                self.positions.push((newest, oldest));
                let log_start = stamps.iter().map(|stamp| stamp.log_start).max();
                self.log_start = self.log_start.max(log_start.unwrap_or_default());
            }
            Err(loss) => lose(&mut self.world, &mut self.damaged, cell.id, &loss),
        }
    }

    /// Where the log is to be read from, and what must be kept of it.
    pub(super) fn start(&self, applied: LogPosition, extent: Extent<'_>) -> Start {
        let newest = self.positions.iter().map(|(newest, _)| *newest);
        let oldest = self.positions.iter().map(|(_, oldest)| *oldest);
        // Groups that are not updated have older checkpoints than the log has records.
        let from = newest.min().unwrap_or(applied).min(applied).max(self.log_start);
        let keep_from = match extent.is_all() {
            true => oldest.min().unwrap_or(applied).min(from).max(self.log_start),
            // What other groups need is not known.
            false => self.log_start,
        };
        Start { from, keep_from }
    }
}

/// What was read of a group: the stamps of its checkpoints, or why there are none.
type ReadGroup = (Arc<Cell>, Result<Result<Vec<Stamp>, GroupLoss>, Error>);

/// Why a group cannot be loaded.
#[derive(Debug, thiserror::Error)]
enum GroupLoss {
    #[error("the catalogue has no group of that number")]
    Unknown,
    #[error("its layout is a definition that does not exist")]
    Layout,
    #[error("its capacity or layout is that of no group")]
    Geometry,
    /// Neither of its checkpoints is whole.
    #[error("{0}")]
    Checkpoints(PlaceFaults),
}

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
        (threads, bodies): (usize, Bodies),
    ) -> Self {
        let read = move |cell: Arc<Cell>| {
            let found = match bodies {
                Bodies::Now => fill(medium, &cell),
                Bodies::Later => look(medium, &cell),
            };
            (cell, found.map(|found| found.map_err(GroupLoss::Checkpoints)))
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

/// Fills a group from its newest checkpoint that is whole.
fn fill<M: Medium>(medium: &M, cell: &Cell) -> Result<Result<Vec<Stamp>, PlaceFaults>, Error> {
    let mut group = cell.group_so_far();
    Ok(read_group(medium, &group)?.map(|Checkpoints { group: filled, stamps }| {
        cell.note_found(FoundGroup { places: filled.places, is_filled: true });
        *group = filled;
        stamps
    }))
}

/// Looks where the checkpoints of a group stand.
fn look<M: Medium>(medium: &M, cell: &Cell) -> Result<Result<Vec<Stamp>, PlaceFaults>, Error> {
    Ok(read_places(medium, cell.id)?.map(|Headers { places, stamps }| {
        cell.note_found(FoundGroup { places, is_filled: false });
        stamps
    }))
}

/// Gives a group up, and tells why.
fn lose(world: &mut World, damaged: &mut Vec<DamagedGroup>, group: u32, loss: &GroupLoss) {
    let what = loss.to_string();
    world.lose_group(group, &what);
    damaged.push(DamagedGroup { group, what });
}

fn empty_group(
    world: &World,
    id: u32,
    entry: &GroupEntry,
    pace: Pace,
) -> Result<(Cell, LayoutKey), GroupLoss> {
    let definition: Option<&Arc<Definition>> = world.definitions.get(entry.layout);
    let definition = definition.ok_or(GroupLoss::Layout)?;
    let within = (1..=geometry::GROUP_DATABASES_MAX).contains(&entry.capacity);
    let geometry = within.then(|| Geometry::new(definition, pace, entry.capacity, entry.shared));
    let geometry = geometry.flatten().ok_or(GroupLoss::Geometry)?;
    let group = Group::new(id, geometry, entry.phase_pdps, definition);
    Ok((Cell::waiting(group), LayoutKey::of(definition, entry.shared)))
}

/// The newest log start that checkpoints name of groups which the catalogue does not know. In a
/// copy that was made while the store was written, one of them may be the only one that names it.
fn log_start_of_strangers<M: Medium>(medium: &M, world: &World) -> Result<LogPosition, Error> {
    let mut log_start = LogPosition::default();
    for name in medium.list().map_err(Error::io("reading", Path::new(".")))? {
        let Some(group) = FileKind::group_of(&name) else { continue };
        if world.known_cell(group).is_some() {
            continue;
        }
        for nth in (0..2).filter(|nth| FileKind::Checkpoint(*nth).name(group) == name) {
            if let Ok((stamp, _)) = look_at_place(medium, group, nth)? {
                log_start = log_start.max(stamp.log_start);
            }
        }
    }
    Ok(log_start)
}
