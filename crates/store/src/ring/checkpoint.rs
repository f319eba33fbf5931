//! A checkpoint of a group: everything that is not in its tiles, at one position of the log.
//!
//! ```text
//!   0      8   magic      "gyreckpt"
//!   8      4   CRC-32 of the 80 bytes from 12 on
//!   12     4   version    1
//!   16     8   bytes of the checkpoint
//!   24     8   sequence, the number of the group's checkpoint
//!   32     8   position: records of the log before it are in here
//!   40     8   log start: records before it are needed by no group
//!   48     4   attic: which file
//!   52     4   attic: pages
//!   56     4   attic: pages after its last compaction
//!   60     4   group
//!   64     8   PDP of the next boundary
//!   72     4   members in step
//!   76     4   bytes of a packed state
//!   80     4   shapes
//!   84     4   places of members
//!   88     4   CRC-32 of all that follows
//!   92         shapes: 8 each, the last block flushed
//!   +          members: 13 each, status, generation, definition, PDP of birth
//!   +          packed states of the members present
//!   +          states kept aside: 4 bytes of length, then the state
//!   +          shifted row pointers: 4 count; each 2 member, 2 archives, 8 an archive
//!   +          open pages: 4 count; each 4 shape, 4 column, 8 block,
//!              K bits that tell which row slots follow, S x D values a slot
//! ```
//!
//! All numbers are little-endian. It is written alternately to two places, so that one of them is
//! whole whatever happens.

use rrd::UNKNOWN;

use super::geometry::{PAGE_BYTES, Shape, TILE_HEADER_BYTES};
use super::group::{AtticExtent, Group, Member, OpenBlock, Status};
use super::tile::Page;
use crate::journal::{Generation, LogPosition};

const MAGIC: &[u8; 8] = b"gyreckpt";
const VERSION: u32 = 1;
const CRC: std::ops::Range<usize> = 8..12;
/// What tells which checkpoint it is.
pub(crate) const HEADER_BYTES: usize = 92;
const BODY_CRC: std::ops::Range<usize> = 88..HEADER_BYTES;
pub(crate) const MEMBER_BYTES: usize = 13;

/// What is known of a checkpoint only when it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) sequence: u64,
    pub(crate) position: LogPosition,
    pub(crate) log_start: LogPosition,
    pub(crate) attic: AtticExtent,
}

/// Why bytes are no checkpoint of a group.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset_bytes}: expected {expected}")]
pub(crate) struct CheckpointFault {
    /// Where.
    pub offset_bytes: usize,
    /// What should stand there.
    pub expected: &'static str,
}

/// The bytes of a group as it is, without its stamp.
pub(crate) fn encode(group: &Group) -> Vec<u8> {
    let mut out = Vec::with_capacity(
        HEADER_BYTES + group.members.len() * (MEMBER_BYTES + group.layout.bytes()),
    );
    out.extend_from_slice(MAGIC);
    out.resize(60, 0);
    out.extend_from_slice(&group.id.to_le_bytes());
    out.extend_from_slice(&group.clock.boundary_pdp.to_le_bytes());
    out.extend_from_slice(&group.clock.in_step.to_le_bytes());
    out.extend_from_slice(&(group.layout.bytes() as u32).to_le_bytes());
    out.extend_from_slice(&(group.shapes.len() as u32).to_le_bytes());
    out.extend_from_slice(&(group.members.len() as u32).to_le_bytes());
    out.resize(HEADER_BYTES, 0);
    for shape in &group.shapes {
        out.extend_from_slice(&shape.flushed_block.to_le_bytes());
    }
    for member in &group.members {
        out.push(member.status.0 & !Status::STIRRED);
        out.extend_from_slice(&member.generation.0.to_le_bytes());
        out.extend_from_slice(&member.definition.to_le_bytes());
        out.extend_from_slice(&member.born_pdp.to_le_bytes());
    }
    put_states(group, &mut out);
    put_shifts(group, &mut out);
    put_open_pages(group, &mut out);
    out
}

fn put_states(group: &Group, out: &mut Vec<u8>) {
    for (member, holder) in group.present() {
        if !holder.status.has(Status::ASIDE) {
            out.extend_from_slice(group.packed(member));
        }
    }
    for (member, _) in group.present() {
        if let Some(state) = group.aside(member) {
            let at = out.len();
            out.extend_from_slice(&[0; 4]);
            group.layout.encode(state, out);
            let bytes = (out.len() - at - 4) as u32;
            out[at..at + 4].copy_from_slice(&bytes.to_le_bytes());
        }
    }
}

