//! From the bytes of segments to the records of the log: what joins, what is torn, what is missing.

use std::collections::VecDeque;
use std::ops::Range;

use super::frame::{Frame, records, sequence_at};
use super::segment::Slot;
use super::tail::Batch;
use super::writer::Segment;
use super::{JournalError, LogPosition, RawRecord};

/// A segment as it was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) segment: Segment,
    /// Where its first valid frame stands.
    pub(super) offset_bytes: usize,
}

/// What the latest use of a segment left in it; `None` if no valid frame is there.
pub(super) fn identify(slot: Slot, bytes: &[u8], block_bytes: usize) -> Option<Found> {
    let found = |(offset_bytes, frame): (usize, Frame<'_>)| Found {
        segment: Segment { slot, sequence: frame.sequence, first: frame.position },
        offset_bytes,
    };
    let mut frames = frames_from(bytes, block_bytes, block_bytes);
    let first = frames.next()?;
    if first.0 == block_bytes {
        return Some(found(first));
    }
    // The first frame is torn or has rotted. Behind a torn one stands what an older use left, and
    // behind a rotten one the newest; where uses overlap, the newest tells.
    let newest =
        frames.fold(
            first,
            |newest, frame| {
                if frame.1.sequence > newest.1.sequence { frame } else { newest }
            },
        );
    Some(found(newest))
}

/// Leaves out the segments whose records were all written again into later ones. They are free, and
/// a torn frame of another use there may have brought a torn one of this to life.
pub(super) fn without_replaced(found: &[Found]) -> Vec<Found> {
    let mut standing: Vec<Found> = Vec::new();
    for each in found {
        while standing.pop_if(|last| last.segment.first >= each.segment.first).is_some() {}
        standing.push(*each);
    }
    standing
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
}

/// The frames that end the log and may not be durable.
pub(super) struct LastFrames {
    pub(super) segment: Segment,
    pub(super) offset_bytes: usize,
    /// The frames with their padding.
    pub(super) bytes: Vec<u8>,
    /// Up to here torn frames may follow them.
    pub(super) wipe_end_bytes: usize,
}

impl LastFrames {
    /// Their records.
    pub(super) fn batch(&self, block_bytes: usize) -> Batch {
        let mut rest = self.bytes.as_slice();
        let mut batch: Option<Batch> = None;
        while let Some(frame) = Frame::parse(rest) {
            batch.get_or_insert_with(|| Batch::empty(frame.position)).extend(frame.payload);
            rest = &rest[frame.padded_bytes(block_bytes)..];
        }
        assert!(rest.is_empty(), "these are whole frames");
        batch.expect("a log ends with a frame")
    }
}

impl<V: FnMut(LogPosition, RawRecord<'_>)> Chain<V> {
    /// A chain that starts at a segment and hands on the records from `from` on.
    pub(super) fn new(start: &Found, block_bytes: usize, from: LogPosition, visit: V) -> Self {
        let Segment { first: end, slot, .. } = start.segment;
        Self { block_bytes, from, visit, end, place: (slot, block_bytes), last: None }
    }

    /// Takes the records of the next segment.
    pub(super) fn follow(&mut self, found: &Found, bytes: &[u8]) -> Result<(), JournalError> {
        let Segment { slot, sequence, first } = found.segment;
        if first > self.end {
            return Err(self.gap(found));
        }
        let mut offset_bytes = found.offset_bytes;
        let mut expected = first;
        let mut in_doubt = VecDeque::new();
        while let Some(frame) = frame_of(bytes, offset_bytes, sequence) {
            if frame.position > expected && frame.durable <= expected {
                // The frame before it had grown, which a power cut took: the log ends with what it
                // had at first.
                break;
            }
            if frame.position != expected {
                let expected = format!("a frame at position {expected}");
                let found = format!("one at position {}", frame.position);
                return Err(slot.damaged(offset_bytes, expected, found));
            }
            self.take(slot, offset_bytes, &frame)?;
            while in_doubt.pop_front_if(|(_, position)| *position < frame.durable).is_some() {}
            in_doubt.push_back((offset_bytes, frame.position));
            expected = frame.end();
            offset_bytes += frame.padded_bytes(self.block_bytes);
        }
        if let Some((at, _)) = proof(bytes, offset_bytes, self.block_bytes, sequence, expected) {
            let expected = format!("a valid frame at position {expected}");
            let found = format!("none, though the one at byte {at} was written after it");
            return Err(slot.damaged(offset_bytes, expected, found));
        }
        self.place = (slot, offset_bytes);
        if let Some((start, _)) = in_doubt.front().filter(|_| expected == self.end) {
            self.last = Some(self.last_frames(found.segment, bytes, *start..offset_bytes));
        }
        Ok(())
    }

    fn last_frames(&self, segment: Segment, bytes: &[u8], range: Range<usize>) -> LastFrames {
        let after = range.end;
        let starts = sequences_from(bytes, after, self.block_bytes);
        let torn = starts.filter(|(_, sequence)| *sequence == segment.sequence).last();
        // One block in any case: what is read may not be what is on the disk.
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

    /// Checks that the log reaches as far as its user has read it before, and that its end lies in
    /// the newest segment.
    pub(super) fn finish(&self, newest: Option<&Found>) -> Result<(), JournalError> {
        let (slot, offset_bytes) = self.place;
        let found = || format!("the log's end at {}", self.end);
        if self.end < self.from {
            let expected = format!("records up to position {}", self.from);
            return Err(slot.damaged(offset_bytes, expected, found()));
        }
        let last = self.last.as_ref().map(|last| last.segment);
        if last != newest.map(|newest| newest.segment) {
            return Err(slot.damaged(offset_bytes, "what earlier segments hold too", found()));
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
        self.place.0.damaged(self.place.1, expected, found)
    }

    fn take(
        &mut self,
        slot: Slot,
        offset_bytes: usize,
        frame: &Frame<'_>,
    ) -> Result<(), JournalError> {
        // Records before `end` are those that an earlier segment held too.
        let wanted = self.from.max(self.end);
        for record in records(frame.payload, frame.position) {
            let damaged = |expected, found| slot.damaged(offset_bytes, expected, found);
            let (position, bytes) = record
                .ok_or_else(|| damaged("whole records".to_owned(), "one cut short".to_owned()))?;
            if position >= wanted {
                let raw = RawRecord::parse(bytes)
                    .map_err(|error| JournalError::undecodable(position, error))?;
                (self.visit)(position, raw);
            } else if position.advance(bytes.len()) >= wanted {
                let expected = format!("a record that starts at position {wanted}");
                return Err(damaged(expected, format!("one that starts at {position}")));
            }
        }
        self.end = self.end.max(frame.end());
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
    let offsets = (offset_bytes..bytes.len()).step_by(block_bytes);
    let mut frames = offsets.filter_map(|at| Some((at, frame_of(bytes, at, sequence)?)));
    frames.find(|(_, frame)| frame.durable > end)
}
