//! From the bytes of segments to the records of the log: what joins, what is torn, what is missing.

use std::collections::VecDeque;
use std::ops::Range;

use super::damage::{Leniency, Passed};
use super::frame::{Frame, records, sequence_at};
use super::last_frames::LastFrames;
use super::last_use::LastUse;
use super::pieces::{LogPiece, record_place};
use super::segment::{Segment, Slot};
use super::told::Outline;
use super::{JournalError, LogPosition, RawRecord};

/// A segment as it was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) segment: Segment,
    /// Where its first valid frame stands.
    pub(super) offset_bytes: usize,
    /// The checksum of that.
    pub(super) frame_crc: u32,
}

/// What the latest use of a segment left in it; `None` if no valid frame is there.
pub(super) fn identify(slot: Slot, bytes: &[u8], block_bytes: usize) -> Option<Found> {
    let found = |(offset_bytes, frame): (usize, Frame<'_>)| Found {
        segment: Segment { slot, sequence: frame.sequence, first: frame.position },
        offset_bytes,
        frame_crc: frame.crc,
    };
    let mut frames = frames_from(bytes, block_bytes, block_bytes);
    let first = frames.next()?;
    let (at, _) = first;
    if at == block_bytes {
        return Some(found(first));
    }
    // The first frame is torn or has rotted. Behind a torn one stands what an older use left, and
    // behind a rotten one the newest; where uses overlap, the newest tells.
    let newest = frames.fold(first, |(newest_at, newest), (at, frame)| {
        if frame.sequence > newest.sequence { (at, frame) } else { (newest_at, newest) }
    });
    Some(found(newest))
}

/// Leaves out the segments whose records were all written again into later ones. They are free, and
/// a torn frame of another use there may have brought a torn one of this to life.
pub(super) fn without_replaced(found: &[Found]) -> Vec<Found> {
    let mut place: Vec<Found> = Vec::new();
    for each in found {
        while place.pop_if(|last| last.segment.first >= each.segment.first).is_some() {}
        place.push(*each);
    }
    place
}

/// At every block from `offset_bytes` on, the sequence of a frame that would start there.
fn sequences_from(
    bytes: &[u8],
    offset_bytes: usize,
    block_bytes: usize,
) -> impl Iterator<Item = (usize, u64)> {
    let offsets = (offset_bytes..bytes.len()).step_by(block_bytes);
    offsets.filter_map(|at| Some((at, sequence_at(bytes.get(at..)?)?)))
}

/// Every valid frame at a block from `offset_bytes` on.
fn frames_from(
    bytes: &[u8],
    offset_bytes: usize,
    block_bytes: usize,
) -> impl Iterator<Item = (usize, Frame<'_>)> {
    let offsets = (offset_bytes..bytes.len()).step_by(block_bytes);
    offsets.filter_map(|at| Some((at, Frame::parse(bytes.get(at..)?)?)))
}

/// How much of a log was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogRead {
    /// Bytes of frames, with their padding.
    bytes: u64,
    /// The sum of what stands before each frame whose records are all of one database, such as a
    /// call leaves that opens the log for one update: so much these calls have read.
    pub bytes_before_lone: u64,
}

/// Follows the log from segment to segment.
pub(super) struct Chain<V> {
    block_bytes: usize,
    from: LogPosition,
    visit: V,
    /// How far the log reaches.
    pub(super) end: LogPosition,
    /// Where it ends.
    place: (Slot, usize),
    pub(super) last: Option<LastFrames>,
    pub(super) passed: Passed,
    pub(super) read: LogRead,
}

/// Frames of a segment that follow one another, as far as they were taken.
struct Run {
    /// Where the next one should stand.
    offset_bytes: usize,
    /// Its position.
    expected: LogPosition,
    /// Offsets and positions of the last frames, which none after them proves to be durable.
    in_doubt: VecDeque<(usize, LogPosition)>,
}

/// Frames that are missing in a segment.
struct Hole {
    error: JournalError,
    /// Where the frames go on.
    offset_bytes: usize,
    position: LogPosition,
}

