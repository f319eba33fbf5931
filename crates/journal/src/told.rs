//! What the user of a journal tells of segments.

use std::collections::BTreeMap;

use super::LogPosition;
use super::segment::Slot;

/// What the user tells of segments, by their numbers.
pub(super) type Outlines = BTreeMap<Slot, Outline>;

/// What the user tells of a segment.
#[derive(Debug)]
pub(super) struct Outline {
    /// The position behind its last record.
    pub(super) end: LogPosition,
    pub(super) told: Vec<u8>,
}
