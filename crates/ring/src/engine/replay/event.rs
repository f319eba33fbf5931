//! What a record does to its group, but for updates.

use std::path::Path;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use journal::{JournalError, LogPosition, RawRecord};
use livestate::State;
use rrd::Definition;
use store::Error;

use super::super::FileKind;
use super::super::edits::tuned;
use super::super::world::member_of;
use super::attic::count_growth;
use crate::attic::AtticGrowth;
use crate::catalogue::{DefinitionId, Definitions};
use crate::group::{Group, Status};
use crate::record::Event;
use crate::tile::{TilePlace, block_in};

/// Does to a group what a record of it says that is no update. All definitions are known.
pub(super) fn apply_event<M: Medium>(
    medium: &M,
    definitions: &Definitions,
    group: &mut Group,
    at: LogPosition,
    record: &RawRecord<'_>,
) -> Result<(), Error> {
    let undecodable = |error| Error::from(JournalError::undecodable(at, error));
    let (member, generation) = (member_of(record.rrd()), record.generation());
    let event = Event::decode(record).map_err(undecodable)?;
    group.last_record = group.last_record.max(at);
    let is_there = |group: &Group| group.member(member, generation).is_some();
    match event {
        Event::Create { start, definition, .. } => {
            let holder = group.members.get(usize::from(member));
            if holder.is_some_and(|holder| holder.status.has(Status::PRESENT)) {
                group.remove(member); // its delete is lost with a damaged stretch of the log
            }
            let number = number_of(definitions, &definition);
            let state = State::fresh(&group.states.layout, &definition, start);
            group.insert(member, generation, number, &state);
        }
        Event::Delete if is_there(group) => group.remove(member),
        Event::Tune(tuning) => {
            let holder = group.member(member, generation).copied();
            let definition = holder.map(|holder| definition_of(definitions, holder.definition));
            if let Some(tuned) = definition.and_then(|definition| tuned(definition, &tuning)) {
                let number = number_of(definitions, &tuned);
                group.members[usize::from(member)].definition = number;
            }
        }
        Event::Smooth => {
            if let Some(holder) = group.member(member, generation).copied() {
                // What failed when it was logged fails again.
                let _ = group.smooth(member, definition_of(definitions, holder.definition));
            }
        }
        Event::Tile { offset_bytes, page } => put_tile(medium, group, offset_bytes, page)?,
        Event::Attic { growth } => {
            count_growth(medium, group, &AtticGrowth::decode(growth).map_err(undecodable)?)?;
        }
        Event::Update(_) | Event::Delete | Event::Rename { .. } => {}
    }
    Ok(())
}

pub(super) fn definition_of(definitions: &Definitions, number: u32) -> &Definition {
    definitions.get(DefinitionId(number)).expect("a member's definition is known")
}

fn number_of(definitions: &Definitions, definition: &Definition) -> u32 {
    definitions.find(definition).expect("it was made known as the log was read").0
}

/// Writes a page again that may have been torn, unless a newer block stands there.
fn put_tile<M: Medium>(
    medium: &M,
    group: &mut Group,
    offset_bytes: u64,
    page: &[u8],
) -> Result<(), Error> {
    let name = FileKind::Tiles.name(group.id);
    let io = || Error::io("writing", Path::new(&name));
    let tiles = medium.open(&name).map_err(io())?;
    let number = |at: usize| u32::from_le_bytes(page[at..at + 4].as_chunks().0[0]);
    let place = TilePlace { group: group.id, shape: number(24), column: number(28) };
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
    group.written.note(offset_bytes / PAGE_BYTES as u64);
    Ok(())
}
