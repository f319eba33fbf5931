//! Applying replayed updates, member by member.

use journal::{JournalError, LogPosition, RawRecord};
use logform::Update;
use rrd::{Reading, Sample};
use store::Error;

use super::super::world::{World, member_of};
use crate::group::{Group, Scratch, Status};
use crate::record::Event;

/// Before each record of a chunk: its length, position and member.
const ENTRY_HEAD_BYTES: usize = 4 + 8 + 2;

/// Room that applying shares.
#[derive(Default)]
pub(super) struct Replaying {
    scratch: Scratch,
    entries: Vec<Entry>,
}

/// Adds a record to those that are handed on together.
pub(super) fn put_entry(at: LogPosition, record: &RawRecord<'_>, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(record.bytes().len() as u32).to_le_bytes());
    bytes.extend_from_slice(&at.0.to_le_bytes());
    bytes.extend_from_slice(&member_of(record.rrd()).to_le_bytes());
    bytes.extend_from_slice(record.bytes());
}

/// Applies updates as they were applied before the restart: what was refused is refused again.
///
/// Member by member, whose samples keep their order: each state is unpacked once, and what it
/// touches stays in the processor's cache.
pub(super) fn apply_updates(
    world: &World,
    group: &mut Group,
    bytes: &[u8],
    room: &mut Replaying,
) -> Result<(), Error> {
    room.entries.clear();
    room.entries.extend(Entries { bytes, at: 0 });
    // A stable sort keeps the order of a member's samples.
    room.entries.sort_by_key(|entry| entry.member);
    let mut entries = std::mem::take(&mut room.entries);
    let mut readings = Vec::new();
    for of_member in entries.chunk_by(|a, b| a.member == b.member) {
        apply_samples(world, group, (bytes, of_member), &mut room.scratch, &mut readings)?;
    }
    let last = entries.iter().map(|entry| entry.at).max();
    group.last_record = group.last_record.max(last.unwrap_or_default());
    entries.clear();
    room.entries = entries;
    Ok(())
}

/// Applies the samples of one member.
fn apply_samples<'a>(
    world: &World,
    group: &mut Group,
    (bytes, entries): (&'a [u8], &[Entry]),
    scratch: &mut Scratch,
    list: &mut Vec<Reading<'a>>,
) -> Result<(), Error> {
    let member = entries[0].member;
    let Some(holder) = group.members.get(usize::from(member)).copied() else { return Ok(()) };
    if !holder.status.has(Status::PRESENT) {
        return Ok(());
    }
    let definition = world.definition(holder.definition);
    group.states.copy(member, &mut scratch.state);
    for entry in entries {
        let record = &bytes[entry.start..entry.end];
        let undecodable = |error| JournalError::undecodable(entry.at, error);
        let record = RawRecord::parse(record).map_err(undecodable)?;
        let event = Event::decode(&record).map_err(undecodable)?;
        let Event::Update(Update { time, readings }) = event else { continue };
        // A record of an earlier holder, or one that was never written for this one.
        if record.generation() != holder.generation || readings.len() != definition.sources.len() {
            continue;
        }
        list.clear();
        list.extend(readings);
        let sample = Sample { time, readings: list };
        group.apply_in_hand(member, definition, &sample, scratch);
    }
    group.put_state(member, &scratch.state);
    Ok(())
}

/// One update among those that were handed on together.
#[derive(Clone, Copy, Debug)]
struct Entry {
    member: u16,
    at: LogPosition,
    /// Where its record stands.
    start: usize,
    end: usize,
}

/// The updates that were handed on together.
struct Entries<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let (head, _) = self.bytes.get(self.at..)?.split_at_checked(ENTRY_HEAD_BYTES)?;
        let length = u32::from_le_bytes(head[..4].as_chunks().0[0]) as usize;
        let at = LogPosition(u64::from_le_bytes(head[4..12].as_chunks().0[0]));
        let member = u16::from_le_bytes(head[12..].as_chunks().0[0]);
        let start = self.at + ENTRY_HEAD_BYTES;
        self.at = start + length;
        Some(Entry { member, at, start, end: self.at })
    }
}