impl<V: FnMut(LogPiece<'_>)> Chain<V> {
    /// A chain that starts at a segment and hands on the records from `from` on.
    pub(super) fn new(
        start: &Found,
        block_bytes: usize,
        from: LogPosition,
        leniency: Leniency,
        visit: V,
    ) -> Self {
        let Segment { first: end, slot, .. } = start.segment;
        let passed = Passed::new(leniency);
        let (place, read) = ((slot, block_bytes), LogRead::default());
        Self { block_bytes, from, visit, end, place, last: None, passed, read }
    }

    /// Takes the records of the next segment.
    pub(super) fn follow(&mut self, found: &Found, bytes: &[u8]) -> Result<(), JournalError> {
        let Segment { slot, first, .. } = found.segment;
        if first > self.end {
            self.pass(self.gap(found), first)?;
        }
        let mut run =
            Run { offset_bytes: found.offset_bytes, expected: first, in_doubt: VecDeque::new() };
        loop {
            self.take_run(found.segment, bytes, &mut run)?;
            let Some(hole) = self.hole_after(found.segment, bytes, &run) else { break };
            self.pass(hole.error, hole.position)?;
            run = Run {
                offset_bytes: hole.offset_bytes,
                expected: hole.position,
                in_doubt: VecDeque::new(),
            };
        }
        self.place = (slot, run.offset_bytes);
        if let Some((start, _)) = run.in_doubt.front().filter(|_| run.expected == self.end) {
            self.last = Some(self.last_frames(found.segment, bytes, *start..run.offset_bytes));
        }
        Ok(())
    }

    /// Takes what is told of the records of a segment. Returns whether that is enough: else they are to be read.
    pub(super) fn take_outline(
        &mut self,
        found: &Found,
        outline: &Outline,
    ) -> Result<bool, JournalError> {
        let Segment { slot, first, .. } = found.segment;
        if first != self.end {
            return Ok(false); // a gap, or records that stand in two segments
        }
        let mut is_enough = true;
        (self.visit)(LogPiece::Outline(slot.0, &outline.told, &mut is_enough));
        if is_enough {
            (self.end, self.place, self.last) = (outline.end, (slot, self.block_bytes), None);
        }
        Ok(is_enough)
    }

    /// Takes the frames of a segment that follow one another.
    fn take_run(
        &mut self,
        Segment { slot, sequence, .. }: Segment,
        bytes: &[u8],
        run: &mut Run,
    ) -> Result<(), JournalError> {
        while let Some(frame) = frame_of(bytes, run.offset_bytes, sequence) {
            if frame.position != run.expected {
                break;
            }
            self.take(slot, run.offset_bytes, &frame)?;
            let in_doubt = &mut run.in_doubt;
            while in_doubt.pop_front_if(|(_, position)| *position < frame.durable).is_some() {}
            in_doubt.push_back((run.offset_bytes, frame.position));
            run.expected = frame.end();
            run.offset_bytes += frame.padded_bytes(self.block_bytes);
        }
        Ok(())
    }

    /// What is missing behind a run of frames, if a frame behind it proves that something is, or
    /// the user of the journal has read further before. Else the log ends with the run: what
    /// follows it was never durable.
    fn hole_after(&self, segment: Segment, bytes: &[u8], run: &Run) -> Option<Hole> {
        let Segment { slot, sequence, .. } = segment;
        let Run { offset_bytes, expected, .. } = *run;
        let proof = proof(bytes, offset_bytes, self.block_bytes, sequence, expected);
        let (next_bytes, next) = frames_of_use(bytes, offset_bytes, self.block_bytes, sequence)
            .find(|(_, frame)| frame.position > expected)?;
        if proof.is_none() && expected >= self.from {
            return None;
        }
        let error = if next_bytes == offset_bytes {
            let found = format!("one at position {}", next.position);
            slot.damaged(offset_bytes, format!("a frame at position {expected}"), found)
        } else {
            let at = proof.map_or(next_bytes, |(at, _)| at);
            let found = format!("none, though the one at byte {at} was written after it");
            slot.damaged(offset_bytes, format!("a valid frame at position {expected}"), found)
        };
        Some(Hole { error, offset_bytes: next_bytes, position: next.position })
    }

    /// Goes on at a position behind records that are missing, if none of them is needed.
    fn pass(&mut self, error: JournalError, position: LogPosition) -> Result<(), JournalError> {
        let missing = (self.end, position);
        self.passed.pass(error, missing, position > self.from)?;
        self.end = self.end.max(position);
        Ok(())
    }

    #[expect(clippy::indexing_slicing, reason = "the range of frames that were read")]
    fn last_frames(&self, segment: Segment, bytes: &[u8], range: Range<usize>) -> LastFrames {
        let after = range.end;
        let starts = sequences_from(bytes, after, self.block_bytes);
        let torn = starts.filter(|(_, sequence)| *sequence == segment.sequence).last();
        // One block in any case: the bytes read may not be those on the disk.
        let wipe_end_bytes = torn.map_or(after, |(at, _)| at) + self.block_bytes;
        LastFrames {
            segment,
            offset_bytes: range.start,
            bytes: bytes[range].to_vec(),
            wipe_end_bytes: wipe_end_bytes.min(bytes.len()),
        }
    }

    /// Where it ends.
    pub(super) fn place(&self) -> (Slot, usize) {
        self.place
    }

    /// Checks that the log reaches as far as is known: that its user has read it before, that it
    /// was durable when its last segment was begun, or was ended; `cut` says that a segment is not
    /// whole that may have gone on. Where it does not, and nothing of that is needed, the log goes
    /// on behind it.
    pub(super) fn finish(
        &mut self,
        newest: Option<&Found>,
        begun: Option<LastUse>,
        cut: Option<JournalError>,
    ) -> Result<(), JournalError> {
        let (slot, offset_bytes) = self.place;
        let found = format!("the log's end at {}", self.end);
        // Frames behind the end that was noted prove that the note is old.
        let ended = begun.and_then(|begun| begun.end()).filter(|ended| *ended >= self.end);
        let needed = ended != Some(self.from);
        let known = self.from.max(begun.map_or(self.from, |begun| begun.durable));
        let last = self.last.as_ref().map(|last| last.segment);
        let first = self.end;
        if let Some(cut) = cut {
            // How many records it held nothing tells, unless the log was ended.
            self.passed.pass(cut, (first, ended.unwrap_or(first)), needed)?;
        } else if first < known {
            let expected = format!("records up to position {known}");
            let error = slot.damaged(offset_bytes, expected, found);
            let end = if ended.is_some() { known } else { first };
            self.passed.pass(error, (first, end), needed)?;
        } else if last != newest.map(|newest| newest.segment) {
            let error = slot.damaged(offset_bytes, "what earlier segments hold too", found);
            self.passed.pass(error, (first, first), needed)?;
        }
        if self.end < known {
            (self.end, self.last) = (known, None);
        }
        Ok(())
    }

    /// The fault that records are missing before a segment, whose first frame proves them.
    fn gap(&self, next: &Found) -> JournalError {
        let expected = format!("a valid frame at position {}", self.end);
        let Segment { slot, first, .. } = next.segment;
        if next.offset_bytes > self.block_bytes {
            let found = format!("none, though one at position {first} was written after it");
            return slot.damaged(self.block_bytes, expected, found);
        }
        let found = format!("none, though {} goes on at position {first}", slot.name());
        let (slot, offset_bytes) = self.place;
        slot.damaged(offset_bytes, expected, found)
    }

    fn take(
        &mut self,
        slot: Slot,
        offset_bytes: usize,
        frame: &Frame<'_>,
    ) -> Result<(), JournalError> {
        // Records before `end` are those that an earlier segment held too.
        let wanted = self.from.max(self.end);
        let (mut rrd, mut is_lone) = (None, true);
        for record in records(frame.payload, frame.position) {
            let damaged = |expected, found| slot.damaged(offset_bytes, expected, found);
            let (position, bytes) = record
                .ok_or_else(|| damaged("whole records".to_owned(), "one cut short".to_owned()))?;
            if position >= wanted {
                let raw = RawRecord::parse(bytes)
                    .map_err(|error| JournalError::undecodable(position, error))?;
                is_lone &= *rrd.get_or_insert(raw.rrd()) == raw.rrd();
                let place = record_place(slot, offset_bytes, frame.position, position);
                (self.visit)(LogPiece::Record(position, place, raw));
            } else if position.advance(bytes.len()) >= wanted {
                let expected = format!("a record that starts at position {wanted}");
                return Err(damaged(expected, format!("one that starts at {position}")));
            }
        }
        self.end = self.end.max(frame.end());
        if is_lone && rrd.is_some() {
            self.read.bytes_before_lone += self.read.bytes;
        }
        self.read.bytes += frame.padded_bytes(self.block_bytes) as u64;
        Ok(())
    }
}

/// The valid frame of a use at an offset.
fn frame_of(bytes: &[u8], offset_bytes: usize, sequence: u64) -> Option<Frame<'_>> {
    Frame::of_use(bytes.get(offset_bytes..)?, sequence)
}

/// A frame of a use, from an offset on, that was written when more was durable than `end`.
fn proof(
    bytes: &[u8],
    offset_bytes: usize,
    block_bytes: usize,
    sequence: u64,
    end: LogPosition,
) -> Option<(usize, Frame<'_>)> {
    frames_of_use(bytes, offset_bytes, block_bytes, sequence).find(|(_, frame)| frame.durable > end)
}

/// Every valid frame of a use at a block from an offset on.
fn frames_of_use(
    bytes: &[u8],
    offset_bytes: usize,
    block_bytes: usize,
    sequence: u64,
) -> impl Iterator<Item = (usize, Frame<'_>)> {
    let offsets = (offset_bytes..bytes.len()).step_by(block_bytes);
    offsets.filter_map(move |at| Some((at, frame_of(bytes, at, sequence)?)))
}