fn put_shifts(group: &Group, out: &mut Vec<u8>) {
    out.extend_from_slice(&(group.shifts.len() as u32).to_le_bytes());
    for (member, shifts) in &group.shifts {
        out.extend_from_slice(&member.to_le_bytes());
        out.extend_from_slice(&(shifts.len() as u16).to_le_bytes());
        shifts.iter().for_each(|shift| out.extend_from_slice(&shift.to_le_bytes()));
    }
}

fn put_open_pages(group: &Group, out: &mut Vec<u8>) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    let mut count = 0_u32;
    for (nth, open) in group.shapes.iter().enumerate() {
        let shape = &group.geometry.shapes()[nth];
        for block in &open.blocks {
            let columns = block.columns.iter().enumerate();
            for (column, page) in columns.filter_map(|(nth, page)| Some((nth, page.as_ref()?))) {
                out.extend_from_slice(&(nth as u32).to_le_bytes());
                out.extend_from_slice(&(column as u32).to_le_bytes());
                out.extend_from_slice(&block.block.to_le_bytes());
                put_slots(page, shape, group.geometry.sources(), out);
                count += 1;
            }
        }
    }
    out[at..at + 4].copy_from_slice(&count.to_le_bytes());
}

/// The row slots of a page that somebody wrote.
fn put_slots(page: &Page, shape: &Shape, sources: usize, out: &mut Vec<u8>) {
    let bits = out.len();
    out.resize(bits + bitmap_bytes(shape), 0);
    let slot_bytes = slot_bytes(shape, sources);
    let rows = page.bytes()[TILE_HEADER_BYTES..].chunks_exact(slot_bytes);
    for (slot, row) in rows.take(shape.tile_rows as usize).enumerate() {
        let unknown = UNKNOWN.to_bits().to_le_bytes();
        if row.as_chunks().0.iter().any(|value| *value != unknown) {
            out[bits + slot / 8] |= 1 << (slot % 8);
            out.extend_from_slice(row);
        }
    }
}

fn bitmap_bytes(shape: &Shape) -> usize {
    (shape.tile_rows as usize).div_ceil(8)
}

fn slot_bytes(shape: &Shape, sources: usize) -> usize {
    shape.tile_databases as usize * sources * 8
}

/// Notes which members have rows in the attic, since it was filled after the group was encoded.
pub(crate) fn note_attic(bytes: &mut [u8], group: &Group) {
    let first = HEADER_BYTES + 8 * group.shapes.len();
    let places = u32::from_le_bytes(bytes[84..88].as_chunks().0[0]) as usize;
    let statuses = bytes[first..].chunks_mut(MEMBER_BYTES).take(places);
    for (status, member) in statuses.zip(&group.members) {
        let in_attic = member.status.has(Status::ATTIC);
        let mut noted = Status(status[0]);
        noted.set(Status::ATTIC, in_attic && noted.has(Status::PRESENT));
        status[0] = noted.0;
    }
}

/// Stamps a checkpoint, so that it can be written; it takes whole pages.
pub(crate) fn seal(bytes: &mut Vec<u8>, stamp: &Stamp) {
    let length = bytes.len() as u64;
    bytes[12..16].copy_from_slice(&VERSION.to_le_bytes());
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    bytes[24..32].copy_from_slice(&stamp.sequence.to_le_bytes());
    bytes[32..40].copy_from_slice(&stamp.position.0.to_le_bytes());
    bytes[40..48].copy_from_slice(&stamp.log_start.0.to_le_bytes());
    bytes[48..52].copy_from_slice(&stamp.attic.epoch.to_le_bytes());
    bytes[52..56].copy_from_slice(&stamp.attic.pages.to_le_bytes());
    bytes[56..60].copy_from_slice(&stamp.attic.pages_kept.to_le_bytes());
    let crc = crc32fast::hash(&bytes[HEADER_BYTES..]);
    bytes[BODY_CRC].copy_from_slice(&crc.to_le_bytes());
    let crc = crc32fast::hash(&bytes[CRC.end..HEADER_BYTES]);
    bytes[CRC].copy_from_slice(&crc.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(PAGE_BYTES), 0);
}

