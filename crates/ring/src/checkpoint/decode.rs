//! From the bytes of a checkpoint to a group.

use std::sync::Arc;

use geometry::{PAGE_BYTES, Shape};
use journal::Generation;

use super::reader::Reader;
use super::{CheckpointFault, bitmap_bytes};
use crate::attic::AtticIndex;
use crate::group::{BornPdp, Group, Member, Status};
use crate::open_block::OpenBlock;
use crate::written::WrittenTiles;

/// Fills an empty group from its checkpoint, whose stamp was read and has told the group its attic.
///
/// # Errors
/// [`CheckpointFault`]: the checkpoint is of another layout than the catalogue says.
pub(crate) fn decode(bytes: &[u8], group: &mut Group) -> Result<(), CheckpointFault> {
    let mut reader = Reader { bytes, at: 64 };
    group.clock.boundary_pdp = reader.i64("a boundary")?;
    group.clock.in_step = reader.u32("members in step")?;
    reader.expect_u32(
        group.states.layout.bytes() as u32,
        "the bytes of a packed state of this layout",
    )?;
    reader.expect_u32(group.rows.shapes.len() as u32, "the number of shapes of this layout")?;
    let places = reader.u32("places")? as usize;
    if places > group.geometry.capacity() as usize {
        return Err(reader.fault("at most as many places as the group has"));
    }
    reader.u32("a checksum")?;
    for shape in &mut group.rows.shapes {
        shape.flushed_block = reader.i64("a block")?;
        shape.settled_block = shape.flushed_block;
    }
    group.grow_to(places);
    group.vacant.clear();
    for place in 0..places {
        group.members[place] = take_member(&mut reader)?;
    }
    take_births(&mut reader, group)?;
    take_states(&mut reader, group)?;
    take_shifts(&mut reader, group)?;
    take_open_pages(&mut reader, group)?;
    take_files(&mut reader, group)
}

fn take_files(reader: &mut Reader<'_>, group: &mut Group) -> Result<(), CheckpointFault> {
    if reader.is_at_end() {
        return Ok(()); // an earlier version wrote it
    }
    let pages = group.geometry.file_bytes() / PAGE_BYTES as u64;
    let runs = reader.counted("runs of written tiles")?;
    let written = WrittenTiles::decode(runs, pages);
    group.written = written.map_err(|_| reader.fault("runs of written tiles"))?;
    let members = reader.counted("members of the attic's pages")?;
    let index = AtticIndex::decode(members, group.attic.pages);
    let index = index.map_err(|_| reader.fault("members of the attic's pages"))?;
    group.attic_index = Arc::new(index);
    Ok(())
}

fn take_member(reader: &mut Reader<'_>) -> Result<Member, CheckpointFault> {
    Ok(Member {
        status: Status(reader.take(1, "a status")?[0]),
        generation: Generation(reader.u32("a generation")?),
        definition: reader.u32("a definition")?,
        born: BornPdp::from_bytes(reader.u32("a PDP")?, [0; 3]),
    })
}

/// The high bits of births, which are told where ticks are shorter than a second.
fn take_births(reader: &mut Reader<'_>, group: &mut Group) -> Result<(), CheckpointFault> {
    if group.geometry.tick().is_second() {
        return Ok(());
    }
    for member in &mut group.members {
        let bytes = reader.take(3, "the high bits of a PDP")?;
        let high = bytes.try_into().map_err(|_| reader.fault("three bytes"))?;
        member.born = BornPdp::from_bytes(member.born.low(), high);
    }
    Ok(())
}

fn take_states(reader: &mut Reader<'_>, group: &mut Group) -> Result<(), CheckpointFault> {
    let present: Vec<(u16, Member)> =
        group.present().map(|(member, holder)| (member, *holder)).collect();
    let state_bytes = group.states.layout.bytes();
    for (member, _) in present.iter().filter(|(_, holder)| !holder.status.has(Status::ASIDE)) {
        group
            .states
            .packed_mut(*member)
            .copy_from_slice(reader.take(state_bytes, "a packed state")?);
    }
    for (member, _) in present.iter().filter(|(_, holder)| holder.status.has(Status::ASIDE)) {
        let encoded = reader.counted("a state after its length")?;
        let state = group.states.layout.decode(encoded).ok();
        let state = state.ok_or_else(|| reader.fault("a state of the group's layout"))?;
        group.states.keep_aside(*member, state);
    }
    Ok(())
}

fn take_shifts(reader: &mut Reader<'_>, group: &mut Group) -> Result<(), CheckpointFault> {
    for _ in 0..reader.u32("the number of shifts")? {
        let member = reader.u16("a member")?;
        let archives = reader.u16("the number of archives")?;
        let shifts = (0..archives).map(|_| reader.u64("a shift")).collect::<Result<_, _>>()?;
        group.shifts.insert(member, shifts);
    }
    Ok(())
}

fn take_open_pages(reader: &mut Reader<'_>, group: &mut Group) -> Result<(), CheckpointFault> {
    for _ in 0..reader.u32("the number of open pages")? {
        let nth = reader.u32("a shape")? as usize;
        let column = reader.u32("a column")?;
        let block = reader.i64("a block")?;
        let sources = group.geometry.sources();
        let shape = group.geometry.shapes().get(nth).copied();
        let shape = shape.filter(|shape| u64::from(column) < shape.columns);
        let shape = shape.ok_or_else(|| reader.fault("a shape and column of the layout"))?;
        let blocks = &mut group.rows.shapes[nth].blocks;
        if blocks.back().is_none_or(|open| open.block < block) {
            blocks.push_back(OpenBlock::empty(block, &shape, sources));
        }
        match blocks.back_mut().filter(|open| open.block == block) {
            Some(open) => take_slots(reader, &shape, column, open)?,
            None => return Err(reader.fault("blocks in their order")),
        }
    }
    Ok(())
}

fn take_slots(
    reader: &mut Reader<'_>,
    shape: &Shape,
    column: u32,
    open: &mut OpenBlock,
) -> Result<(), CheckpointFault> {
    let bitmap = reader.take(bitmap_bytes(shape), "a bitmap")?;
    open.fill(column);
    for slot in (0..shape.tile_rows as usize).filter(|slot| bitmap[slot / 8] & 1 << (slot % 8) != 0)
    {
        open.put_slot(slot, column, reader.take(open.slot_bytes(), "a row slot")?);
    }
    Ok(())
}
