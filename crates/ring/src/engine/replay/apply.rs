//! Applying replayed updates, member by member.

use journal::{JournalError, LogPosition, RawRecord};
use logform::Update;
use rrd::{Reading, Sample};
use store::Error;

use super::super::world::member_of;
use super::event::definition_of;
use crate::catalogue::Definitions;
use crate::group::{Group, Scratch, Status};
use crate::record::Event;

/// Updates that are applied together, member by member. Those of a large group since its
/// checkpoint are a few of these.
const TOGETHER_BYTES: usize = 2 << 20;

/// Room that replaying shares.
#[derive(Default)]
pub(super) struct Room {
    scratch: Scratch,
    /// Records of updates that wait to be applied, one behind the other.
    records: Vec<u8>,
    entries: Vec<Entry>,
}

impl Room {
    /// Takes an update. Returns whether there are so many that they are to be applied.
    pub(super) fn put(&mut self, at: LogPosition, record: &RawRecord<'_>) -> bool {
        let start = self.records.len();
        self.records.extend_from_slice(record.bytes());
        let (member, end) = (member_of(record.rrd()), self.records.len());
        self.entries.push(Entry { member, at, start, end });
        end >= TOGETHER_BYTES
    }
}

/// Applies updates as they were applied before the restart: what was refused is refused again.
///
/// Member by member, whose samples keep their order: each state is unpacked once, and what it
/// touches stays in the processor's cache.
pub(super) fn apply_updates(
    definitions: &Definitions,
    group: &mut Group,
    room: &mut Room,
) -> Result<(), Error> {
    let Room { scratch, records, entries } = room;
    // A stable sort keeps the order of a member's samples.
    entries.sort_by_key(|entry| entry.member);
    let mut readings = Vec::new();
    for of_member in entries.chunk_by(|a, b| a.member == b.member) {
        apply_samples(definitions, group, (records, of_member), scratch, &mut readings)?;
    }
    let last = entries.iter().map(|entry| entry.at).max();
    group.last_record = group.last_record.max(last.unwrap_or_default());
    records.clear();
    entries.clear();
    Ok(())
}

/// Applies the samples of one member.
fn apply_samples<'a>(
    definitions: &Definitions,
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
    let definition = definition_of(definitions, holder.definition);
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

/// One update among those that are applied together.
#[derive(Clone, Copy, Debug)]
struct Entry {
    member: u16,
    at: LogPosition,
    /// Where its record stands.
    start: usize,
    end: usize,
}