/// The stamp of a checkpoint of a group, and how many bytes it has, from its header.
///
/// # Errors
/// [`CheckpointFault`].
pub(crate) fn stamp_of(bytes: &[u8], group: u32) -> Result<(Stamp, u64), CheckpointFault> {
    let fault = |offset_bytes, expected| CheckpointFault { offset_bytes, expected };
    let mut reader = Reader { bytes, at: 0 };
    if reader.take(8, "a checkpoint")? != MAGIC {
        return Err(fault(0, "a checkpoint"));
    }
    let crc = reader.u32("a checksum")?;
    if bytes.get(CRC.end..HEADER_BYTES).map(crc32fast::hash) != Some(crc) {
        return Err(fault(8, "the checksum of the header"));
    }
    reader.expect_u32(VERSION, "version 1")?;
    let length_bytes = reader.u64("a length")?;
    let stamp = Stamp {
        sequence: reader.u64("a sequence")?,
        position: LogPosition(reader.u64("a position")?),
        log_start: LogPosition(reader.u64("a position")?),
        attic: AtticExtent {
            epoch: reader.u32("an attic")?,
            pages: reader.u32("pages")?,
            pages_kept: reader.u32("pages")?,
        },
    };
    reader.expect_u32(group, "the number of this group")?;
    Ok((stamp, length_bytes))
}

/// The last block flushed of each shape, and where the entries of members end, in bytes, from the
/// beginning of a checkpoint whose stamp was read; `None` if it is cut short. The checksum of the
/// body is not looked at: this is for telling, not for going on from.
pub(crate) fn flushed_blocks(bytes: &[u8]) -> Option<(Vec<i64>, u64)> {
    let mut reader = Reader { bytes, at: 80 };
    let shapes = reader.u32("shapes").ok()?;
    let places = reader.u32("places").ok()?;
    reader.u32("a checksum").ok()?;
    let blocks: Result<Vec<i64>, _> = (0..shapes).map(|_| reader.i64("a block")).collect();
    Some((blocks.ok()?, reader.at as u64 + u64::from(places) * MEMBER_BYTES as u64))
}

/// Places of members, from a header whose stamp was read.
pub(crate) fn places_of(header: &[u8; HEADER_BYTES]) -> u32 {
    u32::from_le_bytes(header[84..88].as_chunks().0[0])
}

/// Checks all of a checkpoint whose stamp was read.
///
/// # Errors
/// [`CheckpointFault`].
pub(crate) fn check_body(bytes: &[u8]) -> Result<(), CheckpointFault> {
    let mut reader = Reader { bytes, at: BODY_CRC.start };
    let crc = reader.u32("a checksum")?;
    match bytes.get(HEADER_BYTES..).map(crc32fast::hash) {
        Some(found) if found == crc => Ok(()),
        _ => Err(CheckpointFault { offset_bytes: 88, expected: "the checksum of what follows" }),
    }
}

/// Fills an empty group from its checkpoint, whose stamp was read.
///
/// # Errors
/// [`CheckpointFault`]: the checkpoint is of another layout than the catalogue says.
pub(crate) fn decode(bytes: &[u8], group: &mut Group) -> Result<(), CheckpointFault> {
    let mut reader = Reader { bytes, at: 64 };
    group.clock.boundary_pdp = reader.i64("a boundary")?;
    group.clock.in_step = reader.u32("members in step")?;
    reader.expect_u32(group.layout.bytes() as u32, "the bytes of a packed state of this layout")?;
    reader.expect_u32(group.shapes.len() as u32, "the number of shapes of this layout")?;
    let places = reader.u32("places")? as usize;
    if places > group.geometry.capacity() as usize {
        return Err(reader.fault("at most as many places as the group has"));
    }
    reader.u32("a checksum")?;
    for shape in &mut group.shapes {
        shape.flushed_block = reader.i64("a block")?;
        shape.settled_block = shape.flushed_block;
    }
    group.grow_to(places);
    group.vacant.clear();
    for place in 0..places {
        group.members[place] = take_member(&mut reader)?;
    }
    take_states(&mut reader, group)?;
    take_shifts(&mut reader, group)?;
    take_open_pages(&mut reader, group)
}

