//! What is to be done to a group, on whatever thread.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, PoisonError};

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use journal::{Generation, LogPosition};
use livestate::State;
use rrd::Timestamp;
use store::Error;
use tracing_mutex::stdsync::{Mutex, RwLock};

use super::super::world::World;
use super::super::{Cell, FileKind};
use super::apply::{Replaying, apply_updates};
use super::attic::count_growth;
use crate::attic::AtticGrowth;
use crate::group::{Group, Status};
use crate::tile::{TilePlace, block_in};

/// Something to be done to a group.
pub(super) enum Work {
    /// Updates: each after its length, position and member.
    Updates {
        cell: Arc<Cell>,
        bytes: Vec<u8>,
    },
    Event {
        cell: Arc<Cell>,
        at: LogPosition,
        event: GroupEvent,
    },
    /// Tells when all before is done.
    Barrier(Sender<()>),
}

pub(super) enum GroupEvent {
    Insert { member: u16, generation: Generation, number: u32, start: Timestamp },
    Remove { member: u16, generation: Generation },
    Redefine { member: u16, generation: Generation, number: u32 },
    Smooth { member: u16, generation: Generation },
    Tile { offset_bytes: u64, page: Vec<u8> },
    Attic(AtticGrowth),
}

/// A thread that applies what it is given.
pub(super) fn work_off<M: Medium>(
    receiver: &Receiver<Work>,
    medium: &M,
    world: &RwLock<World>,
    failed: &Mutex<Option<Error>>,
) {
    let mut room = Replaying::default();
    for work in receiver {
        if let Err(error) = work.run(medium, world, &mut room) {
            failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

impl Work {
    pub(super) fn run<M: Medium>(
        self,
        medium: &M,
        world: &RwLock<World>,
        room: &mut Replaying,
    ) -> Result<(), Error> {
        match self {
            Self::Updates { cell, bytes } => {
                let world = world.read().expect("no thread panicked");
                apply_updates(&world, &mut cell.group(), &bytes, room)
            }
            Self::Event { cell, at, event } => {
                let world = world.read().expect("no thread panicked");
                cell.group().last_record = at;
                event.run(medium, &world, &cell)
            }
            Self::Barrier(done) => {
                let _ = done.send(()); // the thread that waited may have given up
                Ok(())
            }
        }
    }
}

impl GroupEvent {
    fn run<M: Medium>(self, medium: &M, world: &World, cell: &Cell) -> Result<(), Error> {
        match self {
            Self::Tile { offset_bytes, page } => put_tile(medium, cell, offset_bytes, &page),
            Self::Attic(growth) => count_growth(medium, cell, &growth),
            of_member => {
                of_member.apply(world, &mut cell.group());
                Ok(())
            }
        }
    }

    /// Does to a group what happened to one of its members.
    fn apply(self, world: &World, group: &mut Group) {
        match self {
            Self::Insert { member, generation, number, start } => {
                let holder = group.members.get(usize::from(member));
                if holder.is_some_and(|holder| holder.status.has(Status::PRESENT)) {
                    group.remove(member); // its delete is lost with a damaged stretch of the log
                }
                let state = State::fresh(&group.states.layout, world.definition(number), start);
                group.insert(member, generation, number, &state);
            }
            Self::Remove { member, generation } => {
                if group.member(member, generation).is_some() {
                    group.remove(member);
                }
            }
            Self::Redefine { member, generation, number } => {
                if group.member(member, generation).is_some() {
                    group.members[usize::from(member)].definition = number;
                }
            }
            Self::Smooth { member, generation } => {
                if let Some(holder) = group.member(member, generation).copied() {
                    // What failed when it was logged fails again.
                    let _ = group.smooth(member, world.definition(holder.definition));
                }
            }
            Self::Tile { .. } | Self::Attic(_) => {}
        }
    }
}

/// Writes a page again that may have been torn, unless a newer block stands there.
fn put_tile<M: Medium>(
    medium: &M,
    cell: &Cell,
    offset_bytes: u64,
    page: &[u8],
) -> Result<(), Error> {
    let name = FileKind::Tiles.name(cell.id);
    let io = || Error::io("writing", Path::new(&name));
    let tiles = medium.open(&name).map_err(io())?;
    let number = |at: usize| u32::from_le_bytes(page[at..at + 4].as_chunks().0[0]);
    let place = TilePlace { group: cell.id, shape: number(24), column: number(28) };
    let Ok(Some(block)) = block_in(page, place) else { return Ok(()) };
    let mut there = vec![0; PAGE_BYTES];
    let read = tiles.read_at(&mut there, offset_bytes).map_err(io())?;
    let newer =
        read == PAGE_BYTES && matches!(block_in(&there, place), Ok(Some(found)) if found > block);
    if newer {
        return Ok(());
    }
    tiles.write_at(page, offset_bytes).map_err(io())?;
    tiles.sync_data().map_err(io())?;
    cell.group().written.note(offset_bytes / PAGE_BYTES as u64);
    Ok(())
}
