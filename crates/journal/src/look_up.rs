//! Records of a log that is being written, read again: single ones, or all from a position on.

use std::collections::BTreeMap;
use std::sync::Arc;

use disk::Medium;

use super::frame::{Frame, records};
use super::read_ahead::read;
use super::segment::Segment;
use super::writer::Writer;
use super::{JournalError, JournalOptions, LogPosition, RawRecord};

/// A segment that is in use, open for reading beside the log.
pub(super) struct UsedSegment<M: Medium> {
    file: M::File,
    segment: Segment,
    /// Records from there on are in the next one.
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

    /// What is told where a position lies before the log's oldest record.
    pub(super) fn missing(&self, from: LogPosition) -> JournalError {
        let oldest = self.live.front();
        let (oldest, segment) = oldest
            .map_or((from, "no segment".to_owned()), |found| (found.first, found.slot.name()));
        JournalError::Missing { from, oldest, segment }
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
        self.for_each_frame(|_, frame| {
            for (at, record) in records(frame.payload, frame.position).flatten() {
                if positions.binary_search(&at).is_ok() {
                    found.insert(at, record.to_vec());
                }
            }
        })
    }

    /// Hands on the records from one position up to another. Returns how far the segment holds the
    /// log.
    ///
    /// # Errors
    /// [`JournalError::Io`].
    #[expect(clippy::expect_used, reason = "records that this process encoded")]
    pub(super) fn read_between(
        &self,
        from: LogPosition,
        through: LogPosition,
        visit: &mut impl FnMut(LogPosition, RawRecord<'_>),
    ) -> Result<LogPosition, JournalError> {
        // What was written again after a failed sync stands in the next segment.
        let through = through.min(self.end);
        let mut reached = from;
        self.for_each_frame(|_, frame| {
            for (at, record) in records(frame.payload, frame.position).flatten() {
                if (from..through).contains(&at) {
                    visit(at, RawRecord::parse(record).expect("it was encoded here"));
                }
            }
            reached = reached.max(frame.end().min(self.end));
        })?;
        Ok(reached)
    }

    /// Hands over each frame with its place in the file.
    pub(super) fn for_each_frame(
        &self,
        mut take: impl FnMut(usize, &Frame<'_>),
    ) -> Result<(), JournalError> {
        let Segment { slot, sequence, .. } = self.segment;
        let JournalOptions { segment_bytes, block_bytes, .. } = self.options;
        let mut bytes = Vec::new();
        read(&self.file, slot, segment_bytes, &mut bytes)?;
        let mut offset_bytes = block_bytes;
        while let Some(frame) =
            bytes.get(offset_bytes..).and_then(|rest| Frame::of_use(rest, sequence))
        {
            take(offset_bytes, &frame);
            offset_bytes += frame.padded_bytes(block_bytes);
        }
        Ok(())
    }

    /// The fault that records from a position on, which were made durable, cannot be read.
    pub(super) fn cut_at(&self, position: LogPosition) -> JournalError {
        let expected = format!("a valid frame with position {position}");
        self.segment.slot.damaged(self.options.block_bytes, expected, "none")
    }
}
