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
//!   +          where ticks are shorter than a second: 3 more bytes each of the PDP of birth
//!   +          packed states of the members present
//!   +          states kept aside: 4 bytes of length, then the state
//!   +          shifted row pointers: 4 count; each 2 member, 2 archives, 8 an archive
//!   +          open pages: 4 count; each 4 shape, 4 column, 8 block,
//!              K bits that tell which row slots follow, S x D values a slot
//!   +          tiles ever written: 4 bytes of length, then runs of pages
//!   +          members on each page of the attic: 4 bytes of length, then varints
//!   +     8    where the tiles ever written stand, in bytes
//!   +     8    "gyrefile", the end
//! ```
//!
//! The last two are for readers that do not know the group's layout, as a backup; earlier versions
//! wrote neither, and do not look at what stands there.
//!
//! Checkpoints of earlier versions end behind their open pages: which tiles were written is then
//! known of those alone that are written later, and the attic is read to learn whose rows it has.
//!
//! All numbers are little-endian. It is written alternately to two places, so that one of them is
//! whole whatever happens.

mod decode;
mod reader;

use std::ops::Range;

use geometry::{PAGE_BYTES, Shape};
use journal::LogPosition;
use rrd::UNKNOWN;

use self::reader::Reader;
use super::group::{AtticExtent, Group, Status};
use super::open_block::OpenBlock;
use super::written::runs_of;

pub(crate) use decode::decode;

const MAGIC: &[u8; 8] = b"gyreckpt";
/// The end of a checkpoint that says where the tiles ever written stand.
const END: &[u8; 8] = b"gyrefile";
/// The version of checkpoints.
pub const VERSION: u32 = 1;
const CRC: std::ops::Range<usize> = 8..12;
/// What tells which checkpoint it is.
pub(crate) const HEADER_BYTES: usize = 92;
const BODY_CRC: std::ops::Range<usize> = 88..HEADER_BYTES;
pub(crate) const MEMBER_BYTES: usize = 13;
/// Shape, column and block, before the bits of an open page's rows.
const OPEN_PAGE_BYTES: usize = 16;

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
    let members_bytes = group.members.len() * (MEMBER_BYTES + group.states.layout.bytes());
    let mut out = Vec::with_capacity(HEADER_BYTES + members_bytes + open_pages_bytes_max(group));
    out.extend_from_slice(MAGIC);
    out.resize(60, 0);
    out.extend_from_slice(&group.id.to_le_bytes());
    out.extend_from_slice(&group.clock.boundary_pdp.to_le_bytes());
    out.extend_from_slice(&group.clock.in_step.to_le_bytes());
    out.extend_from_slice(&(group.states.layout.bytes() as u32).to_le_bytes());
    out.extend_from_slice(&(group.rows.shapes.len() as u32).to_le_bytes());
    out.extend_from_slice(&(group.members.len() as u32).to_le_bytes());
    out.resize(HEADER_BYTES, 0);
    for shape in &group.rows.shapes {
        out.extend_from_slice(&shape.flushed_block.to_le_bytes());
    }
    for member in &group.members {
        out.push(member.status.0 & !Status::STIRRED);
        out.extend_from_slice(&member.generation.0.to_le_bytes());
        out.extend_from_slice(&member.definition.to_le_bytes());
        out.extend_from_slice(&member.born.low().to_le_bytes());
    }
    if !group.geometry.tick().is_second() {
        group.members.iter().for_each(|member| out.extend_from_slice(&member.born.high()));
    }
    put_states(group, &mut out);
    put_shifts(group, &mut out);
    put_open_pages(group, &mut out);
    out
}

fn put_states(group: &Group, out: &mut Vec<u8>) {
    for (member, holder) in group.present() {
        if !holder.status.has(Status::ASIDE) {
            out.extend_from_slice(group.states.packed(member));
        }
    }
    for (member, _) in group.present() {
        if let Some(state) = group.states.aside(member) {
            put_counted(out, |out| group.states.layout.encode(state, out));
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

/// At least the bytes that the open pages take.
fn open_pages_bytes_max(group: &Group) -> usize {
    let shapes = group.rows.shapes.iter().zip(group.geometry.shapes());
    let of_shape = shapes.map(|(open, shape)| {
        let head_bytes = OPEN_PAGE_BYTES + bitmap_bytes(shape);
        let of_block =
            |block: &OpenBlock| block.memory_bytes() + block.columns().count() * head_bytes;
        open.blocks.iter().map(of_block).sum::<usize>()
    });
    4 + of_shape.sum::<usize>()
}

fn put_open_pages(group: &Group, out: &mut Vec<u8>) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    let mut count = 0_u32;
    for (nth, open) in group.rows.shapes.iter().enumerate() {
        let shape = &group.geometry.shapes()[nth];
        for block in &open.blocks {
            for column in block.columns() {
                out.extend_from_slice(&(nth as u32).to_le_bytes());
                out.extend_from_slice(&column.to_le_bytes());
                out.extend_from_slice(&block.block.to_le_bytes());
                put_slots(block, column, shape, out);
                count += 1;
            }
        }
    }
    out[at..at + 4].copy_from_slice(&count.to_le_bytes());
}

/// The row slots of a column that were written.
fn put_slots(block: &OpenBlock, column: u32, shape: &Shape, out: &mut Vec<u8>) {
    let bits = out.len();
    out.resize(bits + bitmap_bytes(shape), 0);
    let slots = block.slots(column).enumerate();
    for (slot, row) in slots.filter_map(|(slot, row)| Some((slot, row?))) {
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

/// Notes which members have rows in the attic, since it was filled after the group was encoded.
pub(crate) fn note_attic(bytes: &mut [u8], group: &Group) {
    let first = HEADER_BYTES + 8 * group.rows.shapes.len();
    let places = u32::from_le_bytes(bytes[84..88].as_chunks().0[0]) as usize;
    let statuses = bytes[first..].chunks_mut(MEMBER_BYTES).take(places);
    for (status, member) in statuses.zip(&group.members) {
        let in_attic = member.status.has(Status::ATTIC);
        let mut noted = Status(status[0]);
        noted.set(Status::ATTIC, in_attic && noted.has(Status::PRESENT));
        status[0] = noted.0;
    }
}

/// Appends what stands in the group's other files: it is known only when they are synced, long
/// after the group was encoded.
pub(crate) fn put_files(bytes: &mut Vec<u8>, group: &Group) {
    let written_at = bytes.len() as u64;
    put_counted(bytes, |out| group.written.encode(out));
    put_counted(bytes, |out| group.attic_index.encode(out));
    bytes.extend_from_slice(&written_at.to_le_bytes());
    bytes.extend_from_slice(END);
}

/// The runs of tiles ever written, from a whole checkpoint up to its length; `None` if it is of an
/// earlier version.
pub(crate) fn written_tiles(bytes: &[u8]) -> Option<Vec<Range<u64>>> {
    let (bytes, end) = bytes.split_last_chunk::<8>()?;
    let (files, written_at) = bytes.split_last_chunk::<8>()?;
    let written_at = usize::try_from(u64::from_le_bytes(*written_at)).ok()?;
    let mut reader = Reader { bytes: files, at: written_at };
    let written = reader.counted("runs of written tiles").ok()?;
    reader.counted("members of the attic's pages").ok()?;
    let is_it = end == END && written_at >= HEADER_BYTES && reader.is_at_end();
    is_it.then(|| runs_of(written, u64::MAX).ok())?
}

fn put_counted(out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    put(out);
    let length_bytes = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&length_bytes.to_le_bytes());
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