fn take_member(reader: &mut Reader<'_>) -> Result<Member, CheckpointFault> {
    Ok(Member {
        status: Status(reader.take(1, "a status")?[0]),
        generation: Generation(reader.u32("a generation")?),
        definition: reader.u32("a definition")?,
        born_pdp: reader.u32("a PDP")?,
    })
}

fn take_states(reader: &mut Reader<'_>, group: &mut Group) -> Result<(), CheckpointFault> {
    let present: Vec<(u16, Member)> =
        group.present().map(|(member, holder)| (member, *holder)).collect();
    let state_bytes = group.layout.bytes();
    for (member, _) in present.iter().filter(|(_, holder)| !holder.status.has(Status::ASIDE)) {
        group.packed_mut(*member).copy_from_slice(reader.take(state_bytes, "a packed state")?);
    }
    for (member, _) in present.iter().filter(|(_, holder)| holder.status.has(Status::ASIDE)) {
        let bytes = reader.u32("the length of a state")? as usize;
        let encoded = reader.take(bytes, "a state")?;
        let state = group.layout.decode(encoded).ok();
        let state = state.ok_or_else(|| reader.fault("a state of the group's layout"))?;
        group.keep_aside(*member, state);
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
        let column = reader.u32("a column")? as usize;
        let block = reader.i64("a block")?;
        let sources = group.geometry.sources();
        let shape = group.geometry.shapes().get(nth).copied();
        let shape = shape.filter(|shape| (column as u64) < shape.columns);
        let shape = shape.ok_or_else(|| reader.fault("a shape and column of the layout"))?;
        let page = take_slots(reader, &shape, sources)?;
        let blocks = &mut group.shapes[nth].blocks;
        if blocks.back().is_none_or(|open| open.block < block) {
            blocks.push_back(OpenBlock { block, columns: vec![None; shape.columns as usize] });
        }
        match blocks.back_mut().filter(|open| open.block == block) {
            Some(open) => open.columns[column] = Some(page),
            None => return Err(reader.fault("blocks in their order")),
        }
    }
    Ok(())
}

fn take_slots(
    reader: &mut Reader<'_>,
    shape: &Shape,
    sources: usize,
) -> Result<Page, CheckpointFault> {
    let bitmap = reader.take(bitmap_bytes(shape), "a bitmap")?;
    let slot_bytes = slot_bytes(shape, sources);
    let mut bytes = *Page::unknown().bytes();
    for slot in (0..shape.tile_rows as usize).filter(|slot| bitmap[slot / 8] & 1 << (slot % 8) != 0)
    {
        let at = TILE_HEADER_BYTES + slot * slot_bytes;
        bytes[at..at + slot_bytes].copy_from_slice(reader.take(slot_bytes, "a row slot")?);
    }
    Page::of(&bytes).ok_or_else(|| reader.fault("a page"))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn fault(&self, expected: &'static str) -> CheckpointFault {
        CheckpointFault { offset_bytes: self.at, expected }
    }

    fn take(&mut self, count: usize, expected: &'static str) -> Result<&'a [u8], CheckpointFault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..count).ok_or_else(|| self.fault(expected))?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; N], CheckpointFault> {
        let start = self.at;
        let fault = CheckpointFault { offset_bytes: start, expected };
        self.take(N, expected)?.try_into().map_err(|_| fault)
    }

    fn u16(&mut self, expected: &'static str) -> Result<u16, CheckpointFault> {
        self.array(expected).map(u16::from_le_bytes)
    }

    fn u32(&mut self, expected: &'static str) -> Result<u32, CheckpointFault> {
        self.array(expected).map(u32::from_le_bytes)
    }

    fn u64(&mut self, expected: &'static str) -> Result<u64, CheckpointFault> {
        self.array(expected).map(u64::from_le_bytes)
    }

    fn i64(&mut self, expected: &'static str) -> Result<i64, CheckpointFault> {
        self.array(expected).map(i64::from_le_bytes)
    }

    fn expect_u32(&mut self, value: u32, expected: &'static str) -> Result<(), CheckpointFault> {
        let start = self.at;
        match self.u32(expected)? {
            found if found == value => Ok(()),
            _ => Err(CheckpointFault { offset_bytes: start, expected }),
        }
    }
}
