//! A segment as another process reads it, which copies the log while it is written.

use super::frame::Frame;
use super::last_use;
use super::segment::Slot;

/// Where the format block tells the sizes of blocks and of the segment.
const BLOCK_BYTES: std::ops::Range<usize> = 12..16;

/// What the latest use of a segment has put into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentUse {
    /// Which use it is, counted over all segments.
    pub sequence: u64,
    /// The position of its first record.
    pub first: u64,
    /// The position behind its last record.
    pub end: u64,
    /// Where its last whole frame ends; what follows is torn, or of an earlier use.
    pub end_bytes: usize,
}

/// Whether a file's name is that of a segment.
#[must_use]
pub fn is_segment(name: &str) -> bool {
    Slot::of(name).is_some()
}

/// Whether a file's name is that of the note which segment was begun last. A copy of the log that
/// is made while the log goes on is of another moment than that note, and as good without it.
#[must_use]
pub fn is_note(name: &str) -> bool {
    name == last_use::NAME
}

/// What stands in the first bytes of a segment, or in all of it; `None` if no use of it has begun
/// as far as they tell.
///
/// Of bytes that were read while the log was written the end may be of any moment, and be behind or
/// ahead of what stands before it: only what follows frame by frame counts.
#[must_use]
pub fn segment_use(bytes: &[u8]) -> Option<SegmentUse> {
    let block_bytes = u32::from_le_bytes(bytes.get(BLOCK_BYTES)?.try_into().ok()?) as usize;
    if block_bytes == 0 {
        return None;
    }
    let first = Frame::parse(bytes.get(block_bytes..)?)?;
    let (sequence, mut end) = (first.sequence, first.position);
    let mut end_bytes = block_bytes;
    while let Some(frame) = bytes.get(end_bytes..).and_then(|rest| Frame::of_use(rest, sequence)) {
        if frame.position != end {
            break;
        }
        end = frame.end();
        end_bytes = (end_bytes + frame.padded_bytes(block_bytes)).min(bytes.len());
    }
    Some(SegmentUse { sequence, first: first.position.0, end: end.0, end_bytes })
}
