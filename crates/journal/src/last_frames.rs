//! The frames at the end of a log that was read.

use super::frame::Frame;
use super::segment::Segment;
use super::tail::Batch;

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
    #[expect(clippy::indexing_slicing, clippy::expect_used, reason = "whole frames that were read")]
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
