//! Single records of a log that is being written, found again by their positions.

use std::collections::BTreeMap;
use std::sync::Arc;

use disk::Medium;

use super::frame::{Frame, records};
use super::read_ahead::read;
use super::writer::{Segment, Writer};
use super::{JournalError, JournalOptions, LogPosition};

/// A segment that is in use, open for reading beside the log.
pub(super) struct UsedSegment<M: Medium> {
    file: M::File,
    segment: Segment,
    /// What lies from there on is in the next one.
    end: LogPosition,
    options: JournalOptions,
}

impl<M: Medium> Writer<M> {
    /// The segment that holds what is written at a position.
    ///
    /// # Errors
    /// [`JournalError::Io`].
    pub(super) fn used_segment(
        &self,
        position: LogPosition,
    ) -> Result<Option<UsedSegment<M>>, JournalError> {
        let after = self.live.partition_point(|segment| segment.first <= position);
        let Some(segment) = after.checked_sub(1).and_then(|nth| self.live.get(nth)) else {
            return Ok(None);
        };
        let Segment { slot, .. } = *segment;
        let file = Arc::clone(&self.medium).open(&slot.name()).map_err(slot.io("opening"))?;
        let end = self.live.get(after).map_or(LogPosition(u64::MAX), |next| next.first);
        Ok(Some(UsedSegment { file, segment: *segment, end, options: self.options }))
    }
}

impl<M: Medium> UsedSegment<M> {
    /// Whether a position behind its first lies in it.
    pub(super) fn holds(&self, position: LogPosition) -> bool {
        position < self.end
    }

    /// Reads the records at some positions, which are in order.
    ///
    /// # Errors
    /// [`JournalError::Io`].
    pub(super) fn read(
        &self,
        positions: &[LogPosition],
        found: &mut BTreeMap<LogPosition, Vec<u8>>,
    ) -> Result<(), JournalError> {
        let Segment { slot, sequence, .. } = self.segment;
        let JournalOptions { segment_bytes, block_bytes, .. } = self.options;
        let mut bytes = Vec::new();
        read(&self.file, slot, segment_bytes, &mut bytes)?;
        let mut offset_bytes = block_bytes;
        while let Some(frame) =
            bytes.get(offset_bytes..).and_then(|rest| Frame::of_use(rest, sequence))
        {
            offset_bytes += frame.padded_bytes(block_bytes);
            for (at, record) in records(frame.payload, frame.position).flatten() {
                if positions.binary_search(&at).is_ok() {
                    found.insert(at, record.to_vec());
                }
            }
        }
        Ok(())
    }
}
